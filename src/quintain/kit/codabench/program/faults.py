"""Faults: everything that is wrong with a submission, in the sentences of quintain itself."""

from __future__ import annotations

KEPT = 1000
"""How many sentences are kept; further faults are only counted."""
LONGEST = 60


class OrganisersFault(Exception):
    """The reference data are not what the plan says."""


class Faults:
    """The faults of a submission, in the order in which they were noted."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.total = 0

    def add(
        self,
        file: str,
        message: str,
        line: int | None = None,
        column: str = "",
        got: str | None = None,
    ) -> None:
        """Note one fault: where it is, what is there, what is expected."""
        self.total += 1
        if len(self.sentences) < KEPT:
            self.sentences.append(_sentence(file, message, line, column, got))

    def first(self, most: int) -> list[str]:
        """The first sentences, and how many more faults there are."""
        more = [f"... and {self.total - most} more"] if self.total > most else []
        return self.sentences[:most] + more


def _sentence(file: str, message: str, line: int | None, column: str, got: str | None) -> str:
    where = file if line is None else f"{file}:{line}"
    what = column
    if got is not None:
        shown = got if len(got) <= LONGEST else got[: LONGEST - 3] + "..."
        what += f"={shown!r}" if what else repr(shown)
    head = " ".join(part for part in (where, what) if part)
    text = f"{head}: {message}" if head else message
    # A file chooses its names; none of them may control the terminal.
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
