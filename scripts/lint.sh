#!/bin/sh
# Style, types, and the tests that only read the repository, import contracts among them. Runs all,
# then says whether one failed.
set -u
cd "$(dirname "$0")/.."
failed=0
check() { "$@" || { echo "lint: failed: $*"; failed=1; }; }

check .venv/bin/ruff check --quiet .
check .venv/bin/ruff format --quiet --check .
check .venv/bin/python -m pytest -q -n 0 -p no:cacheprovider -m static \
    $(grep -rl --include='test_*.py' 'pytest.mark.static' tests)
check .venv/bin/mypy
exit $failed
