"""What the tests of the registry share: a family of toys."""

from typing import ClassVar

from quintain.registry import Part, register


class Toy(Part):
    """A toy."""

    family: ClassVar[str] = "toy"


def make(name, **members):
    """Register a new class under a name."""
    return register(name)(
        type(f"Made{len(members)}{name}", (Toy,), {"__doc__": "Made.", **members})
    )
