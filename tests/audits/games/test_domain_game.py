"""Audits that play outside the learning: what a domain gives away is seen, and what nobody has."""

import numpy as np
import pandas as pd
import pytest

import quintain as q
from quintain.audits.games.features import OutlierLens
from quintain.audits.games.players import make_players, most_alone
from quintain.data import Column, Schema, Table
from quintain.errors import DataError

PAY = Column(name="pay", kind="integer", low=0, high=10**6)
TOWN = Column(name="town", kind="category", values=("bath", "kent", "york"))
SCHEMA = Schema(columns=(PAY, TOWN))


def town(rows=120):
    """People of whom the first is the richest, and the only one from York."""
    rng = np.random.default_rng(3)
    pay = rng.integers(100, 900, rows)
    names = rng.choice(["bath", "kent"], rows)
    return pd.DataFrame({"pay": [900_000, *pay], "town": ["york", *names]})


def audited(**given):
    facts = {"runs": 40, "targets": 10, "attacks": False, "seed": 1}
    return q.audit_sanitizer("independent", town(), epsilon=1, **facts | given)


def test_the_most_alone_are_found_and_the_canary_does_not_hide_them():
    table = Table.of(SCHEMA, {name: list(cells) for name, cells in town().items()})
    assert most_alone(table, 1).tolist() == [0]
    players = make_players(
        table,
        most_alone(table, 1),
        average=10,
        neighbours="add-remove",
        canary=True,
        rng=np.random.default_rng(0),
    )
    assert players.records.columns["pay"][-1] < 900


def test_the_lens_sees_what_a_target_alone_has():
    table = Table.of(SCHEMA, {name: list(cells) for name, cells in town().items()})
    players = make_players(
        table,
        np.array([0]),
        average=10,
        neighbours="add-remove",
        canary=False,
        rng=np.random.default_rng(0),
    )
    coded = [table.columns["pay"] > 500, table.columns["town"]]
    lens = OutlierLens.of(players, SCHEMA.names, coded)
    (((name, sign, border),),) = lens.extremes
    assert (name, sign, border) == ("pay", 1, table.columns["pay"][1:].max())
    assert lens.values == ((("pay", 900_000), ("town", 2)),)
    assert lens.cells == (((0, 1, 1, 2),),)
    others = table.take(np.arange(1, len(table)))
    shown = [lens.extract(t, [t.columns["pay"] > 500, t.columns["town"]]) for t in (table, others)]
    assert [row.tolist() for row in shown] == [[[1, 2, 1]], [[0, 0, 0]]]


@pytest.mark.slow
def test_a_learned_domain_is_refuted_and_a_measured_one_is_not():
    learned = audited(domain="learned", claims=1)
    assert learned.verdict == "unsafe" and "The claim is wrong" in learned.reasons[0]
    assert any("Domains were learned from the records" in limit for limit in learned.limits)
    measured = audited()
    (setting,) = measured.settings
    assert setting.claim.domain == "measured" and setting.claim.delta == 1e-9
    assert max(b.bound.value for b in setting.bounds if b.decides) <= 1
    assert audited(domain="learned").settings[0].claim is None


def test_claims_have_all_their_terms():
    facts = {"epsilon": 0.5, "delta": 1e-5, "neighbours": "replace", "unit": "household"}
    (setting,) = audited(claims=facts, runs=10).settings
    assert setting.claim.words() == (
        "epsilon 0.5, delta 1e-05, one household replaced, public domain"
    )
    with pytest.raises(DataError, match="neighbors: unknown parameter; did you mean 'neighbours'"):
        audited(claims={"epsilon": 1, "neighbors": "replace"})
