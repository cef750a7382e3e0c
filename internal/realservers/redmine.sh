#!/usr/bin/env bash
# redmine.sh prepare        installs Debian's Redmine if it is missing, builds an instance of its own
#                           and seeds it; prints one line KEY LOGIN APIKEY for each account
# redmine.sh serve PORT     serves a fresh copy of what was seeded on 127.0.0.1:PORT, in the foreground
# redmine.sh api on|off     switches the REST interface of the served copy
#
# Debian 12 with root, for the package and for one link in /var/lib/redmine, by
# which Debian's Redmine finds its instances. Everything else lies in
# ${FRANK_REAL_SERVERS:-${XDG_CACHE_HOME:-$HOME/.cache}/frank-real-servers}/redmine.
# Seeding takes half a minute, once.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=${FRANK_REAL_SERVERS:-${XDG_CACHE_HOME:-$HOME/.cache}/frank-real-servers}/redmine
name=frank-realservers
link=/var/lib/redmine/$name
export RAILS_ENV=production REDMINE_INSTANCE=$name REDMINE_LANG=en SCHEMA=$home/schema.rb

usage() { sed -n '2,5s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }

quietly() { # COMMAND   its output is only worth reading if it fails
  if "$@" >"$home/log/build.log" 2>&1; then return; fi
  tail -20 "$home/log/build.log" >&2
  return 1
}

install() {
  if dpkg -s redmine redmine-sqlite ruby-sqlite3 puma >/dev/null 2>&1; then return; fi
  export DEBIAN_FRONTEND=noninteractive
  quietly apt-get -o DPkg::Lock::Timeout=600 update
  quietly apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends redmine redmine-sqlite ruby-sqlite3 puma
}

seeds() { cat "$here/redmine.sh" "$here/redmine.rb" | sha256sum | cut -d' ' -f1; }

prepare() {
  mkdir -p "$home"/{config,files,public,log,tmp/cache}
  install
  if [ "$(cat "$home/seeded" 2>/dev/null)" != "$(seeds)" ]; then
    rm -f "$home"/db.sqlite3* "$home"/seeded*
    printf 'production:\n  adapter: sqlite3\n  database: %s/db.sqlite3\n  timeout: 15000\n' "$home" >"$home/config/database.yml"
    [ -s "$home/config/secret_key.txt" ] || head -c16 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$home/config/secret_key.txt"
    ln -sfn "$home" "$link"
    cd /usr/share/redmine
    quietly rake db:migrate
    quietly rake redmine:load_default_data
    bundle exec rails runner "$here/redmine.rb" 2>"$home/log/seed.log" | grep '^KEY ' >"$home/keys" || { tail -20 "$home/log/seed.log" >&2; exit 1; }
    mv "$home/db.sqlite3" "$home/seeded.sqlite3"
    seeds >"$home/seeded"
  fi
  ln -sfn "$home" "$link"
  cat "$home/keys"
}

serve() { # PORT
  rm -f "$home"/db.sqlite3*
  cp "$home/seeded.sqlite3" "$home/db.sqlite3"
  cd /usr/share/redmine
  exec puma -e production -w 0 -t 1:4 -b "tcp://127.0.0.1:$1" config.ru
}

api() { # on|off   a running server reads its settings anew with each request
  local value=0
  if [ "$1" = on ]; then value=1; fi
  ruby -rsqlite3 -e 'db = SQLite3::Database.new(ARGV[0]); db.busy_timeout = 15000
    db.execute("update settings set value = ?, updated_on = ? where name = ?", [ARGV[1], Time.now.utc.strftime("%F %T.%6N"), "rest_api_enabled"])' \
    "$home/db.sqlite3" "$value"
}

case ${1:-} in
  prepare) [ $# = 1 ] || usage; prepare ;;
  serve) [ $# = 2 ] || usage; serve "$2" ;;
  api) [ $# = 2 ] || usage; api "$2" ;;
  *) usage ;;
esac
