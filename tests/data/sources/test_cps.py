"""The stand-in for CPS and its loader, without any real data."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from quintain.data import Table
from quintain.data.sources.cps import SHARED, STABLE, Cps, find_duplicates, whole_households
from tests.data.sources.source_cases import rng


@pytest.fixture(scope="module")
def homes() -> Table:
    return Cps(rows=60_000).generate(rng())


def test_cps_has_the_fifteen_attributes_of_snake() -> None:
    schema = Cps().data_schema()
    assert schema.names[0] == "hhid"
    assert schema["hhid"].role == "household"
    sizes = {column.name: column.size for column in schema.attributes}
    assert sizes == {
        "age": 65,
        "agechild": 16,
        "citistat": 5,
        "female": 2,
        "married": 2,
        "ownchild": 14,
        "wbhaom": 6,
        "gradeatn": 16,
        "cow1": 8,
        "ftptstat": 12,
        "statefips": 51,
        "hoursut": 199,
        "faminc": 15,
        "mind16": 16,
        "mocc10": 10,
    }
    ordered = {column.name for column in schema.attributes if column.ordered}
    assert ordered == {"gradeatn", "faminc"}
    numbers = {column.name for column in schema.attributes if column.kind == "integer"}
    assert numbers == {"age", "ownchild", "hoursut"}


TABLE_3 = {
    "age": 65, "agechild": 16, "citistat": 5, "female": 2, "married": 2, "ownchild": 12,
    "wbhaom": 6, "gradeatn": 16, "cow1": 8, "ftptstat": 9, "statefips": 51, "hoursut": 129,
    "faminc": 15, "mind16": 16, "mocc10": 10,
}  # fmt: skip
"""The number of values of each attribute in Table 3 of the SNAKE paper."""


def test_the_domain_holds_every_value_of_table_3() -> None:
    """The domain is that of the published metadata, which is nowhere narrower than the paper."""
    schema = Cps().data_schema()
    assert list(TABLE_3) == [column.name for column in schema.attributes]
    assert all(schema[name].size >= number for name, number in TABLE_3.items())
    ranges = {name: schema[name].bounds for name in ("age", "ownchild", "hoursut")}
    assert ranges == {"age": (16, 80), "ownchild": (0, 13), "hoursut": (0, 198)}


def test_cps_has_the_usual_number_of_people_and_households() -> None:
    table = Cps().generate(rng())
    households, size = np.unique(table.columns["hhid"], return_counts=True)
    assert len(table) == 201_279
    assert 76_500 < len(households) < 77_700
    eligible = int((size >= 5).sum())
    assert 650 < eligible < 970, f"{eligible} households of five or more, 812 in the real table"


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 10, 101, 999, 5_000])
def test_cps_has_exactly_the_people_asked_for(rows: int) -> None:
    table = Cps(rows=rows).generate(rng(rows))
    assert len(table) == rows
    number = table.columns["hhid"]
    assert number[0] == 1
    assert set(np.diff(number).tolist()) <= {0, 1}, "households stand together, numbered from 1"


def test_members_of_a_household_share_state_and_income(homes: Table) -> None:
    number = homes.columns["hhid"]
    same = number[1:] == number[:-1]
    for name in ("statefips", "faminc"):
        values = homes.columns[name]
        assert (values[1:][same] == values[:-1][same]).all(), name


def test_couples_look_like_couples(homes: Table) -> None:
    columns = homes.columns
    _, start, size = np.unique(columns["hhid"], return_index=True, return_counts=True)
    one = start[size == 2]
    one = one[(columns["married"][one] == 1) & (columns["married"][one + 1] == 1)]

    def same(name: str) -> float:
        return float((columns[name][one] == columns[name][one + 1]).mean())

    apart = np.abs(columns["age"][one] - columns["age"][one + 1])
    assert same("female") < 0.03, f"same sex {same('female'):.3f}"
    assert np.median(apart) <= 4, f"median age difference {np.median(apart)}"
    assert same("ownchild") > 0.95, f"same number of children {same('ownchild'):.3f}"
    assert same("agechild") > 0.95, f"children of the same ages {same('agechild'):.3f}"
    assert same("wbhaom") > 0.85, f"same race {same('wbhaom'):.3f}"
    assert same("citistat") > 0.80, f"same citizenship {same('citistat'):.3f}"


def test_cps_has_hardly_any_impossible_people(homes: Table) -> None:
    columns = homes.columns
    childless = np.mean((columns["ownchild"] == 0) != (columns["agechild"] == 0))
    assert childless <= 0.0005, f"number and ages of children contradict: {childless:.4%}"
    full_time = np.isin(columns["ftptstat"], (1, 2, 3, 4))
    assert not (full_time != (columns["hoursut"] >= 35)).any(), "hours contradict full-time work"
    assert not np.isin(columns["ftptstat"], (0, 10, 11)).any(), "everybody in the table works"
    young = columns["age"] < 20 - 16
    degrees = np.mean(columns["gradeatn"][young] >= 12)
    assert degrees <= 0.03, f"teenagers with a bachelor's degree or more: {degrees:.4%}"


def test_the_stand_in_has_no_repeated_households(homes: Table) -> None:
    report = find_duplicates(homes).report
    assert (report.copied, report.linked, report.dropped) == (0, 0, 0)


def test_whole_households_fill_up_to_the_rows_asked_for() -> None:
    size = np.array([2, 3, 2, 4, 1, 1])
    assert whole_households(size, 7).tolist() == [0, 1, 2]
    assert whole_households(size, 8).tolist() == [0, 1, 2, 4]
    assert whole_households(size, 9).tolist() == [0, 1, 2, 4, 5]
    assert whole_households(size, 1).tolist() == [4]
    assert whole_households(size, 100).tolist() == [0, 1, 2, 3, 4, 5]
    assert whole_households(size[:1], 1).tolist() == []


def test_repeated_households_are_found_as_by_hand() -> None:
    base = Cps(rows=400).generate(rng(5))
    number = base.columns["hhid"]
    size = np.bincount(number)
    large, small = np.flatnonzero(size == 4)[:2], np.flatnonzero(size == 2)[0]
    copy = base.take(np.isin(number, [*large, small]))
    copy = copy.replace({"hhid": copy.columns["hhid"] + 1000})
    first = copy.columns["hhid"] == large[0] + 1000
    # The first large copy is a later interview: other hours, and one member has left.
    hours = np.where(first, (copy.columns["hoursut"] + 1) % 199, copy.columns["hoursut"])
    copy = copy.replace({"hoursut": hours})
    copy = copy.take(np.arange(len(copy)) != np.flatnonzero(first)[0])
    table = base.concat(copy)
    findings = find_duplicates(table)
    assert findings.report.rows == 6
    assert findings.report.copied == 4
    assert findings.report.linked == 4
    assert findings.report.dropped == 3
    assert table.take(findings.kept).equals(base)


def test_repeated_households_are_found_as_by_a_slow_search() -> None:
    table = Cps(rows=600).generate(rng(6))
    # A tiny world, so that everything coincides all the time, also within households.
    tiny = {name: np.zeros(len(table), int) for name in table.schema.names if name != "hhid"}
    tiny["age"] = rng(1).integers(12, size=len(table))
    tiny["hoursut"] = rng(2).integers(2, size=len(table))
    table = table.replace(tiny)
    members: dict[int, list[tuple[int, ...]]] = {}
    for row in zip(*(table.columns[n].tolist() for n in table.schema.names), strict=True):
        members.setdefault(row[0], []).append(row[1:])
    stable = [table.schema.names.index(name) - 1 for name in STABLE]
    persons = {h: Counter(tuple(p[i] for i in stable) for p in ps) for h, ps in members.items()}
    links, copies, cluster = set(), set(), {h: h for h in members}
    for a, b in itertools.combinations(members, 2):
        linked = (persons[a] & persons[b]).total() >= SHARED
        copied = sorted(members[a]) == sorted(members[b])
        links |= {a, b} if linked else set()
        copies |= {a, b} if copied else set()
        if linked or copied:
            old, new = cluster[b], cluster[a]
            cluster = {h: new if c == old else c for h, c in cluster.items()}
    findings = find_duplicates(table)
    assert len(links) > 20
    assert (findings.report.linked, findings.report.copied) == (len(links), len(copies))
    assert findings.report.dropped == len(members) - len(set(cluster.values()))
    kept = np.unique(table.columns["hhid"][findings.kept]).tolist()
    for number in set(cluster.values()):
        together = [h for h in members if cluster[h] == number]
        best = max(together, key=lambda h: (len(members[h]), -h))
        assert [h for h in together if h in kept] == [best]
