"""Checks of every part: its name, its parameters and its form in an edition file."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

from quintain.errors import Rejected
from quintain.registry import Part, build


def check_named(part: Part) -> None:
    """The id is family/name-vN, and the docstring starts with a sentence."""
    expected = f"{part.family}/name-vN"
    named = re.fullmatch(rf"{part.family}/[a-z0-9-]+-v[0-9]+", part.id)
    assert named, f"the id {part.id} is not like {expected}"
    assert part.summary().endswith((".", "?", "!", ";", ",", ":")) or " " in part.summary()
    assert len(part.summary()) > 10, f"the docstring of {part.id} does not start with a sentence"


def check_spec(part: Part) -> None:
    """Building a part from its edition entry gives an equal part."""
    again = _built(part, part.spec())
    assert again == part, f"{part.spec()} does not give {part!r}"


def check_refuses_bad_parameters(part: Part) -> None:
    """Unknown, wrongly typed and out-of-range parameters are refused with a sentence."""
    _check_refusal(part, {"no_such_parameter": 1}, "unknown parameter")
    for name, facts in type(part).model_json_schema().get("properties", {}).items():
        for bad in _bad_values(facts):
            _check_refusal(part, {name: bad}, "")


def _check_refusal(part: Part, change: dict[str, Any], words: str) -> None:
    try:
        _built(part, {**part.spec(), **change})
    except Rejected as error:
        assert error.faults and words in str(error), f"{part.id}: {error}"
        return
    raise AssertionError(f"{part.id} accepts {change} silently")


def _built(part: Part, spec: dict[str, Any]) -> Part:
    """Build a part; that a newer version exists is no fault of an old one."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* is superseded by ")
        return build(part.family, spec)


def _bad_values(facts: dict[str, Any]) -> Iterator[object]:
    """Values that a JSON Schema forbids: beyond the bounds, or of a type that fits nothing."""
    yield {"not": ["a", "parameter"]}
    for kind in [facts, *facts.get("anyOf", ())]:
        for bound, step in (("minimum", -1), ("exclusiveMinimum", 0)):
            if bound in kind and len(facts.get("anyOf", ())) <= 2:
                yield kind[bound] + step
        for bound, step in (("maximum", 1), ("exclusiveMaximum", 0)):
            if bound in kind and len(facts.get("anyOf", ())) <= 2:
                yield kind[bound] + step
