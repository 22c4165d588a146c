"""Defects that were confirmed in other tools: here the same data give the right answer.

Each test names the tool and its defect. All of them were found by running or reading these tools.
"""

from __future__ import annotations

import numpy as np
import pytest

from quintain.audits.pool import Pool
from quintain.audits.risk import RiskResult
from quintain.audits.risks.inference import measure_inference
from quintain.audits.risks.linkability import measure_linkability
from quintain.audits.risks.singling_out import measure_singling_out
from quintain.data import Column, Schema, Table
from quintain.guesses import Condition, Conditions
from quintain.guesses.predicates import fitting_records, predicate_table
from quintain.kernels.neighbours import Distance, nearest
from quintain.measures.privacy.excess_accuracy import near
from quintain.releases import Release

PANELS = (measure_inference, measure_linkability, measure_singling_out)


def table(columns: list[Column], rows: int, seed: int) -> Table:
    """Random people; numbers and categories are missing where they may be, now and then."""
    rng = np.random.default_rng(seed)
    contents: dict[str, np.ndarray] = {}
    for column in columns:
        if column.kind == "category":
            contents[column.name] = rng.integers(len(column.values), size=rows)
        elif column.kind == "integer":
            contents[column.name] = rng.integers(column.size, size=rows)
        else:
            contents[column.name] = rng.normal(size=rows)
        if column.nullable:
            lost = rng.random(rows) < 0.2
            contents[column.name][lost] = np.nan if column.kind == "real" else -1
    return Table(Schema(columns=tuple(columns)), contents)


def audited(columns: list[Column], *, rows: int = 120) -> tuple[Pool, list[RiskResult]]:
    """All three risks of a release that copies the original."""
    original, control = table(columns, rows, 0), table(columns, rows, 1)
    pool = Pool.of(original, control, rng=np.random.default_rng(0))
    release = Release(original)
    return pool, [
        measure_inference(pool, release, rng=np.random.default_rng(1)),
        measure_linkability(pool, release, rng=np.random.default_rng(1)),
        measure_singling_out(pool, release, rng=np.random.default_rng(1), predicates=50),
    ]


def category(name: str, *values: str, nullable: bool = False) -> Column:
    return Column(name=name, kind="category", values=values, nullable=nullable)


NUMBERS = [
    Column(name="wage", kind="real", low=-10, high=10, nullable=True),
    Column(name="rent", kind="real", nullable=True),
]


def test_missing_values_agree_with_missing_values() -> None:
    """Anonymeter 1.1.0: two NaN are as far apart as possible, NaN and a number have no distance."""
    schema = Schema(columns=(NUMBERS[0], category("sex", "f", "m")))
    released = Table(schema, {"wage": [np.nan, 3.0], "sex": [0, 0]})
    targets = Table(schema, {"wage": [np.nan, 2.9, np.nan], "sex": [0, 0, 1]})
    away, rows = nearest(targets, released, Distance("gower"))
    assert rows.tolist() == [0, 1, 0]
    assert away[0] == 0
    assert np.isfinite(away).all()


def test_columns_with_missing_values_are_audited() -> None:
    """Anonymeter 1.1.0: a record with NaN is never the nearest one, so its leak is not seen."""
    pool, results = audited([*NUMBERS, category("job", "x", "y", nullable=True)])
    for result in results:
        assert not result.not_computed
        for evidence in result.evidence:
            assert np.isfinite(evidence.scores).all()
    assert max(f.reading.low for f in results[0].findings if "excess" in f.name) > 0.2
    assert len(pool) == 240


def test_values_with_quotes_and_other_letters_are_found_again() -> None:
    """Anonymeter 1.1.0: a value with quotes is escaped in a query and then matches nobody."""
    values = ("O'Hara", 'say "no"', "back\\slash", "a,b", "{x}", "`y`", "Zoë", "東京", "")
    column = category("name", *values)
    people = Table(Schema(columns=(column,)), {"name": np.arange(len(values))})
    wanted = [[Condition("name", value, value)] for value in values[:-1]]  # empty means missing
    conditions = Conditions.of(predicate_table(wanted, people.schema), people.schema)
    assert [rows.tolist() for rows in fitting_records(conditions, people)] == [
        [place] for place in range(len(values) - 1)
    ]


