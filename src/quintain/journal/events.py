"""Events: what can happen in a contest after its rules are fixed, one line of the journal each.

======================  ======================================================================
``rules``               the organisers fixed the rules, or a new version of them
``prepared``            the data of a track were drawn and committed to
``joined``              a team takes part, with limits of its own if it has any
``limited``             a team has other limits than before
``submitted``           a team submitted files, or a team's program made them
``chosen``              a team chose which of its submissions count
``repeated``            a program ran for the second time, and what it made was compared
``handed-over``         the attackers got the teams' releases of a track
``amended``             a phase closes at another time
``deadline``            a phase closes later for one team
``decided``             a team or a release was disqualified or reinstated
``frozen``              nothing that counts for the results can change any more
``revealed``            the organisers published their secrets
======================  ======================================================================
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from quintain.contests.roster import Quota
from quintain.errors import NotVerified
from quintain.journal.tree import leaf_hash

FORMAT: Literal["quintain.journal/1"] = "quintain.journal/1"

SUBMITTED: Literal["submitted"] = "submitted"
"""The event that happens thousands of times; all others are rare."""

GENESIS = "0" * 64
"""What the first event names instead of the hash of the event before."""


def write_time(moment: datetime) -> str:
    """A time as text, in UTC.

    >>> write_time(datetime(2026, 5, 1, 12, tzinfo=UTC))
    '2026-05-01T12:00:00Z'
    """
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def read_time(text: str) -> datetime:
    """The time in a text of :func:`write_time`."""
    return datetime.fromisoformat(text)


def _in_utc(text: str) -> str:
    if not is_time(text):
        raise ValueError(f"{text[:40]!r} is not a time in UTC, such as 2026-05-01T12:00:00Z")
    return text


def is_time(text: str) -> bool:
    """Whether a text is a time as the journal writes it."""
    try:
        return write_time(read_time(text)) == text
    except (ValueError, OverflowError):
        return False


UtcTime = Annotated[str, AfterValidator(_in_utc)]


class _Event(BaseModel):
    """What every event has; the journal fills in all of it.

    Parameters
    ----------
    number : its place in the journal, from 1.
    time : when it happened, in UTC; never before the event before.
    previous : the hash of the event before.
    salt : random digits, so that nobody can guess an event from its hash.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.journal/1"] = FORMAT
    number: int = 0
    time: str = ""
    previous: str = GENESIS
    salt: str = ""

    @property
    def moment(self) -> datetime:
        """Its time; comparable with other times."""
        return read_time(self.time)

    def line(self) -> bytes:
        """The event as its line in the journal, without the line feed."""
        return json.dumps(self.model_dump(mode="json"), sort_keys=True).encode()

    @property
    def hash(self) -> str:
        """The hash of its line, which the next event names and the tree has as a leaf."""
        return leaf_hash(self.line()).hex()


class Rules(_Event):
    """The rules were fixed.

    Parameters
    ----------
    version : 1 for the first rules; later versions have a ``reason``.
    rules : SHA-256 of the public rules.
    commitment : the root over the rules, and for the first version over the secret keys.
    key : the public key of every signature in this contest.
    """

    event: Literal["rules"] = "rules"
    version: int
    rules: str
    commitment: str
    key: str
    reason: str = ""


class Prepared(_Event):
    """The data of a track were drawn from the committed keys, and from the beacon if there is one.

    Parameters
    ----------
    beacon : the public value that nobody could know when the keys were committed to.
    commitment : the root over the files of the track.
    """

    event: Literal["prepared"] = "prepared"
    track: str
    beacon: str = ""
    commitment: str


def _is_empty(text: str) -> bool:
    return not text


class Joined(_Event):
    """A team takes part.

    Parameters
    ----------
    competing : whether the team gets a rank.
    limits : the limits of the team that differ from those of the phases.
    built_in : whether it is a baseline of a rehearsal.
    commitment : the root over the private files of the team; empty if it gets none.
    cohort : the cohort of the team, if the rules have cohorts.
    """

    event: Literal["joined"] = "joined"
    team: str
    name: str = ""
    competing: bool = True
    limits: Quota = Quota()
    built_in: bool = False
    commitment: str = ""
    # Journals without cohorts keep their bytes.
    cohort: str = Field(default="", exclude_if=_is_empty)


