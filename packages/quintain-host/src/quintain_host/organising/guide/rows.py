"""Rows: how many rows the releases of teams may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quintain.wording.languages import to_say
from quintain_host.organising.guide.guided import GuidedDraft, name_of
from quintain_host.organising.guide.typed import TypedFields

MOST_ROWS = 10_000_000
ROWS: Mapping[str, str] = {
    "any": to_say("Any number of rows, up to this limit"),
    "same": to_say("Exactly as many rows as its private sample"),
}
"""What teams are asked for. Synthetic data have as many rows as a noisy count says, or fewer."""

_RULE = "rows"
_SPARE = 2
"""A release may have so many times the rows of a private sample, unless organisers choose."""


def usual_rule(use: str, private: int) -> dict[str, Any]:
    """What a new contest asks of the rows; where each row is somebody's, none is made up."""
    if use == "published-row":
        return {"use": _RULE, "same": True}
    return {"use": _RULE, "most": _SPARE * private}


def private_rows(sample: Any) -> int:
    """About how many rows a private sample has: half of the targets are in it."""
    if not isinstance(sample, Mapping):
        return 1
    half = int(sample.get("targets", 0)) // 2
    return max(1, int(sample.get("rows") or sample.get("background", 0) + half))


def with_rule(written: Sequence[Any], rule: Mapping[str, Any] | None) -> list[Any]:
    """The rules of a contest with another one about rows; None leaves rows free."""
    others = [spec for spec in written if name_of(spec) != _RULE]
    return [*others, *([] if rule is None else [dict(rule)])]


def limit_rows(guided: GuidedDraft) -> list[Any]:
    """The rules of a draft with the limit that new contests have."""
    most = _SPARE * private_rows(guided.table.get("sample"))
    return with_rule(guided.table.get("rule", ()), {"use": _RULE, "most": most})


def refitted_rules(guided: GuidedDraft, use: str, private: int) -> list[Any]:
    """The rules of a draft after its question or the size of its samples has changed."""
    written, rule = guided.table.get("rule", ()), _rule_of(guided)
    before = private_rows(guided.table.get("sample"))
    follows = rule is not None and rule.get("most") == _SPARE * before
    if follows or name_of(guided.table.get("goal", "")) != use:
        return with_rule(written, usual_rule(use, private))
    return list(written)


def show_rows(guided: GuidedDraft) -> dict[str, str]:
    """The fields about rows, as the edition file fills them in, or as a new contest has them."""
    rule = _rule_of(guided)
    private = private_rows(guided.table.get("sample"))
    if rule is None and not guided.teams_release:
        rule = usual_rule(name_of(guided.table.get("goal", "")), private)
    rule = rule or {}
    most = rule.get("most", "" if guided.teams_release and not rule else _SPARE * private)
    return {"rows": "same" if rule.get("same") else "any", "rows.most": str(most)}


def read_rows(typed: TypedFields, guided: GuidedDraft) -> list[Any]:
    """The rules with what somebody chose about rows; an empty limit leaves them free."""
    chosen = typed.choice("rows", ROWS)
    rule: dict[str, Any] | None = {"use": _RULE, "same": True}
    if chosen == "any":
        least = private_rows(guided.table.get("sample"))
        most = typed.whole("rows.most", least, MOST_ROWS, needed=False)
        kept = {key: value for key, value in (_rule_of(guided) or {}).items() if key == "least"}
        rule = {"use": _RULE, **kept, "most": most} if most else None
    return with_rule(guided.table.get("rule", ()), rule)


def _rule_of(guided: GuidedDraft) -> Mapping[str, Any] | None:
    written = guided.table.get("rule", ())
    rule = next((spec for spec in written if name_of(spec) == _RULE), None)
    return {"use": _RULE} if isinstance(rule, str) else rule
