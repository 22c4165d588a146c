"""Release audit: the result of holding a release beside its original and a control."""

from __future__ import annotations

import platform
from collections.abc import Sequence, Sized
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from quintain import __version__
from quintain.data.learning.matching.match import How
from quintain.measures import Reading
from quintain.releases import Claim


# Finding: what one attack found out, as a reading with everything needed to understand it.
class Finding(BaseModel):
    """One reading of an attack.

    Parameters
    ----------
    risk : what the attack tried to do to people.
    attack : the name of the attack.
    parameters : the parameters of the attack.
    name : the name of the reading.
    says : the reading in a sentence.
    reading : the value with its interval and direction.
    chance : what an attacker reads who guesses blindly; None if nobody knows.
    control : what the same attack reads for people who are not in the data.
    smallest_detectable : the smallest value that this audit would very probably have noticed.
    threat : what the attacker knows, in sentences.
    columns : the columns that the attack was about, such as the secret one; empty means all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    risk: str
    attack: str
    parameters: dict[str, Any] = {}
    name: str
    says: str
    reading: Reading
    chance: float | None = None
    control: Reading | None = None
    smallest_detectable: float | None = None
    threat: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


class NotComputed(BaseModel):
    """Something that the audit did not compute, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: str
    reason: str


class MatchedColumn(BaseModel):
    """A column that the release writes otherwise than the original, and that is compared anyway.

    Parameters
    ----------
    column : its name in the original.
    how : what the release changed.
    says : the match with its evidence, in a sentence.
    cells, as_written : the share of released cells with a value that the original or the control
        has, after the match and before it. For the name of a column, 1 and 0.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: str
    how: How
    says: str
    cells: float
    as_written: float


class NoticedShift(BaseModel):
    """How often the comparison of original and control notices a shift of one column of numbers.

    Parameters
    ----------
    shift : in standard deviations.
    share : the share of audits of this size, by formula, for numbers that are distributed normally.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    shift: float
    share: float


class ControlDrift(BaseModel):
    """How the control differs from the original without the release.

    Parameters
    ----------
    p : how probable such a difference is by chance, by all tests together.
    level : the largest p that counts as a difference.
    columns : the total variation distance of columns that differ by more than chance explains.
    auc : how well a classifier tells people of the original and of the control.
    by_classifier : whether the classifier does so better than chance explains.
    shifts : what the tests would have noticed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    p: float
    level: float
    columns: dict[str, float] = {}
    auc: Reading
    by_classifier: bool = False
    shifts: tuple[NoticedShift, ...] = ()

    @property
    def noticed(self) -> bool:
        """Whether the control differs by more than chance explains."""
        return self.by_classifier or bool(self.columns)


Verdict = Literal["unsafe", "some-leakage", "nothing-found", "cannot-say"]
Obstacle = Literal["no control", "few people", "columns", "control"]
"""Why an audit cannot say more: what it lacks, or what it cannot compare or trust."""


class AuditedInput(BaseModel):
    """One of the tables that went into an audit, with its hash.

    Parameters
    ----------
    role : "original", "release" or "control".
    name : the file name, or what the table is called.
    sha256 : the hash of the file, or of the records where there is no file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: str
    name: str
    rows: int
    columns: int
    sha256: str


class UtilityFinding(BaseModel):
    """One reading of how useful the release still is.

    Parameters
    ----------
    measure : the name of the measure.
    reference : what a fresh sample of the population reads (the control beside the original).
    columns : the columns it is about; empty means all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    measure: str
    name: str
    says: str
    reading: Reading
    reference: Reading | None = None
    columns: tuple[str, ...] = ()


class DisclosureFinding(BaseModel):
    """One reading of what statistical offices count in a release.

    Parameters
    ----------
    measure : the name of the measure.
    known : the columns that attackers know.
    columns : the secret columns that it is about; empty means none.
    fresh : what the control reads in the place of the release: what luck alone discloses.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    measure: str
    name: str
    says: str
    reading: Reading
    fresh: Reading | None = None
    known: tuple[str, ...]
    columns: tuple[str, ...] = ()


class Recipient(BaseModel):
    """For whom a release is, as its owners say.

    Parameters
    ----------
    who : the people who get it, such as "researchers under contract".
    means : what they know and what they can do to identify somebody.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    who: str = ""
    means: str = ""


class RocCurve(BaseModel):
    """How many members an attack finds at each rate of false alarms.

    Parameters
    ----------
    members, others : how many people of each kind the rates are shares of; 0 if that is not known.
        They say how far the curve of a blind attacker strays.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    attack: str
    false_positive_rate: tuple[float, ...]
    true_positive_rate: tuple[float, ...]
    members: int = 0
    others: int = 0