class Limited(_Event):
    """A team has other limits than before; they replace all that it had of its own."""

    event: Literal["limited"] = "limited"
    team: str
    limits: Quota
    reason: str


def _is_none(value: int | None) -> bool:
    return value is None


class Submitted(_Event):
    """A submission was accepted.

    Parameters
    ----------
    files : SHA-256 of each file, by name.
    kind : "answers" are those of models to queries that the team submitted beside its guesses.
    made_by : the number of the event of the program that made the files, if one did; for answers,
        that of the queries.
    sample : the private sample that a release is made from, if the team had a choice.
    imported : its number on the other platform, if it was made there.
    """

    event: Literal["submitted"] = "submitted"
    team: str
    track: str
    phase: str
    kind: Literal["release", "guess", "program", "answers"]
    files: dict[str, str]
    made_by: int | None = None
    # Journals without a choice, and without imports, keep their bytes.
    sample: int | None = Field(default=None, exclude_if=_is_none)
    imported: int | None = Field(default=None, exclude_if=_is_none)


class Chosen(_Event):
    """A team chose which of its submissions count; later ones do not, until it chooses again.

    Parameters
    ----------
    submissions : the numbers of their events; none means that the last submissions count again.
    """

    event: Literal["chosen"] = "chosen"
    team: str
    track: str
    phase: str
    submissions: tuple[int, ...]


class SecondRun(_Event):
    """A program that made a release ran once more before the hand-over.

    Parameters
    ----------
    program : the number of the event of the program.
    first : SHA-256 of each file that it made when it ran for the first time, by name.
    second : the same of the second run; a file that it did not make in time is missing.
    reason : why it made nothing in the second run, if it did not.
    """

    event: Literal["repeated"] = "repeated"
    team: str
    track: str
    program: int
    first: dict[str, str]
    second: dict[str, str]
    reason: str = ""


class HandedOver(_Event):
    """The attackers got the releases of a track.

    Parameters
    ----------
    size : only the first ``size`` events decided which releases count.
    commitment : the root over the files of the hand-over.
    """

    event: Literal["handed-over"] = "handed-over"
    track: str
    size: int
    commitment: str


class Amended(_Event):
    """A phase closes at another time than the rules say."""

    event: Literal["amended"] = "amended"
    track: str
    phase: str
    closes: UtcTime
    reason: str


class TeamDeadline(_Event):
    """A phase closes later for one team than for the others."""

    event: Literal["deadline"] = "deadline"
    team: str
    track: str
    phase: str
    closes: UtcTime
    reason: str

    @property
    def end(self) -> datetime:
        """When the phase closes for the team."""
        return read_time(self.closes)


class Decided(_Event):
    """The organisers decided on a team, or on one release of it.

    Parameters
    ----------
    track, entry : the release; both are None if the decision is about the team.
    """

    event: Literal["decided"] = "decided"
    decision: Literal["disqualified", "reinstated"]
    team: str
    track: str | None = None
    entry: str | None = None
    reason: str


class Frozen(_Event):
    """The contest is over: no submission, decision or amendment is accepted any more."""

    event: Literal["frozen"] = "frozen"
    reason: str = ""


class Revealed(_Event):
    """The organisers published every secret; ``standings`` is SHA-256 of the final standings."""

    event: Literal["revealed"] = "revealed"
    standings: str


Event = (
    Rules
    | Prepared
    | Joined
    | Limited
    | Submitted
    | Chosen
    | SecondRun
    | HandedOver
    | Amended
    | TeamDeadline
    | Decided
    | Frozen
    | Revealed
)

_READER: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])


def read_event(line: bytes) -> Event:
    """The event in a line of the journal; raises ``NotVerified`` if it cannot be one."""
    try:
        return _READER.validate_json(line)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_context=False, include_input=False)[0]
        field = "".join(f"{step}: " for step in first["loc"][1:])
        raise NotVerified(f"a line of the journal cannot be read: {field}{first['msg']}") from None
