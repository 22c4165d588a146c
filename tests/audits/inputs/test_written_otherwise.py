"""Columns that a release writes otherwise: matched with evidence, for all tables alike."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.audits.reading.coverage import Coverage
from quintain.audits.reading.tables import read_inputs
from quintain.audits.release import audit_release
from quintain.audits.verdict import Judgement
from quintain.data.learning.matching.numbers import match_unit
from quintain.data.learning.matching.texts import fold, match_spelling
from quintain.errors import KnowledgeError

TOWNS = [f"{code}{end}" for code in ("80", "10", "33") for end in ("331", "404", "990")]
CODES = ["F17.4", "F10", "K35.8", "K20", "A01"]


def people(seed, count=120):
    """A table of people with words, codes, dates and numbers."""
    rng = np.random.default_rng(seed)
    days = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 15_000, count), "D")
    return pd.DataFrame(
        {
            "age": rng.integers(17, 90, count),
            "sex": rng.choice(["Male", "Female"], count),
            "job-title": rng.choice(["Self-emp, not inc", "Private", "Without pay"], count),
            "town": rng.choice(TOWNS, count).astype(int),
            "illness": rng.choice(CODES, count),
            "born": days.strftime("%Y-%m-%d"),
        }
    )


ORIGINAL, CONTROL = people(0), people(1)


def read(release, **options):
    return read_inputs(ORIGINAL, release, CONTROL, **options)


def same_cells(inputs, name):
    """Whether the release has the cells of the original in a column, row by row."""
    return np.array_equal(inputs.release.columns[name], inputs.original.columns[name])


def test_tables_that_agree_are_not_touched():
    inputs = read(ORIGINAL)
    assert inputs.matched == ()
    assert not inputs.simplified


@pytest.mark.parametrize(
    ("column", "change", "how", "as_written"),
    [
        ("sex", str.upper, "spelling", 0),
        ("job-title", lambda job: job.lower().replace("-", " ").replace(",", ""), "spelling", 0),
        ("illness", lambda code: code[0], "prefix", 0),
        ("illness", lambda code: f"{code[0]}**", "prefix", 0),
        ("town", lambda town: town // 1000, "unit", 0),
        ("town", lambda town: f"{town // 1000}xxx", "prefix", 0),
        ("age", lambda age: 12 * age, "unit", None),
        ("age", lambda age: age / 12, "unit", None),
        ("born", lambda day: day[:7], "date", None),
        ("born", lambda day: int(day[:4]), "date", 0),
        ("born", lambda day: f"{day[5:7]}/{day[:4]}", "date", 0),
        ("born", lambda day: f"{day[:4]}-Q{(int(day[5:7]) + 2) // 3}", "date", 0),
        ("born", lambda day: f"{day[:7]}-01", "date", None),
    ],
)
def test_a_column_that_is_written_otherwise_is_matched(column, change, how, as_written):
    inputs = read(ORIGINAL.assign(**{column: ORIGINAL[column].map(change)}))
    (match,) = inputs.matched
    assert (match.column, match.how) == (column, how)
    assert match.cells > 0.99
    assert as_written is None or match.as_written == as_written
    assert same_cells(inputs, column)
    assert inputs.coverage == Coverage(6)
    assert inputs.simplified == (how in ("prefix", "date") or column == "town")
    assert repr(column) in match.says
    assert repr(column) in inputs.limits[0]


def test_the_match_is_the_same_if_original_and_control_change_places():
    release = ORIGINAL.assign(
        sex=ORIGINAL.sex.str.upper(), age=12 * ORIGINAL.age, illness=ORIGINAL.illness.str[0]
    )
    one = read_inputs(ORIGINAL, release, CONTROL)
    other = read_inputs(CONTROL, release, ORIGINAL)
    assert one.matched == other.matched
    assert one.original.equals(other.control)
    assert one.release.equals(other.release)


def test_names_of_columns_in_another_spelling_are_found(tmp_path):
    release = ORIGINAL.rename(columns={"job-title": "Job Title", "age": "AGE"})
    for given_release in (release, tmp_path / "release.csv"):
        release.to_csv(tmp_path / "release.csv", index=False)
        inputs = read(given_release)
        assert [(match.column, match.how) for match in inputs.matched] == [
            ("age", "name"),
            ("job-title", "name"),
        ]
        assert same_cells(inputs, "age")
        assert same_cells(inputs, "job-title")


def test_names_that_two_columns_could_have_are_not_matched():
    release = ORIGINAL.rename(columns={"sex": "SEX"}).assign(Sex="f")
    inputs = read(release)
    assert inputs.matched == ()
    assert "sex" not in inputs.original.schema


def test_words_that_differ_in_spelling_alone_are_told_apart_no_more():
    original = ORIGINAL.assign(sex=["a-b", "ab", "c"] * 40)
    inputs = read_inputs(original, original.assign(sex=["A B", "A B", "C"] * 40), original)
    assert inputs.original.columns["sex"].tolist() == [0, 0, 1] * 40
    assert inputs.simplified


@pytest.mark.parametrize(("slope", "intercept"), [(1.8, 32), (-3, 1000), (0.3, 7)])
def test_lines_go_through_the_commonest_numbers(slope, intercept):
    rng = np.random.default_rng(0)
    hours = rng.choice([5, 10, 20, 35, 40, 45, 60], 400, p=[0.04, 0.06, 0.1, 0.2, 0.4, 0.15, 0.05])
    hours = hours.astype(float)
    found = match_unit(hours, slope * hours[:150] + intercept)
    assert (found.slope, found.intercept) == pytest.approx((slope, intercept))
    assert found.known == 1 > found.as_written
    assert match_unit(hours, hours[:150]) is None


def test_suppressed_cells_stay_missing():
    words = ORIGINAL.sex.str.upper().where(np.arange(len(ORIGINAL)) % 5 > 0, "*")
    inputs = read(ORIGINAL.assign(sex=words))
    assert (inputs.release.columns["sex"] < 0).sum() == 24
    assert inputs.matched[0].cells == 1


def test_one_option_refuses_all_matches_or_some():
    release = ORIGINAL.assign(sex=ORIGINAL.sex.str.upper(), illness=ORIGINAL.illness.str[0])
    assert read(release, as_written=True).coverage.unseen == ("sex", "illness")
    some = read(release, as_written=["sex"])
    assert [match.column for match in some.matched] == ["illness"]
    assert some.coverage.unseen == ("sex",)
    with pytest.raises(KnowledgeError, match="did you mean 'sex'"):
        read(release, as_written=["sexx"])


@pytest.mark.slow
def test_numbers_that_no_unit_explains_are_unseen():
    rng = np.random.default_rng(0)
    inputs = read(ORIGINAL.assign(age=rng.exponential(1000, len(ORIGINAL)) ** 2 + 1e5))
    assert inputs.coverage.unseen == ("age",)
    assert "another unit" in inputs.not_computed[0].reason
    assert read(ORIGINAL.assign(age=90 + ORIGINAL.age), as_written=["age"]).coverage.unseen == ()


def test_one_number_for_everybody_is_seen_if_it_is_among_those_of_the_others():
    assert "age" in read(ORIGINAL.assign(age=62)).release.columns
    assert "age" not in read(ORIGINAL.assign(age=6_200)).release.columns


def test_ranges_in_words_are_ranges():
    words = ORIGINAL["age"].map(lambda age: "40 or younger" if age <= 40 else "older than 40")
    inputs = read(ORIGINAL.assign(age=words))
    assert same_cells(inputs, "age")
    assert set(inputs.original.schema["age"].values) >= {"40 or younger", "older than 40"}


def test_names_of_people_are_found_in_capitals():
    tables = [
        table.assign(name=[f"{letter} {i:03}y" for i in range(len(table))])
        for table, letter in ((ORIGINAL, "a"), (CONTROL, "b"))
    ]
    release = tables[0].assign(name=tables[0].name.str.upper())
    (proof,) = read_inputs(tables[0], release, tables[1]).coverage.proofs
    assert "120 texts of the column 'name'" in proof


def test_a_renamed_column_is_unseen_and_a_new_row_number_is_not():
    release = ORIGINAL.rename(columns={"sex": "v1"})
    assert read(release).coverage.unseen == ("v1",)
    numbered = ORIGINAL.drop(columns="sex").assign(row=range(len(ORIGINAL)))
    assert read(numbered).coverage.unseen == ()


SEEN = ("Attacks saw this.",)
SMALL = Judgement("some-leakage", ("Attacks saw this.", "The effect is small."), (), SEEN)
NOTHING = Judgement("nothing-found", ("Nothing. It would have been noticed.",), (), SEEN)


@pytest.mark.parametrize("verdict", [SMALL, NOTHING])
def test_what_nobody_saw_is_never_called_small(verdict):
    judged = Coverage(11, ("town",), unseen=("town",)).limit_verdict(verdict)
    assert judged.verdict == "cannot-say"
    assert "1 of 12 columns of the release with the original: 'town'" in judged.reasons[0]
    assert judged.reasons[1:] == SEEN
    unsafe = Judgement("unsafe", ("Copies.",), ())
    assert Coverage(1, ("a", "b"), unseen=("a", "b")).limit_verdict(unsafe) == unsafe


WORDS = st.text(alphabet="abcxyz -_.,'<>", min_size=1, max_size=8)
SPELLINGS = st.sampled_from([str.upper, str.title, str.strip, lambda word: f" {word}."])


@given(st.lists(WORDS, unique_by=fold), st.data())
def test_any_spelling_finds_its_word(words, data):
    spelled = {data.draw(SPELLINGS)(word): word for word in words}
    found = match_spelling(dict.fromkeys(words, 1), dict.fromkeys(spelled, 1))
    known = {text: word for text, word in spelled.items() if text not in words}
    folded = {text: word for text, word in known.items() if fold(text) == fold(word)}
    assert found.items() >= folded.items()


@pytest.mark.slow
def test_an_audit_sees_through_capitals_and_other_units():
    original, control = (table[["age", "sex", "born"]].head(60) for table in (ORIGINAL, CONTROL))
    release = original.assign(sex=original.sex.str.upper(), age=12 * original.age)
    release = release.sample(frac=1, random_state=0).reset_index(drop=True)
    audit = audit_release(original, release, control, permutations=19)
    assert audit.verdict == "unsafe"
    assert "nothing was sanitized" in audit.reasons[0]
    assert [match.column for match in audit.matched] == ["age", "sex"]
