"""Track in words: data, attackers, submissions, measures and boards of one track as sentences."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from quintain.contests import Phase, Track
from quintain.contests.feedback import Feedback
from quintain.contests.fields import Measured, RankedBoard
from quintain.figures.counts import count
from quintain.figures.format import listed, minute, spaced
from quintain.runs.report.wording import columns_words, sentence, settings


class Section(BaseModel):
    """A part of the rules: a title and its sentences."""

    title: str
    lines: list[str]


def track_sections(track: Track) -> list[Section]:
    """The rules of a track, section by section; sections without a sentence are left out."""
    parts = {
        "The data": _data(track),
        "What attackers want and know": _attackers(track),
        "What teams submit": _phases(track),
        "What a release must be": _releases(track),
        "What is measured": _measures(track),
        "Boards": map(board_line, track.board),
        "What teams see before the end": feedback_lines(track),
        "Built-in players": _baselines(track),
    }
    sections = [Section(title=title, lines=list(lines)) for title, lines in parts.items()]
    return [section for section in sections if section.lines]


def _data(track: Track) -> Iterator[str]:
    yield f"{sentence(track.dataset)} It has {_columns(track)}."
    if track.dataset.simulated:
        yield "The records are simulated; they resemble the real data set and are about nobody."
    if track.population is not None:
        kept = track.population.take
        size = f" {kept:,} of the made records are the population." if kept else ""
        yield (
            "The population is synthetic, so no private sample has a record of the data set. "
            f"How it is made: {_inside(sentence(track.population.generator))}{size}"
        )
    owner = "Each team gets" if track.teams_release else "The organisers draw"
    shared = ", the same for all" if track.shared_sample and track.teams_release else ""
    drawn = f"{_inside(sentence(track.sample)).rstrip('.')} ({settings(track.sample)})"
    yield f"{owner} a private sample{shared}. How it is drawn: {drawn}."
    if track.samples > 1:
        yield f"A team gets {track.samples} samples and chooses one of them for its release."
    if track.sanitizer:
        size = count(len(track.entries), "entry", "entries")
        yield f"The organisers sanitize it: {size}, {listed(list(track.entries), most=12)}."
    elif not track.teams_release:  # the public rules leave secret sanitizers out
        yield "The organisers sanitize it. How they do it is secret until the end."
    if track.repeats > 1:
        yield f"They repeat this {track.repeats} times, each time with a new sample."
    if track.tests_in_secret:
        yield "Only the judge has the records on which utility is tested."


def _columns(track: Track) -> str:
    return columns_words(track.dataset.data_schema()).replace(":", " columns:", 1)


def _inside(text: str) -> str:
    """A sentence as the second half of another one."""
    return text[:1].lower() + text[1:]


def _attackers(track: Track) -> Iterator[str]:
    yield from (text for _, text in track.threat.rows())


def _phases(track: Track) -> Iterator[str]:
    for phase in track.phase:
        yield f"{phase.id.capitalize()}: {_what(track, phase)}{_dates(phase)}."
        yield from _counting(phase)
        for artefact in phase.artefact:
            yield f"Beside it, a file for {artefact.name}: {artefact.words()}."


def _what(track: Track, phase: Phase) -> str:
    if phase.contract is not None:
        makes = "makes a release" if phase.submit == "release" else "answers every task"
        return f"submit a program that {makes}; it runs in a sandbox without a network"
    if phase.submit == "release":
        return "submit a release of the private data"
    return f"answer the question about every release. {track.goal.summary().rstrip('.')}"


def _dates(phase: Phase) -> str:
    if phase.opens is None and phase.closes is None:
        return "; it has no dates"
    opens = "" if phase.opens is None else f" from {minute(phase.opens)}"
    closes = "" if phase.closes is None else f" until {minute(phase.closes)}"
    return f",{opens}{closes}"


def _counting(phase: Phase) -> Iterator[str]:
    limits = [
        f"{phase.per_day} per day (UTC)" if phase.per_day else "",
        f"{phase.total} in total" if phase.total else "",
        f"{phase.per_file} for the same task" if phase.per_file else "",
    ]
    given = [limit for limit in limits if limit]
    yield f"A team may submit {listed(given)}." if given else "The number of submissions is free."
    if phase.submit == "release":
        several = f"last {phase.keep} releases count, each as an entry of its own"
        yield f"The {several if phase.keep > 1 else 'last release counts'}."
    else:
        best = "best for the attacker" if phase.counts == "best" else "last"
        yield f"Of several answers to a task, the {best} counts."


def _releases(track: Track) -> Iterator[str]:
    if not track.teams_release:
        return
    yield from map(sentence, track.rule)
    for measured in track.release_measures:
        yield from _gates(measured)
    for given in track.given:
        for word, bound in given.gate.bounds:
            yield f"{spaced(given.name)} must be {word} {bound:g}."
    if track.numbers_rows:
        yield "Each row names the private record that it was made from. Only the judge sees that."


def _gates(measured: Measured) -> Iterator[str]:
    for name in measured.reads:
        for word, bound in measured.gate(name).bounds:
            yield (
                f"{spaced(name)} must be {word} {bound:g}, or the release is disqualified. "
                f"{measured.caption(name)}"
            )


def _measures(track: Track) -> Iterator[str]:
    for measured in (*track.privacy, *track.utility):
        for name, better in measured.reads.items():
            yield f"{spaced(name)} ({measured.about}; {better} is better): {measured.caption(name)}"
    for given in track.given:
        yield f"{spaced(given.name)} ({given.better} is better) comes from outside, as from a jury."
    for derived in track.derived:
        how = derived.formula or f"the {derived.by} of {', '.join(derived.of)}"
        yield f"{spaced(derived.name)} is computed: {how}."
    yield "Every figure has an interval, which says how much of it could be chance."


def board_line(board: RankedBoard) -> str:
    """What a board ranks and how it breaks ties."""
    ties = "teams with equal scores share a rank"
    if board.ties:
        ties = f"between equal scores, the rank on {listed(list(board.ties))} decides"
    title = board.title or board.id
    return f"{title}: {sentence(board.rule)} ({settings(board.rule)}); {ties}."


def feedback_lines(track: Track) -> list[str]:
    """What teams may see of their scores before the end."""
    return list(_feedback(track))


def _feedback(track: Track) -> Iterator[str]:
    yield _shown(track.feedback)
    if track.feedback.capped:
        yield (
            f"A team learns at most {track.feedback.budget:g} bits about each release from its "
            "scores. When they are spent, the values shown last stay."
        )
    if track.feedback.shown_on is not None:
        yield f"Shown scores are about {track.feedback.shown_on:.0%} of the targets."
    if track.feedback.releases == "utility":
        yield "A team sees the utility of every release that it submits."
    yield "Nobody sees the scores of other teams before the end."


def _shown(feedback: Feedback) -> str:
    match feedback.show:
        case "none":
            return "Teams see no scores of their attacks before the end."
        case "rounded":
            digits = count(feedback.digits, "digit")
            return f"A team sees the scores of its own attacks, rounded to {digits}."
        case "ladder":
            return (
                "A team sees a new score of its own attack only if it is better than the last by "
                f"more than {feedback.step:g}."
            )
    return "A team sees the scores of its own attacks as they are."


def _baselines(track: Track) -> Iterator[str]:
    attacks = [b.name or b.id for b in track.baseline if b.attack is not None]
    if attacks:
        names = listed(attacks, most=20)
        yield f"These attacks play against every release, without a rank: {names}."
