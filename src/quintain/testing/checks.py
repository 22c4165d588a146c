"""A battery of checks for every part, yours too.

In a test suite::

    @pytest.mark.parametrize("part, check", battery(MyAttack))
    def test_my_attack(part, check):
        check(part)

A check raises ``AssertionError`` with a sentence, or returns quietly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from quintain.attacks import Attack, Knowledge, attack
from quintain.data import Data, Schema, Series, Table, as_table
from quintain.data.files import read_bytes, to_bytes
from quintain.data.schema import Shape
from quintain.data.sources.source import Source
from quintain.errors import Faults, Rejected
from quintain.guesses import Goal, Guess, Question, Truth
from quintain.measures import Case, GuessMeasure, Measure, Reading, ReleaseMeasure
from quintain.noise import Noise
from quintain.rankings import Board, Candidate, Contestant, Entry, RankingRule, Results, order
from quintain.registry import Part, build, parts
from quintain.releases import Release, Rule, Sanitized, publish
from quintain.samples import Design, Sample
from quintain.sanitizers import Sanitizer, sanitize
from quintain.seeds import SeedTree
from quintain.testing.examples import example, example_table, experiment, people

Check = Callable[[Any], None]


def battery(cls: type[Part]) -> Iterator[tuple[Part, Check]]:
    """Every check that applies to a part, with every example of the part."""
    for part in cls.examples():
        for family, checks in _CHECKS.items():
            if isinstance(part, family):
                yield from ((part, check) for check in checks)


def check_named(part: Part) -> None:
    """The id is family/name-vN, and the docstring starts with a sentence."""
    assert re.fullmatch(rf"{part.family}/[a-z0-9-]+-v[0-9]+", part.id), f"odd id {part.id}"
    assert part.summary().endswith((".", "?", "!", ";", ",", ":")) or " " in part.summary()
    assert len(part.summary()) > 10, f"{part.id} has no sentence about it"


def check_spec(part: Part) -> None:
    """What an edition file would say gives the same part again."""
    again = build(part.family, part.spec())
    assert again == part, f"{part.spec()} does not give {part!r}"


def check_refuses_bad_parameters(part: Part) -> None:
    """Unknown, wrongly typed and out-of-range parameters are refused with a sentence."""
    _refused(part, {"no_such_parameter": 1}, "unknown parameter")
    for name, facts in type(part).model_json_schema().get("properties", {}).items():
        for bad in _bad_values(facts):
            _refused(part, {name: bad}, "")


def _refused(part: Part, change: dict[str, Any], words: str) -> None:
    try:
        build(part.family, {**part.spec(), **change})
    except Rejected as error:
        assert error.faults and words in str(error), f"{part.id}: {error}"
        return
    raise AssertionError(f"{part.id} takes {change} without a word")


def _bad_values(facts: dict[str, Any]) -> Iterator[object]:
    """Values a JSON Schema rules out: over and under the bounds, and of no sensible type."""
    yield {"not": ["a", "parameter"]}
    for kind in [facts, *facts.get("anyOf", ())]:
        for bound, step in (("minimum", -1), ("exclusiveMinimum", 0)):
            if bound in kind and len(facts.get("anyOf", ())) <= 2:
                yield kind[bound] + step
        for bound, step in (("maximum", 1), ("exclusiveMaximum", 0)):
            if bound in kind and len(facts.get("anyOf", ())) <= 2:
                yield kind[bound] + step


# --- sanitizers ---


def _sanitized(part: Sanitizer, data: Data, seed: int = 1) -> Release:
    rng = SeedTree.from_int(seed).rng("check")
    return sanitize(part, data, rng=rng, noise=Noise.for_test(seed)).release


def _inputs(shapes: tuple[Shape, ...]) -> Iterator[Data]:
    for shape in shapes:
        data = example(shape)
        yield people(data) if isinstance(data, Table) else data


def _taken(part: Sanitizer) -> Iterator[Data]:
    return _inputs(tuple(shape for shape in part.shapes if part.takes(shape)))


def check_same_seed_same_bytes(part: Sanitizer) -> None:
    """The same seed gives the same release."""
    for data in _taken(part):
        once, again = _sanitized(part, data), _sanitized(part, data)
        assert once.data.digest() == again.data.digest(), f"{part.id} is not reproducible"


def check_input_unchanged(part: Sanitizer) -> None:
    """Sanitizing does not touch the private data."""
    for data in _taken(part):
        before = data.digest()
        _sanitized(part, data)
        assert data.digest() == before, f"{part.id} changed its input"


def check_domain_kept(part: Sanitizer) -> None:
    """A release has the schema of its input and stays in the domain."""
    for data in _taken(part):
        release = _sanitized(part, data)
        assert release.data.schema == data.schema, f"{part.id} changed the schema"
        suffix = ".csv"
        faults = Faults("release.csv")
        read_bytes(to_bytes(release.data, suffix), "release.csv", data.schema, faults=faults)
        assert not faults, f"{part.id} left the domain: {faults.found[:3]}"


def check_order_irrelevant(part: Sanitizer) -> None:
    """The order of the input does not matter, unless record i stands for record i."""
    for data in _taken(part):
        if part.aligned or isinstance(data, Series):
            continue
        shuffled = data.take(np.random.default_rng(5).permutation(len(data)))
        once, again = _sanitized(part, data), _sanitized(part, shuffled)
        assert once.data.digest() == again.data.digest(), f"{part.id} depends on the row order"


def check_test_noise_marked(part: Sanitizer) -> None:
    """A release made with noise that anybody can repeat says so."""
    for data in _taken(part):
        assert _sanitized(part, data).test, f"{part.id} hides that its noise was a test's"


# --- samples, sources, goals, rules ---


def check_sample(part: Design) -> None:
    """Same seed, same sample; exactly the members' records are inside."""
    population = example_table(rows=300)
    once = part.draw(population, rng=np.random.default_rng(3))
    again = part.draw(population, rng=np.random.default_rng(3))
    assert once.private.digest() == again.private.digest(), f"{part.id} is not reproducible"
    assert (once.members == again.members).all()
    assert len(once.target_rows) == len(once.target_of)
    assert once.target_of.max(initial=-1) < len(once.members)
    inside = people(population.take(once.target_rows[once.members[once.target_of]]))
    both = inside.concat(as_table(once.private)).row_keys()
    found = np.isin(both[: len(inside)], both[len(inside) :])
    assert found.all(), f"{part.id}: a member's record is not in the private data"


