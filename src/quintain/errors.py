"""Everything that can go wrong, as sentences.

::

    QuintainError            printed by the command line without a traceback
    ├── PartError            no such part, or parameters it refuses
    ├── Rejected             something was read and has faults: all of them, not the first
    │   ├── EditionError     an edition file
    │   ├── DataError        a data file
    │   └── SubmissionError  a release or a guess handed in by a team
    ├── KnowledgeError       an attack needs what the edition does not give
    ├── NoiseError           privacy noise that would not be private
    ├── NotVerified          a commitment, a submission or a score does not check out
    ├── FolderError          an edition folder is not in the state the command needs
    ├── ProgramError         a program that a team handed in made nothing that can be used
    └── MissingExtra         an optional dependency is not installed
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

SHOWN_FAULTS = 50
"""How many faults a message lists before it says how many more there are."""


class QuintainError(Exception):
    """The root of every error that is the user's to mend."""


class PartError(QuintainError):
    """A part is unknown, or refuses its parameters."""


class KnowledgeError(QuintainError):
    """An attack needs something the edition does not give to attackers."""


class NoiseError(QuintainError):
    """Privacy noise was asked for from a source that anybody could repeat."""


class NotVerified(QuintainError):
    """A commitment, a submission or a score does not check out."""


class FolderError(QuintainError):
    """An edition folder is missing something, or already has it."""


class ProgramError(QuintainError):
    """A program that a team handed in made nothing that can be used; says why.

    Parameters
    ----------
    reason : what its team may be told.
    traceback : what only the organisers may see, since a program can put private data into it.
    """

    def __init__(self, reason: str, traceback: bytes = b"") -> None:
        super().__init__(reason)
        self.traceback = traceback


class MissingExtra(QuintainError):
    """An optional dependency is not installed."""

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(f"{feature} needs {package}: pip install 'quintain[{extra}]'")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with one file: where, what was found, what was expected."""

    message: str
    file: str = ""
    line: int | None = None
    column: str | None = None
    got: str | None = None

    def __str__(self) -> str:
        where = self.file + (f":{self.line}" if self.line is not None else "")
        what = "" if self.column is None else self.column
        if self.got is not None:
            shown = self.got if len(self.got) <= 60 else self.got[:57] + "..."
            what += f"={shown!r}" if what else repr(shown)
        head = " ".join(part for part in (where, what) if part)
        return f"{head}: {self.message}" if head else self.message


class Rejected(QuintainError):
    """Something was read and is at fault; ``faults`` has every finding."""

    def __init__(self, faults: Iterable[Fault], total: int | None = None) -> None:
        self.faults = tuple(faults)
        self.total = len(self.faults) if total is None else total
        lines = [str(fault) for fault in self.faults[:SHOWN_FAULTS]]
        if self.total > len(lines):
            lines.append(f"... and {self.total - len(lines)} more")
        super().__init__("\n".join(lines))


class EditionError(Rejected):
    """An edition file has faults."""


class DataError(Rejected):
    """A data file has faults."""


class SubmissionError(Rejected):
    """A submission has faults; nothing was stored."""


@dataclass(slots=True)
class Faults:
    """Collects findings about one file, counting all and keeping the first thousand.

    ``first_line`` is the line of the file on which its first record stands.
    """

    file: str = ""
    found: list[Fault] = field(default_factory=list)
    total: int = 0
    keep: int = 1000
    first_line: int = 1

    def line_of(self, record: int) -> int:
        """The line of a record, counted from 0."""
        return record + self.first_line

    def add(
        self,
        message: str,
        *,
        line: int | None = None,
        column: str | None = None,
        got: str | None = None,
    ) -> None:
        """Note one finding."""
        self.total += 1
        if len(self.found) < self.keep:
            self.found.append(Fault(message, self.file, line, column, got))

    def room(self) -> int:
        """How many more findings would be kept; the rest need only be counted."""
        return max(0, self.keep - len(self.found))

    def count(self, more: int) -> None:
        """Note findings that are too many to keep."""
        self.total += more

    def extend(self, faults: Iterable[Fault]) -> None:
        """Note findings made elsewhere; what another collection only counted counts here too."""
        for fault in faults:
            self.total += 1
            if len(self.found) < self.keep:
                self.found.append(fault)
        if isinstance(faults, Faults):
            self.total += faults.total - len(faults.found)

    def __bool__(self) -> bool:
        return self.total > 0

    def __iter__(self) -> Iterator[Fault]:
        return iter(self.found)

    def raise_if_any(self, error: type[Rejected]) -> None:
        """Raise ``error`` with every finding, if there is one."""
        if self.total:
            raise error(self.found, self.total)
