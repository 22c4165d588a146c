"""Attacks of others play in audits."""

import importlib.util
from pathlib import Path

import pytest

import quintain as q
from quintain import registry
from quintain.attacks import Nearest
from quintain.audits.release import audit_release
from quintain.errors import KnowledgeError, QuintainError
from tests.audits.audit_tables import three

ROOT = Path(__file__).resolve().parents[3]


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


@pytest.mark.slow
def test_an_attack_of_a_plugin_plays_in_an_audit(popular, tables, plain):
    audit = q.audit(*tables, attacks=["popular", popular(columns=3)], permutations=19).audit
    added = [finding for finding in audit.readings if finding.attack == "popular"]
    assert [one.parameters["columns"] for one in added] == [2] * 3 + [3] * 3
    assert {one.risk for one in added} == {"membership"}
    others = [f for f in audit.readings if f.attack not in ("popular", "stacked")]
    assert others == [f for f in plain.readings if f.attack != "stacked"]
    names = [curve.attack for curve in audit.curves]
    assert names == [*(curve.attack for curve in plain.curves), "popular", "popular"]


@pytest.mark.slow
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
