"""Attacks, one by one, on small series and against plain references."""

import numpy as np
import pytest
from benchmarks.hide_and_seek.single_rows import SingleRows
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import cdist

from quintain.attacks import Knowledge
from quintain.attacks.membership.series import greedy_matching
from quintain.attacks.membership.series.fingerprint import Fingerprint, extremes, moments
from quintain.attacks.membership.series.greedy_matching import GreedyMatching
from quintain.attacks.membership.series.greedy_matching import greedy_pairs as pairs_of
from quintain.attacks.membership.series.lengths_and_gaps import NanPattern, SeriesLength
from quintain.attacks.membership.series.mikan import PersonsOrRows, nearest_rows
from quintain.attacks.membership.series.nearest_series import SeriesDensityRatio, SeriesKnn
from quintain.attacks.membership.series.series_attack import SeriesAttack
from quintain.data import Column, Schema, Series, Table
from quintain.errors import PartError
from quintain.guesses import MembershipQuestion
from quintain.guesses.membership import Membership
from quintain.kernels.series import prepare
from quintain.plays import Situation, play_or_raise
from quintain.releases import Release
from quintain.testing import example

SCHEMA = Schema(
    shape="series",
    columns=(
        Column(name="stay", kind="id", role="person"),
        Column(name="hour", kind="real", role="time"),
        Column(name="pulse", kind="real", nullable=True),
        Column(name="fever", kind="real", nullable=True),
    ),
)
ATTACKS: list[SeriesAttack] = [
    SeriesKnn(),
    SeriesKnn(compare="time"),
    SeriesKnn(compare="features", scaled_by="targets"),
    SeriesDensityRatio(),
    GreedyMatching(),
    GreedyMatching(compare="all"),
    SingleRows(),
    PersonsOrRows(),
    NanPattern(),
    SeriesLength(),
    Fingerprint(),
    Fingerprint(figures="moments", scaled_by="own"),
    Fingerprint(figures="both"),
]


def stays(persons: int, seed: int = 0) -> Series:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(2, 9, persons)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    values = rng.normal(size=(int(offsets[-1]), 3)) * [0, 8, 0.5] + [0, 70, 37]
    values[:, 0] = np.cumsum(rng.exponential(size=len(values)))
    values[:, 1:][rng.random((len(values), 2)) < 0.3] = np.nan
    return Series(SCHEMA, np.arange(persons), offsets, values)


def question(series: Series) -> MembershipQuestion:
    """Targets named t00, t01 ... so that their sorted order is that of the series."""
    names = np.repeat(np.char.mod("t%04d", np.arange(len(series))), series.lengths)
    columns = (Column(name="target", kind="id", role="target"), *series.schema.columns[1:])
    cells = {c.name: series.values[:, j] for j, c in enumerate(series.schema.columns[1:])}
    return MembershipQuestion(Table(Schema(columns=columns), {"target": names, **cells}))


def guess(attacker: SeriesAttack, targets: Series, released: Series) -> np.ndarray:
    situation = Situation(Membership(), Release(released), Knowledge(question(targets)))
    made = play_or_raise(attacker, situation, rng=np.random.default_rng(0))
    return made.table.columns["probability"]


@pytest.mark.parametrize("attacker", ATTACKS, ids=lambda s: f"{s.id} {s.parameters()}")
def test_an_attack_gives_one_reproducible_probability_per_target(attacker):
    targets = stays(30)
    released = targets.take(np.arange(15))
    once, again = guess(attacker, targets, released), guess(attacker, targets, released)
    assert once.shape == (30,) and (once == again).all()
    assert ((once >= 0) & (once <= 1)).all()


@pytest.mark.parametrize("attacker", ATTACKS, ids=lambda s: f"{s.id} {s.parameters()}")
def test_an_empty_or_foreign_release_is_handled(attacker):
    targets = stays(6)
    assert (guess(attacker, targets, targets.take([])) == 0.5).all()
    assert len(guess(attacker, targets.take([0]), targets)) == 1
    with pytest.raises(PartError, match="is for series, not for table"):
        guess(attacker, targets, example("table"))


@pytest.mark.parametrize(
    "attacker",
    [
        SeriesKnn(scaled_by="targets"),
        SeriesKnn(compare="time"),
        SeriesDensityRatio(scaled_by="targets"),
        GreedyMatching(compare="all", scaled_by="targets"),
    ],
    ids=lambda s: s.id,
)
def test_copied_targets_are_found(attacker):
    targets = stays(60)
    inside = np.random.default_rng(1).permutation(60)[:30]
    probabilities = guess(attacker, targets, targets.take(inside))
    assert set(np.flatnonzero(probabilities > 0.5)) == set(inside)
    assert (guess(NanPattern(), targets, targets.take(inside))[inside] > 0.5).all()


def test_steps_cut_both_sides():
    targets = stays(20)
    released = targets.take(np.arange(10))
    longer = guess(SeriesKnn(compare="time", steps=2), targets, released)
    assert not (longer == guess(SeriesKnn(compare="time"), targets, released)).all()


