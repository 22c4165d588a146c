"""Mending: for each finding of a rehearsal, the button that mends it or the step that can."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from quintain.wording.languages import say, tell, to_say
from quintain_host.access import NotThere
from quintain_host.organising.guide.gates import gate_spec
from quintain_host.organising.guide.guided import Changes, GuidedDraft, name_of
from quintain_host.organising.guide.questions import POPULATION, attackers_of
from quintain_host.organising.guide.rows import limit_rows


@dataclass(frozen=True, slots=True)
class Mend:
    """What to do about a finding.

    Parameters
    ----------
    button : what the button says.
    why : what happens to a contest that opens with it, without words of edition files.
    step : the step of the guide that it leads to; empty if the button mends the draft at once.
    change : what it writes into the draft.
    """

    button: str
    why: str
    step: str = ""
    change: Callable[[GuidedDraft], Changes] | None = None


def _withhold_population(guided: GuidedDraft) -> Changes:
    given = tuple(guided.table.get("knowledge", {}).get("gives", ()))
    gives = tuple(fact for fact in given if fact != POPULATION)
    use = name_of(guided.table["goal"])
    players = [baseline for baseline in guided.baselines if "attack" not in baseline]
    attackers = attackers_of(use, gives)
    return Changes({"knowledge": {"gives": list(gives)}, "baseline": [*attackers, *players]})


def _limit_rows(guided: GuidedDraft) -> Changes:
    return Changes({"rule": limit_rows(guided)})


def _keep_cells(guided: GuidedDraft) -> Changes:
    measured = guided.table.get("utility", ())
    others = [spec for spec in measured if name_of(spec) != "equal-cells"]
    return Changes({"utility": [*others, gate_spec("equal-cells", 0.5)]})


def _dates(why: str) -> Mend:
    return Mend(to_say("Set the dates"), why, "dates")


def _columns(why: str) -> Mend:
    return Mend(to_say("Look at the columns"), why, "columns")


def _question(why: str) -> Mend:
    return Mend(to_say("Change the question"), why, "attackers")


MENDS: Mapping[str, Mend] = {
    "refused-release": Mend(
        to_say("Change the releases"),
        to_say(
            "A team that publishes such a release cannot take part. Allow another number of rows, "
            "or choose other sanitizers."
        ),
        "releases",
    ),
    "disqualified-release": Mend(
        to_say("Change the gates"),
        to_say("A team that publishes such a release gets no rank, and nobody attacks it."),
        "gates",
    ),
    "refused-attack": _question(
        to_say("A team that attacks like this cannot guess anything about this release.")
    ),
    "no-dates": _dates(
        to_say(
            "Teams could submit to all phases at any time, also after they have seen what others "
            "submitted."
        )
    ),
    "phase-over": _dates(to_say("Everything that teams send would be refused as too late.")),
    "late-releases": _dates(
        to_say(
            "Attackers can guess only when the releases are handed over. Let the first phase close "
            "before the next one opens."
        )
    ),
    "overlapping-phases": _dates(to_say("Only one of the two phases would get what teams send.")),
    "shown-utility": _dates(
        to_say(
            "A team can fit its release to secret records. Allow fewer submissions in this phase."
        )
    ),
    "no-team": Mend(
        to_say("Choose who may register"),
        to_say("Nobody can submit anything until a team joins."),
        "dates",
    ),
    "learned-domains": Mend(
        to_say("Replace the ranges"),
        to_say(
            "The columns are public, and their lists and ranges show which values occur, the "
            "smallest and the largest. Put in what everybody may know."
        ),
        "columns",
    ),
    "unread-columns": _columns(to_say("These columns of the file are not part of the contest.")),
    "linked-targets": _columns(
        to_say(
            "These people are in the table twice, so some answers would be wrong. Leave out what "
            "tells rows apart, or take the duplicates out of the file."
        )
    ),
    "open-gates": Mend(
        to_say("Change the gates"),
        to_say("A team that publishes noise would count, and no attack on it can succeed."),
        "gates",
    ),
    "closed-gates": Mend(
        to_say("Change the gates"),
        to_say("Every release would be disqualified, and nobody could get a rank."),
        "gates",
    ),
    "accomplices": Mend(
        to_say("Change the ranking rule"),
        to_say("Friends who register as several teams could make one of them the first."),
        "ranking",
    ),
    "known-rows": _question(
        to_say("A team could learn from its own sample alone who is in the sample of another.")
    ),
    "few-targets": _question(to_say("Ranks could be luck. Ask about more people.")),
    "independent-release": Mend(
        to_say("Change the sanitizers"),
        to_say("No attack can do better than luck on this release, so its scores rank luck."),
        "releases",
    ),
    "known-answers": Mend(
        to_say("Do not give attackers the table"),
        to_say("Attackers could look the answers up, and then no release is measured."),
        change=_withhold_population,
    ),
    "too-many-rows": Mend(
        to_say("Limit the rows to twice a private sample"),
        to_say("A huge release would make scoring take hours."),
        change=_limit_rows,
    ),
    "wrong-numbers": Mend(
        to_say("Ask for half of the cells unchanged"),
        to_say(
            "A release could name the wrong rows and hide nothing, and still no attack on it could "
            "succeed."
        ),
        change=_keep_cells,
    ),
}


def mend_of(check: str) -> Mend | None:
    """What to do about a finding; None if the guide has no step for it."""
    return MENDS.get(check)


def mending(guided: GuidedDraft, check: str) -> Changes:
    """What the button of a finding writes into the draft."""
    mend = mend_of(check)
    if mend is None or mend.change is None:
        raise NotThere(tell("there is no button for this finding"))
    return mend.change(guided)


_RELEASE_OUT = to_say("the release of %(name)s does not count: %(reason)s")
_ATTACK_OUT = to_say("the attack of %(name)s does not count: %(reason)s")


@dataclass(frozen=True, slots=True)
class GuidedFinding:
    """Something that organisers should know before they open.

    Parameters
    ----------
    cost : what it costs, where the guide has no words of its own for it.
    english : whether the sentences come from the check, which speaks English alone.
    """

    check: str
    stops: bool
    message: str
    cost: str = ""
    english: bool = False


def findings_first(
    played: Mapping[str, Any], names: Mapping[str, str], registration: str
) -> list[GuidedFinding]:
    """The findings of a rehearsal, the gravest first; before all, built-in teams that are out.

    That nobody has joined yet is none if teams can register.

    Parameters
    ----------
    played : the result of the rehearsal.
    names : the names of built-in teams by their ids.
    """
    waits = registration in ("open", "approval", "invitation")
    findings = [each for track in played["tracks"].values() for each in _unable(track, names)]
    findings += [
        GuidedFinding(
            finding["check"],
            finding["severity"] == "stop",
            finding["message"],
            finding["cost"],
            True,
        )
        for finding in played["findings"]
        if not (finding["check"] == "no-team" and waits)
    ]
    return sorted(dict.fromkeys(findings), key=lambda own: not own.stops)


def _unable(track: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[GuidedFinding]:
    """The built-in teams of a round whose releases or attacks do not count, and why."""

    def why(reason: str, name: str) -> dict[str, str]:
        return {"name": names.get(name, name), "reason": reason}

    refused = track.get("refused", {"releases": (), "attacks": ()})
    for release in refused["releases"]:
        facts = why(release["reason"], release["id"])
        yield GuidedFinding("refused-release", True, say(_RELEASE_OUT, **facts))
    for entry in track["entries"]:
        if not entry["accepted"]:
            facts = why("; ".join(entry["faults"]), entry["owner"] or entry["id"])
            yield GuidedFinding("disqualified-release", True, say(_RELEASE_OUT, **facts))
    for attack in refused["attacks"]:
        facts = why(attack["reason"], attack["attacker"])
        yield GuidedFinding("refused-attack", False, say(_ATTACK_OUT, **facts))
