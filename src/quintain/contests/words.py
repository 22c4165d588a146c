"""Words: a contest told in sentences, once, for the site, kits, CodaBench and reports.

Nobody writes these texts by hand, so they cannot say anything else than the rules. The order is
from small to large: a part, a column, an entry, a track, the rules of a whole contest. Pages add
what only they know, such as file names and commands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from quintain.contests import Edition, Phase, Team, Track
from quintain.contests.cohorts import Cohorts
from quintain.contests.edition import Award
from quintain.contests.feedback import Feedback
from quintain.contests.fields import RankedBoard
from quintain.contests.roster import Quota
from quintain.contests.submitting import Artefact
from quintain.data import Column, Schema
from quintain.data.models import count_variables
from quintain.figures.format import count, listed, minute, spaced
from quintain.programs import AnswerContract
from quintain.rankings import Entry
from quintain.registry import Part
from quintain.releases import Method, ReleaseCard
from quintain.sanitizers import Sanitizer

_MOST_COLUMNS = 4
_LONGEST = 240
"""The most letters for what was done; a longer text is replaced by the sanitizer's summary."""


@dataclass(frozen=True, slots=True)
class EntryWords:
    """An entry in words: what was done to the data, with which settings, and what is claimed."""

    done: str
    settings: str = ""
    claim: str = ""


def entry_words(track: Track, entry: Entry, card: ReleaseCard) -> EntryWords:
    """What an entry is, from the rules of the track and the card of the release."""
    sanitizer = _sanitizer_of(track, entry)
    refused = (f"no claim: {card.no_claim}",) if card.no_claim else ()
    claim = "; ".join([*card.claims(), *refused])
    done = "; ".join(_method_words(method) for method in card.methods if method.name != "none")
    if sanitizer is None:
        return EntryWords(done or "The team did not say what it did.", "", claim)
    if not done or len(done) > _LONGEST:
        done = _describe_steps(sanitizer)
    return EntryWords(done, settings(sanitizer), claim)


_KINDS = {
    "category": ("category", "categories"),
    "integer": ("whole number", "whole numbers"),
    "real": ("real number", "real numbers"),
    "time": ("time", "times"),
    "id": ("id", "ids"),
}


def columns_words(schema: Schema) -> str:
    """How many columns of each kind a schema has.

    >>> from quintain.testing.examples import TABLE
    >>> columns_words(TABLE)
    '4: 2 categories, 1 whole number and 1 id'
    """
    counts: Counter[str] = Counter(column.kind for column in schema.columns)
    kinds = [f"{counts[k]} {_KINDS[k][counts[k] > 1]}" for k in _KINDS if counts[k]]
    gaps = [column.name for column in schema.columns if column.nullable]
    missing = f". Values of {listed(gaps, most=8)} may be missing" if gaps else ""
    return f"{len(schema.columns)}: {listed(kinds, most=5)}{missing}"


def column_words(column: Column) -> str:
    """The values that a column can have.

    >>> column_words(Column(name="age", kind="integer", low=0, high=120, nullable=True))
    'whole numbers from 0 to 120; may be missing'
    """
    first, last = (
        (column.earliest, column.latest) if column.kind == "time" else (column.low, column.high)
    )
    bounds = (bound for bound in (first, last) if bound is not None)
    shown = [bound if isinstance(bound, str) else f"{bound:.10g}" for bound in bounds]
    words = _KINDS[column.kind][1]
    if column.kind == "category":
        words = f"{len(column.values)} values: {listed(column.values, most=8)}"
    elif len(shown) == 2:
        words += f" from {shown[0]} to {shown[1]}"
    elif shown:
        words += f" of at {'least' if first is not None else 'most'} {shown[0]}"
    elif column.kind == "id":
        words += ", which are no attributes of a person"
    unit = f" ({column.unit})" if column.unit else ""
    return words + unit + ("; may be missing" if column.nullable else "")


