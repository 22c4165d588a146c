"""Decisions: what kind of column the cells suggest, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from quintain.data.column import LARGEST_DOMAIN, Column
from quintain.data.learning.facts import Facts
from quintain.data.learning.time_formats import odd_time, time_texts
from quintain.data.own_files.spelling import MISSING, RARER_MISSING
from quintain.data.shape import Shape, find_shape
from quintain.errors import DataError, Faults
from quintain.wording.suggestion import suggestion

ID_NAME = re.compile(r"(?i:(?:.*[_ -])?(?:id|uuid|guid|nr|no|number|key))|.*[a-z](?:Id|ID)")
"""Names of columns that number things rather than count them."""
FEWEST_IDS = 20
"""A column with fewer different texts than this is a category, even if no text appears twice."""
_LONG_TEXT, _WORDS_OF_A_TEXT, _LONGEST_ID = 60, 4, 64
_LARGEST_EXACT = 2.0**53
"""From here on, floating-point numbers leave whole numbers out."""
_DRESSED_NUMBER = re.compile(r"[-+]?(?:[$£€] ?)?\d{1,3}(?:[.,' ]?\d{3})*(?:[.,]\d+)? ?(?:[%$£€])?")
"""A number with a unit, or with marks between thousands."""
_BOTH_WAYS = ({"false", "true"}, {"f", "t"}, {"n", "y"}, {"no", "yes"}, {"0", "1"})


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a column of a table.

    Parameters
    ----------
    column : None if the column is left out.
    reason : why, in a sentence for the person who edits the schema.
    learned : whether the domain was learned from the cells, so that it reveals some of them.
    otherwise : what the column could be instead: an id that is taken for an attribute, a number
        that the schema leaves unbounded, or the first of several tables that do not agree.
    free_text : whether the cells are sentences, which nearly all differ.
    """

    name: str
    column: Column | None = field(repr=False)  # a learned domain has cells in it
    reason: str = field(repr=False)
    learned: bool = False
    otherwise: Column | None = field(default=None, repr=False)
    free_text: bool = False

    @property
    def why(self) -> str:
        """The reason without its hints, which quote cells."""
        return self.reason.split("; ")[0].removeprefix("left out: ")

    @property
    def left_out(self) -> bool:
        """Whether the column is not an attribute of people: an id, or of no use."""
        return self.column is None or self.column.identifying

    def rename(self, name: str) -> Decision:
        """The same decision about a column with another name."""
        column, otherwise = (
            own and own.model_copy(update={"name": name}) for own in (self.column, self.otherwise)
        )
        return replace(self, name=name, column=column, otherwise=otherwise)


def decide(facts: Facts, place: str = "file") -> Decision:
    """The kind of a column, its domain, and the reason; ``place`` is what has the cells."""
    makers = {"nothing": _nothing, "numbers": _numbers, "times": _times, "words": _words}
    try:
        decision = makers[facts.content](facts, place)
    except ValidationError as problem:
        why = str(problem.errors()[0]["msg"]).removeprefix("Value error, ")
        return Decision(facts.name, None, f"left out: {why}")
    written = _missing_words(facts)
    if decision.column is None or not written:
        return decision
    return replace(decision, reason=f"{decision.reason}; {written}")


def number_column(name: str, low: float, high: float, *, whole: bool, nullable: bool) -> Column:
    """A bounded number; whole numbers that are too far apart to be listed may become reals."""
    listed = whole and high - low < LARGEST_DOMAIN
    kind = "integer" if listed or (whole and not nullable) else "real"
    return Column(name=name, kind=kind, low=low, high=high, nullable=nullable)


def time_column(
    name: str, low: int, high: int, form: str, *, nullable: bool, missing: str = ""
) -> Column:
    """A time between the first and the last one."""
    earliest, latest = time_texts((low, high), form)
    return Column(
        name=name,
        kind="time",
        time_format=form,
        earliest=earliest,
        latest=latest,
        nullable=nullable,
        missing=missing,
    )


def _nothing(facts: Facts, _: str) -> Decision:
    return Decision(facts.name, None, "left out: every cell is missing")