class ColumnShape(BaseModel):
    """How one column is distributed in the original and in the release.

    Parameters
    ----------
    labels : the values, or the bins of a number.
    original, release : the share of records with each of them.
    distance : the total variation distance of the two, between 0 and 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: str
    labels: tuple[str, ...]
    original: tuple[float, ...]
    release: tuple[float, ...]
    distance: float


class ExposedRecord(BaseModel):
    """One of the most exposed people of the original; only on request.

    Parameters
    ----------
    row : the row in the original, counted from 0.
    p : how probable so high a score is for somebody who is not in the data.
    attack : the attack that exposes the person most.
    values : the record.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    row: int
    p: float
    attack: str
    values: dict[str, Any]


class ControlSign(BaseModel):
    """One sign that a release was, or was not, made with the control.

    Parameters
    ----------
    name : "copies", "near copies", "links" or "fit".
    says : the numbers in a sentence.
    people : how many people of the control were looked at.
    only_release, only_original : for how many of them only the release wins, and for how many only
        the original does; None for the fit.
    p : how probable so strong a sign is if the release does not know the control.
    level : the p-value from which on the sign is an alarm.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    says: str
    people: int
    only_release: int | None = None
    only_original: int | None = None
    p: float
    level: float
    alarm: bool


class TailSign(BaseModel):
    """One test of whether a release lays a few people bare.

    Parameters
    ----------
    name : "run", "uniques" or "multiplicity".
    says : the numbers in a sentence.
    people : how many people of the original it is about.
    others : how many people of the control it is about; None if it does not count them.
    p : how probable so strong a sign is if the release does not depend on who is in the original.
    level : the p-value from which on the sign is an alarm; a part of the error rate of the audit.
    smallest_detectable : how many people of the original raise the alarm if nobody of the control
        is like them; None if no number does.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    says: str
    people: int
    others: int | None = None
    p: float
    level: float
    alarm: bool
    smallest_detectable: int | None = None


class LaidBare(BaseModel):
    """Verbatim copies in a release, and whether it lays a few people bare.

    Parameters
    ----------
    people, control : how many people the original and the control have.
    copied, copied_control : of how many of them the release has a verbatim copy.
    isolated_copied, isolated_copied_control : how many of these are in the more isolated half of
        all people, by the distance to the fifth nearest other person.
    signs : the tests of a few people.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    people: int
    control: int
    copied: int
    copied_control: int
    isolated_copied: int
    isolated_copied_control: int
    signs: tuple[TailSign, ...]


class ReleaseClasses(BaseModel):
    """How many rows of a release share all their values, and how many people are alone with them.

    Parameters
    ----------
    columns : the columns in which rows are compared: those that attackers know, or all.
    rows : how many rows the release has.
    smallest : the number of rows of the smallest class; of the release, it is "k".
    median : half of the rows are in a class of at most so many rows.
    unique_rows : the share of released rows that no other released row equals.
    people : how many people the original and the control have together.
    unique_people : the share of them who are alone with their values among them, written as the
        release writes them. No more of them can be alone in the population.
    population : how many people there are in all; None if nobody said it.
    population_uniques : the share of people who are alone in the population, by a model.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: tuple[str, ...]
    rows: int
    smallest: int
    median: float
    unique_rows: Reading
    people: int
    unique_people: Reading
    population: int | None
    population_uniques: Reading


class ReleasedColumns(BaseModel):
    """Which columns of a release the audit looked at, and how.

    Parameters
    ----------
    compared : how many of them the attacks compared with the original.
    searched : the free texts, in which the audit looked for what the release repeats.
    constant : those with the same value in every row, which says nothing about anybody.
    uncompared : the others.
    unseen : those of them that may say something about people and that nothing looked at.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    compared: int
    searched: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()
    uncompared: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


class RepeatedPassage(BaseModel):
    """A passage of somebody of the original that the release repeats; only on request.

    Parameters
    ----------
    row : the row in the original, counted from 0.
    passage : the words as the original has them, without punctuation.
    words, changed : how many words it has, and how many of them the release has otherwise.
    bits : how surprising the words are by what everybody else writes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    row: int
    column: str
    passage: str
    words: int
    changed: int
    bits: float