@pytest.mark.parametrize(
    "names",
    [
        ("target", "member", "half"),
        ("member", "member_", "predicate"),
        ("my column", "größe (cm)", "年齢"),
        ("a.b", "1st", "x' OR 'y"),
        ("line\nbreak", "tab\t", "`"),
        ("index", "class", "lambda"),
    ],
)
def test_any_column_name_is_audited(names: tuple[str, str, str]) -> None:
    """Anonymeter 1.1.0: the function that makes column names safe for its queries does nothing."""
    columns = [
        category(names[0], *"abcdef"),
        category(names[1], *"uvwxyz"),
        Column(name=names[2], kind="integer", low=0, high=50),
    ]
    _, results = audited(columns)
    for result in results:
        assert not result.not_computed
        assert max(f.reading.value for f in result.findings if "excess" in f.name) > 0.05
    secrets = {name for finding in results[0].findings for name in finding.columns}
    assert secrets == set(names)


def test_constant_columns_are_audited() -> None:
    """Synth-MIA, DOMIAS, synthcity: a singular covariance ends the whole evaluation."""
    constant = Column(name="year", kind="integer", low=2020, high=2020)
    _, results = audited([category("one", "only"), constant, category("town", *"abcdefgh")])
    for result in results:
        assert not result.not_computed
        assert result.findings


def test_a_constant_secret_is_no_leak_and_the_blind_guess_is_right() -> None:
    """Anonymeter 1.1.0: the blind baseline is looked up by row number, so it guesses nothing."""
    _, (inference, *_) = audited([category("one", "only"), category("town", *"abcdefgh")])
    shares = [f for f in inference.findings if f.columns == ("one",)]
    for finding in shares:
        if finding.name == "member_hits":
            assert finding.reading.value == 1
            assert finding.chance == 1
        else:
            assert finding.reading.value == 0


def test_a_negative_guess_is_not_right_by_itself() -> None:
    """Anonymeter: the error is divided by the guess, so every negative guess counts as right."""
    values, guesses = np.array([100.0, -5.0, -5.0]), np.array([-5.0, -5.1, 5.0])
    assert near(values, guesses, 0.2).tolist() == [False, True, False]


def test_sorted_labels_change_nothing() -> None:
    """TAPAS: trials are split in their order, so labels in order end in an error."""
    original, control = (table([category("a", *"xyz"), *NUMBERS], 100, seed) for seed in (0, 1))
    records = original.concat(control)
    members = np.arange(200) < 100
    rows = np.tile(np.arange(100), 2)
    pool = Pool(records, members, rows)
    for panel in PANELS:
        result = panel(pool, Release(original), rng=np.random.default_rng(0))
        assert max(f.reading.value for f in result.findings if "excess" in f.name) > 0.1


def test_the_seed_decides_everything() -> None:
    """Anonymeter 1.1.0: two of its three risks take no seed."""
    columns = [category("a", *"vwxyz"), Column(name="b", kind="integer", low=0, high=40)]
    once, again = (audited(columns)[1] for _ in range(2))
    for one, other in zip(once, again, strict=True):
        assert one.findings == other.findings
        for a, b in zip(one.evidence, other.evidence, strict=True):
            np.testing.assert_array_equal(a.scores, b.scores)


def test_one_column_alone_is_refused_in_words() -> None:
    """SDMetrics and others end with an error of a library that they use."""
    _, (inference, linkability, singling) = audited([category("only", *"abc")])
    assert "no other column" in inference.not_computed[0].reason
    assert "two columns" in linkability.not_computed[0].reason
    assert singling.findings
