"""Cards: the facts that a team writes beside its release, which are published as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from quintain.data.files.apart import json_apart
from quintain.errors import Faults
from quintain.releases import ClaimedModel, Method, ReleaseCard

MOST_BYTES = 64_000
MOST_METHODS, MOST_COLUMNS, LONGEST_TEXT = 100, 1_000, 2_000
"""A questionnaire asks for a few methods and models, each with its columns and a short text."""


def check_card(content: bytes, faults: Faults) -> None:
    """Note every fault of a card; it is plain text of a limited length."""
    if len(content) > MOST_BYTES:
        faults.add(f"{len(content)} bytes; the limit is {MOST_BYTES}")
        return
    before = faults.total
    values = json_apart(content, faults)
    if faults.total > before:
        return
    try:
        card = ReleaseCard.model_validate(values)
    except ValidationError as error:
        for item in error.errors():
            faults.add(item["msg"], column=".".join(str(step) for step in item["loc"]) or None)
        return
    lists: dict[str, Sequence[Method | ClaimedModel]]
    lists = {"models": card.models, "methods": card.methods}
    for place, entries in lists.items():
        if len(entries) > MOST_METHODS:
            faults.add(f"{len(entries)} {place}; the limit is {MOST_METHODS}", column=place)
        for at, entry in enumerate(entries):
            if len(entry.columns) > MOST_COLUMNS:
                message = f"{len(entry.columns)} columns; the limit is {MOST_COLUMNS}"
                faults.add(message, column=f"{place}.{at}.columns")
    for column, text in _texts(card):
        if len(text) > LONGEST_TEXT:
            faults.add(f"{len(text)} characters; the limit is {LONGEST_TEXT}", column=column)
        if not text.replace("\n", " ").isprintable():
            faults.add("contains a character that cannot be shown", column=column, got=text)


def _texts(card: ReleaseCard) -> Iterator[tuple[str, str]]:
    """Every text of a card, with its place."""
    if card.claim is not None:
        yield "claim.unit", card.claim.unit
    for at, model in enumerate(card.models):
        yield f"models.{at}.name", model.name
        for column in model.columns:
            yield f"models.{at}.columns", column
    for at, method in enumerate(card.methods):
        yield f"methods.{at}.name", method.name
        yield f"methods.{at}.detail", method.detail
        for column in method.columns:
            yield f"methods.{at}.columns", column
