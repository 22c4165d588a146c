"""Parts: make parts from their names, and list the names of a family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

from quintain import registry
from quintain.data.frames import is_frame
from quintain.errors import PartError
from quintain.registry import Part
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.adapters import adapt, is_command


class Fits(Protocol):
    """A synthesizer of another maker: it is fitted to data, and then gives records."""

    @property
    def fit(self) -> Callable[..., Any]:
        """Learns from data."""


AnySanitizer = str | Sanitizer | type[Sanitizer] | Fits | Callable[..., Any]
"""A name, a sanitizer or its class, a command line, a function, or an object that is fitted."""


def part(name: str, **parameters: Any) -> Part:
    """Make a part from its name; ``"attack/nearest"`` if several families have the name.

    >>> part("mst", epsilon=1).id
    'sanitizer/mst-v1'
    """
    family, slash, _ = name.partition("/")
    if slash:
        return registry.build(family, {"use": name, **parameters})
    owners = [family for family in registry.families() if _has(family, name)]
    if len(owners) != 1:
        known = ", ".join(f"{owner}/{name}" for owner in owners)
        if owners:
            raise PartError(f"several parts are named {name!r}; write one of {known}")
        raise PartError(f"unknown part {name!r}; the command quintain parts lists all parts")
    return registry.build(owners[0], {"use": name, **parameters})


def parts(family: str) -> list[str]:
    """The names of the parts of a family: "sanitizer", "attack", "measure", "goal" ...

    >>> "nearest" in parts("attack")
    True
    """
    known = registry.families()
    if family not in known:
        raise PartError(f"unknown family {family!r}; available: {', '.join(known)}")
    return list(dict.fromkeys(part.name() for part in registry.parts(family)))


def choose_part(family: str, choice: str | Part | type[Part], parameters: dict[str, Any]) -> Part:
    """A part of a family from its name, its class, or the part itself."""
    _require_part(family, choice)
    if isinstance(choice, str):
        return registry.build(family, {"use": choice, **parameters})
    if isinstance(choice, type):
        made = registry.build(choice.family, {"use": choice.id, **parameters})
    elif parameters:
        raise PartError(
            f"{choice.id} has its parameters already; give {', '.join(parameters)} when you make it"
        )
    else:
        made = choice
    if made.family != family:
        raise PartError(f"expected a part of the family {family}, not {made.id}")
    return made


def choose_sanitizer(given: AnySanitizer, parameters: dict[str, Any]) -> Sanitizer:
    """A sanitizer from its name, its class or itself, or from anything that can be adapted.

    >>> choose_sanitizer("rr", {"keep": 0.5}).name()
    'rr'
    >>> choose_sanitizer("tool {input} {output} {epsilon}", {"epsilon": 1}).name()
    'command'
    """
    if is_frame(given):
        _require_part("sanitizer", given)
    is_part = isinstance(given, Part) or (isinstance(given, type) and issubclass(given, Part))
    if is_part or (isinstance(given, str) and not is_command(given)):
        part = choose_part("sanitizer", cast(Any, given), parameters)
        assert isinstance(part, Sanitizer)  # it is of the family of sanitizers
        return part
    return adapt(given, **parameters)


def _require_part(family: str, choice: Any) -> None:
    """Raise for what is not a part, such as a data frame, if somebody swaps two arguments."""
    if isinstance(choice, str | Part) or (isinstance(choice, type) and issubclass(choice, Part)):
        return
    article = "an" if family[0] in "aeiou" else "a"
    raise PartError(
        f"expected {article} {family} first, such as the name {parts(family)[0]!r}, not a "
        f"{type(choice).__name__}; the data come after it"
    )


def _has(family: str, name: str) -> bool:
    plain = name.rpartition("-v")[0] or name
    return any(known.name() in (name, plain) for known in registry.parts(family))
