#!/bin/sh
# Follow docs/how-to/install-a-site.md in a Debian machine that is made for it and removed at the end:
#   sh scripts/debian/try.sh bookworm    (or trixie; KEEP=1: the machine stays)
# Needs root, git, python3, debootstrap and slirp4netns. One thing is not as on the page: an authority
# of the machine's own gives the certificates.
set -eu
suite=$1
here=$(dirname "$(realpath "$0")")
root=$here/../..
folder=${TMPDIR:-/tmp}/quintain-$suite
page=$root/docs/how-to/install-a-site.md

say() { printf '\n=== %s: %s\n' "$suite" "$*"; }
inside() { sh "$here/machine.sh" run "$folder" "$@"; }
follow() { # the commands under headings of the page, in one shell
    say "following: $*"
    python3 "$here/steps.py" "$page" "1. Name" "$@" >"$folder/root/steps.sh"
    # Where a proxy opens TLS, uv and pip have to know what this machine trusts.
    inside env SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
        PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
        bash -eu -c 'cd /root/quintain && set -x && . /root/steps.sh'
}
visit() { # play a contest over https
    say "visiting through $1"
    link=$(inside quintain-site host account add /var/lib/quintain "$1@example.org" --name "$1" --operator)
    inside env SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
        /opt/quintain/bin/python /root/visit.py https://contests.example.org "$1" "$link"
}

[ -n "${KEEP:-}" ] || trap 'sh "$here/machine.sh" remove "$folder"' EXIT
say "making a machine in $folder"
sh "$here/machine.sh" make "$suite" "$folder" >"$folder.debootstrap" 2>&1
sh "$here/machine.sh" boot "$folder"
mkdir "$folder/root/quintain"
git -C "$root" archive HEAD | tar -x -C "$folder/root/quintain"
cp "$here/authority.sh" "$here/visit.py" "$here/compare.py" "$folder/root/"

follow "2. Packages" "3. Program" "4. Users and folders" "5. Database" "6. Settings" "7. Units"
say "looking at the units"
inside sh -c 'systemd-analyze verify --man=no /etc/systemd/system/quintain-*'
inside systemctl is-active quintain-web quintain-worker quintain-backup.timer

inside sh /root/authority.sh
newer=$([ "$suite" = bookworm ] || echo "With nginx 1.25.1 or newer (Debian 13)")
follow "With nginx" ${newer:+"$newer"} "Start nginx"
follow "9. Operator" || say "the operator has no second factor yet"
follow "10. Programs of teams"
visit nginx

inside systemctl stop nginx
follow "With Caddy"
inside sed --in-place \
    '/^{$QUINTAIN_HOST}/a tls {\n ca https://localhost:14000/dir\n ca_root /etc/pebble/cert.pem\n}' \
    /etc/caddy/Caddyfile
inside systemctl restart caddy
visit caddy

follow "Back up"
say "emptying the machine"
inside systemctl stop quintain-programs quintain-web quintain-worker
inside rm -rf /var/lib/quintain /etc/quintain
inside runuser --login postgres -c 'dropdb quintain && dropuser quintain'
follow "4. Users and folders" "5. Database" "Restore on a new machine"
inside quintain-site host backup /var/lib/quintain /var/backups/quintain/again.zip
inside /opt/quintain/bin/python /root/compare.py
follow "7. Units"
inside curl --silent --show-error --fail --retry 20 --retry-all-errors --output /dev/null \
    --write-out 'after the restore: %{http_code}\n' https://contests.example.org/contests/nginx
follow "Upgrade"
say "done"
