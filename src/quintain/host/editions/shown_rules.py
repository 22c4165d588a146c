"""Shown rules: the rules in force as far as they are public; the web process reads no others."""

from __future__ import annotations

from pathlib import Path

from quintain.contests import Edition
from quintain.host.access import NotThere
from quintain.host.site import Site
from quintain.jobs.files import FileCache
from quintain.journal.state import State
from quintain.runs.folder import paths
from quintain.runs.folder.folder import parse_file
from quintain.runs.folder.rules import read_rules


def shown_rules(site: Site, edition: str) -> Edition:
    """The public rules with the teams that joined and the phases that were amended.

    Raises ``NotThere`` as long as the rules are not fixed.
    """
    folder = site.folder(edition)
    if not folder.prepared:
        raise NotThere("the rules of this contest are not fixed yet")
    return folder.state().in_force(_rules(folder.at(paths.RULES)))


def _read(path: Path) -> Edition:
    return parse_file(path, read_rules)


_rules: FileCache[Edition] = FileCache(_read, 32)
"""The rules that were read last: every page of a contest needs them."""


def contest_state(site: Site, edition: str) -> State:
    """What happened in a contest so far; empty before its rules are fixed."""
    if not site.edition_root(edition).is_dir():
        return State()
    return site.folder(edition).state()
