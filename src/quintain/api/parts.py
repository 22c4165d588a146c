"""Parts: make parts from their names, and list the names of a family."""

from __future__ import annotations

from typing import Any

from quintain import registry
from quintain.errors import PartError
from quintain.registry import Part


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


def _has(family: str, name: str) -> bool:
    plain = name.rpartition("-v")[0] or name
    return any(known.name() in (name, plain) for known in registry.parts(family))