class RepeatedText(BaseModel):
    """How many people's words the release repeats that nobody else writes.

    Parameters
    ----------
    name : "passages", or "names and numbers".
    says : the numbers in a sentence.
    columns : the columns of free text.
    share, control : the share of people of the original, and of the control, who are repeated.
    excess : the difference of the two.
    p : how probable so many people of the original are if the release repeats both alike; None
        without a control.
    level : the p-value from which on it is an alarm; the share of false alarms of this search.
    smallest_detectable : how many people of the original raise the alarm if nobody of the control
        is repeated; None if no number does.
    striking : of how many people of the original the passage has twice the bits that it needs.
    longest : how many words the longest passage has; None for names and numbers.
    changed : of how many people the release changes a word of the passage.
    shown : the passages that say most, if exposed people were asked for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    says: str
    columns: tuple[str, ...]
    share: Reading
    control: Reading | None = None
    excess: Reading | None = None
    p: float | None = None
    level: float
    alarm: bool = False
    smallest_detectable: int | None = None
    striking: int | None = None
    longest: int | None = None
    changed: int | None = None
    shown: tuple[RepeatedPassage, ...] | None = None


class FoundIdentity(BaseModel):
    """Identities of people that a release has, as they are or in a code.

    Parameters
    ----------
    columns : the columns of the original that name these people, alone or joined.
    says : how the release writes them, in words.
    where : the columns of the release that have them.
    people, of_people : how many texts of people of the original alone are there, of how many.
    others, of_others : the same of the control; None without one.
    p : how probable so many people of the original are by chance.
    proof : whether the release is unsafe by this alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: tuple[str, ...]
    says: str
    where: tuple[str, ...]
    people: int
    of_people: int
    others: int | None = None
    of_others: int | None = None
    p: float
    proof: bool


def _is_empty(value: Sized) -> bool:
    return not value


def _is_none(value: object) -> bool:
    return value is None


class KnownRows(BaseModel):
    """For how many people a pseudonym stands out if so many of their rows are known.

    Parameters
    ----------
    rows : how many rows the attacker knows of each person; of people with fewer rows, all.
    stands_out : the share of people of the original for whom one pseudonym stands out.
    control : the same share of people of the control.
    right : the share of people of the original for whom the best pseudonym is theirs; None if
        nobody knows which is.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rows: int
    stands_out: Reading
    control: Reading
    right: Reading | None = None


class TableHistories(BaseModel):
    """What one of several tables gives away, if an attacker knows its rows alone.

    Parameters
    ----------
    table : its name.
    rows : how many rows half of the people have in it at most.
    traits : what was compared.
    stands_out, control, right : as for all tables together.
    copied, copied_control : the share of the rows of a person that the release has as they are, in
        the mean over the people of the original and over those of the control.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: str
    rows: float
    traits: tuple[str, ...]
    stands_out: Reading
    control: Reading
    right: Reading | None = None
    copied: Reading
    copied_control: Reading


class Histories(BaseModel):
    """What the rows of a person give away together, where people have several rows.

    A pseudonym stands out for somebody if it does so more clearly than for all but 1 % of the
    control.

    Parameters
    ----------
    tried : whether an attack compared people with pseudonyms by all their rows.
    says : what it found, or why it was not tried, in sentences.
    pseudonyms : how many pseudonyms the release has.
    rows : how many rows half of the people have at most: the median.
    traits : what was compared, the most telling first.
    stands_out, control : the share of people of the original, and of the control, for whom one
        pseudonym stands out if all their rows are known.
    right : the share of people of the original for whom the best pseudonym is theirs; None if
        nobody knows which is.
    enough : how many known rows are enough for half of the people; None if no number is.
    known_rows : the same shares for attackers who know fewer rows.
    lost : the share of people whose best pseudonym was missed to save time.
    copied, copied_control : the share of people of the original, and of the control, with at least
        two rows, all of whose rows together are those of one pseudonym; None if nobody tried.
    tables : of several tables, what each of them gives away alone; else left out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tried: bool
    says: str
    pseudonyms: int = 0
    rows: float = 0.0
    traits: tuple[str, ...] = ()
    stands_out: Reading | None = None
    control: Reading | None = None
    right: Reading | None = None
    enough: int | None = None
    known_rows: tuple[KnownRows, ...] = ()
    lost: float = 0.0
    copied: Reading | None = None
    copied_control: Reading | None = None
    tables: tuple[TableHistories, ...] = Field(default=(), exclude_if=_is_empty)


class RowOrder(BaseModel):
    """Whether the released rows follow the rows of the original.

    Parameters
    ----------
    correlation : of the row numbers of released records and of the most similar originals, among
        rows that the release does not sort by their own values.
    p : how probable such a correlation is if the released rows are in random order.
    alarm : whether the order tells who is who.
    says : the numbers in a sentence.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    correlation: Reading
    p: float
    alarm: bool
    says: str


