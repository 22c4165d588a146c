"""Measured edges and groups: what they find, what they leave alone, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.errors import PartError, Rejected
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.sanitizers import sanitize
from quintain.sanitizers.private_coding import MeasuredCoding, frequent_values, measured_bins
from quintain.sanitizers.synthetic.independent import Independent
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.privbayes import PrivBayes


def edges(column, values, count, epsilon=100.0):
    contents = np.asarray(values)
    return measured_bins(column, contents, count, epsilon=epsilon, noise=Noise.for_test(0)).starts


def test_no_bin_holds_much_more_than_its_share():
    column = Column(name="x", kind="real", low=0, high=1e6)
    pay = np.random.default_rng(0).lognormal(9, 1, 20_000).clip(0, 1e6)
    starts = edges(column, pay, 16)
    assert np.histogram(pay, starts)[0].max() < 2.5 * 20_000 / 16
    equal = np.histogram(pay, np.linspace(0, 1e6, 17))[0].max()
    assert equal > 0.9 * 20_000


def test_a_value_that_many_share_has_a_bin_of_its_own():
    column = Column(name="hours", kind="integer", low=1, high=99)
    hours = np.random.default_rng(0).integers(1, 100, 10_000)
    hours[:5000] = 40
    starts = edges(column, hours - 1, 16)
    assert {39, 40} <= set(starts.tolist())


def test_zeros_have_a_bin_of_their_own():
    column = Column(name="gain", kind="real", low=0, high=1e5)
    gain = np.random.default_rng(0).uniform(0, 1e5, 1000)
    gain[:900] = 0
    bins = measured_bins(column, gain, 8, epsilon=1.0, noise=Noise.for_test(0))
    again = bins.decode(bins.encode(gain), np.random.default_rng(0))
    np.testing.assert_array_equal(again == 0, gain == 0)


def test_edges_are_round_numbers():
    column = Column(name="pay", kind="real", low=0, high=1000)
    pay = np.random.default_rng(0).uniform(300, 700, 20_000)
    assert {300.0, 700.0} <= set(edges(column, pay, 8).tolist())


def test_an_integer_of_few_values_has_one_bin_for_each():
    column = Column(name="x", kind="integer", low=0, high=5)
    assert edges(column, np.repeat(np.arange(6), 500), 32).tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_noise_alone_gives_equal_bins():
    column = Column(name="x", kind="real", low=0, high=8)
    starts = edges(column, np.zeros(3), 8, epsilon=1e-4)
    assert np.diff(starts).max() < 4
    assert (starts[0], starts[-1]) == (0, 8)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 3000),
    st.integers(1, 40),
    st.lists(st.integers(0, 2999), max_size=40),
    st.sampled_from([0.001, 1.0, 100.0]),
    st.booleans(),
)
def test_edges_are_in_order_and_cover_the_domain(size, count, values, epsilon, real):
    kind = "real" if real else "integer"
    column = Column(name="x", kind=kind, low=0, high=size - 1)
    contents = np.array([v for v in values if v < size], float if real else int)
    starts = edges(column, contents, count, epsilon)
    assert starts[0] == 0 and starts[-1] == (size - 1 if real else size)
    assert (np.diff(starts) > 0).all() or size == 1
    assert len(starts) - 1 <= count + 2


def test_the_most_frequent_values_are_kept():
    column = Column(name="x", kind="category", values=tuple(f"v{i}" for i in range(300)))
    contents = np.repeat([3, 200, 7, 9], [500, 400, 300, 2])
    groups = frequent_values(column, contents, 3, epsilon=1.0, noise=Noise.for_test(0))
    assert groups.kept.tolist() == [3, 200]


def test_what_is_measured_follows_from_the_schema():
    schema = Schema(
        columns=(
            Column(name="pay", kind="real", low=0, high=1e6),
            Column(name="age", kind="integer", low=17, high=90),
            Column(name="weight", kind="integer", low=0, high=10**6),
            Column(name="day", kind="time", earliest="2024-01-01", latest="2024-12-31"),
            Column(name="town", kind="category", values=tuple(f"t{i}" for i in range(200))),
        )
    )
    assert MeasuredCoding("measured", None).columns(schema) == ("pay", "weight", "day")
    assert MeasuredCoding("equal", 50).columns(schema) == ("town",)
    assert MeasuredCoding("equal", 200).columns(schema) == ()


def test_by_default_the_edges_of_wide_columns_are_measured():
    schema = Schema(
        columns=(
            Column(name="bmi", kind="real", low=0, high=60),
            Column(name="gain", kind="integer", low=0, high=99_999),
            Column(name="day", kind="time", earliest="2020-01-01", latest="2024-12-31"),
            # Of these, either there are few values, or the schema says how to cut them.
            Column(name="hours", kind="integer", low=0, high=198),
            Column(name="score", kind="real", low=0, high=60, bins=20),
            Column(name="grade", kind="real", low=0, high=60, step=0.5),
            Column(name="cut", kind="integer", low=0, high=9999, edges=(10, 500)),
            Column(name="month", kind="time", earliest="2020-01-01", latest="2020-01-31"),
        )
    )
    wide = ("bmi", "gain", "day")
    assert MeasuredCoding(None, None).columns(schema) == wide
    assert Mst()._measured.columns(schema) == wide
    assert Mst(edges="equal")._measured.columns(schema) == ()


def test_nothing_is_measured_and_nothing_spent_where_nothing_needs_it():
    schema = Schema(columns=(Column(name="x", kind="integer", low=0, high=3),))
    data = Table(schema, {"x": np.arange(4).repeat(25)})

    def released(sanitizer):
        rng, noise = np.random.default_rng(0), Noise.for_test(0)
        return sanitize(sanitizer, data, rng=rng, noise=noise).release

    plain, measured = released(Mst()), released(Mst(edges="measured", groups=10))
    assert plain.data.equals(measured.data)
    assert plain.methods == measured.methods


def test_parameters_that_are_not_set_stay_out_of_the_rules():
    assert set(Mst().parameters()) == {"rows", "epsilon", "delta"}
    assert Mst(edges="measured").parameters()["edges"] == "measured"


def test_a_share_without_anything_to_measure_is_refused():
    with pytest.raises(Rejected, match="coding_share has no effect on equal edges without groups"):
        build("sanitizer", {"use": "mst", "edges": "equal", "coding_share": 0.2})


def test_a_synthesizer_without_epsilon_cannot_measure():
    class Plain(Independent):
        def fit(self, data, *, rng, noise):
            raise AssertionError

    del Plain.__pydantic_fields__["epsilon"]
    schema = Schema(columns=(Column(name="pay", kind="real", low=0, high=1),))
    part = Plain.model_construct(edges="measured", groups=None)
    with pytest.raises(PartError, match="has no epsilon"):
        part.require(schema)


@pytest.mark.parametrize("synthesizer", [Mst(epsilon=9.0), PrivBayes(epsilon=9.0)])
def test_large_integers_are_cut_where_there_are_too_many_values(synthesizer):
    wide = [Column(name=f"x{i}", kind="integer", low=0, high=9_000_000) for i in range(3)]
    schema = Schema(columns=(*wide, Column(name="age", kind="integer", low=0, high=99)))
    contents = {name: np.arange(300) for name in schema.names[:3]} | {"age": np.arange(300) % 100}
    release = sanitize(
        synthesizer,
        Table(schema, contents),
        rng=np.random.default_rng(0),
        noise=Noise.for_test(0),
    ).release
    assert release.methods[0].columns == ("x0", "x1", "x2")
    assert release.data.schema == schema
