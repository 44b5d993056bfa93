#!/bin/sh
# Installs this release on a machine with systemd: unpack it in /opt, and run this
# as root. Run it from a newer release to upgrade. It creates what is missing (user,
# folders, key, settings), replaces the units, and starts nothing.
set -eu
umask 022

release=$(dirname "$(dirname "$(readlink -f "$0")")")
user=service-management
settings=/etc/service-management.env
key=/etc/service-management/admin-key

fail() {
  echo "$1" >&2
  exit 1
}
say() {
  printf '%-8s %s\n' "$1" "$2"
}

[ "$(id -u)" = 0 ] || fail "this needs root; run it with sudo"
case $release in
  /opt/*) ;;
  *) fail "this release is in $release, where the service may not read; unpack it in /opt" ;;
esac
# Fails with a clear message if Node is missing or too old, before anything is created.
"$release/service-management" --version >/dev/null

if ! id -u "$user" >/dev/null 2>&1; then
  useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$user"
  say made "the user $user"
fi
# The second folder is for backups; the one above it also holds the ledger of erased accounts.
for folder in /var/lib/service-management /var/backups/service-management \
  /var/backups/service-management/daily; do
  [ -d "$folder" ] && continue
  install -d -m 700 -o "$user" -g "$user" "$folder"
  say made "$folder"
done
install -d -m 755 /etc/service-management
if [ ! -e "$key" ]; then
  (umask 077 && head -c 32 /dev/urandom | base64 >"$key.new")
  chgrp "$user" "$key.new"
  chmod 640 "$key.new"
  mv "$key.new" "$key"
  say made "$key"
fi
if [ ! -e "$settings" ]; then
  install -m 640 -g "$user" "$release/operations/service-management.env" "$settings"
  say made "$settings"
fi
for unit in service-management.service service-management.socket service-console.service; do
  place=/etc/systemd/system/$unit
  cmp -s "$release/operations/$unit" "$place" && continue
  said=made
  if [ -e "$place" ]; then
    said=replaced
    mv "$place" "$place.before"
  fi
  install -m 644 "$release/operations/$unit" "$place"
  say "$said" "$place"
done
# -n: the link itself, not a file in the folder that it leads to.
ln -sfn "$release" /opt/service-management
ln -sfn /opt/service-management/service-management /usr/local/bin/service-management
systemctl daemon-reload
say "in place" "$release"
