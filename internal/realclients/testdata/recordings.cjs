// Serves the recordings of @octokit/fixtures on loopback.
// usage: node recordings.cjs FOLDER-OF-PACKAGES ADDRESS-WRITTEN-INTO-THE-ANSWERS
// It prints the port it listens on.
const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');

const [folder, fixturesUrl] = process.argv.slice(2);
const load = createRequire(path.join(folder, 'package.json'));
const express = load('express');
const recordings = load('@octokit/fixtures-server').default;

const scenarios = path.join(folder, 'node_modules/@octokit/fixtures/scenarios/api.github.com');
const fixtures = {};
for (const name of fs.readdirSync(scenarios)) {
  fixtures[name] = JSON.parse(fs.readFileSync(path.join(scenarios, name, 'normalized-fixture.json'), 'utf8'));
}

const app = express();
app.use(recordings({ fixtures, fixturesUrl, logLevel: 'silent', ttl: 600000 }));
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => process.exit(0));
