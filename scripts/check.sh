#!/bin/sh
# Style and types beside the tests: on two cores both end sooner than one after the other.
# Arguments go to pytest. Fails if either fails.
set -u
cd "$(dirname "$0")/.."
mkdir -p build
echo "style, types and import contracts are checked beside the tests: build/lint.log"
sh scripts/lint.sh >build/lint.log 2>&1 &
lint=$!
.venv/bin/python -m pytest -n auto -m "not static" "$@"
tests=$?
if ! wait $lint; then
    cat build/lint.log
    [ $tests != 0 ] || tests=1
fi
exit $tests
