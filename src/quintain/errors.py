"""Everything that can go wrong, as sentences.

::

    QuintainError            printed by the command line without a traceback
    ├── PartError            no such part, or parameters it refuses
    ├── Rejected             something was read and has faults: all of them, not the first
    │   ├── EditionError     an edition file
    │   ├── DataError        a data file
    │   └── SubmissionError  a release or a guess handed in by a team
    ├── Refused              the rules of the contest do not allow what was asked for
    │   ├── NoSuchTeam       the team does not take part
    │   ├── NoSuchTrack      the track is not in the edition, or has to be named
    │   ├── NoSuchPhase      the track never takes this kind of submission
    │   ├── NoSuchBoard      the board is not in the edition
    │   ├── KindNeeded       a release or a guess: the rules allow both, so say which
    │   ├── PhaseClosed      too early or too late
    │   └── QuotaUsed        the team has no submissions left
    ├── KnowledgeError       an attack needs what the edition does not give
    ├── NoiseError           privacy noise that would not be private
    ├── NotVerified          a commitment, a submission or a score does not check out
    ├── FolderError          an edition folder is in the wrong state, or damaged
    ├── ProgramError         a program that a team handed in made nothing that can be used
    ├── JobFailed            a part crashed while a job ran
    └── MissingExtra         an optional dependency is not installed

Each class has the HTTP ``status`` with which a server would answer. All of them cross the border
between processes unchanged: workers report their errors in full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

SHOWN_FAULTS = 50
"""How many faults a message lists before it says how many more there are."""


class QuintainError(Exception):
    """The root of every error that is the user's to mend."""

    status: ClassVar[int] = 400

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        # The default calls the constructor with the finished message, which few of them take.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(cls: type[QuintainError], args: tuple[Any, ...], state: dict[str, Any]) -> Any:
    """An error as it was in another process; its constructor does not run again."""
    error = cls.__new__(cls, *args)
    error.__dict__.update(state)
    return error


class PartError(QuintainError):
    """A part is unknown, or refuses its parameters."""


class KnowledgeError(QuintainError):
    """An attack needs something the edition does not give to attackers."""


class NoiseError(QuintainError):
    """Privacy noise was asked for from a source that anybody could repeat."""


class NotVerified(QuintainError):
    """A commitment, a submission or a score does not check out."""

    status = 409


class FolderError(QuintainError):
    """An edition folder is not in the state a command needs, or a file of it is damaged.

    The organisers have to mend it, not the sender of a request.
    """

    status = 500


class Refused(QuintainError):
    """The rules of the contest do not allow what was asked for; nothing was changed."""

    status = 403


class NoSuchTeam(Refused):
    """The team does not take part."""

    status = 404


class NoSuchTrack(Refused):
    """The track is not in the edition; or there are several, and none was named."""

    status = 404


class NoSuchPhase(Refused):
    """The track has no phase in which this kind of submission is handed in."""

    status = 404


class NoSuchBoard(Refused):
    """The board is not in the edition."""

    status = 404


class KindNeeded(Refused):
    """Releases and guesses are both possible: the sender has to say which it is."""

    status = 400


class PhaseClosed(Refused):
    """No phase for this kind of submission is open now."""


class QuotaUsed(Refused):
    """The team has used all the submissions that the phase allows."""

    status = 429


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


class JobFailed(QuintainError):
    """A part crashed while a job ran; the message names the job, ``traceback`` says the rest."""

    status = 500

    def __init__(self, message: str, traceback: str) -> None:
        super().__init__(message)
        self.traceback = traceback


class MissingExtra(QuintainError):
    """An optional dependency is not installed."""

    status = 501

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

    status = 422

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

    ``lines`` tells the line of a record, counted from 0, where records and lines do not simply
    follow each other from ``first_line`` on.
    """

    file: str = ""
    findings: list[Fault] = field(default_factory=list)
    total: int = 0
    keep: int = 1000
    first_line: int = 1
    lines: Callable[[int], int] | None = None

    def line_of(self, record: int) -> int:
        """The line of a record, counted from 0."""
        return record + self.first_line if self.lines is None else self.lines(record)

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
        if len(self.findings) < self.keep:
            self.findings.append(Fault(message, self.file, line, column, got))

    def room(self) -> int:
        """How many more findings would be kept; the rest need only be counted."""
        return max(0, self.keep - len(self.findings))

    def count(self, more: int) -> None:
        """Note findings that are too many to keep."""
        self.total += more

    def extend(self, faults: Iterable[Fault]) -> None:
        """Note findings made elsewhere; what another collection only counted counts here too."""
        for fault in faults:
            self.total += 1
            if len(self.findings) < self.keep:
                self.findings.append(fault)
        if isinstance(faults, Faults):
            self.total += faults.total - len(faults.findings)

    def __bool__(self) -> bool:
        return self.total > 0

    def __iter__(self) -> Iterator[Fault]:
        return iter(self.findings)

    def raise_if_any(self, error: type[Rejected]) -> None:
        """Raise ``error`` with every finding, if there is one."""
        if self.total:
            raise error(self.findings, self.total)
