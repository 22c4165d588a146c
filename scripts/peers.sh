#!/bin/sh
# Make .venv-peers: other tools that benchmarks compare quintain with. They need older libraries
# than quintain, so they get an environment of their own, and nothing of them is imported by it.
set -eu
cd "$(dirname "$0")/.."

stamp=.venv-peers/.installed
if [ ! -f "$stamp" ] || [ scripts/peers.sh -nt "$stamp" ]; then
    echo "peers: pip install anonymeter sdmetrics privacy-estimates ctgan into .venv-peers"
    "${PYTHON:-python3}" -m venv .venv-peers
    # torch is pinned because pip then finds a CPU build; ctgan takes any.
    .venv-peers/bin/python -m pip install --quiet --disable-pip-version-check \
        torch==2.13.0 anonymeter==1.1.0 sdmetrics==0.32.0 privacy-estimates ctgan==0.12.1
    touch "$stamp"
fi
