"""Bounds: which sanitizers a recipe may use, and which values their parameters may have."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any, Self, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from quintain.data.number_bounds import NumberBounds
from quintain.errors import Fault, PartError, Rejected
from quintain.registry import build, find
from quintain.sanitizers import Sanitizer
from quintain.wording.languages import (
    DEFAULT,
    in_context,
    say,
    say_commas,
    say_list,
    speaking,
    tell,
    to_say,
    write_decimal,
    write_number,
)
from quintain.wording.suggestion import suggestion

Value = bool | int | float | str
"""A single value of a parameter."""


class Bound(NumberBounds):
    """The values that a parameter may have; without a key, all that the sanitizer itself takes.

    Of a parameter that is a list, every item must be within the bound.

    Parameters
    ----------
    at_least, at_most : bounds of a number; they hold for the default of a parameter, too.
    among : the values that are allowed, such as names of columns.
    most : how many items a list may have.

    >>> list(Bound(at_least=0.5).faults(0.2))
    ['must be at least 0.5']
    >>> list(Bound(among=("age", "sex"), most=1).faults(["age", "pay"]))
    ['has 2 items; the limit is 1', "'pay' is not allowed; allowed: age, sex"]
    """

    among: tuple[Value, ...] = ()
    most: int | None = Field(default=None, ge=1)

    def faults(self, value: Any) -> Iterator[str]:
        """One sentence for each way in which a value is outside the bound."""
        items = value if isinstance(value, list | tuple) else [value]
        if self.most is not None and len(items) > self.most:
            yield tell("has %(n)s items; the limit is %(most)s", n=len(items), most=self.most)
        for item in items:
            if self.among and not any(_same(item, allowed) for allowed in self.among):
                allowed = ", ".join(str(known) for known in self.among)
                yield tell(
                    "%(value)s is not allowed; allowed: %(names)s", value=repr(item), names=allowed
                )
            if self.bounds:
                yield from self._number_faults(item)

    def _number_faults(self, item: Any) -> Iterator[str]:
        if isinstance(item, bool) or not isinstance(item, int | float):
            yield tell(
                "%(value)s is not a number; it must be %(bound)s",
                value=repr(item),
                bound=self._words_in_english(),
            )
            return
        for word, bound in itertools.islice(self.missed_by(item), 1):
            yield tell(_MISSED[word], bound=f"{bound:g}")

    def _words_in_english(self) -> str:
        with speaking(DEFAULT):
            return self.words()

    def words(self) -> str:
        """The bound in words.

        >>> Bound(at_least=1, at_most=9).words(), Bound().words()
        ('at least 1 and at most 9', 'any value')
        """
        ends = [say(_ENDS[word], bound=write_decimal(bound)) for word, bound in self.bounds]
        texts = [say_list(ends)] if ends else []
        if self.among:
            texts.append(say("among %(values)s", values=say_commas([*map(str, self.among)])))
        if self.most is not None:
            texts.append(say("at most %(n)s of them", n=write_number(self.most)))
        return say_commas(texts) or say("any value")


_MISSED = {
    "at least": to_say("must be at least %(bound)s"),
    "at most": to_say("must be at most %(bound)s"),
}
_ENDS = {"at least": to_say("at least %(bound)s"), "at most": to_say("at most %(bound)s")}


def _same(value: Any, allowed: Value) -> bool:
    """Whether two values are equal and of one kind: 1 is neither true nor "1"."""
    return isinstance(value, bool) == isinstance(allowed, bool) and value == allowed


class AllowedPart(BaseModel):
    """A sanitizer that recipes may use.

    Parameters
    ----------
    use : the sanitizer.
    bounds : the parameters that a recipe may set, each with its bound. Every other parameter has
        the value in ``fixed``, or else its default.
    fixed : parameters that the organisers set.

    >>> part = AllowedPart(use="rr", bounds={"keep": {"at_least": 0.5}})
    >>> part.use, part.words()
    ('sanitizer/rr-v1', 'rr: keep (at least 0.5)')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    use: str
    bounds: dict[str, Bound] = {}
    fixed: dict[str, Any] = {}

    @model_validator(mode="before")
    @classmethod
    def _full_id(cls, table: Any) -> Any:
        """Name the version, so that the rules mean the same sanitizer later."""
        if isinstance(table, str):
            table = {"use": table}
        if not isinstance(table, Mapping) or not isinstance(table.get("use"), str):
            return table
        try:
            return {**table, "use": find(Sanitizer.family, table["use"]).id}
        except PartError as problem:
            raise ValueError(str(problem)) from None

    @model_validator(mode="after")
    def _usable(self) -> Self:
        known, required = self.part.fields(), self.part.model_fields
        for name in (*self.bounds, *self.fixed):
            if name not in known:
                raise ValueError(f"{self.use} has no parameter {name!r}{suggestion(name, known)}")
        for name in self.bounds:
            if name in self.fixed:
                raise ValueError(f"{name} is fixed and has bounds; leave one of them out")
        unset = [name for name, field in required.items() if field.is_required()]
        for name in unset:
            if (required[name].alias or name) not in (*self.bounds, *self.fixed):
                raise ValueError(f"no recipe could use {self.use}: allow {name} in bounds")
        if holds_parts(self.part):
            raise ValueError(
                f"{self.use} runs other sanitizers, which no bound could limit; a recipe lists "
                "steps instead"
            )
        if not unset:
            self._require_buildable()
        return self

    def _require_buildable(self) -> None:
        try:
            build(Sanitizer.family, {"use": self.use, **self.fixed})
        except Rejected as problem:
            raise ValueError("; ".join(str(fault) for fault in problem.faults)) from None

    @property
    def part(self) -> type[Sanitizer]:
        """The class of the sanitizer."""
        return cast(type[Sanitizer], find(Sanitizer.family, self.use))

    @property
    def name(self) -> str:
        """What a recipe calls it."""
        return self.part.name()

    def words(self) -> str:
        """The sanitizer and the parameters that a recipe may set."""
        if not self.bounds:
            return self.name
        return f"{self.name}: " + "; ".join(
            f"{name} ({bound.words()})" for name, bound in self.bounds.items()
        )

    def example(self, name: str) -> str:
        """A value within the bound of a parameter, as TOML; empty where the default will do."""
        bound, field = self.bounds[name], self.part.fields()[name]
        if bound.among:
            listed = "list" in str(field.annotation) or "tuple" in str(field.annotation)
            value = json.dumps(bound.among[0], ensure_ascii=False)
            return f"[{value}]" if listed else value
        default = None if field.is_required() else field.default
        if not bound.bounds or (default is not None and not list(bound.faults(default))):
            return ""
        number = bound.bounds[0][1]
        whole = field.annotation is int
        return f"{int(number)}" if whole else f"{number}"

    def faults(self, parameters: Mapping[str, Any]) -> Iterator[Fault]:
        """Every parameter of a step that it may not have; the key is the ``column``."""
        known = self.part.fields()
        for name, value in parameters.items():
            got = None if isinstance(value, dict | list) else str(value)
            if name not in known:
                hint = suggestion(name, self.bounds or known)
                yield Fault(
                    tell("%(name)s has no such parameter%(hint)s", name=self.name, hint=hint),
                    column=name,
                )
            elif name not in self.bounds:
                yield Fault(
                    tell(
                        "recipes may not set this parameter; %(settable)s",
                        settable=self._settable(),
                    ),
                    column=name,
                )
            else:
                for text in self.bounds[name].faults(value):
                    yield Fault(text, column=name, got=got)
        for name, bound in self.bounds.items():
            if name not in parameters and not known[name].is_required():
                default = known[name].get_default(call_default_factory=True)
                for text in () if default is None else bound.faults(default):
                    yield Fault(
                        tell(
                            "set %(name)s: without it, it is %(default)s, and it %(fault)s",
                            name=name,
                            default=repr(default),
                            fault=text,
                        )
                    )

    def _settable(self) -> str:
        return tell(
            "they may set: %(names)s",
            names=", ".join(self.bounds) or tell(in_context("parameters", "none")),
        )

    def build(self, parameters: Mapping[str, Any]) -> Sanitizer:
        """The sanitizer of a step; raises ``Rejected`` with every parameter that it refuses."""
        return cast(
            Sanitizer, build(Sanitizer.family, {"use": self.use, **self.fixed, **parameters})
        )


def holds_parts(part: type[Sanitizer]) -> bool:
    """Whether a parameter of a sanitizer is another part."""
    return '"x-part"' in str(part.model_json_schema()).replace("'", '"')
