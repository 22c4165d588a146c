#!/bin/sh
# The programs that the tests use: a browser, axe-core, bubblewrap, PostgreSQL. Each script says what
# it could not install; the tests that need it are then skipped, and say so.
set -eu
cd "$(dirname "$0")"
for program in browser axe sandbox postgres; do sh "$program.sh"; done
