"""Words: a contest told in sentences, once, for the site, kits, CodaBench and reports.

Nobody writes these texts by hand, so they cannot say anything else than the rules. The order is
from small to large: a part, a column, an entry, a track, the rules of a whole contest. Pages add
what only they know, such as file names and commands. Sentences are in the language that is spoken
now (:mod:`quintain.wording.languages`); names that the rules give stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import Any

from pydantic import BaseModel

from quintain.contests import Edition, Phase, Team, Track
from quintain.contests.cohorts import Cohorts
from quintain.contests.edition import Award, Population
from quintain.contests.feedback import Feedback
from quintain.contests.fields import EditionMeasure, RankedBoard
from quintain.contests.readings import Derived
from quintain.contests.roster import Quota
from quintain.contests.submitting import Artefact
from quintain.contests.track_goal import TrackGoal
from quintain.data import Column, Schema
from quintain.data.models import count_variables
from quintain.figures.format import minute, spaced
from quintain.programs import AnswerContract, Contract
from quintain.rankings import Entry
from quintain.registry import Part
from quintain.releases import Method, ReleaseCard
from quintain.sanitizers import Sanitizer
from quintain.wording.languages import (
    DEFAULT,
    in_context,
    say,
    say_commas,
    say_count,
    say_list,
    say_words,
    spoken,
    to_say,
    to_say_count,
    write_decimal,
    write_grouped,
    write_moment,
    write_number,
)

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
    refused = (say("no claim: %(reason)s", reason=card.no_claim),) if card.no_claim else ()
    claim = "; ".join([*card.claims(), *refused])
    done = "; ".join(_method_words(method) for method in card.methods if method.name != "none")
    if sanitizer is None:
        return EntryWords(done or say("The team did not say what it did."), "", claim)
    if not done or len(done) > _LONGEST:
        done = _describe_steps(sanitizer)
    return EntryWords(done, settings(sanitizer), claim)


_KINDS = {
    "category": to_say_count("%(n)s category", "%(n)s categories"),
    "integer": to_say_count("%(n)s whole number", "%(n)s whole numbers"),
    "real": to_say_count("%(n)s real number", "%(n)s real numbers"),
    "time": to_say_count("%(n)s time", "%(n)s times"),
    "id": to_say_count("%(n)s id", "%(n)s ids"),
}


def columns_words(schema: Schema) -> str:
    """How many columns of each kind a schema has.

    >>> from quintain.testing.examples import TABLE
    >>> columns_words(TABLE)
    '4: 2 categories, 1 whole number and 1 id'
    """
    if _gaps(schema):
        text = to_say("%(n)s: %(kinds)s. Values of %(columns)s may be missing")
    else:
        text = to_say("%(n)s: %(kinds)s")
    return say(text, **_column_values(schema))


def _column_values(schema: Schema) -> dict[str, str]:
    """What sentences about the columns of a schema name."""
    counts: Counter[str] = Counter(column.kind for column in schema.columns)
    return {
        "n": write_number(len(schema.columns)),
        "kinds": say_list([say_count(*_KINDS[k], counts[k]) for k in _KINDS if counts[k]], most=5),
        "columns": say_list(_gaps(schema), most=8),
    }


def _gaps(schema: Schema) -> list[str]:
    return [column.name for column in schema.columns if column.nullable]


def column_words(column: Column) -> str:
    """The values that a column can have.

    >>> column_words(Column(name="age", kind="integer", low=0, high=120, nullable=True))
    'whole numbers from 0 to 120; may be missing'
    """
    words = _domain_words(column)
    if column.unit:
        words = say("%(values)s (%(unit)s)", values=words, unit=column.unit)
    return say("%(values)s; may be missing", values=words) if column.nullable else words


def _domain_words(column: Column) -> str:
    if column.listed:
        values = say_list(column.values, most=8)
        return say("%(n)s values: %(values)s", n=write_number(len(column.values)), values=values)
    low, high = (
        end if end is None or isinstance(end, str) else write_decimal(end, ".10g")
        for end in column.its_kind.limits(column)
    )
    values = say(column.its_kind.anything or column.its_kind.plural)
    if low is not None and high is not None:
        return say("%(values)s from %(low)s to %(high)s", values=values, low=low, high=high)
    if low is not None:
        return say("%(values)s of at least %(low)s", values=values, low=low)
    if high is not None:
        return say("%(values)s of at most %(high)s", values=values, high=high)
    return values


def sentence(part: Part) -> str:
    """The summary of a part, with its parameters where the summary names them.

    >>> from quintain.sanitizers.masking.randomized_response import RandomizedResponse
    >>> sentence(RandomizedResponse(keep=0.5))
    'Keeps each value with probability 0.5, otherwise draws one uniformly from its domain.'
    """

    def value(match: re.Match[str]) -> str:
        given = getattr(part, match[1], None)
        return match[1] if given is None else _value_text(given)

    return re.sub(r"``(\w+)``", value, say_words(part.summary()))


def _describe_steps(part: Part) -> str:
    """What a part does; for a part that consists of others, what each of them does."""
    steps = [sentence(step) for step in _steps_of(part)]
    return reduce(_then, steps) if steps else sentence(part)


def _then(before: str, step: str) -> str:
    return say("%(before)s Then: %(step)s", before=before, step=step)


def settings(part: Part) -> str:
    """The name of a part and its parameters.

    >>> from quintain.sanitizers.masking.randomized_response import RandomizedResponse
    >>> settings(RandomizedResponse(keep=0.5))
    'rr: keep 0.5, draw domain'
    """
    name = re.sub(r"-v\d+$", "", part.id.partition("/")[2])
    nested = [settings(step) for step in _steps_of(part)] or [""]
    chosen = [
        f"{key.replace('_', ' ')} {_value_text(value)}" for key, value in _short_parameters(part)
    ]
    return ": ".join(filter(None, [name, ", ".join(chosen) or reduce(_step_after, nested)]))


def _step_after(before: str, step: str) -> str:
    return say("%(before)s; then %(step)s", before=before, step=step)


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
        return say(
            in_context("the value of a setting", "yes")
            if value
            else in_context("the value of a setting", "no")
        )
    if isinstance(value, int):
        return write_grouped(value)
    if isinstance(value, float):
        return write_decimal(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return say_list([_value_text(item) for item in value])
    return str(value)


def _method_words(method: Method) -> str:
    words = method.name[:1].upper() + method.name[1:]
    if method.columns and len(method.columns) <= _MOST_COLUMNS:
        columns = say_list(method.columns)
        words = say("%(method)s of %(columns)s", method=words, columns=columns)
    if method.rows and "deletion" in method.name:
        rows = write_grouped(method.rows)
        words = say("%(method)s (%(n)s records)", method=words, n=rows)
    detail = say_words(method.detail)
    return say("%(method)s: %(detail)s", method=words, detail=detail) if detail else words


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
    if low == high:
        return write_grouped(low)
    return say("%(low)s to %(high)s", low=write_grouped(low), high=write_grouped(high))


class Section(BaseModel):
    """A part of the rules: a title and its sentences."""

    title: str
    lines: list[str]


def track_sections(track: Track) -> list[Section]:
    """The rules of a track, section by section; sections without a sentence are left out."""
    parts = {
        say("The data"): _data_lines(track),
        say("What attackers want and know"): _attacker_lines(track),
        say("What teams submit"): _phase_lines(track),
        say("What a release must be"): _release_lines(track),
        say("What is measured"): _measure_lines(track),
        say("Boards"): map(board_line, track.board),
        say("What teams see before the end"): feedback_lines(track),
        say("Built-in players"): _baseline_lines(track),
    }
    sections = [Section(title=title, lines=list(lines)) for title, lines in parts.items()]
    return [section for section in sections if section.lines]


def _data_lines(track: Track) -> Iterator[str]:
    schema = track.dataset.data_schema()
    if _gaps(schema):
        text = to_say(
            "%(summary)s It has %(n)s columns: %(kinds)s. Values of %(columns)s may be missing."
        )
    else:
        text = to_say("%(summary)s It has %(n)s columns: %(kinds)s.")
    yield say(text, summary=sentence(track.dataset), **_column_values(schema))
    if track.dataset.simulated:
        yield say(
            "The records are simulated; they resemble the real data set and are about nobody."
        )
    if track.population is not None:
        yield _population_line(track.population)
    yield _sample_line(track)
    if track.sample.common is not None:
        yield say_count(
            "The samples of any two teams have %(n)s record in common, the same for all teams; "
            "every other record is in the sample of one team at most.",
            "The samples of any two teams have %(n)s records in common, the same for all teams; "
            "every other record is in the sample of one team at most.",
            track.sample.common,
        )
    if track.samples > 1:
        yield say(
            "A team gets %(n)s samples and chooses one of them for its release.",
            n=write_number(track.samples),
        )
    if track.sanitizer:
        yield say_count(
            "The organisers sanitize it: %(n)s entry, %(entries)s.",
            "The organisers sanitize it: %(n)s entries, %(entries)s.",
            len(track.entries),
            entries=say_list(list(track.entries), most=12),
        )
    elif not track.teams_release:  # the public rules leave secret sanitizers out
        yield say("The organisers sanitize it. How they do it is secret until the end.")
    if track.repeats > 1:
        yield say(
            "They repeat this %(n)s times, each time with a new sample.",
            n=write_number(track.repeats),
        )
    if track.tests_in_secret:
        yield say("Only the judge has the records on which utility is tested.")


def _population_line(population: Population) -> str:
    how = _lower_first(sentence(population.generator))
    if not population.take:
        return say(
            "The population is synthetic, so no private sample has a record of the data set. "
            "How it is made: %(how)s",
            how=how,
        )
    return say(
        "The population is synthetic, so no private sample has a record of the data set. "
        "How it is made: %(how)s %(n)s of the made records are the population.",
        how=how,
        n=write_grouped(population.take),
    )


def _sample_line(track: Track) -> str:
    if not track.teams_release:
        text = to_say("The organisers draw a private sample. How it is drawn: %(how)s (%(with)s).")
    elif track.shared_sample:
        text = to_say(
            "Each team gets a private sample, the same for all. "
            "How it is drawn: %(how)s (%(with)s)."
        )
    else:
        text = to_say("Each team gets a private sample. How it is drawn: %(how)s (%(with)s).")
    how = _lower_first(_open_end(sentence(track.sample)))
    return say(text, how=how, **{"with": settings(track.sample)})


def _open_end(text: str) -> str:
    """A sentence without its full stop, in any language."""
    return text.rstrip(".。")


def _lower_first(text: str) -> str:
    """A sentence as the second half of another one."""
    return text[:1].lower() + text[1:]


def _attacker_lines(track: Track) -> Iterator[str]:
    yield from (text for _, text in track.threat_rows())
    if track.targets_each is not None and track.asks_each:
        yield say(
            "Every attacker is asked about %(n)s people of its own, drawn from "
            "all targets of a release. Nobody sees the questions of another before the end.",
            n=write_grouped(track.targets_each),
        )


def _phase_lines(track: Track) -> Iterator[str]:
    for phase in track.phase:
        dates = phase_dates(phase) or say("; it has no dates")
        name, task = phase.id.capitalize(), _task_of(track, phase)
        yield say("%(phase)s: %(task)s%(dates)s.", phase=name, task=task, dates=dates)
        yield from _counting_lines(phase)
        yield from program_lines(phase)
        for artefact in phase.artefact:
            words = artefact.words()
            yield say("Beside it, a file for %(name)s: %(words)s.", name=artefact.name, words=words)


def _task_of(track: Track, phase: Phase) -> str:
    if phase.contract is not None:
        return _program_task(phase, phase.contract)
    if phase.submit == "release" and track.model is not None:
        return say("submit a model that you trained on the private data")
    if phase.submit == "release":
        return say("submit a release of the private data")
    aims = [aim for aim in track.aims if phase.takes(aim.id)]
    return say_count(
        "answer the question about every release. %(wanted)s",
        "answer the questions about every release. %(wanted)s",
        len(aims),
        wanted=_open_end(" ".join(_aim_words(aim) for aim in aims)),
    )


def _aim_words(aim: TrackGoal) -> str:
    words = say_words(aim.goal.summary())
    return say("%(goal)s: %(summary)s", goal=aim.id, summary=words) if aim.id else words


def _program_task(phase: Phase, contract: Contract) -> str:
    if not contract.is_code:
        return say("submit a recipe: a list of sanitizers, which the judge runs in this order")
    if isinstance(contract, AnswerContract):
        return say(
            "submit a program that answers in place of a model; "
            "it runs in a sandbox without a network"
        )
    if phase.submit == "release":
        return say("submit a program that makes a release; it runs in a sandbox without a network")
    return say("submit a program that answers every task; it runs in a sandbox without a network")


def program_lines(phase: Phase) -> Iterator[str]:
    """What a program or a recipe may contain and use, where its contract says so in sentences."""
    return iter(() if phase.contract is None else phase.contract.rules())


def phase_dates(phase: Phase) -> str:
    """When a phase is open, to stand after what is submitted; nothing if it has no dates."""
    opens = "" if phase.opens is None else _moment(phase.opens)
    closes = "" if phase.closes is None else _moment(phase.closes)
    if opens and closes:
        return say(", from %(opens)s until %(closes)s", opens=opens, closes=closes)
    if opens:
        return say(", from %(opens)s", opens=opens)
    return say(", until %(closes)s", closes=closes) if closes else ""


def _moment(time: datetime) -> str:
    """A time; in English as reports write it."""
    return minute(time) if spoken() == DEFAULT else write_moment(time)


def quota_words(limits: Phase | Quota) -> str:
    """How often a team may submit; nothing if it may do so at will.

    >>> quota_words(Quota(per_day=5, total=20))
    '5 per day (UTC) and 20 in total'
    """
    numbers = {
        to_say("%(n)s per day (UTC)"): limits.per_day,
        to_say("%(n)s in total"): limits.total,
        to_say("%(n)s for the same task"): limits.per_file,
    }
    return say_list([say(text, n=write_number(n)) for text, n in numbers.items() if n is not None])


def artefact_lines(artefacts: Mapping[str, Artefact]) -> list[str]:
    """The further files of a submission, by their names."""
    return [
        f"- `{file}`: {artefact.name}; {artefact.words()}" for file, artefact in artefacts.items()
    ]


def _counting_lines(phase: Phase) -> Iterator[str]:
    quota = quota_words(phase)
    if quota:
        yield say("A team may submit %(quota)s.", quota=quota)
    else:
        yield say("The number of submissions is free.")
    if phase.submit == "release" and phase.keep > 1:
        yield say(
            "The last %(n)s releases count, each as an entry of its own.",
            n=write_number(phase.keep),
        )
    elif phase.submit == "release":
        yield say("The last release counts.")
    elif phase.counts == "best":
        yield say("Of several answers to a task, the best for the attacker counts.")
    else:
        yield say("Of several answers to a task, the last counts.")


def _release_lines(track: Track) -> Iterator[str]:
    if not track.teams_release:
        return
    yield from model_lines(track)
    yield from release_rule_lines(track)
    for line in gate_lines(track):
        yield say("%(gate)s A release that fails is disqualified.", gate=line)
    if track.numbers_rows:
        yield say(
            "Each row names the private record that it was made from. Only the judge sees that."
        )
    elif track.needs_origins:
        yield say(
            "The column %(column)s keeps the names of the private data. The judge "
            "replaces them by pseudonyms before attackers get the release.",
            column=track.origin_column,
        )


def model_lines(track: Track) -> Iterator[str]:
    """What a model must be, where releases are models; nothing otherwise."""
    if track.model is None:
        return
    rule, form = track.model, track.model.form(track.dataset.data_schema().private)
    kinds = {
        "logistic": say("a logistic regression"),
        "network": say(
            "a network with at most %(layers)s layers of %(units)s units",
            layers=write_number(rule.most_layers),
            units=write_number(rule.most_width),
        ),
        "forest": say(
            "a forest with at most %(nodes)s nodes", nodes=write_grouped(rule.most_nodes)
        ),
    }
    yield say(
        "A release is a model that predicts %(label)s from all other columns.", label=rule.label
    )
    if rule.queries is not None:
        yield say(
            "Attackers get its answers to %(n)s queries, and nothing inside it.",
            n=write_grouped(rule.queries),
        )
    if rule.own_queries is not None:
        yield say(
            "Every attacker may ask it %(n)s more queries of its own choice, and gets the answers "
            "when the organisers score next.",
            n=write_grouped(rule.own_queries),
        )
    phase, variables = track.phase_for("release"), write_number(count_variables(form))
    if phase is not None and isinstance(phase.contract, AnswerContract):
        yield say("It is a program. It reads %(n)s variables per record.", n=variables)
        if rule.own_queries is not None:
            yield say("Whenever it is asked about a record, it gives the same answer.")
        return
    yield say("It is %(kinds)s.", kinds=reduce(_or, [kinds[name] for name in rule.architectures]))
    yield say(
        "It is one safetensors file with numbers alone, for %(n)s variables per "
        "record; a pickle could run code when it is read, so it is refused.",
        n=variables,
    )


def _or(before: str, last: str) -> str:
    return say("%(before)s, or %(last)s", before=before, last=last)


def release_rule_lines(track: Track) -> Iterator[str]:
    """The rules for releases, with all their parameters; a release that breaks one is refused."""
    for rule in track.rule:
        yield say(
            "%(rule)s (%(settings)s).", rule=_open_end(sentence(rule)), settings=settings(rule)
        )


def gate_lines(track: Track) -> Iterator[str]:
    """The gates for the readings of a release; a release that fails one is disqualified."""
    captions = {
        name: _caption(measured, name)
        for measured in track.release_measures
        for name in measured.reads
    }
    captions |= {derived.name: _derived_line(derived) for derived in track.derived}
    for name, gate in track.gates.items():
        for word, bound in gate.bounds:
            known = {"name": spaced(name), "bound": write_decimal(bound)}
            if name in captions:
                yield say(_CAPTIONED[word], caption=captions[name], **known)
            else:
                yield say(_BOUND[word], **known)


_CAPTIONED = {
    "at least": to_say("%(name)s must be at least %(bound)s: %(caption)s"),
    "at most": to_say("%(name)s must be at most %(bound)s: %(caption)s"),
}
_BOUND = {
    "at least": to_say("%(name)s must be at least %(bound)s."),
    "at most": to_say("%(name)s must be at most %(bound)s."),
}


def _caption(measured: EditionMeasure, name: str) -> str:
    """What a reading says, and of whom it is if not of everybody."""
    words = say_words(measured.explain(name))
    if measured.groups is None:
        return words
    return say("%(caption)s %(people)s", caption=words, people=measured.groups.words())


_READ = {
    ("privacy", "higher"): to_say("%(name)s (privacy; higher is better): %(caption)s"),
    ("privacy", "lower"): to_say("%(name)s (privacy; lower is better): %(caption)s"),
    ("utility", "higher"): to_say("%(name)s (utility; higher is better): %(caption)s"),
    ("utility", "lower"): to_say("%(name)s (utility; lower is better): %(caption)s"),
}
_GIVEN = {
    "higher": to_say("%(name)s (higher is better) comes from outside, as from a jury."),
    "lower": to_say("%(name)s (lower is better) comes from outside, as from a jury."),
}
_DERIVED = {
    "mean": to_say("%(name)s is computed: the mean of %(readings)s."),
    "max": to_say("%(name)s is computed: the max of %(readings)s."),
    "min": to_say("%(name)s is computed: the min of %(readings)s."),
}


def _measure_lines(track: Track) -> Iterator[str]:
    for measured in (*track.privacy, *track.utility):
        for name, better in measured.reads.items():
            yield say(
                _READ[measured.about, better], name=spaced(name), caption=_caption(measured, name)
            )
    for given in track.given:
        yield say(_GIVEN[given.better], name=spaced(given.name))
    yield from map(_derived_line, track.derived)
    yield say("Every figure has an interval, which says how much of it could be chance.")


def _derived_line(derived: Derived) -> str:
    """How a reading is computed from others."""
    name = spaced(derived.name)
    if derived.by and not derived.formula:
        return say(_DERIVED[derived.by], name=name, readings=say_commas(derived.of))
    return say("%(name)s is computed: %(formula)s.", name=name, formula=derived.formula)


_PARTED = to_say("%(board)s: %(rule)s (%(settings)s).")
_SHARED = to_say("%(board)s: %(rule)s (%(settings)s); teams with equal scores share a rank.")


def board_line(board: RankedBoard) -> str:
    """What a board ranks and how it breaks ties."""
    line = say(
        _PARTED if board.ties else _SHARED,
        board=board.title or board.id,
        rule=sentence(board.rule),
        settings=settings(board.rule),
    )
    line = _with_ties(line, board)
    if board.cohort is None:
        return line
    return say(
        "%(line)s Only the teams of cohort %(cohort)s are on it.", line=line, cohort=board.cohort
    )


def _with_ties(line: str, board: RankedBoard) -> str:
    """What decides between equal scores, behind what is said of a board."""
    for tie in board.tie_rules:
        line = say("%(line)s Where scores are equal: %(rule)s", line=line, rule=sentence(tie))
    return line


def feedback_lines(track: Track) -> Iterator[str]:
    """What teams may see of their scores before the end."""
    if not track.attack_aims:
        if track.feedback.releases == "utility":
            yield say("A team sees the utility of every release that it submits.")
        return
    yield _shown_scores_line(track.feedback)
    if track.feedback.capped:
        yield say(
            "A team learns at most %(bits)s bits about each release from its "
            "scores. When they are spent, the values shown last stay.",
            bits=write_decimal(track.feedback.budget),
        )
    if track.feedback.shown_on is not None:
        percent = f"{track.feedback.shown_on:.0%}".removesuffix("%")
        yield say("Shown scores are about %(percent)s%% of the targets.", percent=percent)
    if track.feedback.releases == "utility":
        yield say("A team sees the utility of every release that it submits.")
    yield say("Nobody sees the scores of other teams before the end.")


def _shown_scores_line(feedback: Feedback) -> str:
    match feedback.show:
        case "none":
            return say("Teams see no scores of their attacks before the end.")
        case "rounded":
            return say_count(
                "A team sees the scores of its own attacks, rounded to %(n)s digit.",
                "A team sees the scores of its own attacks, rounded to %(n)s digits.",
                feedback.digits,
            )
        case "ladder":
            return say(
                "A team sees a new score of its own attack only if it is better than the last by "
                "more than %(step)s.",
                step=write_decimal(feedback.step),
            )
    return say("A team sees the scores of its own attacks as they are.")


def _baseline_lines(track: Track) -> Iterator[str]:
    attacks = [b.name or b.id for b in track.baseline if b.attack is not None]
    if attacks:
        yield say(
            "These attacks play against every release, without a rank: %(names)s.",
            names=say_list(attacks, most=20),
        )


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
                title=track.title or (track.id if len(rules.track) > 1 else say("The contest")),
                sections=track_sections(track),
            )
            for track in rules.track
        ],
        sections=[section for section in _shared_sections(rules) if section.lines],
    )


def _shared_sections(rules: Edition) -> Iterator[Section]:
    if rules.cohorts is not None:
        yield Section(title=say("Cohorts"), lines=list(cohort_lines(rules.cohorts)))
    yield Section(
        title=say("Boards over all tracks"),
        lines=[_overall_line(board) for board in rules.overall],
    )
    yield Section(
        title=say("Awards"), lines=[_award_line(award, rules.team) for award in rules.award]
    )
    yield Section(title=say("Files"), lines=list(_file_limit_lines(rules)))
    yield Section(title=say("How the organisers are bound"), lines=list(_trust_lines(rules)))


def cohort_lines(cohorts: Cohorts) -> Iterator[str]:
    """Which cohorts there are, who decides, and what they decide."""
    yield say(
        "Every team belongs to one cohort: %(cohorts)s. A hash of its "
        "id and of a secret salt decides which. The organisers committed to the salt before any "
        "team joined, and publish it with their other secrets.",
        cohorts=say_list(list(cohorts.names), most=12),
    )
    if cohorts.attacks == "own":
        yield say("A team attacks the releases of its own cohort.")
    elif cohorts.attacks == "others":
        yield say("A team attacks the releases of the other cohorts.")
    if cohorts.shared_sample:
        yield say("The teams of a cohort get the same private sample.")


def _overall_line(board: RankedBoard) -> str:
    boards = getattr(board.rule, "boards", ())
    if isinstance(boards, dict):
        weights = [
            say("%(board)s counts %(weight)s", board=name, weight=write_decimal(weight))
            for name, weight in boards.items()
        ]
        line = say(
            "%(board)s: %(rule)s Here, %(weights)s.",
            board=board.title or board.id,
            rule=sentence(board.rule),
            weights=say_list(weights, most=9),
        )
        return _with_ties(line, board)
    return board_line(board)


def _award_line(award: Award, teams: tuple[Team, ...]) -> str:
    if award.board is None:
        names = {team.id: team.name or team.id for team in teams}
        winners = say_list([names.get(team, team) for team in award.winners], most=9)
        if not winners:
            return say("%(award)s: a jury decides.", award=award.title)
        return say(
            "%(award)s: a jury decides; it goes to %(winners)s.", award=award.title, winners=winners
        )
    return say_count(
        "%(award)s: for the first place of the board %(board)s. Equal ranks share it.",
        "%(award)s: for the first %(n)s places of the board %(board)s. Equal ranks share it.",
        award.places,
        award=award.title,
        board=award.board,
    )


def _file_limit_lines(rules: Edition) -> Iterator[str]:
    limits = rules.limits
    yield say_count(
        "A file has at most %(bytes)s bytes, %(rows)s rows and %(n)s column.",
        "A file has at most %(bytes)s bytes, %(rows)s rows and %(n)s columns.",
        limits.columns,
        bytes=write_grouped(limits.file_bytes),
        rows=write_grouped(limits.rows),
    )
    yield say(
        "A zip has at most %(files)s files and %(bytes)s bytes "
        "when it is unpacked. Other archives are refused.",
        files=write_grouped(limits.archive_members),
        bytes=write_grouped(limits.archive_bytes),
    )


def _trust_lines(rules: Edition) -> Iterator[str]:
    yield say(
        "Before a phase opens, the organisers commit to every hidden file. They publish a hash "
        "with a secret salt, and nobody can change the file afterwards without being noticed."
    )
    if rules.commitment.algorithm == "sha512-unsalted":
        yield say("Plain SHA-512 sums of the hidden files are published as well.")
    if rules.commitment.beacon:
        yield say(
            "A public value that nobody could know before is mixed into the organisers' keys: "
            "%(value)s.",
            value=rules.commitment.beacon,
        )
    if rules.reveal == "without-data":
        yield say(
            "Every submission gets a signed receipt. When the contest is over, guesses, answers, "
            "scores and commitments are published, and anybody can measure the teams' guesses "
            "again. The original data and the keys stay secret: nobody outside can check how "
            "samples and releases were made, or what depends on utility."
        )
        return
    yield say(
        "Every submission gets a signed receipt. When the contest is over, all secrets are "
        "published, and anybody can play the contest again and compare every byte."
    )
