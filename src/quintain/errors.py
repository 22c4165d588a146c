"""The errors that users meet, each with a sentence that says what to do.

::

    QuintainError            printed by the command line without a traceback
    ├── PartError            a part is unknown, or refuses its parameters
    │   └── UnknownColumn    a part names a column that the data do not have
    ├── Rejected             a file has faults; the error lists all of them
    │   ├── EditionError     an edition file
    │   ├── DataError        a data file
    │   └── SubmissionError  a release or a guess of a team
    ├── Refused              the rules of the contest do not allow a request
    │   ├── NoSuchTeam       the team does not take part
    │   ├── NoSuchTrack      the track is not in the edition, or the request must name one
    │   ├── NoSuchPhase      the track has no phase for this kind of submission
    │   ├── NoSuchBoard      the board is not in the edition
    │   ├── KindNeeded       the track takes releases and guesses, so say which this is
    │   ├── PhaseClosed      no phase for this kind of submission is open now
    │   └── QuotaUsed        the team has no submissions left
    ├── KnowledgeError       an attack needs what the edition does not give to attackers
    ├── NoiseError           privacy noise would not be private
    ├── NotVerified          a commitment, a submission or a score is not what was published
    ├── FolderError          an edition folder is in the wrong state, or damaged
    ├── ProgramError         a team's program made nothing that can be used
    ├── SandboxError         this machine cannot contain a team's program
    ├── JobFailed            a part crashed while a job ran
    ├── MissingExtra         an optional dependency is not installed
    └── MissingDistribution  a distribution beside quintain is not installed

``quintain.programs.failures`` has the two errors of programs. Each class has the HTTP ``status``
with which a server would answer. A worker process reports its errors in full: they arrive in the
main process unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from quintain.wording.languages import retell, tell
from quintain.wording.printable import escape_line

SHOWN_FAULTS = 50
"""How many faults a message lists before it says how many more there are."""


class QuintainError(Exception):
    """The base of every error that a user can correct.

    ``field`` names what was given and cannot be used, such as "reason"; forms show the sentence
    beside it. It is empty if the error is about the request as a whole.
    """

    status: ClassVar[int] = 400
    field: str = ""

    def about(self, field: str) -> Self:
        """The same error, which says what it is about.

        >>> Refused("say why").about("reason").field
        'reason'
        """
        self.field = field
        return self

    def say(self) -> str:
        """The sentence in the language that is spoken now, where it can be said in others."""
        return retell(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        # The default would call the constructor with the finished message; few of them take one.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(cls: type[QuintainError], args: tuple[Any, ...], state: dict[str, Any]) -> Any:
    """Rebuild an error from another process without running its constructor again."""
    error = cls.__new__(cls, *args)
    error.__dict__.update(state)
    return error


class PartError(QuintainError):
    """A part is unknown, or refuses its parameters."""


class UnknownColumn(PartError):
    """A part names a column that the data do not have."""


class KnowledgeError(QuintainError):
    """An attack needs something the edition does not give to attackers."""


class NoiseError(QuintainError):
    """Privacy noise would come from a source that anybody can repeat, or cannot be drawn."""


class NotVerified(QuintainError):
    """A commitment, a submission or a score is not what was published."""

    status = 409


class FolderError(QuintainError):
    """An edition folder is not in the state that a command needs, or one of its files is damaged.

    Only the organisers can repair it, not the sender of a request.
    """

    status = 500


class Refused(QuintainError):
    """The rules of the contest do not allow a request; nothing was changed."""

    status = 403


class NoSuchTeam(Refused):
    """The team does not take part."""

    status = 404


class NoSuchTrack(Refused):
    """The track is not in the edition; or there are several and the request names none."""

    status = 404


class NoSuchPhase(Refused):
    """The track has no phase in which teams submit this kind of submission."""

    status = 404


class NoSuchBoard(Refused):
    """The board is not in the edition."""

    status = 404


class KindNeeded(Refused):
    """The track takes releases and guesses, and the sender does not say which this is."""

    status = 400


class PhaseClosed(Refused):
    """No phase for this kind of submission is open now."""


class QuotaUsed(Refused):
    """The team has used all the submissions that the phase allows."""

    status = 429


class JobFailed(QuintainError):
    """A part crashed while a job ran; the message names the job, ``traceback`` has the details."""

    status = 500

    def __init__(self, message: str, traceback: str) -> None:
        super().__init__(message)
        self.traceback = traceback


class MissingExtra(QuintainError):
    """An optional dependency is not installed; the message has the command that installs it."""

    status = 501

    def __init__(
        self, feature: str, package: str, extra: str, distribution: str = "quintain"
    ) -> None:
        super().__init__(f"{feature} needs {package}: pip install '{distribution}[{extra}]'")


class MissingDistribution(QuintainError):
    """A distribution beside quintain is not installed; the message says how to install it."""

    status = 501

    def __init__(self, feature: str, distribution: str) -> None:
        super().__init__(
            f"{feature} needs {distribution}, which is not installed: pip install {distribution}"
        )


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with one file: where it is, what is there, what is expected.

    ``character`` is the place inside a value that is a text, counted from 1.

    >>> print(Fault("expected an integer in 0..9", "release.csv", line=3, column="age", got="x"))
    release.csv:3 age='x': expected an integer in 0..9
    """

    message: str
    file: str = ""
    line: int | None = None
    column: str | None = None
    got: str | None = None
    character: int | None = None

    def __str__(self) -> str:
        return self._with_place(self.sentence)

    def say(self) -> str:
        """The fault in the language that is spoken now."""
        return self._with_place(retell(self.sentence))

    @property
    def sentence(self) -> str:
        """What is wrong, with the character where it is known."""
        if self.character is None:
            return self.message
        return tell("character %(n)s: %(fault)s", n=self.character, fault=self.message)

    def _with_place(self, message: str) -> str:
        where = self.file + (f":{self.line}" if self.line is not None else "")
        what = "" if self.column is None else self.column
        if self.got is not None:
            shown = self.got if len(self.got) <= 60 else self.got[:57] + "..."
            what += f"={shown!r}" if what else repr(shown)
        head = " ".join(part for part in (where, what) if part)
        text = f"{head}: {message}" if head else message
        # A file chooses its names; none of them may control the terminal.
        return escape_line(text)


