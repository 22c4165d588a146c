"""File names that several stages know; this module imports nothing, so reading a name is quick."""

from __future__ import annotations

WRITTEN_FILE = "edition.toml"
"""The edition file of a folder."""

FROZEN_FILE = "public/edition.json"
"""The fixed rules in a prepared folder, or in a participant's kit."""

CARD_FILE = "card.json"
"""The file beside a release that states its methods and its claim."""
