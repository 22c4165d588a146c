#!/bin/sh
# The tests open the report in a headless Chromium. Install one if that needs no questions asked;
# without it those tests are skipped and say so.
set -eu
if command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "setup: installing chromium with apt-get for the browser tests"
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1 ||
        echo "setup: chromium could not be installed; browser tests will be skipped"
fi