def _missing(facts: Facts) -> str:
    """How the schema writes missing values: as the file does, if that is one way or one word."""
    words = _own_words(facts) or tuple(facts.spellings)
    return words[0] if len(words) == 1 else ""


def _own_words(facts: Facts) -> tuple[str, ...]:
    """The words for missing values that only this file has, so that the schema must name them."""
    return tuple(word for word in facts.spellings if word not in (*MISSING, *RARER_MISSING))


def _missing_words(facts: Facts) -> str:
    if not facts.missing:
        return ""
    ways = [
        f"{word!r} ({count})" if word else f"empty ({count})"
        for word, count in facts.spellings.items()
    ]
    return f"missing values: {', '.join(ways)}" if ways else f"{facts.missing} missing values"


def _id(facts: Facts, reason: str, otherwise: Column | None) -> Decision:
    column = Column(name=facts.name, kind="id", nullable=facts.missing > 0, missing=_missing(facts))
    reason = f"an id: {reason}; ids are no attributes of a record"
    return Decision(facts.name, column, reason, otherwise=otherwise)


def _numbers(facts: Facts, place: str) -> Decision:
    span = facts.high - facts.low + 1
    nullable = facts.missing > 0
    column = number_column(facts.name, facts.low, facts.high, whole=facts.whole, nullable=nullable)
    column = column.model_copy(update={"missing": _missing(facts)})
    if facts.whole and max(-facts.low, facts.high) >= _LARGEST_EXACT:
        return _id(facts, "the whole numbers are too long to count with", None)
    if facts.whole and facts.distinct and ID_NAME.fullmatch(facts.name):
        return _id(facts, "its name says so, and all numbers differ", column)
    if facts.whole and facts.distinct and span == facts.filled >= FEWEST_IDS:
        return _id(facts, "it numbers the rows", column)
    words = "whole numbers" if facts.whole else "numbers"
    if facts.whole and facts.pointed:
        words += ", written with a decimal point"
    if facts.decimal_comma:
        words += " with a decimal comma"
    if facts.grouped:
        words += f", with marks between thousands such as {facts.grouped!r}"
    for word in _own_words(facts):
        words += f"; the word {word!r} is taken for a missing value"
    if facts.whole and column.fractional:
        words += ", too far apart for an integer that may be missing"
    return Decision(facts.name, column, f"{words}; low and high are those of the {place}", True)


def _times(facts: Facts, place: str) -> Decision:
    column = time_column(
        facts.name,
        int(facts.low),
        int(facts.high),
        facts.time_format,
        nullable=facts.missing > 0,
        missing=_missing(facts),
    )
    doubt = f"; {facts.doubt}" if facts.doubt else ""
    reason = f"all cells are times written {facts.time_format}{doubt}"
    reason += f"; earliest and latest are those of the {place}"
    return Decision(facts.name, column, reason, True)


def _words(facts: Facts, _: str) -> Decision:
    if facts.spelled_as:
        return _of_kind(facts)
    values, hint = facts.values, _hint(facts)
    count = "more than 10,000" if values is None else f"{len(values):,}"
    many = values is None or 2 * len(values) > facts.filled
    sentences = facts.words_per_text >= _WORDS_OF_A_TEXT or facts.longest > _LONG_TEXT
    if many and sentences and facts.filled >= FEWEST_IDS:
        reason = f"left out: free text, {count} different texts of up to {facts.longest} characters"
        return Decision(facts.name, None, reason + hint, free_text=True)
    if facts.distinct and facts.filled >= FEWEST_IDS:
        return _id(facts, f"no text appears twice{hint}", _category(facts))
    if values is None or (many and len(values) >= 5 * FEWEST_IDS):
        reason = f"{count} different texts in {facts.filled:,} cells{hint}"
        return _id(facts, reason, _category(facts))
    column = _category(facts, strict=True)
    texts = "one text" if len(values) == 1 else f"{len(values)} different texts"
    reason = texts + hint
    if facts.leading_zeros:
        reason += "; numbers with leading zeros are codes"
    known = {value.lower() for value in values} in _BOTH_WAYS
    return Decision(facts.name, column, reason, not known)