def sentence(part: Part) -> str:
    """The summary of a part, with its parameters where the summary names them.

    >>> from quintain.sanitizers.masking.randomized_response import RandomizedResponse
    >>> sentence(RandomizedResponse(keep=0.5))
    'Keeps each value with probability 0.5, otherwise draws one uniformly from its domain.'
    """

    def value(match: re.Match[str]) -> str:
        given = getattr(part, match[1], None)
        return match[1] if given is None else _value_text(given)

    return re.sub(r"``(\w+)``", value, part.summary())


def _describe_steps(part: Part) -> str:
    """What a part does; for a part that consists of others, what each of them does."""
    return " Then: ".join(sentence(step) for step in _steps_of(part)) or sentence(part)


def settings(part: Part) -> str:
    """The name of a part and its parameters.

    >>> from quintain.sanitizers.masking.randomized_response import RandomizedResponse
    >>> settings(RandomizedResponse(keep=0.5))
    'rr: keep 0.5, draw domain'
    """
    name = re.sub(r"-v\d+$", "", part.id.partition("/")[2])
    nested = [settings(step) for step in _steps_of(part)]
    chosen = [
        f"{key.replace('_', ' ')} {_value_text(value)}" for key, value in _short_parameters(part)
    ]
    return ": ".join(filter(None, [name, ", ".join(chosen) or "; then ".join(nested)]))


def _short_parameters(part: Part) -> Iterator[tuple[str, Any]]:
    """The parameters that have a value and fit into a few words."""
    for name in type(part).model_fields:
        value = getattr(part, name)
        if value is None or isinstance(value, Mapping | BaseModel) or _is_nested(value):
            continue
        yield name, value


def _is_nested(value: Any) -> bool:
    several = isinstance(value, Sequence) and not isinstance(value, str)
    return several and any(isinstance(item, Mapping | BaseModel) for item in value)


def _steps_of(part: Part) -> list[Part]:
    """The parts that a part consists of, such as the steps of a pipeline."""
    values = [getattr(part, name) for name in type(part).model_fields]
    several = [value for value in values if isinstance(value, list | tuple)]
    return [item for value in several for item in value if isinstance(item, Part)]


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return listed([_value_text(item) for item in value])
    return str(value)


def _method_words(method: Method) -> str:
    columns = method.columns if len(method.columns) <= _MOST_COLUMNS else ()
    where = f" of {listed(columns)}" if columns else ""
    rows = f" ({method.rows:,} records)" if method.rows and "deletion" in method.name else ""
    text = method.name[:1].upper() + method.name[1:]
    return f"{text}{where}{rows}: {method.detail}" if method.detail else f"{text}{where}{rows}"


def _sanitizer_of(track: Track, entry: Entry) -> Sanitizer | None:
    """The sanitizer that made an entry, if the rules name it."""
    if entry.owner is None:
        return track.entries.get(entry.id)
    return next((b.sanitizer for b in track.baseline if b.id == entry.owner), None)


def rows_text(rows: int | tuple[int, int]) -> str:
    """A number of rows, or the range of several, with commas.

    >>> rows_text(2000), rows_text((470, 505)), rows_text((50, 50))
    ('2,000', '470 to 505', '50')
    """
    low, high = (rows, rows) if isinstance(rows, int) else rows
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


class Section(BaseModel):
    """A part of the rules: a title and its sentences."""

    title: str
    lines: list[str]


def track_sections(track: Track) -> list[Section]:
    """The rules of a track, section by section; sections without a sentence are left out."""
    parts = {
        "The data": _data_lines(track),
        "What attackers want and know": _attacker_lines(track),
        "What teams submit": _phase_lines(track),
        "What a release must be": _release_lines(track),
        "What is measured": _measure_lines(track),
        "Boards": map(board_line, track.board),
        "What teams see before the end": feedback_lines(track),
        "Built-in players": _baseline_lines(track),
    }
    sections = [Section(title=title, lines=list(lines)) for title, lines in parts.items()]
    return [section for section in sections if section.lines]


