"""Words: what each event says to the people whom it concerns; the only place that has them.

Every message has a title, what happened, what to do now, and the page where to do it. ``where`` is
the name of a round as its contest gives it; it is empty in a contest with one round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from quintain.contests.words import quota_words
from quintain.figures.format import minute
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
from quintain.wording.languages import say, say_count, to_say, to_say_count
from quintain_host.languages.nouns import count

KINDS = {
    "team": to_say("Your team: approved, refused, limits, decisions"),
    "upload": to_say("Submissions: accepted, refused, failed"),
    "phase": to_say("Phases: opening, closing, extended; releases handed over"),
    "rules": to_say("Changes of the rules"),
    "result": to_say("The end of a contest and its results"),
    "news": to_say("News of the organisers"),
    "question": to_say("Questions and answers"),
    "organise": to_say("What waits for you as an organiser"),
}
"""The kinds of notices, each of which a person can have without mail."""

ACCOUNT = "account"
"""The kind of letters about an account, which somebody asked for; nobody can unsubscribe them."""


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


Wording = Callable[[], Message]
"""Writes a message in the language that is spoken: each of its readers may read another one."""


def team_of(event: Event) -> str | None:
    """The team that an event concerns alone; None for an event that concerns all teams."""
    match event:
        case Joined() | Limited() | Submitted() | Chosen() | SecondRun() | Decided():
            return event.team
        case TeamDeadline():
            return event.team
    return None


def message_of(event: Event, where: str = "") -> Message | None:
    """What an event of the journal says to teams; None if it concerns none of them."""
    match event:
        case Rules(version=1):
            return None
        case Joined():
            return None if event.built_in else _about_joining(event)
        case Submitted():
            return _about_submission(event, where)
        case SecondRun():
            return _about_second_run(event)
        case Decided():
            return _about_decision(event, where)
        case TeamDeadline():
            return _about_deadline(event, where)
        case Limited() | Chosen():
            return _of_team(event, where)
    return _of_contest(event, where)


def _of_contest(event: Event, where: str) -> Message:
    """What concerns every team."""
    match event:
        case Rules():
            text = say(
                "The organisers put version %(version)s of the rules in force. Their reason: "
                "%(reason)s",
                version=event.version,
                reason=event.reason,
            )
            title = say("The rules have changed")
            return Message("rules", title, text, say("Read the rules."), "/rules")
        case Prepared():
            return _about_data(where)
        case HandedOver():
            return _about_releases(where)
        case Amended():
            phase, end = _with_round(event.phase, where), minute(read_time(event.closes))
            return Message(
                "phase",
                say("The phase %(phase)s closes later", phase=phase),
                say(
                    "The phase %(phase)s now closes on %(end)s. The organisers' reason: %(reason)s",
                    phase=phase,
                    end=end,
                    reason=event.reason,
                ),
                say("You can use the time that was added."),
                "/team",
            )
        case Frozen():
            text = say("Nothing that counts for the results can change any more.")
            if event.reason:
                text = say(
                    "Nothing that counts for the results can change any more. The organisers' "
                    "reason: %(reason)s",
                    reason=event.reason,
                )
            return Message(
                "result",
                say("The contest has ended"),
                text,
                say("Describe your method: it is published with the results."),
                "/team/description",
            )
        case Revealed():
            return Message(
                "result",
                say("The results are out"),
                say("The organisers published the standings and every attack."),
                say("Look at the standings, and verify them on your own machine."),
                "/standings",
            )
    raise AssertionError(f"nobody wrote words for the event {event.event}")


def _about_data(where: str) -> Message:
    title = say("The data are ready")
    text = say("The organisers drew the data and committed to them.")
    if where:
        title = say("The data (%(round)s) are ready", round=where)
        text = say("The organisers drew the data (%(round)s) and committed to them.", round=where)
    return Message("phase", title, text, say("Load your kit again: it has what is new."), "/team")


def _about_releases(where: str) -> Message:
    title = say("The releases are handed over")
    text = say("What every team released is fixed, and the judge has handed it over.")
    if where:
        title = say("The releases (%(round)s) are handed over", round=where)
        text = say(
            "What every team released (%(round)s) is fixed, and the judge has handed it over.",
            round=where,
        )
    return Message("phase", title, text, say("Load your kit again: it has what is new."), "/team")


def _about_joining(event: Joined) -> Message:
    name = event.name or event.team
    text = say("Team %(name)s has joined the contest.", name=name)
    if not event.competing:
        text = say("Team %(name)s has joined the contest. It takes part without a rank.", name=name)
    return Message(
        "team",
        say("Your team takes part"),
        text,
        say("Load your kit: it has the rules, the data and examples."),
        "/team",
    )


def _about_deadline(event: TeamDeadline, where: str) -> Message:
    phase, end = _with_round(event.phase, where), minute(read_time(event.closes))
    return Message(
        "phase",
        say("The phase %(phase)s closes later for your team", phase=phase),
        say(
            "The phase %(phase)s now closes on %(end)s for your team, and as before for the "
            "others. The organisers' reason, which everybody can read: %(reason)s",
            phase=phase,
            end=end,
            reason=event.reason,
        ),
        say("You can use the time that was added."),
        "/team",
    )


def _of_team(event: Limited | Chosen, where: str) -> Message:
    if isinstance(event, Limited):
        text = say(
            "The limits of your team are now: %(limits)s. The organisers' reason: %(reason)s",
            limits=quota_words(event.limits) or say("those of the phases"),
            reason=event.reason,
        )
        advice = say("Look at what your team may still submit.")
        return Message("team", say("Your team has other limits"), text, advice, "/team")
    phase = _with_round(event.phase, where)
    numbers = ", ".join(map(str, event.submissions))
    text = say(
        "Your team chose which submissions count in the phase %(phase)s: %(numbers)s.",
        phase=phase,
        numbers=numbers,
    )
    if not event.submissions:
        text = say(
            "Your team chose that its last submissions count in the phase %(phase)s.", phase=phase
        )
    advice = say("Somebody of your team can choose again while the phase is open.")
    return Message("upload", say("What counts was chosen"), text, advice, "/team/history")


_ACCEPTED = {
    "release": to_say("Your release was accepted"),
    "guess": to_say("Your guess was accepted"),
    "program": to_say("Your program was accepted"),
}
_ACCEPTED_FILES = {
    "release": to_say_count(
        "The site accepted a release of %(n)s file for the phase %(phase)s, as event %(number)s.",
        "The site accepted a release of %(n)s files for the phase %(phase)s, as event %(number)s.",
    ),
    "guess": to_say_count(
        "The site accepted a guess of %(n)s file for the phase %(phase)s, as event %(number)s.",
        "The site accepted a guess of %(n)s files for the phase %(phase)s, as event %(number)s.",
    ),
    "program": to_say_count(
        "The site accepted a program of %(n)s file for the phase %(phase)s, as event %(number)s.",
        "The site accepted a program of %(n)s files for the phase %(phase)s, as event %(number)s.",
    ),
}
_MADE = {
    "release": to_say_count(
        "A program of your team made a release of %(n)s file for the phase %(phase)s.",
        "A program of your team made a release of %(n)s files for the phase %(phase)s.",
    ),
    "guess": to_say_count(
        "A program of your team made a guess of %(n)s file for the phase %(phase)s.",
        "A program of your team made a guess of %(n)s files for the phase %(phase)s.",
    ),
}
"""What is said of each kind of submission."""


def _about_submission(event: Submitted, where: str) -> Message:
    phase = _with_round(event.phase, where)
    if event.kind == "answers":
        text = say_count(
            "%(n)s model answered your queries of event %(event)s, in the phase %(phase)s.",
            "%(n)s models answered your queries of event %(event)s, in the phase %(phase)s.",
            len(event.files),
            event=event.made_by,
            phase=phase,
        )
        advice = say("The answers are in the kit of your team: download it again.")
        return Message("upload", say("Your queries were answered"), text, advice, "/team")
    if event.made_by is None:
        one, many = _ACCEPTED_FILES[event.kind]
    else:
        one, many = _MADE[event.kind]
    text = say_count(one, many, len(event.files), phase=phase, number=event.number)
    advice = say("Keep the receipt: with it you can show that your submission is in the journal.")
    return Message("upload", say(_ACCEPTED[event.kind]), text, advice, "/team/history")


def _about_second_run(event: SecondRun) -> Message:
    advice = say("Ask the organisers what that means for your team.")
    if event.reason:
        made = say("It made nothing: %(reason)s", reason=event.reason)
    elif event.second == event.first:
        made, advice = say("It made the same files as before, as it should."), ""
    else:
        made = say("It made other files than before.")
    text = say(
        "Your program of event %(program)s ran again before the hand-over. %(made)s",
        program=event.program,
        made=made,
    )
    page = "/questions" if advice else "/team/history"
    return Message("upload", say("Your program ran again"), text, advice, page)


_TEAM_DECIDED = {
    "disqualified": to_say("Your team was disqualified"),
    "reinstated": to_say("Your team was reinstated"),
}
_RELEASE_DECIDED = {
    "disqualified": to_say("Your release was disqualified"),
    "reinstated": to_say("Your release was reinstated"),
}
_NAMED_RELEASE_DECIDED = {
    "disqualified": to_say("Your release %(release)s was disqualified"),
    "reinstated": to_say("Your release %(release)s was reinstated"),
}


def _about_decision(event: Decided, where: str) -> Message:
    release = _with_round(event.entry or "", where).strip()
    if event.track is None:
        title = say(_TEAM_DECIDED[event.decision])
    elif release:
        title = say(_NAMED_RELEASE_DECIDED[event.decision], release=release)
    else:
        title = say(_RELEASE_DECIDED[event.decision])
    text = say(
        "%(title)s. The organisers' reason, which everybody can read: %(reason)s",
        title=title,
        reason=event.reason,
    )
    advice = say("Ask the organisers if you do not understand why.")
    return Message("team", title, text, advice, "/questions")


def _with_round(name: str, where: str) -> str:
    return say("%(name)s (%(round)s)", name=name, round=where) if where else name


# --- what happens outside the journal -------------------------------------------------------------


def upload_refused(where: str, phase: str, number: int, faults: int) -> Message:
    """An upload has faults, all of which its page shows."""
    return Message(
        "upload",
        say("Your upload was refused"),
        say(
            "Upload %(number)s for the phase %(phase)s has %(faults)s. It costs no attempt.",
            number=number,
            phase=_with_round(phase, where),
            faults=count(faults, "fault"),
        ),
        say("Read the faults, mend them, and send the files again."),
        f"/team/uploads/{number}",
    )


def upload_failed(where: str, phase: str, number: int) -> Message:
    """The site could not check an upload."""
    return Message(
        "upload",
        say("Your upload could not be checked"),
        say(
            "The site could not check upload %(number)s for the phase %(phase)s. That is not your "
            "fault, and it costs no attempt.",
            number=number,
            phase=_with_round(phase, where),
        ),
        say("Send the files again, or ask the organisers."),
        f"/team/uploads/{number}",
    )


def team_refused(name: str, reason: str) -> Message:
    """The organisers refused a team."""
    return Message(
        "team",
        say("Your team was refused"),
        say(
            "The organisers refused team %(name)s. Their reason: %(reason)s",
            name=name,
            reason=reason,
        ),
        say("You can register another team."),
        "/register",
    )


def team_approved(name: str) -> Message:
    """The organisers approved a team, which joins when its data can be drawn."""
    return Message(
        "team",
        say("Your team is approved"),
        say(
            "The organisers approved team %(name)s. It takes part as soon as its data are drawn.",
            name=name,
        ),
        say("Wait for the notice that your team takes part."),
        "/team",
    )


def team_waits(name: str) -> Message:
    """A team waits for the organisers."""
    return Message(
        "organise",
        say("A team waits for your approval"),
        say("Team %(name)s has registered.", name=name),
        say("Approve or refuse it."),
        "/teams",
    )


def phase_opens(where: str, phase: str, task: str, closes: datetime | None) -> Message:
    """A phase is open."""
    name = _with_round(phase, where)
    text = say("The phase %(phase)s is open. It has no end.", phase=name)
    if closes is not None:
        text = say(
            "The phase %(phase)s is open. It closes on %(time)s.", phase=name, time=minute(closes)
        )
    return Message(
        "phase", say("The phase %(phase)s is open", phase=name), text, task, "/team/submit"
    )


def phase_closes_soon(where: str, phase: str, task: str, closes: datetime) -> Message:
    """A phase closes within a day."""
    title = say("The phase %(phase)s closes soon", phase=_with_round(phase, where))
    text = say(
        "The phase %(phase)s closes on %(time)s.",
        phase=_with_round(phase, where),
        time=minute(closes),
    )
    advice = say("If you have not done so: %(task)s", task=task)
    return Message("phase", title, text, advice, "/team/submit")


def phase_closed(where: str, phase: str) -> Message:
    """A phase has closed, and its checkpoint is signed."""
    name = _with_round(phase, where)
    return Message(
        "phase",
        say("The phase %(phase)s has closed", phase=name),
        say(
            "The phase %(phase)s has closed. The organisers signed a checkpoint of everything "
            "until then.",
            phase=name,
        ),
        say("Keep the checkpoint: with it, nobody can change what happened unseen."),
        "/checkpoints",
    )


def news_published(title: str, text: str) -> Message:
    """The organisers published a piece of news."""
    return Message("news", title, text or title, page="/news")


def question_arrived(team: str, text: str) -> Message:
    """A team asks the organisers."""
    title = say("Team %(team)s has a question", team=team)
    return Message("organise", title, text, say("Answer it."), "/questions")


def question_answered(question: str, answer: str) -> Message:
    """The organisers answered a question of the team."""
    text = say(
        "You wanted to know:\n%(question)s\n\nThe organisers answer:\n%(answer)s",
        question=question,
        answer=answer,
    )
    return Message("question", say("Your question was answered"), text, page="/questions")


def answer_for_all(question: str, answer: str) -> Message:
    """The organisers answered a question of another team, for everybody."""
    text = say(
        "A team wanted to know:\n%(question)s\n\nThe organisers answer:\n%(answer)s",
        question=question,
        answer=answer,
    )
    return Message("question", say("The organisers answered a question"), text, page="/questions")
