"""People are counted, and not their rows: somebody may have been entered many times."""

import numpy as np
import pandas as pd
import pytest

from quintain.audits.everybody import audit_everybody
from quintain.audits.reading.tables import read_inputs
from quintain.audits.release import audit_release
from quintain.sanitizers.adapters import function

COLUMNS = {"grade": 4, "sex": 2, "age": 9, "class": 12, "height": 60, "points": 50}


def pupils(count, rng):
    return pd.DataFrame({name: rng.integers(0, size, count) for name, size in COLUMNS.items()})


def with_repeats(rng, people=270, repeated=15, times=21):
    few = pupils(repeated, rng)
    return pd.concat([pupils(people, rng), *[few] * times], ignore_index=True), few


@pytest.mark.slow
def test_fifteen_people_many_times_are_unsafe_as_fifteen_people():
    rng = np.random.default_rng(0)
    original, few = with_repeats(rng)
    release = pd.concat([pupils(400, rng), *[few] * 9], ignore_index=True)
    audit = audit_release(original, release, pupils(300, rng), permutations=99)
    assert audit.verdict == "unsafe"
    assert 15 <= audit.laid_bare.copied <= 17  # and perhaps a stranger
    assert audit.laid_bare.people == 285
    assert any("15 records of the original are there up to 21 times" in w for w in audit.limits)
    assert audit.nameable_records.value <= 30


@pytest.mark.slow
def test_strangers_beside_people_with_many_rows_are_no_alarm():
    rng = np.random.default_rng(1)
    original, _ = with_repeats(rng)
    audit = audit_release(original, pupils(500, rng), pupils(300, rng), permutations=99)
    assert audit.verdict in ("nothing-found", "cannot-say")
    told = {own.attack: own.reading for own in audit.readings if own.name == "auc"}
    assert {own.n for own in told.values()} == {285 + 300}
    assert told["stacked"].low < 0.5


@pytest.mark.slow
def test_who_combines_attacks_learns_from_other_people_than_those_who_are_judged():
    """A person with rows in both halves would tell that the others of these rows are members."""
    rng = np.random.default_rng(1)
    sides = [pupils(120, rng).loc[np.repeat(np.arange(120), 6)] for _ in range(2)]
    named = [
        own.assign(who=[f"{side}{n // 6}" for n in range(720)])
        for side, own in zip("ab", sides, strict=True)
    ]
    release = pupils(300, rng)
    audit = audit_release(named[0], release, named[1], unit="who", permutations=19)
    (told,) = [own.reading for own in audit.readings if own.attack == "stacked"]
    assert told.n == 240
    assert told.low < 0.5


@pytest.mark.slow
def test_the_file_of_everybody_is_searched_for_people_given_back_many_times():
    rng = np.random.default_rng(2)
    everybody, _ = with_repeats(rng)

    def repeat_who_is_frequent(people, seed):
        rng = np.random.default_rng(seed)
        counts = people.value_counts()
        frequent = counts[counts >= 5].index.to_frame(index=False)
        drawn = {
            name: rng.choice(people[name].to_numpy(), len(people) - 9 * len(frequent))
            for name in people
        }
        return pd.concat([pd.DataFrame(drawn), *[frequent] * 9], ignore_index=True)

    release = repeat_who_is_frequent(everybody, 2)
    sanitizer = function(repeat_who_is_frequent)
    audit = audit_everybody(sanitizer, everybody, release, permutations=99, folds=2)
    assert audit.verdict == "unsafe"


@pytest.mark.parametrize("seed", range(5))
def test_people_who_are_alike_stay_several_people(seed):
    rng = np.random.default_rng(seed)
    coarse = pd.DataFrame({"sex": rng.choice(["f", "m"], 400), "band": rng.integers(0, 5, 400)})
    answers = pd.DataFrame({f"q{i}": rng.random(400) < 0.1 for i in range(8)}).astype(str)
    answers["age"] = rng.integers(20, 24, 400)
    for table in (coarse, answers, pupils(400, rng)):
        assert read_inputs(table, table, table[::2].assign(sex="f")).units is None


@pytest.mark.slow
def test_rows_that_are_equal_in_the_released_columns_alone_are_different_people():
    rng = np.random.default_rng(3)
    both = pd.DataFrame({"class": np.arange(800) // 20, "age": rng.integers(6, 19, 800)})
    both["weight"] = np.round(rng.normal(40, 9, 800), 3)
    both["illness"] = rng.integers(0, 9, 40)[both["class"]]
    inside = both["class"] % 2 == 0
    original, control = both[inside], both[~inside]
    release = original[["class", "illness"]]
    audit = audit_release(original, release, control, permutations=99)
    said = " ".join((*audit.reasons, *audit.limits))
    assert "rows of the original equal another row" not in said
