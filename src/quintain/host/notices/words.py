"""Words: what each event says to the people whom it concerns; the only place that has them.

Every message has a title, what happened, what to do now, and the page where to do it. A contest
with one round names no round.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from quintain.contests.words import quota_words
from quintain.figures.format import count, minute
from quintain.journal.events import (
    Amended,
    Chosen,
    Decided,
    Event,
    Frozen,
    HandedOver,
    Joined,
    Limited,
    Prepared,
    Revealed,
    Rules,
    SecondRun,
    Submitted,
    TeamDeadline,
    read_time,
)

KINDS = {
    "team": "Your team: approved, refused, limits, decisions",
    "upload": "Submissions: accepted, refused, failed",
    "phase": "Phases: opening, closing, extended; releases handed over",
    "rules": "Changes of the rules",
    "result": "The end of a contest and its results",
    "news": "News of the organisers",
    "question": "Questions and answers",
    "organise": "What waits for you as an organiser",
}
"""The kinds of notices, each of which a person can have without mail."""

ACCOUNT = "account"
"""The kind of letters about an account, which somebody asked for; nobody can unsubscribe them."""

_ONLY = "main"
"""The id of the round of a contest that has only one."""


@dataclass(frozen=True, slots=True)
class Message:
    """What people are told about something that happened; plain text.

    Parameters
    ----------
    title : what happened, in a few words; the subject of a mail.
    text : what happened, in full.
    advice : what to do now; empty if nothing.
    page : where, as the part of the address after that of the contest.
    """

    kind: str
    title: str
    text: str
    advice: str = ""
    page: str = ""


def team_of(event: Event) -> str | None:
    """The team that an event concerns alone; None for an event that concerns all teams."""
    match event:
        case Joined() | Limited() | Submitted() | Chosen() | SecondRun() | Decided():
            return event.team
        case TeamDeadline():
            return event.team
    return None


def message_of(event: Event) -> Message | None:
    """What an event of the journal says to teams; None if it concerns none of them."""
    match event:
        case Rules(version=1):
            return None
        case Joined():
            return None if event.built_in else _about_joining(event)
        case Submitted():
            return _about_submission(event)
        case SecondRun():
            return _about_second_run(event)
        case Decided():
            return _about_decision(event)
        case TeamDeadline():
            return _about_deadline(event)
        case Limited() | Chosen():
            return _of_team(event)
    return _of_contest(event)


def _of_contest(event: Event) -> Message:
    """What concerns every team."""
    match event:
        case Rules():
            text = f"The organisers put version {event.version} of the rules in force."
            text += f" Their reason: {event.reason}"
            return Message("rules", "The rules have changed", text, "Read the rules.", "/rules")
        case Prepared():
            where = _round(event.track)
            return Message(
                "phase",
                f"The data{where} are ready",
                f"The organisers drew the data{where} and committed to them.",
                "Load your kit again: it has what is new.",
                "/team",
            )
        case HandedOver():
            where = _round(event.track)
            return Message(
                "phase",
                f"The releases{where} are handed over",
                f"What every team released{where} is fixed, and the judge has handed it over.",
                "Load your kit again: it has what is new.",
                "/team",
            )
        case Amended():
            phase, end = _phase(event.track, event.phase), minute(read_time(event.closes))
            return Message(
                "phase",
                f"The {phase} closes later",
                f"The {phase} now closes on {end}. The organisers' reason: {event.reason}",
                "You can use the time that was added.",
                "/team",
            )
        case Frozen():
            reason = f" The organisers' reason: {event.reason}" if event.reason else ""
            return Message(
                "result",
                "The contest has ended",
                f"Nothing that counts for the results can change any more.{reason}",
                "Describe your method: it is published with the results.",
                "/team/description",
            )
        case Revealed():
            return Message(
                "result",
                "The results are out",
                "The organisers published the standings, every attack and all secrets.",
                "Look at the standings, and verify them on your own machine.",
                "/standings",
            )
    raise AssertionError(f"nobody wrote words for the event {event.event}")


def _about_joining(event: Joined) -> Message:
    rank = "" if event.competing else " It takes part without a rank."
    return Message(
        "team",
        "Your team takes part",
        f"Team {event.name or event.team} has joined the contest.{rank}",
        "Load your kit: it has the rules, the data and examples.",
        "/team",
    )


def _about_deadline(event: TeamDeadline) -> Message:
    phase, end = _phase(event.track, event.phase), minute(read_time(event.closes))
    return Message(
        "phase",
        f"The {phase} closes later for your team",
        f"The {phase} now closes on {end} for your team, and as before for the others. The "
        f"organisers' reason, which everybody can read: {event.reason}",
        "You can use the time that was added.",
        "/team",
    )


def _of_team(event: Limited | Chosen) -> Message:
    if isinstance(event, Limited):
        limits = quota_words(event.limits) or "those of the phases"
        text = f"The limits of your team are now: {limits}. The organisers' reason: {event.reason}"
        return Message("team", "Your team has other limits", text, page="/team")
    phase = _phase(event.track, event.phase)
    numbers = ", ".join(map(str, event.submissions))
    text = f"Your team chose which submissions count in the {phase}: {numbers}."
    if not event.submissions:
        text = f"Your team chose that its last submissions count in the {phase}."
    advice = "Somebody of your team can choose again while the phase is open."
    return Message("upload", "What counts was chosen", text, advice, "/team/history")


def _about_submission(event: Submitted) -> Message:
    phase, files = _phase(event.track, event.phase), count(len(event.files), "file")
    if event.kind == "answers":
        models = count(len(event.files), "model")
        text = f"{models} answered your queries of event {event.made_by}, in the {phase}."
        advice = "The answers are in the kit of your team: download it again."
        return Message("upload", "Your queries were answered", text, advice, "/team")
    text = f"The site accepted a {event.kind} of {files} for the {phase}, as event {event.number}."
    if event.made_by is not None:
        text = f"A program of your team made a {event.kind} of {files} for the {phase}."
    advice = "Keep the receipt: with it you can show that your submission is in the journal."
    title = f"Your {event.kind} was accepted"
    return Message("upload", title, text, advice, "/team/history")


def _about_second_run(event: SecondRun) -> Message:
    if event.reason:
        made = f"It made nothing: {event.reason}"
    elif event.second == event.first:
        made = "It made the same files as before, as it should."
    else:
        made = "It made other files than before."
    text = f"Your program of event {event.program} ran again before the hand-over. {made}"
    return Message("upload", "Your program ran again", text, page="/team/history")


def _about_decision(event: Decided) -> Message:
    what = "Your team"
    if event.track is not None:
        what = f"Your release {event.entry or ''}".rstrip() + _round(event.track)
    title = f"{what} was {event.decision}"
    text = f"{title}. The organisers' reason, which everybody can read: {event.reason}"
    advice = "Ask the organisers if you do not understand why."
    return Message("team", title, text, advice, "/questions")


def _round(track: str) -> str:
    return "" if track == _ONLY else f" of round {track}"


def _phase(track: str, phase: str) -> str:
    return f"phase {phase}{_round(track)}"


# --- what happens outside the journal -------------------------------------------------------------


def upload_refused(track: str, phase: str, number: int, faults: int) -> Message:
    """An upload has faults, all of which its page shows."""
    return Message(
        "upload",
        "Your upload was refused",
        f"Upload {number} for the {_phase(track, phase)} has {count(faults, 'fault')}. It costs no "
        "attempt.",
        "Read the faults, mend them, and send the files again.",
        f"/team/uploads/{number}",
    )


def upload_failed(track: str, phase: str, number: int) -> Message:
    """The site could not check an upload."""
    return Message(
        "upload",
        "Your upload could not be checked",
        f"The site could not check upload {number} for the {_phase(track, phase)}. That is not your"
        " fault, and it costs no attempt.",
        "Send the files again, or ask the organisers.",
        f"/team/uploads/{number}",
    )


def team_refused(name: str, reason: str) -> Message:
    """The organisers refused a team."""
    return Message(
        "team",
        "Your team was refused",
        f"The organisers refused team {name}. Their reason: {reason}",
        "You can register another team.",
        "/register",
    )


def team_approved(name: str) -> Message:
    """The organisers approved a team, which joins when its data can be drawn."""
    return Message(
        "team",
        "Your team is approved",
        f"The organisers approved team {name}. It takes part as soon as its data are drawn.",
        "Wait for the notice that your team takes part.",
        "/team",
    )


def team_waits(name: str) -> Message:
    """A team waits for the organisers."""
    return Message(
        "organise",
        "A team waits for your approval",
        f"Team {name} has registered.",
        "Approve or refuse it.",
        "/teams",
    )


def phase_opens(track: str, phase: str, task: str, closes: datetime | None) -> Message:
    """A phase is open."""
    end = "It has no end." if closes is None else f"It closes on {minute(closes)}."
    title = f"The {_phase(track, phase)} is open"
    return Message("phase", title, f"{title}. {end}", f"{task}.", "/team/submit")


def phase_closes_soon(track: str, phase: str, task: str, closes: datetime) -> Message:
    """A phase closes within a day."""
    title = f"The {_phase(track, phase)} closes soon"
    text = f"The {_phase(track, phase)} closes on {minute(closes)}."
    return Message("phase", title, text, f"{task}, if you have not.", "/team/submit")


def phase_closed(track: str, phase: str) -> Message:
    """A phase has closed, and its checkpoint is signed."""
    title = f"The {_phase(track, phase)} has closed"
    return Message(
        "phase",
        title,
        f"{title}. The organisers signed a checkpoint of everything until then.",
        "Keep the checkpoint: with it, nobody can change what happened unseen.",
        "/checkpoints",
    )


def news_published(title: str, text: str) -> Message:
    """The organisers published a piece of news."""
    return Message("news", title, text or title, page="/news")


def question_arrived(team: str, text: str) -> Message:
    """A team asks the organisers."""
    return Message("organise", f"Team {team} has a question", text, "Answer it.", "/questions")


def question_answered(question: str, answer: str) -> Message:
    """The organisers answered a question of the team."""
    text = f"You wanted to know:\n{question}\n\nThe organisers answer:\n{answer}"
    return Message("question", "Your question was answered", text, page="/questions")


def answer_for_all(question: str, answer: str) -> Message:
    """The organisers answered a question of another team, for everybody."""
    text = f"A team wanted to know:\n{question}\n\nThe organisers answer:\n{answer}"
    return Message("question", "The organisers answered a question", text, page="/questions")