def test_density_ratio_corrects_for_targets_close_to_everything():
    """Ten targets huddle together around 50; two outliers at 0 and 100 are in, a little moved."""
    places = np.array([0.0, 100.0, *np.linspace(49, 51, 10)])

    def alone(pulses: np.ndarray) -> Series:
        values = np.column_stack([np.zeros_like(pulses), pulses, np.full_like(pulses, 37.0)])
        return Series(SCHEMA, np.arange(len(pulses)), np.arange(len(pulses) + 1), values)

    targets, released = alone(places), alone(np.array([5.0, 95.0, 49.0, 50.0, 51.0, 50.5]))
    plain = guess(SeriesKnn(scaled_by="targets"), targets, released)
    ratio = guess(SeriesDensityRatio(scaled_by="targets"), targets, released)
    assert (plain[:2] < 0.5).all()
    assert (ratio[:2] > 0.5).all()


def test_lengths_are_counted():
    targets = stays(40)
    scores = SeriesLength().scores(targets, targets.take([0, 1]), 8, rng=np.random.default_rng(0))
    same = (targets.lengths == targets.lengths[0]).sum()
    other = targets.lengths[1] == targets.lengths[0]
    assert scores[0] == (2 if other else 1) / same
    assert scores[targets.lengths == 9].sum() == 0


def test_missing_values_are_compared_cell_by_cell():
    targets, released = stays(25, seed=1), stays(10, seed=2)
    seen = [~np.isnan(s.padded(8, fill=np.nan)[0]).reshape(len(s), -1) for s in (targets, released)]
    plain = -(seen[0][:, None] != seen[1][None]).sum(axis=2).min(axis=1)
    scores = NanPattern().scores(targets, released, 8, rng=np.random.default_rng(0))
    assert scores.tolist() == plain.tolist()


def test_fingerprints_agree_with_plain_loops():
    prepared = prepare(stays(12), 10)
    array, real = prepared.padded(), prepared.slots()
    low = [a[r][:, 1:].min(axis=0) for a, r in zip(array, real, strict=True)]
    high = [a[r][:, 1:].max(axis=0) for a, r in zip(array, real, strict=True)]
    np.testing.assert_allclose(extremes(prepared), np.hstack([low, high]))
    padding = (~real).sum(axis=1)[:, None]
    slow = np.hstack([array.mean(axis=1), array.std(axis=1), padding])
    np.testing.assert_allclose(moments(prepared), slow, atol=1e-12)


def test_nearest_rows_agree_with_plain_loops(monkeypatch):
    from quintain.attacks.membership.series import mikan

    monkeypatch.setattr(mikan, "_QUERIES", 7)
    monkeypatch.setattr(mikan, "_BASE", 5)
    rng = np.random.default_rng(0)
    queries, base = rng.normal(size=(40, 6)), rng.normal(size=(23, 6))
    plain = cdist(queries, base, "sqeuclidean").min(axis=1)
    np.testing.assert_allclose(nearest_rows(queries, base), plain, rtol=1e-4, atol=1e-5)


def test_comparing_rows_draws_no_more_rows_than_allowed():
    targets = stays(40)
    released = targets.take(np.arange(20))
    few, all_ = SingleRows(released_rows=5), SingleRows()
    assert not (guess(few, targets, released) == guess(all_, targets, released)).all()


def test_persons_or_rows_looks_at_the_lengths():
    targets = stays(40)
    kept = targets.take(np.arange(20))
    assert (guess(PersonsOrRows(), targets, kept) == guess(GreedyMatching(), targets, kept)).all()
    mixed = kept.take([0] * 20)
    assert (guess(PersonsOrRows(), targets, mixed) == guess(SingleRows(), targets, mixed)).all()
    assert not (
        guess(GreedyMatching(), targets, mixed) == guess(PersonsOrRows(), targets, mixed)
    ).all()


# --- greedy pairs ---------------------------------------------------------------------------------


def slow_pairs(distances: np.ndarray) -> list[tuple[int, int]]:
    """Sort all pairs, accept those whose sides are free."""
    order = np.argsort(distances, axis=None, kind="stable")
    rows: set[int] = set()
    columns: set[int] = set()
    pairs = []
    for place in order.tolist():
        i, j = divmod(place, distances.shape[1])
        if i not in rows and j not in columns:
            rows.add(i)
            columns.add(j)
            pairs.append((i, j))
    return pairs


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    hnp.arrays(
        np.float32,
        st.tuples(st.integers(0, 9), st.integers(0, 12)),
        elements=st.integers(0, 20).map(float) | st.just(np.nan),
    ),
    st.integers(1, 30),
)
def test_greedy_pairs_agree_with_sorting_all_pairs(distances, band):
    kept = greedy_matching.BAND, greedy_matching._CHUNK, greedy_matching._ROWS
    greedy_matching.BAND, greedy_matching._CHUNK, greedy_matching._ROWS = band, 5, 3
    try:
        rows, columns = pairs_of(distances)
    finally:
        greedy_matching.BAND, greedy_matching._CHUNK, greedy_matching._ROWS = kept
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == slow_pairs(distances)


@pytest.mark.parametrize("kind", ["random", "one ranking for all"])
def test_many_greedy_pairs_agree_with_sorting_all_pairs(kind, monkeypatch):
    monkeypatch.setattr(greedy_matching, "BAND", 5000)
    rng = np.random.default_rng(0)
    if kind == "random":
        distances = rng.random((200, 400)).astype(np.float32)
    else:
        distances = np.add.outer(rng.random(200), rng.random(400)).astype(np.float32)
    rows, columns = pairs_of(distances)
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == slow_pairs(distances)
