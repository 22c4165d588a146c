"""Importing this module promises every built-in part: one file in a stage folder is enough.

Parts are found by reading the files, not by importing them; whoever asks for a part imports the
file it is in.
"""

from __future__ import annotations

import re
from pathlib import Path

from quintain.registry import register_later

STAGES = (
    "data",
    "samples",
    "releases",
    "sanitizers",
    "guesses",
    "attacks",
    "programs",
    "measures",
    "rankings",
)
_REGISTERED = re.compile(r'^@register\("([a-z0-9-]+)-v[0-9]+"\)', re.MULTILINE)
_HERE = Path(__file__).parent

for _stage in STAGES:
    for _path in sorted((_HERE / _stage).rglob("*.py")):
        _module = ".".join(("quintain", *_path.relative_to(_HERE).with_suffix("").parts))
        for _name in _REGISTERED.findall(_path.read_text("utf-8")):
            register_later(_name, _module)
