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


def forget_plugins_later(monkeypatch):
    """Let a test load plugins that are single files; afterwards, nobody knows them."""
    monkeypatch.setattr(registry, "_parts", copy_registered_parts())
    monkeypatch.setattr(registry, "_files", {})
    monkeypatch.setenv(registry.PLUGIN_FILES, "")