def check_source(part: Source) -> None:
    """The stand-in keeps to the schema and comes out the same for the same seed."""
    small = part.model_copy(update={"rows": 500})
    once, again = (small.generate(np.random.default_rng(2)) for _ in range(2))
    assert once.digest() == again.digest(), f"{part.id} is not reproducible"
    assert once.schema == part.data_schema(), f"{part.id}: data and schema differ"
    assert len(once) == 500, f"{part.id} gave {len(once)} records, not 500"
    assert part.licence and part.obtain
    faults = Faults("stand-in.csv")
    read_bytes(to_bytes(once, ".csv"), "stand-in.csv", part.data_schema(), faults=faults)
    assert not faults, f"{part.id} leaves its domain: {faults.found[:3]}"


def check_goal(part: Goal) -> None:
    """Question, truth and guess survive their files; a blind guess is a valid answer."""
    for shape in part.shapes:
        _check_goal(part, *experiment(shape))


def _check_goal(part: Goal, sample: Sample, release: Release) -> None:
    question, truth = part.ask(sample, release)
    schema = sample.population.schema
    asked = _through_file(question.table, part.question_schema(schema))
    known = part.question(asked, schema)
    assert isinstance(known, part.asks)
    _through_file(truth.table, part.truth_schema(schema))
    blind = known.blind(rng=np.random.default_rng(4))
    _through_file(blind.table, part.guess_schema(schema))
    faults = Faults("guess.csv")
    part.check(blind, known, faults)
    assert not faults, f"{part.id} refuses a blind guess: {faults.found[:3]}"
    short = Guess(blind.table.take(np.arange(len(blind.table) - 1)))
    part.check(short, known, faults)
    assert faults, f"{part.id} takes a guess with a row missing"


