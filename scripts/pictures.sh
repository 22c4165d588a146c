#!/bin/sh
# Take the pictures of the main pages anew, after a change of their look that is meant. Look at the
# pages, and at what changed in tests/host/browser/pictures/kept, then commit it.
set -eu
cd "$(dirname "$0")/.."
QUINTAIN_RENEW_PICTURES=1 "${PYTHON:-.venv/bin/python}" -m pytest -q -n 0 -p no:cacheprovider --slow \
    tests/host/browser/pictures -k test_a_page_looks_as_it_did
git status --short tests/host/browser/pictures/kept