def _data_lines(track: Track) -> Iterator[str]:
    yield f"{sentence(track.dataset)} It has {_describe_columns(track)}."
    if track.dataset.simulated:
        yield "The records are simulated; they resemble the real data set and are about nobody."
    if track.population is not None:
        kept = track.population.take
        size = f" {kept:,} of the made records are the population." if kept else ""
        yield (
            "The population is synthetic, so no private sample has a record of the data set. "
            f"How it is made: {_lower_first(sentence(track.population.generator))}{size}"
        )
    owner = "Each team gets" if track.teams_release else "The organisers draw"
    shared = ", the same for all" if track.shared_sample and track.teams_release else ""
    drawn = f"{_lower_first(sentence(track.sample)).rstrip('.')} ({settings(track.sample)})"
    yield f"{owner} a private sample{shared}. How it is drawn: {drawn}."
    if track.sample.common is not None:
        yield (
            f"The samples of any two teams have {count(track.sample.common, 'record')} in common, "
            "the same for all teams; every other record is in the sample of one team at most."
        )
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


def _describe_columns(track: Track) -> str:
    return columns_words(track.dataset.data_schema()).replace(":", " columns:", 1)


def _lower_first(text: str) -> str:
    """A sentence as the second half of another one."""
    return text[:1].lower() + text[1:]


def _attacker_lines(track: Track) -> Iterator[str]:
    yield from (text for _, text in track.threat_rows())
    if track.asks_each:
        yield (
            f"Every attacker is asked about {track.targets_each:,} people of its own, drawn from "
            "all targets of a release. Nobody sees the questions of another before the end."
        )


def _phase_lines(track: Track) -> Iterator[str]:
    for phase in track.phase:
        dates = phase_dates(phase) or "; it has no dates"
        yield f"{phase.id.capitalize()}: {_task_of(track, phase)}{dates}."
        yield from _counting_lines(phase)
        yield from program_lines(phase)
        for artefact in phase.artefact:
            yield f"Beside it, a file for {artefact.name}: {artefact.words()}."


def _task_of(track: Track, phase: Phase) -> str:
    if phase.contract is not None:
        if not phase.contract.is_code:
            return "submit a recipe: a list of sanitizers, which the judge runs in this order"
        makes = "makes a release" if phase.submit == "release" else "answers every task"
        if isinstance(phase.contract, AnswerContract):
            makes = "answers in place of a model"
        return f"submit a program that {makes}; it runs in a sandbox without a network"
    if phase.submit == "release" and track.model is not None:
        return "submit a model that you trained on the private data"
    if phase.submit == "release":
        return "submit a release of the private data"
    aims = [aim for aim in track.aims if phase.takes(aim.id)]
    questions = "question" if len(aims) == 1 else "questions"
    wanted = " ".join(aim.summary for aim in aims).rstrip(".")
    return f"answer the {questions} about every release. {wanted}"


def program_lines(phase: Phase) -> Iterator[str]:
    """What a program or a recipe may contain and use, where its contract says so in sentences."""
    return iter(() if phase.contract is None else phase.contract.rules())


def phase_dates(phase: Phase) -> str:
    """When a phase is open, to stand after what is submitted; nothing if it has no dates."""
    opens = "" if phase.opens is None else f" from {minute(phase.opens)}"
    closes = "" if phase.closes is None else f" until {minute(phase.closes)}"
    return f",{opens}{closes}" if opens or closes else ""


def quota_words(limits: Phase | Quota) -> str:
    """How often a team may submit; nothing if it may do so at will.

    >>> quota_words(Quota(per_day=5, total=20))
    '5 per day (UTC) and 20 in total'
    """
    numbers = {
        "per day (UTC)": limits.per_day,
        "in total": limits.total,
        "for the same task": limits.per_file,
    }
    return listed([f"{number} {word}" for word, number in numbers.items() if number is not None])


def artefact_lines(artefacts: Mapping[str, Artefact]) -> list[str]:
    """The further files of a submission, by their names."""
    return [
        f"- `{file}`: {artefact.name}; {artefact.words()}" for file, artefact in artefacts.items()
    ]


