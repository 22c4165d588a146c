"""Replay: make the committed files of every event again, from the revealed keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quintain.journal.events import Event, Rules
from quintain.journal.state import State
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.rules import committed_rules, rules_files
from quintain.runs.organising.stages import jobs_of


def committed_contents(
    folder: Folder, event: Event, before: State
) -> Iterator[Mapping[str, bytes]]:
    """The contents that the files of an event must have, a few files at a time.

    Parameters
    ----------
    before : the state of the contest before the event.
    """
    if isinstance(event, Rules):
        rules = folder.rules(event.version)
        files = {**rules_files(rules, event.version), paths.SEEDS: _seeds(folder)}
        yield {name: files[name] for name in committed_rules(rules, event.version)}
    for job in jobs_of(folder, event, before):
        yield job.run(folder.root)


def _seeds(folder: Folder) -> bytes:
    return folder.committed_secrets().to_bytes()
