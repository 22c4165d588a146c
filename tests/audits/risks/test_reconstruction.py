"""Reconstruction: asked for by the user, several secrets at once, beside the control."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import quintain as q
from quintain.attacks import Knowledge
from quintain.audits.risks.reconstruction import measure_reconstruction
from quintain.guesses.reconstruction import Reconstruction
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.cells_rebuilt import CellsNear
from tests.audits.risks.pools import pool_and_release

POOL, RELEASE = pool_and_release(0.5)
SECRETS = ["ill", "job"]


def measured(*attacks: str, secrets: list[str] | None = None, known: list[str] | None = None):
    added = [(q.part(f"attack/{name}"), np.random.default_rng(5)) for name in attacks]
    return measure_reconstruction(
        POOL,
        RELEASE,
        known=known,
        secrets=SECRETS if secrets is None else secrets,
        rng=np.random.default_rng(3),
        added=added,
    )


def test_the_reading_equals_that_of_the_contest():
    result = measured("neighbour-vote")
    finding = next(f for f in result.findings if f.name == "near_memorised")
    rows = np.random.default_rng(3).choice(len(POOL), min(2000, len(POOL)), replace=False)
    names = POOL.records.schema.names
    hidden = tuple(name for name in names if name in SECRETS)
    goal = Reconstruction(columns=hidden, knows=tuple(n for n in names if n not in SECRETS))
    question, truth = goal.ask(POOL.sample(rows), RELEASE)
    guess = q.part("neighbour-vote").infer(
        Knowledge(question), RELEASE, rng=np.random.default_rng(5)
    )
    readings = CellsNear().measure([Case(truth, guess)], rng=reading_rng())
    assert finding.reading == readings["near_memorised"]
    assert finding.control == readings["near_learned"]
    assert finding.columns == hidden


def test_evidence_is_about_the_people_asked_and_does_not_depend_on_who_is_a_member():
    (evidence,) = measured("neighbour-vote").evidence
    flipped = type(POOL)(POOL.records, ~POOL.members, POOL.rows)
    added = [(q.part("neighbour-vote"), np.random.default_rng(5))]
    options = {"known": None, "secrets": SECRETS, "added": added}
    again = measure_reconstruction(flipped, RELEASE, rng=np.random.default_rng(3), **options)
    assert np.array_equal(evidence.scores, again.evidence[0].scores, equal_nan=True)
    assert (~np.isnan(evidence.scores)).sum() == min(2000, len(POOL))


def test_what_cannot_be_asked_is_said():
    one = measured("neighbour-vote", secrets=["ill", "iq"])
    assert [n.what for n in one.not_computed] == [
        "reconstruction with the column 'iq'",
        "reconstruction",
    ]
    assert not one.findings
    everything = measured("neighbour-vote", secrets=list(POOL.records.schema.names))
    assert "a column that is known" in everything.not_computed[0].reason


def audited(**options):
    rng = np.random.default_rng(0)
    people = pd.DataFrame(
        {
            "age": rng.integers(18, 90, 240),
            "zip": rng.integers(0, 200, 240),
            "job": rng.choice(list("abcdef"), 240),
            "ill": rng.choice(["no", "yes"], 240),
        }
    )
    release = people[:120].sample(frac=1, random_state=1)
    return q.audit(people[:120], release, control=people[120:], seed=1, **options)


@pytest.mark.slow
def test_an_audit_asks_only_if_the_user_names_two_secrets_and_adds_an_attack():
    asked = {"known": ["age", "zip"], "secrets": ["job", "ill"]}
    plain, one, both = (
        audited(**asked),
        audited(known=["age", "zip"], secrets=["job"], attacks=["neighbour-vote"]),
        audited(**asked, attacks=["neighbour-vote"]),
    )
    risks = [{finding.risk for finding in a.readings} for a in (plain, one, both)]
    assert ["reconstruction" in found for found in risks] == [False, False, True]
    assert "Reconstruction" in both.page()
    assert "Reconstruction" not in plain.page()
