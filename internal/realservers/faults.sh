#!/usr/bin/env bash
# faults.sh install DIR            toxiproxy in DIR, built by Go, and nginx from Debian 12 (as root)
# faults.sh toxiproxy DIR PORT     its interface on 127.0.0.1:PORT, until the standard input ends
# faults.sh nginx CONF             nginx in the foreground with that configuration, until the standard input ends
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
toxiproxy=v2.5.0
. "$here/common.sh"

install_both() { # DIR
  if ! have nginx; then
    never_starts nginx
    apt_install nginx
  fi
  local bin=$1/toxiproxy-$toxiproxy
  if [ -x "$bin/server" ]; then return; fi
  mkdir -p "$bin"
  GOBIN=$(cd "$bin" && pwd) GOFLAGS='' quietly go install "github.com/Shopify/toxiproxy/v2/cmd/server@$toxiproxy"
}

run() { # COMMAND
  "$@" </dev/null &
  trap 'kill %1 2>/dev/null; wait %1 2>/dev/null || true' EXIT
  until_input_ends
}

case ${1:-}:$# in
  install:2) install_both "$2" ;;
  toxiproxy:3) LOG_LEVEL=error run "$2/toxiproxy-$toxiproxy/server" -host 127.0.0.1 -port "$3" ;;
  nginx:2) run /usr/sbin/nginx -e stderr -c "$2" ;;
  *) sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
