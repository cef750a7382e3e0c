#!/usr/bin/env bash
# redmine.sh install            Redmine 5.0 and what it needs, from Debian 12 (as root)
# redmine.sh seed DIR           an instance of its own in DIR, if it is not there; prints KEY LOGIN APIKEY for each account
# redmine.sh serve DIR PORT     a fresh copy of it on 127.0.0.1:PORT, until the standard input ends
# redmine.sh api DIR on|off     switches the REST interface of the copy that is served
#
# Debian's Redmine finds its instances in /var/lib/redmine: seed puts a link to DIR
# there, which needs root. Everything else lies in DIR.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
code=/usr/share/redmine
export RAILS_ENV=production REDMINE_LANG=en
. "$here/common.sh"

# The package would fill an instance of its own, which takes as long as all the rest.
install_packages() {
  local used=(redmine redmine-sqlite ruby-sqlite3 puma)
  if have "${used[@]}"; then return; fi
  if ! have redmine; then
    as_root debconf-set-selections <<<'redmine redmine/instances/default/dbconfig-install boolean false'
  fi
  apt_install "${used[@]}"
}

# what a seed was made with
stamp() { (cat "$here/redmine.sh" "$here/redmine.rb" && dpkg-query -W redmine) | sha256sum | cut -c1-16; }

enter() { # DIR
  dir=$(cd "$1" && pwd)
  REDMINE_INSTANCE=frank-$(printf %s "$dir" | sha256sum | cut -c1-12)
  export REDMINE_INSTANCE
  local link=/var/lib/redmine/$REDMINE_INSTANCE
  if [ "$(readlink "$link" 2>/dev/null)" != "$dir" ]; then as_root ln -sfn "$dir" "$link"; fi
}

seed() { # DIR
  mkdir -p "$1"/{config,files,public,log,tmp/cache}
  enter "$1"
  exec 9>"$dir/seed.lock" # two runs at once would seed into each other
  flock 9
  if [ "$(cat "$dir/stamp" 2>/dev/null)" != "$(stamp)" ]; then
    rm -f "$dir"/db.sqlite3* "$dir"/seeded.sqlite3 "$dir"/stamp
    printf 'production:\n  adapter: sqlite3\n  database: %s/db.sqlite3\n  timeout: 15000\n' "$dir" >"$dir/config/database.yml"
    head -c16 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$dir/config/secret_key.txt"
    cd "$code"
    SCHEMA=$dir/schema.rb quietly rake db:migrate
    if ! bundle exec rails runner "$here/redmine.rb" >"$dir/log/seed.out" 2>&1; then
      head -20 "$dir/log/seed.out" >&2
      exit 1
    fi
    grep '^KEY ' "$dir/log/seed.out" >"$dir/keys"
    mv "$dir/db.sqlite3" "$dir/seeded.sqlite3"
    stamp >"$dir/stamp"
  fi
  cat "$dir/keys"
}

serve() { # DIR PORT
  enter "$1"
  exec 8>"$dir/serve.lock" # one copy is served at a time
  flock -w 60 8
  rm -f "$dir"/db.sqlite3*
  cp "$dir/seeded.sqlite3" "$dir/db.sqlite3"
  cd "$code"
  # One thread: a second one that waits for SQLite would keep the first from finishing.
  puma -e production -w 0 -t 1:1 -b "tcp://127.0.0.1:$2" config.ru </dev/null >"$dir/log/puma.out" 2>&1 &
  trap 'kill %1 2>/dev/null; wait %1 2>/dev/null || true' EXIT
  until_input_ends
}

api() { # DIR on|off   a running server looks at its settings with each request
  ruby -rsqlite3 -e 'db = SQLite3::Database.new(File.join(ARGV[0], "db.sqlite3")); db.busy_timeout = 15000
    db.execute("update settings set value = ?, updated_on = ? where name = ?", [ARGV[1] == "on" ? 1 : 0, Time.now.utc.strftime("%F %T.%6N"), "rest_api_enabled"])' \
    "$1" "$2"
}

case ${1:-}:$# in
  install:1) install_packages ;;
  seed:2) install_packages; seed "$2" ;;
  serve:3) serve "$2" "$3" ;;
  api:3) api "$2" "$3" ;;
  *) sed -n '2,5s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
