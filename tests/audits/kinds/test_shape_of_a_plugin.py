"""A shape of a plugin, neither a table nor a series, is audited by what it is."""

import hashlib
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from quintain import registry
from quintain.audits.pool import Evidence
from quintain.audits.release import audit_release
from quintain.audits.report import release_page
from quintain.audits.risk import Risk, RiskResult, RiskWords
from quintain.data import Column, Schema
from quintain.data.columns import Columns
from quintain.data.shape import Shape
from quintain.errors import DataError, KnowledgeError, PartError
from quintain.guesses import MembershipQuestion
from quintain.testing import battery, example_table
from tests.registered import copy_registered_parts

ITEMS = tuple(f"item {number}" for number in range(60))
SCHEMA = {
    "shape": "baskets",
    "columns": (
        Column(name="who", kind="id", role="person"),
        Column(name="item", kind="category", values=ITEMS),
    ),
}


@dataclass(frozen=True, eq=False)
class Baskets:
    """What each person has in a basket, in no order."""

    schema: Schema
    held: tuple[frozenset[int], ...]

    def __len__(self):
        return len(self.held)

    def take(self, records):
        return Baskets(self.schema, tuple(self.held[who] for who in np.asarray(records)))

    def digest(self):
        return hashlib.sha256(repr([sorted(items) for items in self.held]).encode()).hexdigest()

    def to_csv(self, path, *, replace=False):
        BasketShape().to_rows(self).to_csv(path, replace=replace)

    def _repr_html_(self):
        return ""


class BasketShape(Shape):
    """A set of items per person."""

    roles: ClassVar = (("person",),)

    def from_rows(self, rows):
        whose, person = np.unique(rows.columns["who"], return_inverse=True)
        items = rows.columns["item"]
        held = (frozenset(items[person == who].tolist()) for who in range(len(whose)))
        return Baskets(rows.schema, tuple(held))

    def to_rows(self, data):
        pairs = [(who, item) for who, items in enumerate(data.held) for item in sorted(items)]
        who, item = (np.array(cells, np.int64) for cells in zip(*pairs, strict=True))
        return Columns(data.schema, {"who": who, "item": item})

    def join(self, data, more):
        return Baskets(data.schema, data.held + more.held)

    def record_keys(self, data):
        numbers = {}
        return np.array([numbers.setdefault(items, len(numbers)) for items in data.held])

    def example(self, *, rows, rng):
        held = (frozenset(rng.choice(len(ITEMS), 3).tolist()) for _ in range(rows // 3))
        return Baskets(Schema(**SCHEMA), tuple(held))


class BasketRisk(Risk):
    """Whether somebody's basket is nearly one of the release."""

    shapes: ClassVar = ("baskets",)
    harm: ClassVar = "baskets"
    seed: ClassVar = "baskets"
    asks: ClassVar = MembershipQuestion
    words: ClassVar = RiskWords("Baskets", "Can somebody find a basket in the release?")

    def measure(self, audited, *, rng):
        shown = audited.release.data.held
        scores = [
            max(len(items & other) / len(items | other) for other in shown)
            for items in audited.pool.records.held
        ]
        return RiskResult((Evidence("best overlap", np.array(scores)),))


@pytest.fixture(autouse=True)
def _plugin(monkeypatch):
    monkeypatch.setattr(registry, "_parts", copy_registered_parts())
    registry.register("baskets-v1")(BasketShape)
    registry.register("basket-risk-v1")(BasketRisk)


def baskets(people, seed):
    rng = np.random.default_rng(seed)
    held = (rng.choice(len(ITEMS), 5, replace=False).tolist() for _ in range(people))
    return Baskets(Schema(**SCHEMA), tuple(map(frozenset, held)))


def test_the_risk_passes_the_battery():
    for part, check in battery(BasketRisk):
        check(part)


def test_copies_are_seen_by_the_risk_and_by_the_body():
    original, control = baskets(60, 0), baskets(60, 1)
    audit = audit_release(original, original, control, permutations=99)
    assert audit.verdict == "unsafe"
    assert audit.reasons == ("The release repeats the records of 60 of 60 people as they are.",)
    assert audit.p == 0.01 and audit.exposed_share.low > 0.8
    assert [entry.rows for entry in audit.inputs] == [60, 60, 60]
    assert audit.reasons[0] in release_page(audit)


def test_baskets_that_are_nearly_copied_are_seen_by_the_risk_alone():
    original, control = baskets(60, 0), baskets(60, 1)
    rng = np.random.default_rng(2)
    fewer = (frozenset(rng.permutation(sorted(items))[:4].tolist()) for items in original.held)
    audit = audit_release(original, Baskets(original.schema, tuple(fewer)), control)
    assert audit.verdict == "unsafe" and "as they are" not in audit.reasons[0]


def test_strangers_raise_no_alarm():
    audit = audit_release(baskets(60, 0), baskets(60, 2), baskets(60, 1), permutations=99)
    assert audit.verdict in ("nothing-found", "cannot-say") and audit.p > 0.05


def test_a_release_made_with_the_control_repeats_it():
    original, control = baskets(60, 0), baskets(60, 1)
    both = BasketShape().join(original, control)
    (sign,) = audit_release(original, both, control, permutations=99).control_signs
    assert sign.alarm and sign.only_release == 60


def test_without_a_control_copies_are_seen_and_the_risk_is_named_as_left_out():
    audit = audit_release(baskets(60, 0), baskets(60, 0))
    assert audit.verdict == "unsafe" and audit.p is None
    assert "baskets" in {left.what for left in audit.not_computed}


def test_options_of_tables_and_data_of_no_risk_are_refused(monkeypatch):
    with pytest.raises(KnowledgeError, match="unit: only an audit of a table takes this"):
        audit_release(baskets(60, 0), baskets(60, 1), unit="who")
    monkeypatch.delitem(registry._parts["risk"], "basket-risk")
    with pytest.raises(PartError, match="no risk is about them"):
        audit_release(baskets(60, 0), baskets(60, 1))


def test_a_frame_of_the_same_data_is_audited_alike():
    pyarrow = pytest.importorskip("pyarrow")
    original, control = baskets(60, 0), baskets(60, 1)
    rows = BasketShape().to_rows(original).records()
    frame = pyarrow.table({name: [str(row[name]) for row in rows] for name in ("who", "item")})
    given = audit_release(frame, original, control, schema=original.schema, permutations=99)
    assert given.verdict == "unsafe"


def test_data_of_other_shapes_beside_it_are_refused():
    with pytest.raises(DataError, match="release: needs a schema"):
        audit_release(baskets(60, 0), example_table(), baskets(60, 1))
