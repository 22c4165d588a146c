"""Parts that are registered for some tests alone."""

from copy import deepcopy

from quintain import registry


def copy_registered_parts():
    """Every registered part, to be patched into the registry.

    Built-in parts are imported before the copy. A module registers its parts once, when it is
    imported, so those that are imported while a copy is in place would be lost with it.
    """
    for family in registry.families():
        list(registry.parts(family))
    return deepcopy(registry._parts)
