"""Questionnaire: what a form asks a team about its release; the answers are its card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from quintain.errors import Faults, SubmissionError
from quintain.host.refusals import BadInput
from quintain.releases import ReleaseCard
from quintain.releases.release import KNOWN_MODELS
from quintain.runs.folder.paths import CARD
from quintain.runs.submissions.checking import check_card

MOST_ROWS = 20
"""How many methods the form has room for; a card that a team writes itself may have more."""

KNOWN_METHODS = (
    "noise addition",
    "record deletion",
    "record insertion",
    "partial extraction",
    "value swapping",
    "generalisation",
    "top and bottom coding",
    "microaggregation",
    "randomised response",
    "synthetic data generation",
)
"""What the form suggests; a team may write something else."""


def card_of(fields: Mapping[str, object]) -> bytes:
    """A card from its fields, checked as the judge checks it; raises with every fault."""
    faults = Faults(CARD)
    try:
        content = ReleaseCard.model_validate(fields).to_bytes()
    except ValidationError as error:
        for item in error.errors():
            faults.add(item["msg"], column=".".join(str(step) for step in item["loc"]) or None)
        faults.raise_if_any(SubmissionError)
        raise
    check_card(content, faults)
    faults.raise_if_any(SubmissionError)
    return content


def card_from_form(form: Mapping[str, str]) -> bytes | None:
    """The card from the fields of the form; None if nobody filled it in.

    Fields are ``method-1-name``, ``method-1-columns`` (names with commas between them),
    ``method-1-rows``, ``method-1-detail`` and so on, ``claim-epsilon`` to ``claim-unit``, and
    ``model-k-anonymity`` and so on with the value of each privacy model; ``model-name`` and
    ``model-value`` are for another one.
    """
    methods = [_method(form, number) for number in range(1, MOST_ROWS + 1)]
    given = [method for method in methods if method]
    claim, models = _claim(form), _models(form)
    if not given and not models and claim is None:
        return None
    return card_of({"methods": given, "claim": claim, "models": models})


def _method(form: Mapping[str, str], number: int) -> dict[str, object]:
    name, columns, rows, detail = (
        form.get(f"method-{number}-{part}", "").strip()
        for part in ("name", "columns", "rows", "detail")
    )
    if not name:
        if columns or rows or detail:
            raise BadInput(f"method {number} of the questionnaire has no name")
        return {}
    method: dict[str, object] = {"name": name, "detail": detail.replace("\r\n", "\n")}
    method["columns"] = _columns(columns)
    if rows:
        method["rows"] = rows
    return method


def _columns(text: str) -> Sequence[str]:
    return [part for part in (one.strip() for one in text.split(",")) if part]


def _claim(form: Mapping[str, str]) -> dict[str, str] | None:
    parts = ("epsilon", "delta", "neighbours", "unit")
    values = {part: form.get(f"claim-{part}", "").strip() for part in parts}
    if not values["epsilon"]:
        return None
    return {part: value for part, value in values.items() if value}


def _models(form: Mapping[str, str]) -> list[dict[str, str]]:
    values = {name: form.get(f"model-{name}", "").strip() for name in KNOWN_MODELS}
    name, value = (form.get(f"model-{part}", "").strip() for part in ("name", "value"))
    if bool(name) != bool(value):
        raise BadInput("another privacy model in the questionnaire needs a name and a value")
    values[name] = value
    return [{"name": name, "value": value} for name, value in values.items() if value]