def check_rule(part: Rule) -> None:
    """A rule looks and does not touch."""
    for data in _inputs(part.shapes):
        before = data.digest()
        part.check(data, data, Faults())
        assert data.digest() == before, f"{part.id} changed what it was given"


def _through_file(table: Table, schema: Schema) -> Table:
    faults = Faults("file.csv")
    data = read_bytes(to_bytes(table, ".csv"), "file.csv", schema, faults=faults)
    assert not faults, faults.found[:3]
    assert isinstance(data, Table)
    return data


# --- attacks, measures, rankings ---


def _questions(part: Attack) -> Iterator[tuple[Goal, Question, Truth, Sample, Release]]:
    for cls in parts("goal"):
        for goal in cls.examples():
            assert isinstance(goal, Goal)
            if issubclass(goal.asks, part.answers):
                for shape in set(goal.shapes) & set(part.shapes):
                    sample, release = experiment(shape)
                    question, truth = goal.ask(sample, release)
                    shown = publish(release.data, rng=np.random.default_rng(1))
                    yield goal, question, truth, sample, replace(release, data=shown)


def check_attack(part: Attack) -> None:
    """Same seed, same guess; the guess is valid; nothing given is changed."""
    for goal, question, _, sample, release in _questions(part):
        knowledge = Knowledge(question, sample.population, {"use": "identity"}, _copy)
        before = (release.data.digest(), sample.population.digest(), question.table.digest())
        given = replace(release, methods=(), claim=None)
        once, again = (
            attack(part, knowledge, given, rng=np.random.default_rng(6)) for _ in range(2)
        )
        assert once.table.digest() == again.table.digest(), f"{part.id} is not reproducible"
        after = (release.data.digest(), sample.population.digest(), question.table.digest())
        assert before == after, f"{part.id} changed what it was given"
        faults = Faults("guess.csv")
        goal.check(once, question, faults)
        assert not faults, f"{part.id} gives an invalid guess: {faults.found[:3]}"


def _copy(data: Data, *, rng: np.random.Generator) -> Sanitized:  # noqa: ARG001 -- as sanitizers
    return Sanitized(Release(data))


def check_measure_names(part: Measure) -> None:
    """It says what it is about, and its captions, chances and curves are of readings it gives."""
    assert part.about in ("privacy", "utility"), f"{part.id} is about nothing"
    names = set(part.reads)
    assert names, f"{part.id} reads nothing"
    assert set(part.captions) <= names, f"{part.id} has captions of {set(part.captions) - names}"
    assert len(names) == 1 or set(part.captions) == names, f"{part.id} lacks a caption"
    captions = [part.caption(name) for name in names]
    assert len(set(captions)) == len(captions), f"{part.id} has one caption for several readings"
    assert set(part.chance) <= names, f"{part.id} has chances of {set(part.chance) - names}"
    drawn = {name for curve in part.curves for name in curve.readings.values()}
    assert drawn <= names, f"{part.id} draws {drawn - names}"


def check_guess_measure(part: GuessMeasure) -> None:
    """Readings have the promised names, hold their value in the interval, and repeat."""
    goals = [goal for cls in parts("goal") for goal in cls.examples()]
    readable = [goal for goal in goals if isinstance(goal, part.reads_goal)]
    assert readable, f"{part.id} can read no registered goal"
    for goal in readable:
        assert isinstance(goal, Goal)
        question, truth = goal.ask(*experiment(goal.shapes[0]))
        case = Case(truth, question.blind(rng=np.random.default_rng(1)))
        once, again = (part.measure([case, case], rng=np.random.default_rng(2)) for _ in range(2))
        assert once == again, f"{part.id} is not reproducible"
        assert set(once) == set(part.reads), f"{part.id} reads {set(once)}"
        for name, reading in once.items():
            _sound(part, name, reading)
            low, high = part.within
            assert not reading.measured or low <= reading.value <= high, f"{part.id} {name}"


