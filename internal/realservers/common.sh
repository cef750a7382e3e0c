# common.sh   what the scripts of this folder share; they source it.

quietly() { # COMMAND   its output is only worth reading if it fails
  local out
  if out=$("$@" 2>&1); then return; fi
  printf '%s\n' "$out" >&2
  return 1
}

as_root() { # COMMAND
  if [ "$(id -u)" = 0 ]; then "$@"; return; fi
  if ! sudo -n true 2>/dev/null; then
    printf 'this needs root, or sudo without a password: %s\n' "$*" >&2
    return 1
  fi
  sudo -n "$@"
}

have() { # PACKAGE...
  local states
  states=$(dpkg-query -W -f '${db:Status-Status}\n' "$@" 2>/dev/null) && [ "$(sort -u <<<"$states")" = installed ]
}

# apt_install fetches first, again if the mirror stalls, and then installs without
# the network. No service that a package brings is started, neither now nor at the
# next start of the machine.
apt_install() { # PACKAGE...
  local try got=
  for try in 1 2 3; do
    quietly apt_get 60 update || true # one bad source need not matter: what is fetched does
    if quietly apt_get 150 install --download-only "$@"; then got=yes; break; fi
    echo "apt-get has not fetched the packages at attempt $try of 3" >&2
  done
  [ "$got" ] || return 1
  local policy=/usr/sbin/policy-rc.d ours=
  if [ ! -e $policy ]; then
    ours=yes
    printf '#!/bin/sh\nexit 101\n' | as_root install -m755 /dev/stdin $policy
  fi
  local status=0
  quietly apt_get 600 install --no-download "$@" || status=1
  if [ "$ours" ]; then as_root rm -f $policy; fi
  return $status
}

apt_get() { # SECONDS ARGUMENT...
  local limit=$1
  shift
  as_root env DEBIAN_FRONTEND=noninteractive timeout -k 10 "$limit" apt-get -y --no-install-recommends \
    -o DPkg::Options::=--force-unsafe-io -o DPkg::Lock::Timeout=300 -o Acquire::Retries=2 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 "$@"
}

# never_starts keeps the service of a package that is not installed yet from being
# started by systemd; `systemctl unmask NAME` takes that back.
never_starts() { # NAME
  if have "$1" || [ -e "/etc/systemd/system/$1.service" ]; then return; fi
  as_root mkdir -p /etc/systemd/system
  as_root ln -s /dev/null "/etc/systemd/system/$1.service"
}

# until_input_ends waits for the end of the standard input, or of any job.
until_input_ends() {
  exec 3<&0
  cat <&3 >/dev/null &
  wait -n || true
}
