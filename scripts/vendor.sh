#!/bin/sh
# Renew the scripts of other makers that the site serves: sh scripts/vendor.sh
# Give the versions here, run it, run the browser tests, and commit what changed.
set -eu
HTMX=4.0.0

cd "$(dirname "$0")/.."
target="$PWD/packages/quintain-host/src/quintain_host/web/static/vendor"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$target"

fetch() { # fetch PACKAGE VERSION: unpack a package of the npm registry into $work/package
    rm -rf "$work/package"
    (cd "$work" && npm pack --silent "$1@$2" >/dev/null && tar xzf ./*.tgz && rm -f ./*.tgz)
}

fetch htmx.org "$HTMX"
grep -v '^//# sourceMappingURL' "$work/package/dist/htmx.min.js" >"$target/htmx.min.js"
cp "$work/package/LICENSE" "$target/htmx.LICENSE.txt"

{
    echo "Scripts of other makers, served by the site itself; scripts/vendor.sh renews them."
    echo
    echo "htmx.min.js  htmx.org $HTMX, Zero-Clause BSD, https://htmx.org"
    echo
    (cd "$target" && sha256sum htmx.min.js)
} >"$target/README.txt"