def _counting_lines(phase: Phase) -> Iterator[str]:
    quota = quota_words(phase)
    yield f"A team may submit {quota}." if quota else "The number of submissions is free."
    if phase.submit == "release":
        several = f"last {phase.keep} releases count, each as an entry of its own"
        yield f"The {several if phase.keep > 1 else 'last release counts'}."
    else:
        best = "best for the attacker" if phase.counts == "best" else "last"
        yield f"Of several answers to a task, the {best} counts."


def _release_lines(track: Track) -> Iterator[str]:
    if not track.teams_release:
        return
    yield from model_lines(track)
    yield from release_rule_lines(track)
    yield from (f"{line} A release that fails is disqualified." for line in gate_lines(track))
    if track.numbers_rows:
        yield "Each row names the private record that it was made from. Only the judge sees that."
    elif track.needs_origins:
        yield (
            f"The column {track.origin_column} keeps the names of the private data. The judge "
            "replaces them by pseudonyms before attackers get the release."
        )


def model_lines(track: Track) -> Iterator[str]:
    """What a model must be, where releases are models; nothing otherwise."""
    if track.model is None:
        return
    rule, form = track.model, track.model.form(track.dataset.data_schema().private)
    kinds = {
        "logistic": "a logistic regression",
        "network": f"a network with at most {rule.most_layers} layers of {rule.most_width} units",
        "forest": f"a forest with at most {rule.most_nodes:,} nodes",
    }
    yield f"A release is a model that predicts {rule.label} from all other columns."
    if rule.queries is not None:
        yield f"Attackers get its answers to {rule.queries:,} queries, and nothing inside it."
    if rule.own_queries is not None:
        yield (
            f"Every attacker may ask it {rule.own_queries:,} more queries of its own choice, and "
            "gets the answers when the organisers score next."
        )
    phase = track.phase_for("release")
    if phase is not None and isinstance(phase.contract, AnswerContract):
        yield f"It is a program. It reads {count_variables(form)} variables per record."
        if rule.own_queries is not None:
            yield "Whenever it is asked about a record, it gives the same answer."
        return
    yield f"It is {', or '.join(kinds[name] for name in rule.architectures)}."
    yield (
        f"It is one safetensors file with numbers alone, for {count_variables(form)} variables per "
        "record; a pickle could run code when it is read, so it is refused."
    )


def release_rule_lines(track: Track) -> Iterator[str]:
    """The rules for releases, with all their parameters; a release that breaks one is refused."""
    for rule in track.rule:
        yield f"{sentence(rule).rstrip('.')} ({settings(rule)})."


def gate_lines(track: Track) -> Iterator[str]:
    """The gates for the readings of a release; a release that fails one is disqualified."""
    for measured in track.release_measures:
        for name in measured.reads:
            for word, bound in measured.gate(name).bounds:
                yield f"{spaced(name)} must be {word} {bound:g}: {measured.caption(name)}"
    for given in track.given:
        for word, bound in given.gate.bounds:
            yield f"{spaced(given.name)} must be {word} {bound:g}."


def _measure_lines(track: Track) -> Iterator[str]:
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
    who = "" if board.cohort is None else f" Only the teams of cohort {board.cohort} are on it."
    return f"{title}: {sentence(board.rule)} ({settings(board.rule)}); {ties}.{who}"


def feedback_lines(track: Track) -> Iterator[str]:
    """What teams may see of their scores before the end."""
    if not track.attack_aims:
        if track.feedback.releases == "utility":
            yield "A team sees the utility of every release that it submits."
        return
    yield _shown_scores_line(track.feedback)
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


def _shown_scores_line(feedback: Feedback) -> str:
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


def _baseline_lines(track: Track) -> Iterator[str]:
    attacks = [b.name or b.id for b in track.baseline if b.attack is not None]
    if attacks:
        names = listed(attacks, most=20)
        yield f"These attacks play against every release, without a rank: {names}."


