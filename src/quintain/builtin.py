"""Importing this module registers every built-in part: one file in a stage folder is enough."""

from __future__ import annotations

import importlib
import pkgutil

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

for _stage in STAGES:
    _package = importlib.import_module(f"quintain.{_stage}")
    for _module in pkgutil.walk_packages(_package.__path__, f"quintain.{_stage}."):
        importlib.import_module(_module.name)