class FaultyValue(ValueError):
    """Carries every fault of a value through pydantic, which would keep only one message."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(str(fault) for fault in faults))
        self.faults = faults


class Rejected(QuintainError):
    """A file or a table was read and has faults; ``faults`` lists them."""

    status = 422

    def __init__(self, faults: Iterable[Fault], total: int | None = None) -> None:
        self.faults = tuple(faults)
        self.total = len(self.faults) if total is None else total
        super().__init__("\n".join([*map(str, self._faults_to_show()), *self._more()]))

    def say(self) -> str:
        """The faults in the language that is spoken now."""
        shown = [fault.say() for fault in self._faults_to_show()]
        return "\n".join([*shown, *map(retell, self._more())])

    def _faults_to_show(self) -> list[Fault]:
        """As many faults as a message has room for, in their order, with some of every column.

        One column that is wrong in every row must not hide what is wrong in another file.
        """
        places: dict[tuple[str, str | None], int] = {}
        ranks = []
        for fault in self.faults:
            place = fault.file, fault.column
            ranks.append(places.get(place, 0))
            places[place] = ranks[-1] + 1
        fits = (n for n in range(SHOWN_FAULTS, 1, -1) if sum(r < n for r in ranks) <= SHOWN_FAULTS)
        most = next(fits, 1)
        chosen = [fault for fault, rank in zip(self.faults, ranks, strict=True) if rank < most]
        return chosen[:SHOWN_FAULTS]

    def _more(self) -> list[str]:
        more = self.total - len(self._faults_to_show())
        return [tell("... and %(n)s more", n=more)] if more else []


class EditionError(Rejected):
    """An edition file has faults."""


class DataError(Rejected):
    """A data file has faults."""


class SubmissionError(Rejected):
    """A submission has faults; nothing was stored."""


@dataclass(slots=True)
class Faults:
    """Collects the faults of one file: counts all of them and keeps the first thousand.

    Record number 0 is on line ``first_line``, and every record takes one line. Where that is not
    so, ``lines`` gives the line for the number of a record.
    """

    file: str = ""
    findings: list[Fault] = field(default_factory=list)
    total: int = 0
    keep: int = 1000
    first_line: int = 1
    lines: Callable[[int], int] | None = None

    def line_of(self, record: int) -> int:
        """The line in the file for the number of a record, counted from 0."""
        return record + self.first_line if self.lines is None else self.lines(record)

    def add(
        self,
        message: str,
        *,
        line: int | None = None,
        column: str | None = None,
        got: str | None = None,
    ) -> None:
        """Note one fault of the file."""
        self.total += 1
        if len(self.findings) < self.keep:
            self.findings.append(Fault(message, self.file, line, column, got))

    def room(self) -> int:
        """How many more faults would be kept; further ones need only be counted."""
        return max(0, self.keep - len(self.findings))

    def count(self, more: int) -> None:
        """Add to the number of faults without keeping them."""
        self.total += more

    def extend(self, faults: Iterable[Fault]) -> None:
        """Take over faults from elsewhere, with the number of those that were only counted."""
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
        """Raise ``error`` with all faults, if there are any."""
        if self.total:
            raise error(self.findings, self.total)