def check_release_measure(part: ReleaseMeasure) -> None:
    """Same seed, same readings, under the promised names, each within its interval."""
    for data in _inputs(part.shapes):
        once, again = (
            part.measure(data, data, data, rng=np.random.default_rng(2)) for _ in range(2)
        )
        assert repr(once) == repr(again), f"{part.id} is not reproducible"
        assert set(once) == set(part.reads), f"{part.id} reads {set(once)}"
        for name, reading in once.items():
            _sound(part, name, reading)
        if isinstance(data, Table) and not part.aligned and part.about == "utility":
            _check_order(part, data)


def _check_order(part: ReleaseMeasure, data: Table) -> None:
    """The original itself is no worse than a shuffled one; row order does not matter."""
    rng = np.random.default_rng(2)
    mixed = data.replace({n: rng.permutation(data.columns[n]) for n in data.schema.names})
    other_order = data.take(rng.permutation(len(data)))
    same, worse, turned = (
        part.measure(original, release, data, rng=np.random.default_rng(2))
        for original, release in ((data, data), (data, mixed), (other_order, data))
    )
    for name, reading in same.items():
        sign = 1 if reading.better == "higher" else -1
        assert sign * reading.value >= sign * worse[name].value - 1e-12, f"{part.id} {name}"
        assert abs(turned[name].value - reading.value) < 1e-9 or reading.value == np.inf


def _sound(part: Part, name: str, reading: Reading) -> None:
    if reading.measured:
        assert reading.low <= reading.value <= reading.high, f"{part.id} {name}: {reading}"
        assert reading.n > 0, f"{part.id} {name} rests on nothing"
    else:
        assert reading.note, f"{part.id} {name} is not measured and does not say why"


def check_ranking(part: RankingRule) -> None:
    """A board is a pure function of the results; the order of contestants does not matter."""
    rng = np.random.default_rng(8)
    teams = [Contestant(f"team{i}", competing=i != 3) for i in range(5)]
    scores = {t.id: Candidate(Reading.exact(float(rng.integers(9)), 1, "higher")) for t in teams}
    earlier = {
        name: Board(id=name, places=order(scores, teams, highest_first=True))
        for name in part.follows
    }
    entries = tuple(
        Entry(
            f"team{i}",
            f"team{i}",
            {name: Reading.exact(float(rng.integers(5)), 10, "lower") for name in part.uses},
        )
        for i in range(4)
    )
    cells = {
        (entry.id, team.id): {
            name: Reading.exact(float(rng.integers(5)), 10, "lower") for name in part.uses
        }
        for entry in entries
        for team in teams
        if entry.id != team.id
    }
    results = Results(entries, tuple(teams), cells)
    board = part.rank("board", results, earlier)
    turned = part.rank("board", replace(results, contestants=tuple(teams[::-1])), earlier)
    assert board == part.rank("board", results, earlier), f"{part.id} is not a pure function"
    assert board == turned, f"{part.id} depends on the order of contestants"
    assert board.rank_of("team3") is None, f"{part.id} ranks somebody who does not compete"
    ranked = sorted(place.rank for place in board.places if place.rank is not None)
    assert not ranked or ranked[0] == 1, f"{part.id} has no first place"


_CHECKS: dict[type[Part], tuple[Check, ...]] = {
    Part: (check_named, check_spec, check_refuses_bad_parameters),
    Sanitizer: (
        check_same_seed_same_bytes,
        check_input_unchanged,
        check_domain_kept,
        check_order_irrelevant,
        check_test_noise_marked,
    ),
    Design: (check_sample,),
    Source: (check_source,),
    Goal: (check_goal,),
    Rule: (check_rule,),
    Attack: (check_attack,),
    Measure: (check_measure_names,),
    GuessMeasure: (check_guess_measure,),
    ReleaseMeasure: (check_release_measure,),
    RankingRule: (check_ranking,),
}
