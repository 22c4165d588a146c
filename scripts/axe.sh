#!/bin/sh
# The tests look for barriers on the pages with axe-core, which is no part of the product. Fetch it
# once into build/; without it those tests are skipped and say so.
set -eu
AXE=4.14.0
cd "$(dirname "$0")/.."
if [ -f build/axe/axe.min.js ]; then exit 0; fi
mkdir -p build/axe
url="https://registry.npmjs.org/axe-core/-/axe-core-$AXE.tgz"
if command -v npm >/dev/null 2>&1 && (cd build/axe && npm pack --silent "axe-core@$AXE" >/dev/null 2>&1); then :
elif command -v curl >/dev/null 2>&1; then curl -fsS -o "build/axe/axe-core-$AXE.tgz" "$url" || true
fi
if [ -f "build/axe/axe-core-$AXE.tgz" ]; then
    tar xzf "build/axe/axe-core-$AXE.tgz" -C build/axe --strip-components=1 package/axe.min.js package/LICENSE
    rm "build/axe/axe-core-$AXE.tgz"
else
    echo "setup: axe-core could not be fetched; tests of accessibility will be skipped"
fi
