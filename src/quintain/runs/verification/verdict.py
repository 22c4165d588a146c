"""Verdict: what a verification means in words, and what a verifier still has to trust."""

from __future__ import annotations

from collections.abc import Iterator

from quintain.figures.counts import count
from quintain.runs.verification.verify import Verification

NOT_REPLAYED = (
    "not checked, because of --fast: samples, releases, truths and hand-overs made again from the "
    "keys; the contents of submissions; what programs make"
)


def roots_in_words(verification: Verification) -> Iterator[str]:
    """The roots that a reader can compare with what was published."""
    for stage, root in verification.roots.items():
        yield f"commitment {stage}: root {root}"
    yield f"journal: {count(verification.size, 'event')}, root {verification.root}"


def verdict(verification: Verification) -> str:
    """One sentence: whether the folder is verified, and against what."""
    if verification.problems:
        return f"NOT verified: {count(len(verification.problems), 'problem')}"
    checked = (
        f"{count(verification.files, 'committed file')}, "
        f"{count(verification.submissions, 'submission')}, all scores and rankings"
    )
    notes = count(len(verification.notes), "note")
    limits = f"; {notes} above: not everything could be checked" if verification.notes else ""
    if verification.evidence:
        return f"verified against {verification.evidence}: {checked}{limits}"
    return f"verified against nothing published: {checked} fit together{limits}"


def still_trusted(verification: Verification) -> Iterator[str]:
    """What no replay can show; each sentence says what would."""
    if not verification.evidence:
        yield (
            "all of it may have been made anew after the contest: give a root, a receipt or a "
            "checkpoint that somebody kept (--root, --receipt, --checkpoint)"
        )
    elif verification.fixed < verification.size:
        yield (
            f"what you gave fixes the first {verification.fixed} of "
            f"{count(verification.size, 'event')}: later ones may have been added, changed or "
            "left out since; give a later checkpoint"
        )
    if verification.test:
        yield "the keys come from a public seed: this is a rehearsal, and it protects nobody"
    elif not verification.beacon:
        yield "the keys may have been chosen: the rules announce no beacon"
    else:
        yield (
            f"the beacon is {verification.beacon!r}: check that it is what the rules announced "
            f"({verification.announced}), and that the root of rules-1 was published before"
        )
        if verification.chosen:
            yield (
                "samples depend on what was fixed after the beacon was known, and may have been "
                f"chosen by it: {', '.join(verification.chosen)}"
            )
    if verification.submissions:
        yield (
            "what was refused is in no journal: a team that was turned away wrongly has no receipt"
        )
