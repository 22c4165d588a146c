"""Secret values and linked parts: what pseudonyms give away about the rest of somebody's rows."""

import numpy as np
import pytest

from quintain.audits.pool import PeoplePool
from quintain.audits.risks.linked_parts import history_parts, measure_linked_parts
from quintain.audits.risks.secret_values import measure_secret_values, secret_columns
from quintain.data import Column, Schema, Table
from quintain.data.people import Branch, People
from quintain.data.people_schema import PeopleSchema, TableSchema

CODES = tuple(f"c{number:02}" for number in range(60))
ILLNESSES = tuple(f"i{number:02}" for number in range(40))
VISITS = Schema(
    columns=(
        Column(name="day", kind="integer", low=0, high=10_000, role="time"),
        Column(name="code", kind="category", values=CODES),
        Column(name="illness", kind="category", values=ILLNESSES),
    )
)
DRUGS = Schema(columns=(Column(name="drug", kind="category", values=CODES),))


def draw_rows(size, rows, draw):
    """Rows of people who each have three codes and two illnesses."""
    person = np.repeat(np.arange(size), rows)
    codes, illnesses = draw.integers(60, size=(size, 3)), draw.integers(40, size=(size, 2))
    table = Table(
        VISITS,
        {
            "day": draw.integers(10_000, size=len(person)),
            "code": codes[person, draw.integers(3, size=len(person))],
            "illness": illnesses[person, draw.integers(2, size=len(person))],
        },
    )
    return table, person


def pool_of_visits(size=150, rows=8, seed=0, *, strangers=False):
    """Members and others; the release has the visits of the members, or those of others."""
    draw = np.random.default_rng(seed)
    table, person = draw_rows(2 * size, rows, draw)
    members = draw.permutation(2 * size) < size
    released, owner = draw_rows(size, rows, draw)
    if not strangers:
        inside = np.flatnonzero(members)
        kept = np.flatnonzero(members[person])
        released, owner = table.take(kept), np.searchsorted(inside, person[kept])
    return PeoplePool(
        People.of_rows(table, person, 2 * size, name="visits"),
        People.of_rows(released, owner, size, name="visits"),
        members,
    )


def with_drugs(pool, seed=5, *, joined=True):
    """The same people with another table, whose rows the release has under the same pseudonyms."""
    draw = np.random.default_rng(seed)
    size, shown = pool.known.size, pool.shown.size
    person = np.repeat(np.arange(size), 6)
    favourites = draw.integers(60, size=(size, 3))
    drugs = favourites[person, draw.integers(3, size=len(person))]
    inside = np.flatnonzero(pool.members)
    kept = np.flatnonzero(pool.members[person])
    owner = np.searchsorted(inside, person[kept])
    if not joined:
        owner = draw.permutation(shown)[owner]
    table = TableSchema(name="drugs", columns=DRUGS.columns, reference="who")

    def add(people, rows, owners):
        branch = Branch(Table(DRUGS, {"drug": rows}), owners, owners, people.size)
        schema = PeopleSchema(tables=(*people.schema.tables, table))
        return People(schema, people.size, people.keys, {**people.tables, "drugs": branch})

    both = add(pool.known, drugs, person), add(pool.shown, drugs[kept], owner)
    return PeoplePool(*both, pool.members)


def share_and_control(result, name):
    """The reading of members and that of the control."""
    (finding,) = (finding for finding in result.findings if finding.name == name)
    return finding.reading.value, finding.control.value


def test_the_illness_of_a_person_whose_other_cells_are_known_is_named():
    pool = pool_of_visits()
    result = measure_secret_values(pool, secrets=["illness"], rng=np.random.default_rng(0))
    inside, outside = share_and_control(result, "member_hits")
    assert inside > 0.95 and outside < 0.3
    (evidence,) = result.evidence
    assert evidence.of_people and not np.isnan(evidence.scores).any()
    assert result.findings[0].columns == ("visits.illness",)


def test_the_illnesses_of_strangers_are_not_named():
    pool = pool_of_visits(strangers=True)
    result = measure_secret_values(pool, secrets=["illness"], rng=np.random.default_rng(0))
    inside, outside = share_and_control(result, "member_hits")
    assert abs(inside - outside) < 0.15


def test_secret_columns_are_categories_of_rows_and_can_be_named():
    pool = with_drugs(pool_of_visits(size=20))
    assert {secret.column for secret in secret_columns(pool)} == {"drug", "code"}
    assert [secret.column for secret in secret_columns(pool, ["visits.illness"])] == ["illness"]
    assert secret_columns(pool, ["day", "nothing"]) == []


def test_two_halves_of_a_period_are_joined():
    result = measure_linked_parts(pool_of_visits(), rng=np.random.default_rng(0))
    inside, outside = share_and_control(result, "members_linked")
    assert inside > 0.95 and outside < 0.6  # habits alone join some halves of strangers
    assert result.findings[0].columns == (
        "the first half of the rows of visits",
        "the second half of the rows of visits",
    )


def test_halves_are_cut_by_the_order_of_a_persons_rows():
    pool = pool_of_visits(size=10, rows=5)
    first, second = history_parts(pool)
    assert {len(part.known.tables["visits"]) for part in (first, second)} == {60, 40}
    early, late = (part.known.tables["visits"] for part in (first, second))
    for person in range(20):
        days = early.rows.columns["day"][early.person == person]
        later = late.rows.columns["day"][late.person == person]
        assert days.max() <= later.min()


@pytest.mark.parametrize(("joined", "low", "high"), [(True, 0.8, 1.0), (False, 0.0, 0.1)])
def test_tables_are_joined_where_pseudonyms_are_the_same(joined, low, high):
    pool = with_drugs(pool_of_visits(), joined=joined)
    result = measure_linked_parts(pool, rng=np.random.default_rng(0))
    inside, outside = share_and_control(result, "members_linked")
    assert low <= inside <= high and outside < 0.1
    assert result.findings[0].columns == ("visits", "drugs")


def test_releases_with_fewer_than_two_pseudonyms_say_nothing():
    pool = pool_of_visits(size=1, rows=3)
    for measure in (measure_secret_values, measure_linked_parts):
        assert not measure(pool, rng=np.random.default_rng(0)).evidence
