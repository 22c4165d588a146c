"""Shared fixtures of the tests of the core."""

import pytest

from quintain import registry


@pytest.fixture
def empty_registry(monkeypatch):
    """Start without parts and without plugins, and leave the real ones alone."""
    monkeypatch.setattr(registry, "_parts", {})
    monkeypatch.setattr(registry, "_later", {})
    monkeypatch.setattr(registry, "_loaded", True)
    monkeypatch.setattr(registry, "_files", {})
    monkeypatch.setattr(registry, "_left_out", {})
    monkeypatch.setenv(registry.PLUGIN_FILES, "")
