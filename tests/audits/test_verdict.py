"""The verdict: follows from effects on people, and p prevents alarms."""

import itertools

import pytest

from quintain.audits.results import Histories
from quintain.audits.verdict import Effects, _percent, in_audits, judge
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
    assert (small.obstacle, judge(effects(p=0.3)).obstacle) == ("few people", None)
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


@pytest.mark.parametrize(
    ("at", "below"),
    [
        ({"share": reading(0.2, 0.1, 0.3)}, {"share": reading(0.2, 0.0999, 0.3)}),
        ({"names": reading(20, 10, 20)}, {"names": reading(20, 9, 20)}),
        ({"advantage": reading(0.4, 0.3, 0.5)}, {"advantage": reading(0.4, 0.2999, 0.5)}),
    ],
)
def test_an_alarm_begins_at_its_threshold(at, below):
    assert judge(effects(**at)).verdict == "unsafe"
    assert judge(effects(**below)).verdict == "some-leakage"


def test_other_borders_count_on_the_careful_side():
    assert judge(effects(p=0.05)).verdict == "some-leakage"
    assert judge(effects(p=0.0501)).verdict == "nothing-found"
    assert judge(effects(p=0.3, detectable=reading(0.2, 0.1, 0.3))).verdict == "nothing-found"
    assert judge(effects(p=0.3, detectable=reading(0.201, 0.1, 0.3))).verdict == "cannot-say"
    edge = {"share": reading(0.0, 0.0, 0.05), "advantage": reading(0.05, 0.0, 0.1)}
    assert judge(effects(**edge, smallest_class=10)).verdict == "nothing-found"
    missing = Reading.missing("lower", "too few")
    assert judge(effects(share=missing, smallest_class=10)).verdict == "some-leakage"
    unread = {"share": NOBODY, "names": missing, "advantage": missing, "smallest_class": 10}
    assert judge(effects(**unread)).verdict == "nothing-found"


def histories(copied=(0, 100), others=(0, 100), **more):
    """What is known of people's rows: of how many of each side all rows were copied."""
    inside, outside = (
        Reading(value=hits / n if n else 0.0, low=0, high=1, n=n, better="lower")
        for hits, n in (copied, others)
    )
    given = {"tried": True, "says": "They stand out.", "pseudonyms": 9, "rows": 3}
    return Histories(**given, copied=inside, copied_control=outside, **more)


@pytest.mark.parametrize(
    ("copied", "control", "verdict"),
    [
        ((10, 100), (0, 100), "unsafe"),
        ((9, 100), (0, 100), "nothing-found"),
        ((20, 100), (1, 10), "nothing-found"),  # 10 more, and luck does as well
        ((30, 100), (4, 20), "nothing-found"),
        ((12, 100), (25, 1000), "nothing-found"),  # more than luck, and fewer than ten
        ((40, 200), (1, 100), "unsafe"),
        ((30, 100), (20, 100), "nothing-found"),
        ((50, 100), (15, 100), "unsafe"),
        ((60, 200), (50, 100), "nothing-found"),
        ((0, 100), (40, 100), "nothing-found"),
        ((20, 20), (0, 0), "nothing-found"),
        ((0, 0), (0, 100), "nothing-found"),
    ],
)
def test_whole_people_copied_beyond_those_of_the_control_are_an_alarm(copied, control, verdict):
    judgement = judge(effects(p=0.3, histories=histories(copied, control)))
    assert judgement.verdict == verdict
    if verdict == "unsafe":
        words = f"{copied[0]} of {copied[1]} people of the original as they are"
        assert words in judgement.reasons[0]
        assert f"those of {control[0]} of {control[1]} others" in judgement.reasons[0]


def test_pseudonyms_that_stand_out_beyond_the_control_are_an_alarm():
    control = reading(0.01, 0.0, 0.05)
    for low, verdict in ((0.151, "unsafe"), (0.149, "some-leakage")):
        known = histories(stands_out=reading(0.5, low, 0.6), control=control)
        assert judge(effects(histories=known)).verdict == verdict
    # Beside another alarm, the share itself is enough to explain it.
    alarm = {"share": reading(0.3, 0.2, 0.4)}
    for value, count in ((0.1, 3), (0.09, 2)):
        known = histories(stands_out=reading(value, 0.0, 0.6), control=control)
        seen = judge(effects(**alarm, histories=known)).seen
        assert len(seen) == count and ("They stand out." in seen) == (count == 3)
    unread = Reading.missing("lower", "no control")
    known = histories(stands_out=reading(0.9, 0.8, 1.0), control=unread)
    assert judge(effects(histories=known)).verdict == "some-leakage"


def test_sentences_say_who_was_told_from_whom_and_who_counts():
    beside = judge(effects())
    assert "the people of the original from others who are not in it" in beside.seen[0]
    assert any("drawn at random from the same population" in one for one in beside.limits)
    folded = judge(effects(folds=5))
    assert "the people in a run of the sanitizer from those who were left out" in folded.seen[0]
    assert any("The attacks looked at 5 releases" in one for one in folded.limits)
    assert not any("drawn at random" in one for one in folded.limits)
    for more, words in (
        ({}, "Every row counts as one person"),
        ({"one_row": False}, "A person counts once in p"),
        ({"several_tables": True}, "Attacks on tables see one row of aggregates"),
    ):
        assert sum(words in one for one in judge(effects(**more)).limits) == 1
    alone = judge(effects(p=None))
    assert not any("Every row" in one or "drawn at random" in one for one in alone.limits)


def test_rows_and_columns_nobody_looked_at_are_limits():
    single = judge(effects(one_row=False))
    assert any("The attacks looked at single rows" in one for one in single.limits)
    assert single.seen[0].startswith("In single rows, the attacks told")
    tried = judge(effects(one_row=False, histories=histories()))
    assert not any("single rows" in one for one in tried.limits)
    untried = histories().model_copy(update={"tried": False})
    assert "They stand out." in judge(effects(one_row=False, histories=untried)).limits
    tables = judge(effects(without_rows=("visits",), uncompared=("town",)))
    assert any("single rows of visits" in one for one in tables.limits)
    assert "in the rows of a person together in the columns that were compared" in tables.power


def test_names_of_a_small_leak_are_said_as_they_are():
    small = {"share": reading(0.01, 0, 0.04)}
    one = judge(effects(**small, names=reading(1, 1, 1))).reasons[-1]
    assert one == "An attacker can name 1 person; at least 1 name is right."
    assert "name anybody" in judge(effects(**small)).reasons[-1]
    unsure = judge(effects(**small, names=reading(3, 0, 3))).reasons
    assert not any("name" in sentence for sentence in unsure)


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0, "0.0 %"), (0.0994, "9.9 %"), (0.1, "10 %"), (0.994, "99 %"), (1.5, "100 %")],
)
def test_shares_have_two_digits(share, words):
    assert _percent(share) == words


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (1.0, "100 of 100 audits"),
        (0.0095, "1 of 100 audits"),
        (0.0094, "9 of 1,000 audits"),
        (0.0006, "1 of 1,000 audits"),
        (0.0004, "fewer than 1 of 1,000 audits"),
    ],
)
def test_a_p_value_is_a_number_of_audits(p, words):
    assert in_audits(p) == words


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
