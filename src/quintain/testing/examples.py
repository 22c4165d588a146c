"""Small data, guesses, results and boards, to show what parts do and to test them on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from quintain.data import (
    Column,
    Data,
    ModelForm,
    Schema,
    Series,
    Table,
    Trajectories,
    Transactions,
    as_transactions,
    shape_of,
)
from quintain.data.models import blank_model
from quintain.data.shape import find_shape
from quintain.data.sources.clinic import simulate
from quintain.data.sources.trips import Trips
from quintain.guesses import Goal, Guess, Question, Truth
from quintain.guesses.membership import Membership
from quintain.measures import Case, Reading
from quintain.rankings import Board, Candidate, Contestant, Entry, Results, order
from quintain.releases import Release, publication, publish
from quintain.samples import Design, Sample
from quintain.samples.later import Later
from quintain.samples.sample import Whole, private_part
from quintain.samples.targets import Targets

TABLE = Schema(
    title="example",
    columns=(
        Column(name="home", kind="id", role="household"),
        Column(name="colour", kind="category", values=("red", "green", "blue", "never seen")),
        Column(name="size", kind="integer", low=-2, high=9),
        Column(name="flag", kind="category", values=("no", "yes")),
    ),
)
PEOPLE = Schema(
    title="people",
    columns=(
        Column(name="age", kind="integer", low=18, high=89),
        Column(name="pay", kind="integer", low=0, high=9999),
    ),
)
TRANSACTIONS = Schema(
    shape="transactions",
    columns=(
        Column(name="customer", kind="id", role="customer", nullable=True),
        Column(name="day", kind="time", role="time"),
        Column(name="item", kind="category", values=("tea", "cup", "pot"), nullable=True),
        Column(name="price", kind="real", low=0, nullable=True),
        Column(name="quantity", kind="integer", low=1, high=100, nullable=True),
    ),
)
SERIES = Schema(
    shape="series",
    columns=(
        Column(name="stay", kind="id", role="person"),
        Column(name="hour", kind="real", role="time"),
        Column(name="pulse", kind="real", nullable=True),
        Column(name="fever", kind="real", nullable=True),
    ),
)


def example(shape: str = "table", *, rows: int = 200, seed: int = 0) -> Data:
    """Example data of one kind: correlated columns, households, ties, missing values in series.

    >>> example("table", rows=3)
    <Table 3 rows: home, colour, size, flag>
    """
    rng, made = np.random.default_rng(seed), _EXAMPLES.get(shape)
    if made is not None:
        return made(rows, rng)
    own: Data = find_shape(shape).example(rows=rows, rng=rng)
    return own


def example_table(*, rows: int = 200, seed: int = 0) -> Table:
    """An example table with households and three correlated attributes.

    >>> example_table(rows=2).records()[0]
    {'home': 0, 'colour': 'green', 'size': 4, 'flag': 'no'}
    """
    return _table(rows, np.random.default_rng(seed))


def _table(rows: int, rng: np.random.Generator) -> Table:
    colour = rng.choice(3, rows, p=[0.6, 0.3, 0.1])
    size = np.clip(rng.normal(3 + 2 * colour, 2).round(), 0, 11)
    flag = rng.random(rows) < 0.2 + 0.3 * colour
    home = np.sort(rng.integers(rows // 3 + 1, size=rows))
    return Table(TABLE, {"home": home, "colour": colour, "size": size, "flag": flag})


def experiment(shape: str = "table") -> tuple[Sample, Release]:
    """A private sample and a release of it that changes nothing but the order or the names.

    Customers of transactions get a new name per month, so that attackers can try to link them.

    >>> sample, release = experiment("transactions")
    >>> sample.private.records()[0]["customer"], release.data.records()[0]["customer"]
    (49, '49-2011-01')
    """
    population, rng = example(shape, rows=400), np.random.default_rng(0)
    own = shape_of(population)
    if own.deletes_in_place:
        sample, shop = Whole().draw(population, rng=rng), as_transactions(population)
        month = shop.columns["day"].astype("datetime64[s]").astype("datetime64[M]")
        customers = shop.columns["customer"]
        names = [f"{customer}-{when}" for customer, when in zip(customers, month, strict=True)]
        return sample, Release(shop.replace({"customer": np.array(names)}))
    if own.row_is_person:
        sample = Targets(targets=30, background=100).draw(population, rng=rng)
        return sample, Release(publish(sample.private, rng=rng))
    design = _DESIGNS.get(shape, Targets(targets=20, members="half", background=5))
    sample = design.draw(population, rng=rng)
    return sample, Release(sample.private)


_DESIGNS: dict[str, Design] = {"trajectories": Later(days=2)}
"""How a sample of data is drawn of which attackers know a part."""


class Exercise(NamedTuple):
    """A question about a published release, its truth, and where both come from."""

    question: Question
    truth: Truth
    sample: Sample
    release: Release


def exercise(goal: Goal, shape: str = "table") -> Exercise:
    """Ask about the release of :func:`experiment`, published as a contest does it.

    >>> from quintain.guesses.membership import Membership
    >>> exercise(Membership()).truth.table.records()[0]
    {'target': 0, 'member': 1}
    """
    sample, release = experiment(shape)
    if find_shape(shape).row_is_person:
        release = Release(sample.private)  # the release in its own order, with known origins
    origins = np.arange(len(release.data))
    published = publication(release.data, origins, rng=np.random.default_rng(1))
    rng = np.random.default_rng(3)
    question, truth = goal.ask_published(sample, release, published, rng=rng)
    return Exercise(question, truth, sample, replace(release, data=published.data))


def inputs(shapes: tuple[str, ...]) -> Iterator[Data]:
    """Example data of each kind, as sanitizers, rules and measures get it."""
    for shape in shapes:
        data = example(shape)
        yield private_part(data, np.arange(len(data)))


def original_of(data: Data) -> Data:
    """The records behind example data: the data themselves, or those that a model learned from."""
    return data if data.schema.model is None else people(example_table())


def small_shop() -> Transactions:
    """Four purchases by two customers in one month.

    >>> print(small_shop().csv_bytes().decode())
    customer,day,item,price,quantity
    ann,2011-01-03,tea,1.0,1
    bob,2011-01-05,cup,2.0,1
    ann,2011-01-20,pot,3.0,2
    bob,2011-01-25,tea,4.0,5
    """
    columns: dict[str, list[str] | list[int]] = {
        "customer": ["ann", "bob", "ann", "bob"],
        "day": ["2011-01-03", "2011-01-05", "2011-01-20", "2011-01-25"],
        "item": ["tea", "cup", "pot", "tea"],
        "price": [1, 2, 3, 4],
        "quantity": [1, 1, 2, 5],
    }
    return Transactions.of(TRANSACTIONS, columns)


def people(table: Table) -> Table:
    """A table without its ids, as sanitizers get it."""
    return table.select([column.name for column in table.schema.attributes])


def unique_people(*, rows: int = 200, seed: int = 0) -> Table:
    """A table in which hardly two people are equal, so that a copy of a record names its person.

    >>> len(set(unique_people(rows=100).row_keys()))
    100
    """
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, rows)
    columns = {"age": age - 18, "pay": rng.integers(0, 9000, rows) + 10 * age}
    return Table(PEOPLE, columns)


def _transactions(rows: int, rng: np.random.Generator) -> Transactions:
    day = 1_293_840_000 + 86_400 * np.sort(rng.integers(365, size=rows))
    columns = {
        "customer": rng.integers(rows // 8 + 1, size=rows),
        "day": day,
        "item": rng.integers(3, size=rows),
        "price": rng.integers(1, 500, size=rows) / 100,
        "quantity": rng.geometric(0.3, size=rows) - 1,
    }
    return Transactions(TRANSACTIONS, columns)


def _series(rows: int, rng: np.random.Generator) -> Series:
    persons = rows // 10
    lengths = rng.integers(1, 12, size=persons)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    values = rng.normal([0.0, 70.0, 37.0], [0.0, 8.0, 0.5], size=(int(offsets[-1]), 3))
    values[:, 0] = np.arange(len(values)) - np.repeat(offsets[:-1], lengths)
    values[:, 1:][rng.random((len(values), 2)) < 0.3] = np.nan
    return Series(SERIES, np.arange(persons), offsets, values)


def _trajectories(rows: int, rng: np.random.Generator) -> Trajectories:
    source = Trips(rows=max(2, rows // 16), days=4, points=4, width=8, height=8)
    return source.generate(rng)


_EXAMPLES: dict[str, Callable[[int, np.random.Generator], Data]] = {
    "table": _table,
    "transactions": _transactions,
    "series": _series,
    "people": lambda rows, rng: simulate(rows // 10, 5.0, rng),
    "trajectories": _trajectories,
    "model": lambda *_: blank_model(ModelForm(label="flag", columns=TABLE.private.columns)),
}
"""How our own shapes are made up; a shape of a plugin says itself what it looks like."""


def membership_guess(probabilities: Sequence[float]) -> Guess:
    """A guess with one probability per target, for targets named t0, t1 and so on.

    >>> membership_guess([0.9, 0.1]).table.records()[0]
    {'target': 't0', 'probability': 0.9}
    """
    names = [f"t{number}" for number in range(len(probabilities))]
    schema = Membership().guess_schema(example("table").schema)
    return Guess(Table.of(schema, {"target": names, "probability": list(probabilities)}))


def case_of(
    goal: Goal, truth: Mapping[str, Sequence[Any]], guess: Mapping[str, Sequence[Any]]
) -> Case:
    """Pair a truth and a guess, each given as columns of plain values.

    The goal is about the example data of the first kind that it is for.

    >>> from quintain.guesses.membership_set import MembershipSet
    >>> case = case_of(MembershipSet(guesses=2), {"row": [2, 3, 5]}, {"row": [1, 2]})
    >>> case.guess.table.columns["row"].tolist()
    [1, 2]
    """
    data = example(goal.shapes[0]).schema
    return Case(
        Truth(Table.of(goal.truth_schema(data), dict(truth))),
        Guess(Table.of(goal.guess_schema(data), dict(guess))),
    )


def example_results(
    values: Mapping[str, Mapping[str, float]], measure: str = "membership_advantage"
) -> Results:
    """Results from plain values, by entry and attacker; an attacker's name marks its own entry.

    >>> results = example_results({"rr": {"ann": 0.3, "bob": 0.1}})
    >>> results.column("rr", "membership_advantage")["bob"].value
    0.1
    """
    teams = dict.fromkeys([*(team for row in values.values() for team in row), *values])
    attackers = {team for row in values.values() for team in row}
    return Results(
        entries=tuple(Entry(name, name if name in attackers else None) for name in values),
        contestants=tuple(Contestant(team) for team in teams if team in attackers),
        cells={
            (entry, team): {measure: Reading.exact(value, 10, "lower")}
            for entry, row in values.items()
            for team, value in row.items()
        },
    )


def example_board(name: str, scores: Mapping[str, float]) -> Board:
    """A board on which the highest score wins.

    >>> example_board("first", {"ann": 7, "bob": 9}).rank_of("bob")
    1
    """
    candidates = {
        team: Candidate(Reading.exact(score, 1, "higher")) for team, score in scores.items()
    }
    teams = tuple(Contestant(team) for team in scores)
    return Board(id=name, places=order(candidates, teams, highest_first=True))
