#!/bin/sh
# Style and types beside the tests: on two cores both end sooner than one after the other.
# Arguments go to pytest. Fails if either fails.
set -u
cd "$(dirname "$0")/.."
mkdir -p build
# Programs of strangers run from memory. A container has 64 MB of it, and a machine may swap.
room=$(df -k /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
if [ "${room:-0}" -lt 600000 ] || [ "$(wc -l </proc/swaps 2>/dev/null || echo 0)" -gt 1 ]; then
    echo "no room in /dev/shm, or swap: tests run programs from the folders of the system"
    export QUINTAIN_RUNTIME="${QUINTAIN_RUNTIME:-system}"
fi
# Whoever runs a program makes a copy of its runtime; while one process holds it, nobody else has to.
.venv/bin/python -c '
import signal, sys
from quintain.programs.sandbox.memory_runtime import memory_runtime
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
memory_runtime()
signal.pause()
' 2>/dev/null &
holder=$!
trap 'kill $holder 2>/dev/null' EXIT
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
