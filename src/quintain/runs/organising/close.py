"""Close: sign a checkpoint when a phase has closed, so that nobody can change it afterwards."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from quintain.errors import NotVerified
from quintain.figures.format import count
from quintain.journal.journal import Journal
from quintain.journal.tree import Tree, leaf_hash
from quintain.runs.folder import paths
from quintain.runs.folder.closings import (
    Closing,
    Occasion,
    closing_lines,
    occasions,
    read_closing,
)
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import sign_journal, writing


def missing_closings(folder: Folder, now: datetime) -> list[Occasion]:
    """The occasions for which nobody has signed a checkpoint yet."""
    signed = {closing.occasion for closing in folder.closings()}
    every = occasions(folder.edition(), folder.state(), now)
    return [occasion for occasion in every if occasion not in signed]


def sign_closings(
    folder: Folder,
    *,
    now: datetime | None = None,
    grace: timedelta = timedelta(0),
    further: tuple[str, ...] = (),
) -> list[Closing]:
    """Sign a checkpoint for everything that closed; a second call signs nothing.

    Raises ``NotVerified`` if the journal is not a continuation of what was signed before: to sign
    it would be to sign two histories.

    Parameters
    ----------
    grace : how long to wait after something has closed.
    further : lines of the caller that are signed, too.
    """
    folder.require_secrets()
    moment = now or datetime.now(UTC)
    with writing(folder) as journal:
        known = folder.closings()
        _require_consistent(journal, known)
        signed, first = [], 1 + max((closing.number for closing in known), default=0)
        for number, occasion in enumerate(missing_closings(folder, moment - grace), first):
            text = sign_journal(folder, journal, closing_lines(occasion, moment, further))
            paths.write(folder.root, paths.closing(number), text.encode(), durable=True)
            signed.append(read_closing(paths.closing(number), text, folder.state().key))
    return signed


def _require_consistent(journal: Journal, closings: list[Closing]) -> None:
    sizes = {closing.checkpoint.size for closing in closings}
    tree, known = Tree.EMPTY, {}
    for line in journal.lines():
        tree = tree.append(leaf_hash(line))
        if tree.size in sizes:
            known[tree.size] = tree.root()
    faults = [
        f"{closing.path} has another root than the journal after "
        f"{count(closing.checkpoint.size, 'event')}"
        for closing in closings
        if known.get(closing.checkpoint.size) != closing.checkpoint.root
    ]
    if faults:
        raise NotVerified("\n".join(["nothing was signed: it would be a second history", *faults]))
