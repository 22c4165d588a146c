"""Published: the files that everybody could read say the same as the journal and the rules."""

from __future__ import annotations

from collections.abc import Iterator

from quintain.contests import Edition
from quintain.errors import NotVerified
from quintain.journal.checkpoint import Checkpoint
from quintain.journal.events import Submitted
from quintain.journal.state import State
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import origin
from quintain.runs.folder.rules import rules_files
from quintain.runs.verification.chain import Chain
from quintain.runs.verification.differences import compare
from quintain.runs.verification.evidence import disagreement


def check_published(folder: Folder, chain: Chain, state: State, last: Edition) -> Iterator[str]:
    """Every public copy that says something else than its source; ``last`` are the last rules."""
    pairs = zip(chain.events, chain.lines, strict=True)
    public = [line for event, line in pairs if not isinstance(event, Submitted)]
    expected = {
        paths.RULES: rules_files(last, len(state.rules))[paths.RULES],
        paths.EVENTS: b"".join(line + b"\n" for line in public),
    }
    if state.beacon:
        expected[paths.BEACON] = state.beacon.encode()
    yield from compare(folder, expected)
    if not state.beacon and folder.at(paths.BEACON).exists():
        yield f"{paths.BEACON}: the journal names no beacon"
    yield from _wrong_checkpoint(folder, chain, state, last)
    yield from _wrong_standings(folder, state)


def _wrong_checkpoint(folder: Folder, chain: Chain, state: State, rules: Edition) -> Iterator[str]:
    name, path = paths.CHECKPOINT, folder.at(paths.CHECKPOINT)
    if not path.is_file():
        yield f"{name}: is missing"
        return
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        yield f"{name}: is not text"
        return
    try:
        checkpoint = Checkpoint.read(text, state.key)
    except NotVerified as problem:
        yield f"{name}: {problem}"
        return
    for fault in disagreement(checkpoint, origin(rules), chain.roots()):
        yield f"{name}: {fault}"


def _wrong_standings(folder: Folder, state: State) -> Iterator[str]:
    path = folder.at(paths.STANDINGS)
    if state.revealed is None or not path.is_file():
        return
    if folder.digest(paths.STANDINGS) != state.revealed.standings:
        yield f"{paths.STANDINGS}: are not the standings that the journal names at the end"
