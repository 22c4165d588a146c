#!/bin/sh
# The tests attack the sandbox of bubblewrap. Install it if that needs no questions asked; without it
# those tests are skipped and say so.
set -eu
if command -v bwrap >/dev/null 2>&1; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "setup: installing bubblewrap with apt-get for the tests of the sandbox"
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends bubblewrap; } >/dev/null 2>&1 ||
        echo "setup: bubblewrap could not be installed; tests of the sandbox will be skipped"
fi
