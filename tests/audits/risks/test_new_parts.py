"""A risk in one file joins every audit, and attacks of others play in audits."""

import importlib.util
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import quintain as q
from quintain import registry
from quintain.attacks import Nearest
from quintain.audits.pool import Evidence
from quintain.audits.release import audit_release
from quintain.audits.report import release_page
from quintain.audits.results import Finding
from quintain.audits.risk import AuditedRelease, Risk, RiskResult, RiskWords, fitting_risks
from quintain.errors import KnowledgeError, QuintainError
from quintain.guesses import MembershipQuestion, Question
from quintain.measures import Reading
from quintain.registry import register
from quintain.testing import battery
from tests.audits.audit_tables import three
from tests.registered import copy_registered_parts

ROOT = Path(__file__).resolve().parents[3]


class Twins(Risk):
    """Whether somebody in the release has the same age as a person."""

    harm: ClassVar[str] = "twins"
    seed: ClassVar[str] = "twins"
    asks: ClassVar[type[Question]] = MembershipQuestion
    words: ClassVar[RiskWords] = RiskWords("Twins", "Is somebody of the same age?")

    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Count people whose age is in the release."""
        pool = audited.table_pool()
        name = pool.records.schema.names[0]
        same = np.isin(pool.records.columns[name], audited.release.data.columns[name])
        reading = Reading.exact(float(same[pool.members].mean()), int(pool.members.sum()), "lower")
        finding = Finding(
            risk=self.harm, attack="twins", name="same_age", says="Ages.", reading=reading
        )
        return RiskResult((Evidence("twins", same.astype(float)),), (finding,))


@pytest.fixture
def twins(monkeypatch):
    """The risk, registered for one test."""
    monkeypatch.setattr(registry, "_parts", copy_registered_parts())
    return register("twins-v1")(Twins)


@pytest.fixture(scope="module")
def popular():
    """The attack of the example plugin."""
    path = ROOT / "examples/plugin/quintain_popular/__init__.py"
    spec = importlib.util.spec_from_file_location("quintain_popular", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module.Popular
    del registry._parts["attack"]["popular"]


@pytest.fixture(scope="module")
def tables():
    return tuple(table.take(range(60)) for table in three())


@pytest.fixture(scope="module")
def plain(tables):
    return audit_release(*tables, permutations=19)


def test_a_risk_in_one_file_joins_an_audit(twins, tables, plain):
    assert fitting_risks("table")[-1].name() == "twins"
    assert "twins" not in {risk.name() for risk in fitting_risks("series")}
    audit = audit_release(*tables, permutations=19)
    assert audit.readings[:-1] == plain.readings
    assert audit.readings[-1].risk == "twins"
    page = release_page(audit)
    assert "Is somebody of the same age?" in page
    for part, check in battery(Twins):
        check(part)


def test_an_attack_of_a_plugin_plays_in_an_audit(popular, tables, plain):
    audit = q.audit(*tables, attacks=["popular", popular(columns=3)], permutations=19).audit
    added = [finding for finding in audit.readings if finding.attack == "popular"]
    assert [one.parameters["columns"] for one in added] == [2] * 3 + [3] * 3
    assert {one.risk for one in added} == {"membership"}
    others = [f for f in audit.readings if f.attack not in ("popular", "stacked")]
    assert others == [f for f in plain.readings if f.attack != "stacked"]
    names = [curve.attack for curve in audit.curves]
    assert names == [*(curve.attack for curve in plain.curves), "popular", "popular"]


def test_an_added_attack_is_asked_by_every_risk_whose_question_it_answers(tables, plain):
    audit = audit_release(*tables, attacks=[Nearest()], permutations=19)
    own = [f for f in plain.readings if f.attack == "nearest"]
    assert len([f for f in audit.readings if f.attack == "nearest"]) > len(own)


def test_attacks_that_no_risk_can_ask_are_named_at_once(tables):
    with pytest.raises(KnowledgeError, match="swap-aware") as problem:
        audit_release(*tables, attacks=["swap-aware", "profile-assignment"])
    assert "profile-assignment" in str(problem.value)
    with pytest.raises(QuintainError, match="unknown attack 'popularr'"):
        audit_release(*tables, attacks=["popularr"])


def test_without_a_control_added_attacks_are_named_as_left_out(tables):
    audit = audit_release(tables[0], tables[1], attacks=["nearest"])
    assert "nearest" in {one.what for one in audit.not_computed}
