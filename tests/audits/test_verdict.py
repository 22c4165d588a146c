"""The verdict: follows from effects on people, and p prevents alarms."""

import itertools

import pytest

from quintain.audits.verdict import Effects, Thresholds, judge
from quintain.measures import Reading
from quintain.measures.pooled.detectable import smallest_share
from tests.audits.report import audit_cases

NOBODY = Reading.exact(0.0, 10_000, "lower")
LARGE = smallest_share(10_000, 10_000, critical=3.3)


def reading(value, low, high):
    return Reading(value=value, low=low, high=high, n=20_000, better="lower")


def effects(p=0.001, share=NOBODY, names=NOBODY, detectable=LARGE, **more):
    return Effects(p, 10_000, share, names, detectable, **more)


def test_people_who_can_be_named_make_a_release_unsafe():
    judgement = judge(effects(share=reading(0.03, 0.019, 0.05), names=reading(97, 65, 97)))
    assert judgement.verdict == "unsafe"
    assert "97 people" in judgement.reasons[0]
    assert "at least 65" in judgement.reasons[0]


def test_many_exposed_people_make_a_release_unsafe():
    judgement = judge(effects(share=reading(0.29, 0.27, 0.32)))
    assert judgement.verdict == "unsafe"
    assert "2,700 of 10,000" in judgement.reasons[0]
    assert judgement.reasons[0].startswith(
        "At a false positive rate of at most 1 %, attackers find"
    )


def test_attackers_who_recognise_most_people_make_a_release_unsafe():
    shown = {"share": reading(0.05, 0.01, 0.1), "advantage": reading(0.74, 0.64, 0.8)}
    judgement = judge(effects(**shown))
    assert judgement.verdict == "unsafe"
    assert "whom luck alone would miss, attackers recognise 74; at least 64" in judgement.reasons[0]
    assert judge(effects(p=0.2, **shown)).verdict == "nothing-found"
    few = effects(share=shown["share"], advantage=reading(0.4, 0.29, 0.5))
    assert judge(few).verdict == "some-leakage"


def test_exact_counts_of_many_people_harm_nobody():
    nobody = reading(0.0, 0.0, 0.01)
    shown = {"p": 0.03, "share": nobody, "advantage": nobody}
    judgement = judge(effects(**shown, smallest_class=14))
    assert judgement.verdict == "nothing-found"
    assert "at least 14 rows are equal" in judgement.reasons[0]
    assert judge(effects(**shown, smallest_class=9)).verdict == "some-leakage"
    assert judge(effects(**shown)).verdict == "some-leakage"
    for harm in (
        {"share": reading(0.02, 0, 0.06)},
        {"advantage": reading(0.06, 0, 0.1)},
        {"names": reading(3, 0, 3)},
        {"traces": ("Copies.",)},
    ):
        assert judge(effects(**{**shown, **harm}, smallest_class=14)).verdict == "some-leakage"


def test_a_small_leak_says_how_many_people_it_can_touch():
    judgement = judge(effects(share=reading(0.117, 0.09, 0.165)))
    assert judgement.verdict == "some-leakage"
    touched = " ".join(judgement.reasons)
    assert "At a false positive rate of at most 1 %, attackers find" in touched
    for words in ("about 1,170 of 10,000", "at least 900", "at most 1,650", "name anybody"):
        assert words in touched
    assert "possibly nobody" in " ".join(judge(effects(share=reading(0.01, 0, 0.04))).reasons)
    few = judge(effects(share=reading(0.01, 0, 0.04), names=reading(20, 4, 20)))
    assert "at least 4" in " ".join(few.reasons)


def test_nothing_found_says_what_would_have_been_seen():
    judgement = judge(effects(p=0.3, share=reading(0.3, 0.25, 0.5), names=reading(50, 40, 50)))
    assert judgement.verdict == "nothing-found"
    assert "2.0 % of the people" in judgement.reasons[0]
    assert "30 of 100 audits" in judgement.reasons[0]


def test_small_tables_cannot_say():
    small = judge(effects(p=0.3, detectable=smallest_share(40, 40)))
    assert small.verdict == "cannot-say"
    assert "too small" in small.reasons[0]
    assert judge(effects(p=1.0, detectable=smallest_share(0, 0))).verdict == "cannot-say"


def test_no_control_cannot_say_unless_something_is_proved():
    missing = Reading.missing("lower", "no control")
    alone = effects(p=None, share=missing, names=missing, detectable=missing)
    judgement = judge(alone)
    assert judgement.verdict == "cannot-say"
    assert "no control" in judgement.reasons[0]
    proved = effects(p=None, share=missing, names=missing, detectable=missing, proofs=("Copies.",))
    assert judge(proved).verdict == "unsafe"
    assert judge(proved).reasons == ("Copies.",)


def test_missing_effects_raise_no_alarm():
    missing = Reading.missing("lower", "too few")
    assert judge(effects(share=missing, names=missing)).verdict == "some-leakage"


def test_a_few_people_have_their_own_alarms_and_a_share_of_the_level():
    bare = audit_cases.laid_bare(0)
    assert judge(effects(p=0.5, alarms=("Ten people.",), laid_bare=bare)).verdict == "unsafe"
    assert judge(effects(p=0.5, alarms=("Ten people.",))).reasons == ("Ten people.",)
    few = judge(effects(p=0.5, traces=("Eight people.",), laid_bare=bare))
    assert (few.verdict, few.reasons) == ("some-leakage", ("Eight people.",))
    left = 0.05 - sum(sign.level for sign in bare.signs)
    assert judge(effects(p=left - 0.001, laid_bare=bare)).verdict == "some-leakage"
    assert judge(effects(p=left + 0.001, laid_bare=bare)).verdict == "nothing-found"
    assert judge(effects(p=left + 0.001)).verdict == "some-leakage"


def test_an_organisation_sets_its_own_thresholds():
    small = effects(p=0.02, share=reading(0.117, 0.09, 0.165))
    assert judge(small, Thresholds(share=0.05)).verdict == "unsafe"
    assert judge(small, Thresholds(level=0.01)).verdict == "nothing-found"
    few = effects(names=reading(9, 5, 9))
    assert judge(few).verdict == "some-leakage"
    assert judge(few, Thresholds(names=1)).verdict == "unsafe"


@pytest.mark.parametrize("people", [40, 10_000])
def test_every_verdict_states_its_limits_in_sentences(people):
    shares = (NOBODY, reading(0.1, 0.05, 0.2), reading(0.5, 0.4, 0.6))
    for p, share, names in itertools.product((None, 0.001, 0.5), shares, shares):
        judgement = judge(effects(p, share, names, smallest_share(people, people)))
        assert judgement.reasons
        assert len(judgement.limits) >= 2
        for sentence in (*judgement.reasons, *judgement.limits):
            assert sentence[0].isupper() and sentence.endswith(".")
            assert "nan" not in sentence