def _of_kind(facts: Facts) -> Decision:
    """The kind of which every cell has the spelling."""
    column = Column(
        name=facts.name,
        kind=facts.spelled_as,
        nullable=facts.missing > 0,
        missing=_missing(facts),
    )
    reason = f"all cells are written as {column.its_kind.plural}"
    return Decision(facts.name, column, reason, otherwise=_category(facts))


def _category(facts: Facts, *, strict: bool = False) -> Column | None:
    """The column as a category; None, or with ``strict`` an error, if it cannot be one."""
    if facts.values is None:
        return None
    values: Iterable[str] = sorted(facts.values)
    if facts.declared:
        named = [text for text in facts.declared if text not in facts.spellings]
        values = named if facts.ordered else sorted(named)
    try:
        return Column(
            name=facts.name,
            kind="category",
            values=tuple(values),
            ordered=facts.ordered,
            nullable=facts.missing > 0,
            missing=_missing(facts),
        )
    except ValidationError:
        if strict:
            raise
        return None


def _hint(facts: Facts) -> str:
    """What keeps a column from being one of numbers or times."""
    if facts.conflict:
        one, other = facts.conflict
        return f"; most cells are numbers, but {one!r} and {other!r} are written by different rules"
    if facts.spoiler:
        return f"; most cells are numbers, but not {facts.spoiler!r}"
    form, odd = odd_time(facts.sample if facts.values is None else [*facts.values])
    if form:
        return f"; most cells are times written {form}, but not {odd!r}"
    dressed = not facts.leading_zeros and all(map(_DRESSED_NUMBER.fullmatch, facts.sample))
    example = facts.sample[0] if facts.sample and dressed else ""
    return f"; to use them as numbers, write {example!r} as a plain number" if example else ""


_IDS = ("person", "household", "customer")


def shape_decisions(
    file: str, decisions: Sequence[Decision], shape: str, roles: Mapping[str, str]
) -> list[Decision]:
    """The columns with their roles, in the order and of the kinds that the shape needs."""
    faults, names = Faults(file), [decision.name for decision in decisions]
    for name in roles:
        if name not in names:
            faults.add(f"the file has no such column{suggestion(name, names)}", column=name)
    own = find_shape(shape)
    if not own.one_table:
        faults.add(f"{shape} have several tables: learn the schema of a folder, without --shape")
    for wanted in own.roles if own.one_table else ():
        if not set(wanted) & set(roles.values()):
            example = f"--role COLUMN={wanted[0]}"
            faults.add(f"{shape} need a column with the role {' or '.join(wanted)}: {example}")
    faults.raise_if_any(DataError)
    shaped = [_with_role(decision, roles.get(decision.name, "")) for decision in decisions]
    if own.roles_lead:
        order = {role: place for place, wanted in enumerate(own.roles) for role in wanted}
        shaped.sort(key=lambda decision: order.get(roles.get(decision.name, ""), len(own.roles)))
    return [_in_shape(decision, own) for decision in shaped]


def _with_role(decision: Decision, role: str) -> Decision:
    if not role:
        return decision
    column = decision.column
    if role in _IDS and (column is None or not column.identifying):
        nullable = column is not None and column.nullable
        column = Column(name=decision.name, kind="id", role=role, nullable=nullable)
        return Decision(decision.name, column, f"an id: it has the role {role}")
    if column is None:
        return decision
    return Decision(
        decision.name, column.model_copy(update={"role": role}), decision.reason, decision.learned
    )


def _in_shape(decision: Decision, shape: Shape) -> Decision:
    """The decision about a column, as data of this shape have it."""
    if decision.column is None:
        return decision
    column, reason = shape.fit_column(decision.column)
    if column is decision.column:
        return decision
    if column is None:
        return Decision(decision.name, None, f"left out: {reason}")
    reason = f"{decision.reason}; {reason}" if reason else decision.reason
    return Decision(decision.name, column, reason, decision.learned)
