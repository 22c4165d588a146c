#!/bin/sh
# Make .venv and install quintain into it, with the extras given as arguments.
# Needs nothing but python3; on Debian and Ubuntu it installs python3-venv itself if it may.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

say() { printf 'setup: %s\n' "$*"; }

"$python" - <<'PY' || { say "Python 3.11 or newer is needed; set PYTHON to one."; exit 1; }
import sys
sys.exit(sys.version_info < (3, 11))
PY

if [ ! -x .venv/bin/python ]; then
    say "making .venv"
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        say "python3-venv is missing; installing it with apt-get"
        as_root=""
        [ "$(id -u)" = 0 ] || as_root="sudo"
        $as_root apt-get update -qq
        $as_root apt-get install -y -qq python3-venv
    fi
    "$python" -m venv .venv
fi

missing=""
for extra in base "$@"; do
    stamp=".venv/.installed-$extra"
    if [ ! -f "$stamp" ] || [ pyproject.toml -nt "$stamp" ]; then missing="$missing $extra"; fi
done
if [ -n "$missing" ]; then
    extras=$(echo "$missing" | sed -e 's/ base//' -e 's/^ //' -e 's/ /,/g')
    what=".${extras:+[$extras]}"
    say "pip install -e '$what'"
    # Python compiles modules when they are first imported; compiling all of PyTorch takes long.
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -e "$what"
    for extra in $missing; do touch ".venv/.installed-$extra"; done
fi
