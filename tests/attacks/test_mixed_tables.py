"""Attacks on tables of any columns: numbers without bounds, times, ids and missing values."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import quintain as q
from quintain import registry
from quintain.attacks import Attack, Knowledge
from quintain.attacks.membership.density_ratio import DensityRatio
from quintain.attacks.membership.focal_points import Counted
from quintain.attacks.membership.tracing import Tracing
from quintain.attacks.membership.two_sample import TwoSample
from quintain.attacks.nearest import Nearest
from quintain.data import Column, Schema, Table
from quintain.data.arrays import MISSING_TIME
from quintain.errors import Faults, PartError
from quintain.guesses import Guess, MembershipQuestion
from quintain.guesses.attribute import Attribute
from quintain.guesses.goal import target_table
from quintain.guesses.membership import Membership
from quintain.releases import Release
from quintain.sanitizers.sanitizer import Shadow
from quintain.testing.strategies import schemas, tables

ROWS = 120
KINDS = {
    "category": ({"kind": "category", "values": ("a", "b", "c")}, -1),
    "bounded integer": ({"kind": "integer", "low": 0, "high": 90}, -1),
    "integer": ({"kind": "integer"}, None),
    "bounded real": ({"kind": "real", "low": 0.5, "high": 90}, np.nan),
    "real": ({"kind": "real"}, np.nan),
    "bounded time": ({"kind": "time", "earliest": "1970-01-01", "latest": "2030-12-31"}, None),
    "time": ({"kind": "time"}, MISSING_TIME),
}
CASES = [
    (kind, nullable)
    for kind, (_, missing) in KINDS.items()
    for nullable in ([False, True] if missing is not None else [False])
]


def mixed(kind: str, nullable: bool, rows: int = ROWS) -> Table:
    """Records with three usual columns and one of the kind, a sixth of whose cells are missing."""
    rng = np.random.default_rng(7)
    facts, missing = KINDS[kind]
    column = Column.model_validate({"name": "x", "nullable": nullable, **facts})
    values = rng.integers(0, 3 if kind == "category" else 91, rows)
    if "real" in kind:
        values = np.round(rng.uniform(0.5, 90, rows), 3)
    if "time" in kind:
        values = values * 86_400
    if nullable:
        values = np.where(rng.random(rows) < 1 / 6, missing, values)
    colour = rng.integers(0, 4, rows)
    columns = (
        Column(name="colour", kind="category", values=("red", "green", "blue", "grey")),
        column,
        Column(name="flag", kind="category", values=("no", "yes")),
        Column(name="size", kind="integer", low=0, high=9),
    )
    flag = rng.random(rows) < 0.2 + 0.2 * colour
    contents = {"colour": colour, "x": values, "flag": flag, "size": rng.integers(0, 10, rows)}
    return Table(Schema(columns=columns), contents)


ATTACKS = [
    part for part in registry.parts("attack") if issubclass(part, Attack) and "table" in part.shapes
]
BY_GOAL = {
    goal: [part for part in ATTACKS if issubclass(goal.asks, part.answers)]
    for goal in (Membership, Attribute)
}
# Attacks on a model are tested with one; a release of records alone does not carry it.
RECORDS_ALONE = [part for part in BY_GOAL[Membership] if "weights" not in part.needs]
EXAMPLES = [example for part in RECORDS_ALONE for example in part.examples()[:1]]
EXAMPLES += [Nearest(distance="euclidean"), Nearest(distance="manhattan")]
FINDS_COPIES = {
    "exact-match", "nearest", "density-ratio", "tree-ratio", "record-linkage", "shadow-trained",
}  # fmt: skip


def name_of(value):
    """A short name for a part, or for a kind of column."""
    return value.id.partition("/")[2] if isinstance(value, Attack) else None


def membership(table: Table) -> MembershipQuestion:
    """The question which records of a table were released."""
    numbers = np.arange(len(table))
    return MembershipQuestion(target_table(table, numbers, numbers))


def guessed(part: Attack, release: Table, everybody: Table) -> Guess:
    """What an attack says about everybody, who are also the population."""
    knowledge = Knowledge(membership(everybody), everybody, {}, Shadow(q.part("identity")))
    return part.infer(knowledge, Release(release), rng=np.random.default_rng(0))


def by_target(guess: Guess) -> np.ndarray:
    """The probabilities in the order of the targets; every target must have exactly one."""
    targets = guess.table.columns["target"].astype(int)
    assert sorted(targets) == list(range(len(targets)))
    probability = guess.table.columns["probability"][np.argsort(targets)]
    assert ((probability >= 0) & (probability <= 1)).all()
    return probability


@pytest.mark.parametrize(("kind", "nullable"), CASES)
@pytest.mark.parametrize("part", EXAMPLES, ids=name_of)
def test_every_membership_attack_takes_every_kind_of_column(part, kind, nullable):
    everybody = mixed(kind, nullable)
    assert part.refusal(everybody.schema) == ""
    probability = by_target(guessed(part, everybody.take(np.arange(ROWS // 2)), everybody))
    assert len(probability) == ROWS
    if part.name() in FINDS_COPIES:
        inside, outside = probability[: ROWS // 2], probability[ROWS // 2 :]
        auc = (inside[:, None] > outside).mean() + (inside[:, None] == outside).mean() / 2
        assert auc > 0.8


@pytest.mark.parametrize(("kind", "nullable"), CASES)
@pytest.mark.parametrize("part", BY_GOAL[Attribute], ids=lambda part: part.id.partition("/")[2])
def test_every_attribute_attack_takes_every_kind_of_column(part, kind, nullable):
    everybody = mixed(kind, nullable)
    goal, numbers = Attribute(column="colour"), np.arange(ROWS)
    question = goal.question(target_table(everybody, numbers, numbers, "colour"), everybody.schema)
    guess = part.examples()[0].infer(
        Knowledge(question, everybody), Release(everybody), rng=np.random.default_rng(0)
    )
    faults = Faults("guess.csv")
    goal.check(guess, question, faults)
    assert not faults
    assert np.isin(guess.table.columns["colour"], np.arange(4)).all()


ANY_TABLE = schemas(min_columns=1, max_columns=4, kinds=("category", "integer", "real", "time"))


@pytest.mark.slow
@given(st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_attack_crashes_on_any_table_and_every_target_is_answered(data):
    schema = data.draw(ANY_TABLE)
    everybody = data.draw(tables(schema, min_rows=1, max_rows=8))
    release = data.draw(tables(schema, min_rows=1, max_rows=8))
    for part in EXAMPLES:
        if not part.refusal(schema):
            try:
                assert len(by_target(guessed(part, release, everybody))) == len(everybody)
            except PartError as error:
                assert "too large to compare: scale the col" in str(error)


def test_a_release_with_one_huge_number_is_answered_or_refused_in_words():
    schema = Schema(columns=(Column(name="pay", kind="real"),))
    everybody = Table(schema, {"pay": np.array([1e-275, 0.29, 0.29, -5e-219, 1e-275])})
    release = Table(schema, {"pay": np.array([1.79e308, 0, 0, 0, 0, 0, 0])})
    with pytest.raises(PartError, match="too large to compare: scale the columns"):
        guessed(Tracing(), release, everybody)


def test_numbers_at_the_limits_of_a_column_are_scored():
    columns = tuple(Column(name=name, kind="real", nullable=True) for name in ("pay", "rent"))
    schema = Schema(columns=columns)
    nobody = np.full(7, np.nan)
    everybody = Table(
        schema, {"pay": np.append(nobody, -7.3e232), "rent": np.append(0 * nobody, 5e245)}
    )
    release = Table(schema, {"pay": nobody, "rent": np.full(7, 3.4e38)})
    assert len(by_target(guessed(TwoSample(), release, everybody))) == 8


DETERMINED = [
    part for part in EXAMPLES if part.name() in {"exact-match", "nearest", "tree-ratio", "tracing"}
]


@pytest.mark.parametrize("part", DETERMINED, ids=name_of)
@pytest.mark.parametrize("kind", ["real", "time"])
def test_the_order_of_released_rows_and_columns_does_not_matter(part, kind):
    everybody = mixed(kind, nullable=True)
    release = everybody.take(np.arange(ROWS // 2))
    turned = release.take(np.arange(ROWS // 2)[::-1])
    usual, again = (by_target(guessed(part, one, everybody)) for one in (release, turned))
    assert (usual == again).all()
    if part.name() != "tree-ratio":  # the root of a tree is its first column
        other = turned.select(turned.schema.names[::-1])
        np.testing.assert_allclose(by_target(guessed(part, other, everybody)), usual, atol=0.05)


def test_a_missing_number_does_not_blind_the_density_ratio():
    everybody = mixed("bounded real", nullable=True)
    release = everybody.take(np.arange(ROWS // 2))
    score = by_target(guessed(DensityRatio(), release, everybody))
    assert score[: ROWS // 2].mean() > score[ROWS // 2 :].mean() + 0.3


def test_attacks_count_numbers_in_the_bins_of_the_schema_unless_the_sanitizer_measures_its_own():
    schema = Schema(
        columns=(
            Column(name="bmi", kind="real", low=0, high=100, bins=4, nullable=True),
            Column(name="gain", kind="real"),
        )
    )
    gains = np.array([0.0, 1.0, 2.0, 3.0])
    release = Table(schema, {"bmi": np.array([10.0, 26.0, 99.0, np.nan]), "gain": gains})
    question = membership(release)
    known = Counted.of(release, Knowledge(question)).encode(release)
    assert known.columns["bmi"].tolist() == [1, 2, 4, -1]  # bin 0 is for zero
    assert known.columns["gain"].tolist() == [0, 1, 2, 3]
    measured = Counted.of(release, Knowledge(question, parameters={"edges": "measured"}))
    assert measured.encode(release).columns["bmi"].tolist() == [0, 1, 2, -1]


def test_tracing_takes_numbers_whose_variance_is_too_small_for_the_machine():
    schema = Schema(columns=(Column(name="x", kind="real"), Column(name="y", kind="integer")))
    tiny = Table(schema, {"x": np.array([0.0, 0, 0, 7e-305]), "y": np.array([0, 0, 1, 1])})
    assert len(by_target(guessed(Tracing(), tiny.take(np.arange(2)), tiny))) == 4
