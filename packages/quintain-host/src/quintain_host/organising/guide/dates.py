"""Dates: how many rounds there are, when phases open and close, how often a team may submit."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from quintain.wording.languages import say, to_say
from quintain_host.organising.guide.guided import Changes, GuidedDraft
from quintain_host.organising.guide.rounds import MOST_ROUNDS, round_keys, with_number
from quintain_host.organising.guide.typed import TypedFields

MOST_SUBMISSIONS = 10_000
REGISTRATION = {
    "open": to_say("Everybody may register a team"),
    "approval": to_say("Teams register, and I approve each"),
    "invitation": to_say("Only people whom I invite"),
    "closed": to_say("Nobody yet"),
}


def show_dates(guided: GuidedDraft) -> dict[str, str]:
    """The fields of the step, as the edition file and the settings fill them in."""
    fields = {"rounds": str(len(guided.rounds))}
    for part in guided.rounds:
        fields[f"{part.at}title"] = part.title
        for place, phase in enumerate(part.phases):
            at = f"{part.at}phase.{place}"
            for key in ("opens", "closes"):
                moment = phase.get(key)
                shown = f"{moment:%Y-%m-%dT%H:%M}" if isinstance(moment, datetime) else ""
                fields[f"{at}.{key}"] = shown
            for key in ("per_day", "total"):
                fields[f"{at}.{key}"] = str(phase.get(key, ""))
    row = guided.draft.edition
    settings = {"registration": row.registration, "team_size": row.team_size}
    for name, value in {**settings, "max_teams": row.max_teams}.items():
        fields[name] = "" if value is None else str(value)
    return fields


def read_dates(typed: TypedFields, guided: GuidedDraft) -> Changes:
    """The rounds and phases with their dates and limits; raises with every fault."""
    rounds, before = [], None
    for part in guided.rounds:
        phases = []
        for place, phase in enumerate(part.phases):
            at = f"{part.at}phase.{place}"
            opens, closes = (typed.moment(f"{at}.{key}") for key in ("opens", "closes"))
            limits = {
                key: typed.whole(f"{at}.{key}", 1, MOST_SUBMISSIONS, needed=False)
                for key in ("per_day", "total")
            }
            if opens and closes and opens >= closes:
                typed.faults[f"{at}.closes"] = say("the phase closes before it opens")
            if opens and before and opens < before:
                typed.faults[f"{at}.opens"] = say("the phase opens before the one above closes")
            before = closes
            made = {**phase, "opens": opens, "closes": closes, **limits}
            phases.append({key: value for key, value in made.items() if value is not None})
        title = typed.text(f"{part.at}title")
        rounds.append(replace(part, title=title, phases=tuple(phases)))
    number = typed.whole("rounds", 1, MOST_ROUNDS, needed=False) or len(rounds)
    read_settings(typed)
    typed.raise_if_any()
    return Changes(round_keys(with_number(rounds, number), guided.boards, guided.together))


def read_settings(typed: TypedFields) -> dict[str, str | int | None]:
    """Who may register, and the sizes of teams; these are settings of the site, not rules."""
    return {
        "registration": typed.choice("registration", REGISTRATION),
        "team_size": typed.whole("team_size", 1, 10_000, needed=False),
        "max_teams": typed.whole("max_teams", 1, 10_000, needed=False),
    }
