"""Dates: when phases open and close, and how often a team may submit."""

from __future__ import annotations

from datetime import datetime

from quintain.host.organising.guide.guided import Changes, GuidedDraft
from quintain.host.organising.guide.typed import TypedFields

MOST_SUBMISSIONS = 10_000
REGISTRATION = {
    "open": "Everybody may register a team",
    "approval": "Teams register, and I approve each",
    "invitation": "Only people whom I invite",
    "closed": "Nobody yet",
}


def show_dates(guided: GuidedDraft) -> dict[str, str]:
    """The fields of the step, as the edition file and the settings fill them in."""
    fields = {}
    for place, phase in enumerate(guided.phases):
        for key in ("opens", "closes"):
            moment = phase.get(key)
            shown = f"{moment:%Y-%m-%dT%H:%M}" if isinstance(moment, datetime) else ""
            fields[f"phase.{place}.{key}"] = shown
        for key in ("per_day", "total"):
            fields[f"phase.{place}.{key}"] = str(phase.get(key, ""))
    row = guided.draft.edition
    settings = {"registration": row.registration, "team_size": row.team_size}
    for name, value in {**settings, "max_teams": row.max_teams}.items():
        fields[name] = "" if value is None else str(value)
    return fields


def read_dates(typed: TypedFields, guided: GuidedDraft) -> Changes:
    """The phases with their dates and limits; raises with every fault."""
    phases, before = [], None
    for place, phase in enumerate(guided.phases):
        at = f"phase.{place}"
        made = {**phase}
        opens, closes = (typed.moment(f"{at}.{key}") for key in ("opens", "closes"))
        limits = {
            key: typed.whole(f"{at}.{key}", 1, MOST_SUBMISSIONS, needed=False)
            for key in ("per_day", "total")
        }
        if opens and closes and opens >= closes:
            typed.faults[f"{at}.closes"] = "the phase closes before it opens"
        if opens and before and opens < before:
            typed.faults[f"{at}.opens"] = "the phase opens before the one above closes"
        before = closes
        made |= {"opens": opens, "closes": closes, **limits}
        phases.append({key: value for key, value in made.items() if value is not None})
    read_settings(typed)
    typed.raise_if_any()
    return Changes({"phase": phases})


def read_settings(typed: TypedFields) -> dict[str, str | int | None]:
    """Who may register, and the sizes of teams; these are settings of the site, not rules."""
    return {
        "registration": typed.choice("registration", REGISTRATION),
        "team_size": typed.whole("team_size", 1, 10_000, needed=False),
        "max_teams": typed.whole("max_teams", 1, 10_000, needed=False),
    }
