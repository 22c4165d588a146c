"""Typed: what somebody wrote into the fields of a form, and every fault beside its field.

A field of the guide has the name of its place in the edition file, such as ``phase.0.opens``. So a
fault that the check of the edition file finds has a field, too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import ClassVar

from quintain.errors import EditionError, QuintainError
from quintain.wording.languages import retell, say, write_grouped

LONGEST_LINE = 200
LONGEST_TEXT = 5_000


class FieldFaults(QuintainError):
    """Fields of a form have faults: a sentence for each field, and sentences about the rest."""

    status: ClassVar[int] = 422

    def __init__(self, by_field: Mapping[str, str], others: tuple[str, ...] = ()) -> None:
        super().__init__("; ".join([*by_field.values(), *others]))
        self.by_field, self.others = dict(by_field), others


class TypedFields:
    """The fields of a form; reading one that is wrong notes a fault and gives None."""

    def __init__(self, sent: Mapping[str, str]) -> None:
        self.sent = sent
        self.faults: dict[str, str] = {}

    def text(self, name: str, *, most: int = LONGEST_LINE, needed: bool = False) -> str:
        """A text; with ``needed``, an empty one is a fault."""
        value = self.sent.get(name, "").replace("\r\n", "\n").strip()
        if needed and not value:
            self.faults[name] = say("write something here")
        elif len(value) > most:
            self.faults[name] = say(
                "has %(n)s characters; the limit is %(most)s",
                n=write_grouped(len(value)),
                most=write_grouped(most),
            )
        elif not all(char.isprintable() or char in "\n\t" for char in value):
            self.faults[name] = say("has a character that cannot be printed")
        return value

    def is_ticked(self, name: str) -> bool:
        """Whether a box is ticked."""
        return bool(self.sent.get(name))

    def choice(self, name: str, known: Mapping[str, object] | tuple[str, ...]) -> str | None:
        """One of the known values."""
        value = self.sent.get(name, "")
        if value in known:
            return value
        self.faults[name] = say("choose one of the list")
        return None

    def number(self, name: str, *, needed: bool = True) -> float | None:
        """A number; None if the field is empty and that is allowed."""
        value = self.text(name)
        if not value and not needed:
            return None
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return number
        self.faults[name] = (
            say("%(value)s is not a number", value=_quote(value))
            if value
            else say("write a number")
        )
        return None

    def whole(self, name: str, low: int, high: int, *, needed: bool = True) -> int | None:
        """A whole number within limits; None if the field is empty and that is allowed."""
        value = self.text(name)
        if not value and not needed:
            return None
        if re.fullmatch(r"-?[0-9]{1,12}", value) and low <= int(value) <= high:
            return int(value)
        ends = {"low": write_grouped(low), "high": write_grouped(high)}
        fault = say("write a whole number from %(low)s to %(high)s", **ends)
        if value:
            fault = say("%(value)s is not: %(fault)s", value=_quote(value), fault=fault)
        self.faults[name] = fault
        return None

    def moment(self, name: str) -> datetime | None:
        """A time in UTC, such as 2027-05-01 12:00; None if the field is empty."""
        value = self.text(name)
        if not value:
            return None
        try:
            moment = datetime.fromisoformat(value)
            moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
            return moment.astimezone(UTC).replace(microsecond=0)
        except (ValueError, OverflowError):
            self.faults[name] = say(
                "%(value)s is not a time; write it in UTC as 2027-05-01 12:00", value=_quote(value)
            )
            return None

    def raise_if_any(self) -> None:
        """Raise with the faults of all fields that were read."""
        if self.faults:
            raise FieldFaults(self.faults)


def place_faults(error: EditionError, fields: Mapping[str, str]) -> FieldFaults:
    """The faults of an edition file, each beside the field that wrote its key if there is one."""
    by_field: dict[str, str] = {}
    others = []
    for fault in error.faults:
        key = fault.column or ""
        if key in fields and key not in by_field:
            by_field[key] = retell(fault.message)
        else:
            others.append(fault.say())
    return FieldFaults(by_field, tuple(others))


def _quote(value: str) -> str:
    return repr(value if len(value) <= 40 else f"{value[:37]}...")
