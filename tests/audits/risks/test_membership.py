"""The membership panel: figures of the contests, refusals in words, no look at the labels."""

import numpy as np
import pytest

from quintain.attacks.membership.mama_mia import MamaMia
from quintain.attacks.membership.tree_ratio import TreeRatio
from quintain.attacks.random import Random
from quintain.audits.pool import Pool
from quintain.audits.risks.membership import CHOICES, AttackChoice, measure_membership
from quintain.data import Schema, Table
from quintain.guesses.membership import Membership
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.roc_curve import Auc
from quintain.releases import Release
from quintain.testing import example_table, people

QUICK = (AttackChoice(TreeRatio()),)


def make_pool(rows: int = 200) -> tuple[Pool, Release]:
    """A pool whose original is released as it is."""
    table = people(example_table(rows=rows))
    original, control = table.take(range(rows // 2)), table.take(range(rows // 2, rows))
    return Pool.of(original, control, rng=np.random.default_rng(0)), Release(original)


def seeded(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_the_figure_is_that_of_a_contest_with_the_same_question():
    from quintain.attacks import Knowledge

    pool, release = make_pool()
    question, truth = Membership().ask(pool.sample(), release)
    guess = TreeRatio().infer(Knowledge(question, pool.records), release, rng=seeded())
    expected = Auc().measure([Case(truth, guess)], rng=reading_rng())["auc"]
    (finding, *_) = measure_membership(pool, release, rng=seeded(), choices=QUICK).findings
    assert finding.reading == expected
    assert finding.chance == 0.5
    assert finding.reading.value > 0.5


def test_evidence_does_not_depend_on_the_labels():
    pool, release = make_pool()
    other = Pool(pool.records, ~pool.members, pool.rows)
    one, two = (measure_membership(p, release, rng=seeded()).evidence for p in (pool, other))
    assert [e.attack for e in one] == [e.attack for e in two]
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a.scores, b.scores)


def test_same_seed_same_findings():
    pool, release = make_pool()
    one, two = (measure_membership(pool, release, rng=seeded()) for _ in range(2))
    assert one.findings == two.findings
    assert one.not_computed == two.not_computed


def test_an_attack_does_not_move_the_draws_of_the_others():
    pool, release = make_pool()
    alone = measure_membership(pool, release, rng=seeded(), choices=[AttackChoice(Random())])
    both = measure_membership(pool, release, rng=seeded(), choices=[*QUICK, AttackChoice(Random())])
    np.testing.assert_array_equal(alone.evidence[0].scores, both.evidence[1].scores)


def test_missing_knowledge_is_a_named_refusal():
    pool, release = make_pool()
    result = measure_membership(pool, release, rng=seeded(), choices=[AttackChoice(MamaMia())])
    assert not result.evidence
    assert not result.findings
    left_out, stacked = result.not_computed
    assert stacked.what == "stacked"
    assert left_out.what == "mama-mia"
    assert "code (the sanitizer's code to run on other data)" in left_out.reason


def test_a_limit_is_stated_and_leaves_the_rest_without_a_score():
    pool, release = make_pool()
    result = measure_membership(
        pool, release, rng=seeded(), choices=[AttackChoice(TreeRatio(), 60)]
    )
    (evidence,) = result.evidence
    assert (~np.isnan(evidence.scores)).sum() == 60
    assert "60 of 200 people and 60 of 100 released records" in result.findings[0].says
    assert result.findings[0].reading.n == 60


def test_every_finding_says_what_the_attacker_knows_and_what_could_be_seen():
    pool, release = make_pool()
    result = measure_membership(pool, release, rng=seeded())
    answered, left_out = {e.attack for e in result.evidence}, {n.what for n in result.not_computed}
    assert {choice.attack.name() for choice in CHOICES} | {"stacked"} == answered | left_out
    for finding in result.findings:
        assert finding.threat[0].startswith("The attacker wants to know which targets")
        assert finding.smallest_detectable > finding.chance
        assert finding.reading.measured
        assert (finding.control is None) == (finding.name == "auc")


@pytest.mark.parametrize("flip", [False, True])
def test_one_class_is_no_reading(flip):
    pool, release = make_pool()
    same = Pool(pool.records, np.full(len(pool), flip), pool.rows)
    for finding in measure_membership(same, release, rng=seeded(), choices=QUICK).findings:
        assert not finding.reading.measured


def test_permuting_the_pool_permutes_the_scores():
    pool, release = make_pool()
    order = seeded(3).permutation(len(pool))
    mixed = Pool(
        Table(pool.records.schema, pool.records.take(order).columns),
        pool.members[order],
        pool.rows[order],
    )
    one, two = (measure_membership(p, release, rng=seeded()) for p in (pool, mixed))
    for a, b in zip(one.evidence, two.evidence, strict=True):
        np.testing.assert_allclose(a.scores[order], b.scores, err_msg=a.attack)


def test_columns_may_have_the_names_that_questions_use():
    names = {"colour": "target", "size": "member", "flag": 'a "quoted" name'}
    pool, release = make_pool()
    columns = tuple(
        c.model_copy(update={"name": names[c.name]}) for c in pool.records.schema.columns
    )
    schema = Schema(columns=columns)

    def renamed(table):
        return Table(schema, {names[name]: array for name, array in table.columns.items()})

    other = Pool(renamed(pool.records), pool.members, pool.rows)
    plain = measure_membership(pool, release, rng=seeded(), choices=QUICK)
    odd = measure_membership(other, Release(renamed(release.data)), rng=seeded(), choices=QUICK)
    np.testing.assert_array_equal(plain.evidence[0].scores, odd.evidence[0].scores)
