#!/bin/sh
# The tests open pages in a headless Chromium. Debian has one without windows, which draws the same in
# less time; else any Chromium will do. Install one if that needs no questions asked; without one those
# tests are skipped and say so.
set -eu
have() { command -v "$1" >/dev/null 2>&1; }
install() { apt-get install -y -qq --no-install-recommends "$1" >/dev/null 2>&1; }

if have chromium-headless-shell; then exit 0; fi
if [ "$(id -u)" = 0 ] && have apt-get; then
    echo "setup: installing a headless chromium with apt-get for the browser tests"
    apt-get update -qq >/dev/null 2>&1 || true
    if install chromium-headless-shell || have chromium || have chromium-browser || install chromium; then
        exit 0
    fi
fi
have chromium || have chromium-browser ||
    echo "setup: chromium could not be installed; browser tests will be skipped"