class TrackRules(BaseModel):
    """The rules of one track."""

    id: str
    title: str
    sections: list[Section]


class RulesView(BaseModel):
    """The rules of a contest.

    Parameters
    ----------
    version : how many times the rules were fixed; later versions have a reason in the journal.
    tracks : the rules of each track.
    sections : the rules that hold for all tracks.
    """

    version: int
    tracks: list[TrackRules]
    sections: list[Section]


def rules_in_words(rules: Edition, version: int) -> RulesView:
    """The rules of a contest in sentences."""
    return RulesView(
        version=version,
        tracks=[
            TrackRules(
                id=track.id,
                title=track.title or (track.id if len(rules.track) > 1 else "The contest"),
                sections=track_sections(track),
            )
            for track in rules.track
        ],
        sections=[section for section in _shared_sections(rules) if section.lines],
    )


def _shared_sections(rules: Edition) -> Iterator[Section]:
    if rules.cohorts is not None:
        yield Section(title="Cohorts", lines=list(cohort_lines(rules.cohorts)))
    yield Section(
        title="Boards over all tracks",
        lines=[_overall_line(board) for board in rules.overall],
    )
    yield Section(title="Awards", lines=[_award_line(award, rules.team) for award in rules.award])
    yield Section(title="Files", lines=list(_file_limit_lines(rules)))
    yield Section(title="How the organisers are bound", lines=list(_trust_lines(rules)))


def cohort_lines(cohorts: Cohorts) -> Iterator[str]:
    """Which cohorts there are, who decides, and what they decide."""
    yield (
        f"Every team belongs to one cohort: {listed(list(cohorts.names), most=12)}. A hash of its "
        "id and of a secret salt decides which. The organisers committed to the salt before any "
        "team joined, and publish it with their other secrets."
    )
    if cohorts.attacks == "own":
        yield "A team attacks the releases of its own cohort."
    elif cohorts.attacks == "others":
        yield "A team attacks the releases of the other cohorts."
    if cohorts.shared_sample:
        yield "The teams of a cohort get the same private sample."


def _overall_line(board: RankedBoard) -> str:
    boards = getattr(board.rule, "boards", ())
    if isinstance(boards, dict):
        weights = [f"{name} counts {weight:g}" for name, weight in boards.items()]
        return f"{board.title or board.id}: {sentence(board.rule)} Here, {listed(weights, most=9)}."
    return board_line(board)


def _award_line(award: Award, teams: tuple[Team, ...]) -> str:
    if award.board is None:
        names = {team.id: team.name or team.id for team in teams}
        winners = listed([names.get(team, team) for team in award.winners], most=9)
        return f"{award.title}: a jury decides{f'; it goes to {winners}' if winners else ''}."
    places = "first place" if award.places == 1 else f"first {award.places} places"
    return f"{award.title}: for the {places} of the board {award.board}. Equal ranks share it."


def _file_limit_lines(rules: Edition) -> Iterator[str]:
    limits = rules.limits
    yield (
        f"A file has at most {limits.file_bytes:,} bytes, {limits.rows:,} rows and "
        f"{count(limits.columns, 'column')}."
    )
    yield (
        f"A zip has at most {limits.archive_members:,} files and {limits.archive_bytes:,} bytes "
        "when it is unpacked. Other archives are refused."
    )


def _trust_lines(rules: Edition) -> Iterator[str]:
    yield (
        "Before a phase opens, the organisers commit to every hidden file. They publish a hash "
        "with a secret salt, and nobody can change the file afterwards without being noticed."
    )
    if rules.commitment.algorithm == "sha512-unsalted":
        yield "Plain SHA-512 sums of the hidden files are published as well."
    if rules.commitment.beacon:
        yield (
            "A public value that nobody could know before is mixed into the organisers' keys: "
            f"{rules.commitment.beacon}."
        )
    yield (
        "Every submission gets a signed receipt. When the contest is over, all secrets are "
        "published, and anybody can play the contest again and compare every byte."
    )