class Folds(BaseModel):
    """How everybody was audited: the sanitizer ran several times, each time without some people.

    Parameters
    ----------
    sanitizer, parameters : what ran.
    left_out : for each run the number of people who were left out of it.
    strongest, statistic : the attack with the strongest evidence, and what it was counted by.
    attack_p : the p-value of each attack alone; they are not corrected for their number.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sanitizer: str
    parameters: dict[str, Any]
    left_out: tuple[int, ...]
    strongest: str
    statistic: str
    attack_p: dict[str, float]


class ReleaseAudit(BaseModel):
    """What a release gives away: the verdict, its reasons and every number behind it.

    Parameters
    ----------
    verdict : what the effects below say, in a word.
    reasons : why, in plain sentences; the most important first.
    limits : what the verdict does not cover, in plain sentences.
    p : how probable evidence this strong would be if the release did not depend on who is in the
        original, by all attacks together; None if no control was given, or no attack ran.
    p_alike : the same, with labels permuted only among people who are about equally probably in the
        original by their values, so that a control of other people raises no alarm. It is
        conservative, not exact; None unless p raises an alarm.
    obstacle : why the audit cannot say more; left out if it can.
    doubt : what is wrong with the control, so that p and what follows from it are doubtful; empty
        if nothing is.
    covered : where the attacks looked, for sentences about leaks; empty if they looked everywhere.
    columns : which columns of the release were looked at; left out if its kind has none.
    level : the largest p that counts as evidence; tests of a few people have the rest of 5 %.
    exposed_share : the share of people whom attacks find at a false positive rate of at most 1 %.
    advantage : how much more often attacks call people of the original members than others, at a
        threshold that up to half of the others reach; None if there is nobody to compare.
    nameable_records : how many people the strongest attack can name with few errors.
    smallest_detectable : the smallest share of people that a leak must touch for this audit to see
        it very probably.
    laid_bare : copies, and tests of a few people; None without a control.
    readings : what each attack found.
    utility : how useful the release still is.
    shapes : the columns in which the release differs most, the worst first.
    curves : for drawings, the curves of the membership attacks.
    not_computed : what was left out, and why.
    matched : the columns that the release writes otherwise, and how they are compared.
    classes : how many released rows share their values; None if no such column is compared.
    disclosure : what statistical offices count; left out if nothing was counted.
    recipient : for whom the release is; left out if nobody said it.
    control_signs : whether the release was made with the control, which then hides leaks.
    drift : how the control differs from the original without the release; left out without one.
    repeated_texts : whose words the released notes repeat; left out if there are no notes.
    identities : which identities of people the release has, as they are or in codes.
    histories : what the rows of a person give away together; left out if every row is a person.
    folds : how everybody was audited, if the release is about everybody; else None.
    order : whether the released rows follow those of the original; None if nobody can tell.
    inputs : the tables and their hashes.
    seed : the seed that repeats the audit.
    versions : the versions of the software, by name.
    command : the command that repeats the audit; empty if it was started from Python.
    exposed : the most exposed people, if they were asked for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.release-audit/1"] = "quintain.release-audit/1"
    verdict: Verdict
    reasons: tuple[str, ...]
    limits: tuple[str, ...]
    p: float | None
    p_alike: float | None = None
    obstacle: Obstacle | None = Field(default=None, exclude_if=_is_none)
    doubt: str = Field(default="", exclude_if=_is_empty)
    covered: str = Field(default="", exclude_if=_is_empty)
    columns: ReleasedColumns | None = Field(default=None, exclude_if=_is_none)
    level: float = 0.05
    exposed_share: Reading
    advantage: Reading | None = None
    nameable_records: Reading
    smallest_detectable: Reading
    readings: tuple[Finding, ...]
    utility: tuple[UtilityFinding, ...] = ()
    shapes: tuple[ColumnShape, ...] = ()
    curves: tuple[RocCurve, ...] = ()
    not_computed: tuple[NotComputed, ...] = ()
    matched: tuple[MatchedColumn, ...] = ()
    classes: ReleaseClasses | None = None
    disclosure: tuple[DisclosureFinding, ...] = Field(default=(), exclude_if=_is_empty)
    recipient: Recipient | None = Field(default=None, exclude_if=_is_none)
    control_signs: tuple[ControlSign, ...] = ()
    drift: ControlDrift | None = Field(default=None, exclude_if=_is_none)
    laid_bare: LaidBare | None = None
    repeated_texts: tuple[RepeatedText, ...] = Field(default=(), exclude_if=_is_empty)
    identities: tuple[FoundIdentity, ...] = Field(default=(), exclude_if=_is_empty)
    histories: Histories | None = Field(default=None, exclude_if=_is_none)
    folds: Folds | None = None
    order: RowOrder | None = None
    inputs: tuple[AuditedInput, ...] = ()
    seed: int = 0
    versions: dict[str, str] = {}
    command: str = ""
    exposed: tuple[ExposedRecord, ...] | None = None

    @property
    def release_name(self) -> str:
        """What the release is called; of several tables, the folder that has them."""
        names = [own.name for own in self.inputs if own.role == "release"]
        if len(names) > 1:
            return names[0].rpartition("/")[0] or names[0]
        return names[0] if names else ""

    @property
    def has_control(self) -> bool:
        """Whether there are people to compare with: a control, or folds."""
        return self.p is not None or any(own.role == "control" for own in self.inputs)

    @property
    def no_p(self) -> str:
        """Why there is no p-value, in a clause."""
        return "no attack ran" if self.has_control else "there is no control"

    @property
    def may_be_luck(self) -> bool:
        """Whether the test of all attacks together says that luck explains them."""
        return self.p is not None and self.p > self.level


