"""Audits of transactions: the figures of DARC, and verdicts."""

import json

import numpy as np
import pytest

import quintain as q
from quintain.audits.release import audit_release
from quintain.audits.risks.naming import blind_share
from quintain.errors import DataError
from quintain.guesses.linkage import Linkage
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.testing import example
from tests.audits.kinds.played import cells, played, sample_and_release

EDITION = """
include = "darc"
id = "small-shop"
[dataset]
use = "retail"
rows = 3000
[[baseline]]
id = "cohort-swap"
sanitizer = { use = "cohort-swap" }
[[baseline]]
id = "profile-assignment"
attack = { use = "profile-assignment" }
[[baseline]]
id = "evidence-assignment"
attack = { use = "evidence-assignment" }
"""


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    return played(tmp_path_factory.mktemp("contest"), EDITION)


@pytest.fixture(scope="module")
def purchases(contest):
    return sample_and_release(contest, "cohort-swap", "cohort-swap.1")[0].private


def released(purchases, name, **parameters):
    part, rng = q.part(f"sanitizer/{name}", **parameters), np.random.default_rng(0)
    return sanitize(part, purchases, rng=rng, noise=Noise.for_test(0)).release.data


@pytest.mark.slow
def test_the_audit_reads_what_the_contest_reads_to_the_last_bit(contest):
    sample, release = sample_and_release(contest, "cohort-swap", "cohort-swap.1")
    audit = audit_release(sample.private, release)
    named = {f.attack: f for f in audit.readings if f.chance is not None}
    for attacker in ("profile-assignment", "evidence-assignment"):
        assert named[attacker].reading.value == cells(contest)[attacker, "reidentified"]
    standings = json.loads(contest.at("results/standings.json").read_text())
    (entry,) = standings["tracks"]["main"]["entries"]
    looked_up = {f.name: f.reading for f in audit.readings if f.chance is None}
    assert {"content_link", "content_link_whole", "unicity_item_day_4", "reid"} <= looked_up.keys()
    for name, reading in looked_up.items():
        assert reading.model_dump() == entry["readings"][name]


@pytest.mark.slow
def test_pseudonyms_alone_are_unsafe(purchases):
    audit = audit_release(purchases, released(purchases, "pseudonyms"))
    assert audit.verdict == "unsafe"
    assert audit.exposed_share.low > 0.9
    assert audit.p is not None and audit.p < 1e-6
    assert any("pseudonyms" in limit for limit in audit.limits)


def test_few_names_with_many_rows_do_not_hide_behind_many_names_with_few(purchases):
    """Pooled baskets link few names, and most of the rows."""
    release = released(purchases, "pooled-baskets", pooled=0.75)
    audit = audit_release(purchases, release, seed=1)
    links = {f.name: f.reading for f in audit.readings if f.name.startswith("content_link")}
    assert links["content_link_whole"].value + 0.2 < links["content_link_whole_rows"].value
    assert audit.exposed_share.value >= links["content_link_whole_rows"].value
    assert audit.exposed_share.n < links["content_link_whole_rows"].n


@pytest.mark.slow
def test_rows_of_strangers_reveal_nobody(purchases):
    """Every row gets the content of a random one, so a pseudonym says nothing of its person."""
    renamed = released(purchases, "pseudonyms")
    order = np.random.default_rng(1).permutation(len(renamed))
    content = [c.name for c in renamed.schema.columns if c.role not in ("customer", "time")]
    shuffled = renamed.replace({name: renamed.columns[name][order] for name in content})
    audit = audit_release(purchases, shuffled)
    shares = {f.attack: f.reading.value for f in audit.readings if f.chance is not None}
    plain = audit_release(purchases, renamed)
    assert max(shares.values()) < max(f.reading.value for f in plain.readings if f.chance)


def test_a_release_without_any_row_names_nobody():
    shop = example("transactions", rows=60)
    audit = audit_release(shop, shop.replace({"customer": np.full(len(shop), "")}))
    assert audit.verdict == "cannot-say" and audit.p is None


def test_rows_that_do_not_correspond_are_refused(purchases):
    with pytest.raises(DataError, match="row i of the release must stand for row i"):
        audit_release(purchases, purchases.take(range(10)))


def test_the_goal_covers_all_months_and_chance_is_one_name_per_month(purchases):
    goal = Linkage.of_all_months(purchases)
    renamed = released(purchases, "pseudonyms")
    months = (
        purchases.columns[purchases.time_column.name]
        .astype("datetime64[s]")
        .astype("datetime64[M]")
    )
    assert goal.labels[0] == str(months.min()) and goal.labels[-1] == str(months.max())
    pairs = {*zip(renamed.person_of_row().tolist(), months.astype(int).tolist(), strict=True)}
    assert blind_share(renamed) == pytest.approx(len(set(months.tolist())) / len(pairs))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_audit(purchases):
    release = released(purchases, "cohort-swap")
    assert audit_release(purchases, release) == audit_release(purchases, release)
