#!/bin/sh
# Make .venv and install quintain into it, with the extras given as arguments (`host`: the site, which
# is packages/quintain-host; `release`: the tools of a release).
# Needs nothing but python3; on Debian and Ubuntu it installs python3-venv itself if it may.
# uv.lock names the version and the hash of every package; `make lock` writes it.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

say() { printf 'setup: %s\n' "$*"; }
pip() { .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile "$@"; }
uv() { UV_PROJECT_ENVIRONMENT=.venv UV_PYTHON_DOWNLOADS=never .venv/bin/uv "$@"; }

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
    if [ ! -f "$stamp" ] || [ uv.lock -nt "$stamp" ]; then missing="$missing $extra"; fi
done
[ -n "$missing" ] || exit 0

wanted="--group build"
projects="-e ."
torch=""
for extra in $missing; do
    case $extra in
        base) ;;
        release) wanted="$wanted --group release" ;;
        host) wanted="$wanted --group host"; projects="-e . -e packages/quintain-host" ;;
        test) torch=yes; wanted="$wanted --extra test --group host --group torch-needs"
            projects="-e . -e packages/quintain-host" ;;
        bench | torch) torch=yes; wanted="$wanted --extra $extra --group torch-needs" ;;
        *) wanted="$wanted --extra $extra" ;;
    esac
done

say "installing what uv.lock names for:$missing"
pip --require-hashes -r scripts/uv.txt
# shellcheck disable=SC2086 # $wanted is a list of options
if ! uv sync --quiet --frozen --inexact --no-install-workspace $wanted; then
    # Where only pip knows the way to an index (a mirror, a proxy), pip installs the same files.
    say "uv could not download them; trying pip"
    uv export --quiet --frozen --no-emit-workspace $wanted >.venv/requirements.txt
    pip --require-hashes -r .venv/requirements.txt
fi
# The build backend is there already, so nothing comes in past the lock.
# shellcheck disable=SC2086 # $projects is a list of options
uv pip install --python .venv/bin/python --quiet --offline --no-deps --no-build-isolation $projects
if [ -n "$torch" ]; then
    # The lock leaves PyTorch out: pip takes the CPU build where an index or a folder offers one.
    pip "$(sed -n 's/.*"\(torch==[^"]*\)".*/\1/p' pyproject.toml | head -n 1)"
fi
for extra in $missing; do touch ".venv/.installed-$extra"; done