# Sanitizer audit: the result of running a sanitizer many times with and without some people.


class EpsilonBound(BaseModel):
    """A lower bound on the epsilon of a sanitizer, from runs with and without a person.

    Parameters
    ----------
    method : how the bound was computed.
    attack : the attack that told the runs apart.
    target : "neighbours" for two fixed data sets that differ by one person, "worst-case" for people
        who stand out among others that vary, too, "average" for people drawn at random.
    bound : the bound with its level.
    ceiling : the highest bound that a perfect attack could have shown with as many runs.
    decides : whether the verdict may rest on this bound. Such bounds are named before the runs, and
        their level is corrected for their number; the others are shown beside them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: str
    attack: str
    target: Literal["neighbours", "worst-case", "average"]
    bound: Reading
    ceiling: float
    decides: bool = False


class Setting(BaseModel):
    """One choice of parameters: what the sanitizer gives away with it, and what is left of the use.

    Parameters
    ----------
    parameters : the parameters that differ between settings, such as epsilon.
    privacy : how well the strongest attack finds the average member (an AUC).
    utility : the readings of utility.
    bounds : lower bounds on epsilon.
    claim : what the sanitizer claims with these parameters.
    refutes : the least true epsilon with which such runs refute the claim in 80 of 100 audits, for
        an attack that could not be better. A fault that more than noise hides shows less. None
        without a claim, and if no epsilon is large enough.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    parameters: dict[str, Any]
    privacy: Reading
    utility: tuple[UtilityFinding, ...] = ()
    bounds: tuple[EpsilonBound, ...] = ()
    claim: Claim | None = None
    refutes: float | None = None


class SanitizerAudit(BaseModel):
    """What a sanitizer gives away, over many runs.

    Parameters
    ----------
    sanitizer : its name. ``parameters`` are those that all settings share.
    verdict, reasons, limits : as in an audit of a release; "unsafe" also if a bound is above the
        claimed epsilon, because the claim is then wrong.
    runs : how often the sanitizer was run for each setting.
    settings : one, or several of a sweep, which draw the frontier of privacy and utility.
    readings : what each attack found, for the setting that gives away most.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.sanitizer-audit/1"] = "quintain.sanitizer-audit/1"
    sanitizer: str
    parameters: dict[str, Any]
    verdict: Verdict
    reasons: tuple[str, ...]
    limits: tuple[str, ...]
    runs: int
    settings: tuple[Setting, ...]
    readings: tuple[Finding, ...] = ()
    curves: tuple[RocCurve, ...] = ()
    not_computed: tuple[NotComputed, ...] = ()
    inputs: tuple[AuditedInput, ...] = ()
    seed: int = 0
    versions: dict[str, str] = {}
    command: str = ""


def told_apart(setting: Setting) -> float:
    """How well the strongest attack finds the average member; -1 if nobody knows.

    >>> told_apart(Setting(parameters={}, privacy=Reading.missing("lower", "not tried")))
    -1.0
    """
    return setting.privacy.value if setting.privacy.measured else -1.0


def most_telling(settings: Sequence[Setting]) -> Setting:
    """The setting that gives away most; the readings of the audit are about it."""
    return max(settings, key=told_apart)


# Versions: the software on which the numbers of an audit depend.


_PACKAGES = ("numpy", "scipy", "pyarrow", "scikit-learn")


def versions() -> dict[str, str]:
    """The versions by name; a package that is not installed is left out.

    >>> list(versions())[:2]
    ['quintain', 'python']
    """
    known = {"quintain": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            known[name] = version(name)
        except PackageNotFoundError:
            continue
    return known
