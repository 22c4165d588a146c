#!/bin/sh
# Write uv.lock from pyproject.toml, and scripts/uv.txt from uv.lock. Arguments go to `uv lock`:
# --upgrade takes the newest versions.
set -eu
cd "$(dirname "$0")/.."
[ -x .venv/bin/uv ] || sh scripts/setup.sh
.venv/bin/uv lock "$@"
requirements=$(.venv/bin/uv export --quiet --frozen --no-header --only-group uv)
{
    echo "# What installs the rest, with its hashes. scripts/lock.sh writes this file from uv.lock."
    echo "$requirements"
} >scripts/uv.txt
