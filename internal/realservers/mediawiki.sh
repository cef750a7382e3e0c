#!/usr/bin/env bash
# mediawiki.sh install            MediaWiki 1.39 and what it needs, from Debian 12 (as root)
# mediawiki.sh seed DIR           a public and a private wiki in DIR, if they are not there
# mediawiki.sh serve DIR P1 P2    a fresh copy of the public one on 127.0.0.1:P1, of the private one on P2, until the standard input ends
#
# The accounts are made up and good for these wikis only. A bot password to read with:
#   Alice@reader  0123456789abcdef0123456789abcdef
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
code=/usr/share/mediawiki web=/var/lib/mediawiki
password='Crane-and-harbour-7'
. "$here/common.sh"

# The package asks for a web server; PHP's own serves here, nginx is needed anyway.
install_packages() {
  local used=(mediawiki php-cli php-sqlite3 php-mbstring php-xml php-intl)
  if have "${used[@]}"; then return; fi
  never_starts nginx
  apt_install "${used[@]}" nginx
}

# what a seed was made with
stamp() { (cat "$here/mediawiki.sh" "$here/mediawiki.php" && dpkg-query -W mediawiki) | sha256sum | cut -c1-16; }

# Sessions and looked-up pages go to SQLite, and jobs run when the seed is done, never
# within a request. The namespace Vault is kept from everybody but administrators, as
# extensions such as Lockdown do it.
settings() { # PRIVATE
  cat <<'PHP'
wfLoadExtension( 'Cite' );
$wgDBservers = [ [ 'type' => 'sqlite', 'dbname' => 'wiki', 'dbDirectory' => $wgSQLiteDataDir, 'load' => 1, 'flags' => DBO_DEFAULT,
	'variables' => [ 'synchronous' => 'OFF' ] ] ];
$wgServer = 'http://127.0.0.1:' . ( $_SERVER['SERVER_PORT'] ?? '80' );
$wgMainCacheType = CACHE_DB;
$wgSessionCacheType = CACHE_DB;
$wgJobRunRate = 0;
$wgEnableBotPasswords = true;
$wgEnableUploads = false;
$wgGroupPermissions['*']['edit'] = false;
$wgPasswordAttemptThrottle = [];
$wgExtraNamespaces[3000] = 'Vault';
$wgExtraNamespaces[3001] = 'Vault_talk';
$wgHooks['getUserPermissionsErrors'][] = static function ( $title, $user, $action, &$result ) {
	if ( $action === 'read' && $title->getNamespace() === 3000 && !$user->isAllowed( 'protect' ) && PHP_SAPI !== 'cli' ) {
		$result = [ 'badaccess-group0' ];
		return false;
	}
	return true;
};
PHP
  if [ "$1" = private ]; then
    echo "\$wgGroupPermissions['*']['read'] = false;"
    echo '$wgWhitelistRead = [];'
  fi
}

seed() { # DIR NAME
  local dir=$1/$2
  if [ "$(cat "$dir/stamp" 2>/dev/null)" = "$(stamp)" ]; then return; fi
  rm -rf "$dir"
  mkdir -p "$dir/data" "$dir/conf"
  unset MW_CONFIG_FILE
  quietly php "$code/maintenance/install.php" --dbtype sqlite --dbname wiki --dbpath "$dir/data" --confpath "$dir/conf" \
    --server http://127.0.0.1 --scriptpath '' --pass "$password" --lang en "Harbour $2" Admin
  settings "$2" >>"$dir/conf/LocalSettings.php"
  export MW_CONFIG_FILE=$dir/conf/LocalSettings.php
  quietly php "$code/maintenance/createAndPromote.php" Alice "$password"
  quietly php "$code/maintenance/createBotPassword.php" --appid reader --grants basic Alice 0123456789abcdef0123456789abcdef
  quietly php "$here/mediawiki.php"
  quietly php "$code/maintenance/runJobs.php"
  # Rendered pages are kept by the second: what was rendered in the second in which a
  # template of it appeared would go on being served without it.
  quietly php -r '(new PDO("sqlite:$argv[1]"))->exec("DELETE FROM objectcache");' "$dir/data/wikicache.sqlite"
  mv "$dir/data" "$dir/seeded"
  stamp >"$dir/stamp"
}

# serve starts each server in a session of its own: its workers outlive it otherwise.
serve() { # DIR PORT PORT
  exec 8>"$1/serve.lock" # one copy is served at a time
  flock -w 60 8
  servers=()
  trap 'for s in "${servers[@]}"; do kill -TERM -- "-$s" 2>/dev/null || true; done' EXIT
  trap 'exit 0' TERM INT HUP
  for wiki in "public $2" "private $3"; do
    read -r name port <<<"$wiki"
    rm -rf "$1/$name/data"
    cp -r "$1/$name/seeded" "$1/$name/data"
    MW_CONFIG_FILE=$1/$name/conf/LocalSettings.php PHP_CLI_SERVER_WORKERS=2 \
      setsid php -d opcache.enable_cli=1 -S "127.0.0.1:$port" -t "$web" </dev/null >"$1/$name/server.log" 2>&1 &
    servers+=($!)
  done
  until_input_ends
}

case ${1:-} in
  install) install_packages ;;
  seed)
    install_packages
    mkdir -p "$2"
    exec 9>"$2/mediawiki.lock" # two runs at once would seed into each other
    flock 9
    seed "$2" public
    seed "$2" private
    ;;
  serve) serve "$2" "$3" "$4" ;;
  *)
    sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
