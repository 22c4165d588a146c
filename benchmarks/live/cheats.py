"""Seventeen cheats of organisers: what is found with nothing, a receipt or a checkpoint.

    python -m benchmarks.live.cheats [NAME ...]

A live contest of three teams takes place. Then its organisers, who have all keys, change a copy of
it so that its parts fit together. ``quintain verify`` replays the copy. The table has the outcome
and the exit code for four verifiers: one has nothing; one has the receipt of the guesses of red;
one has a checkpoint from when the releases were in; one has the checkpoint that is signed when the
last phase has closed, which a site pushes to all teams.

The first line is the honest contest: where it says "verified", nobody can see the difference from
what a cheat leaves "verified" with as many events fixed.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.runs.verification.cheats import CHEATS
from tests.runs.verification.forgery import Forger, Kept, day, live_contest

from quintain.runs.folder.folder import Folder
from quintain.runs.organising.close import sign_closings
from quintain.runs.verification.chain import KeptEvidence
from quintain.runs.verification.verify import Verification, verify

HEADER = """\
| what the organisers do | nothing | a receipt | an early checkpoint | that of the closed phase |
|---|---|---|---|---|"""


def main() -> None:
    """Print the table, row by row."""
    print(HEADER)
    with tempfile.TemporaryDirectory(prefix="quintain-bench-") as place:
        kept = live_contest(Path(place) / "contest")
        evidence = evidence_of(kept, Path(place))
        for cheat in (be_honest, *CHEATS):
            if not sys.argv[1:] or cheat.__name__ in sys.argv[1:]:
                print(row(cheat, kept, evidence, Path(place)), flush=True)


def be_honest(_forger: Forger) -> None:
    """Nothing: the contest is honest."""


def evidence_of(kept: Kept, place: Path) -> Mapping[str, KeptEvidence]:
    """What four verifiers kept of a contest."""
    shutil.copytree(kept.root, place / "signing")
    *_, closing = sign_closings(Folder(place / "signing"), now=day(21))
    return {
        "nothing": KeptEvidence(),
        "a receipt": kept.receipt("red, guess"),
        "an early checkpoint": kept.checkpoint("releases"),
        "that of the closed phase": KeptEvidence(checkpoints={closing.name: closing.text.encode()}),
    }


def row(
    cheat: Callable[[Forger], None], kept: Kept, evidence: Mapping[str, KeptEvidence], place: Path
) -> str:
    """One line of the table."""
    with tempfile.TemporaryDirectory(dir=place) as copy:
        shutil.copytree(kept.root, Path(copy) / "forged")
        forger = Forger(Path(copy) / "forged")
        cheat(forger)
        # The replay does not depend on evidence: with problems of its own, no evidence is needed.
        alone = verify(forger.folder)
        cells = [outcome(alone)]
        for name in list(evidence)[1:]:
            fast = not alone.problems
            cells.append(outcome(verify(forger.folder, evidence=evidence[name], fast=fast)))
    return f"| {(cheat.__doc__ or '').strip().rstrip('.')} | {' | '.join(cells)} |"


def outcome(verification: Verification) -> str:
    """The verdict in a few words, and the exit codes without and with ``--strict``."""
    if verification.problems:
        return "NOT verified (1)"
    fixed = f"{verification.fixed} of {verification.size} fixed"
    return f"verified, {fixed} (0, strict {0 if verification.complete else 2})"


if __name__ == "__main__":
    main()
