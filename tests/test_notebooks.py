"""Five-line notebooks: what a researcher types, with data frames in and out."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import quintain as q
from quintain.data.learning.learn import LearnedSchema
from quintain.errors import PartError, QuintainError
from quintain.measures import Reading
from quintain.rankings.board import Board, Place
from quintain.testing import example


def people(rows: int, seed: int) -> pd.DataFrame:
    """Categorical people whose columns depend on each other."""
    rng = np.random.default_rng(seed)
    job = rng.choice(["baker", "nurse", "smith"], rows, p=[0.5, 0.3, 0.2])
    age = np.clip(rng.normal(30 + 12 * (job == "smith"), 6, rows).round(), 18, 70).astype(int)
    town = np.where(rng.random(rows) < 0.8, np.where(job == "nurse", "york", "bath"), "kent")
    return pd.DataFrame({"job": job, "age": age, "town": town})


@pytest.mark.filterwarnings("ignore::quintain.data.learning.learn.LearnedSchema")
def test_an_mst_release_keeps_the_types_of_columns_with_missing_cells():
    rng = np.random.default_rng(0)
    df = pd.DataFrame({"pay": rng.normal(50, 9, 300), "kids": rng.integers(0, 4, 300)})
    df["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 365, 300), unit="D")
    df["kids"] = df["kids"].astype("Int64").mask(df.index < 90)
    df["size"] = pd.Categorical(["S", "M", "L"] * 100, ["S", "M", "L"], ordered=True)
    release = q.sanitize("mst", df.mask(df["pay"] < 40), epsilon=100, seed=0).to_frame()
    assert release["size"].dtype == df["size"].dtype
    assert release["kids"].dtype == "Int64" and release["kids"].isna().mean() > 0.2
    assert pd.api.types.is_datetime64_any_dtype(release["day"])
    assert release["pay"].isna().any() and release["pay"].between(32, 128).sum() > 200


def test_an_mst_release_of_a_categorical_frame_goes_back_to_pandas():
    df = people(500, seed=1)
    release = q.sanitize("mst", df, epsilon=10, seed=0)
    synthetic = release.to_pandas()
    assert list(synthetic.columns) == ["job", "age", "town"]
    assert set(synthetic["job"]) <= {"baker", "nurse", "smith", "other"}
    assert release.claim is not None and release.claim.epsilon == 10
    assert release.claim.domain == "measured" and "domain measured" in repr(release)
    assert release.test  # a seed makes a test


def test_a_release_with_a_learned_domain_claims_nothing():
    df = people(200, seed=1)
    with pytest.warns(LearnedSchema, match="domains of job, age, town were learned"):
        release = q.sanitize("mst", df, epsilon=1, domain="learned", seed=0)
    synthetic = release.to_pandas()
    assert synthetic["age"].between(df["age"].min(), df["age"].max()).all()
    assert release.claim is None
    assert "no privacy claimed: the domain was learned from the data" in repr(release)


def test_a_schema_of_learn_schema_is_still_a_learned_one():
    df = people(300, seed=1)
    learned = q.learn_schema(df)
    assert q.sanitize("mst", df, schema=learned, epsilon=9, seed=0).claim.domain == "measured"
    public = q.sanitize("mst", df, schema=learned.schema, epsilon=9, seed=0)
    assert public.claim.domain == "public"
    with pytest.raises(PartError, match="nobody stated the domains of job, age, town"):
        q.sanitize("mst", df, epsilon=1, domain="public")


def test_a_claim_about_people_with_several_rows_names_the_unit():
    visits = people(400, seed=1).assign(pid=np.arange(400) // 4)
    release = q.sanitize("mst", visits, epsilon=9, unit="pid", rows_per_unit=2, seed=0)
    assert "pid" not in release.to_pandas()
    assert release.claim.words() == (
        "epsilon 9, delta 1e-09, one pid with at most 2 rows added or removed, domain measured "
        "with noise, columns and kinds as in the data"
    )
    assert release.methods[0].detail == "at most 2 rows of each pid, chosen at random"
    assert 150 < len(release.data) < 250  # of 400 rows, 200 count


def test_a_claim_about_one_row_of_people_with_several_is_told():
    visits = people(400, seed=1).assign(ID_Client=[f"C{row // 4:03}" for row in range(400)])
    with pytest.warns(UserWarning, match="claims less for a person than for one row: give --unit"):
        q.sanitize("mst", visits, schema=q.learn_schema(visits).schema, epsilon=9, seed=0)


def test_noise_comes_from_the_operating_system_unless_there_is_a_seed():
    df = people(60, seed=1)
    schema = q.learn_schema(df).schema
    first, second = (q.sanitize("rr", df, schema=schema, keep=0.5) for _ in range(2))
    assert not first.test
    assert not first.data.equals(second.data)
    once, again = (q.sanitize("rr", df, schema=schema, keep=0.5, seed=3) for _ in range(2))
    assert once.data.equals(again.data)


def test_an_attack_on_two_frames_is_scored_by_auc():
    original, control = people(200, seed=2), people(200, seed=3)
    release = original.sample(frac=1, random_state=0)  # published as it is, in another order
    targets = pd.concat([original.head(50), control.head(50)])
    guess = q.attack("nearest", release, targets=targets, population=control, seed=0)
    auc = q.measure("auc", guess, [True] * 50 + [False] * 50)["auc"]
    # Every member is in the release, at distance 0; a control record is unless it occurs there.
    there = set(map(tuple, original.to_numpy().tolist()))
    fresh = [tuple(row) not in there for row in control.head(50).to_numpy().tolist()]
    assert auc.value == pytest.approx(np.mean([1.0 if new else 0.5 for new in fresh]))
    assert auc.low < auc.value < auc.high


@pytest.mark.filterwarnings("ignore::quintain.data.learning.learn.LearnedSchema")
def test_a_masked_release_says_in_secret_which_row_is_whose():
    original = people(300, seed=2)
    release = q.sanitize("rank-swapping", original, columns=["age"], seed=1)
    rows = release.published_rows
    assert sorted(rows) == list(range(300))
    shown = release.to_frame().iloc[rows].reset_index(drop=True)
    assert (shown["job"].astype(str) == original["job"]).all()
    assert (shown["town"].astype(str) == original["town"]).all()
    assert q.sanitize("mst", original, epsilon=1, seed=1).published_rows is None


@pytest.mark.filterwarnings("ignore::quintain.data.learning.learn.LearnedSchema")
def test_an_attack_on_published_rows_is_scored_by_the_rows_it_finds():
    original = pd.DataFrame({"pay": np.arange(100) * 3, "kids": np.arange(100) % 4})
    release = q.sanitize("identity", original, seed=1)
    truth = release.published_rows[:20]
    for attack in ("row-linkage", q.part("nearest")):
        guess = q.attack(attack, release, targets=original.head(20), goal="published-row", seed=0)
        assert q.measure("rows-found", guess, truth)["rows_found"].value == 1
    targets = original[["kids"]].head(20)
    guess = q.attack("row-linkage", release, targets=targets, known=["kids"], seed=0)
    assert q.measure("rows-found", guess, truth)["rows_found"].value < 0.5  # 25 share each number
    with pytest.raises(PartError, match="expected 20 rows of the release, one per target"):
        q.measure("rows-found", guess, truth[:3])


def test_an_attribute_attack_is_scored_against_a_control():
    original, control = people(300, seed=4), people(300, seed=5)
    targets = pd.concat([original.head(100), control.head(100)])
    known = targets.drop(columns="town")
    guess = q.attack("nearest", original, targets=known, secret="town", seed=0)
    members = [True] * 100 + [False] * 100
    readings = q.measure("excess-accuracy", guess, targets, members=members)
    named = guess.to_pandas()["town"].astype(str).to_numpy() == targets["town"].to_numpy()
    assert readings["member_hits"].value == pytest.approx(named[:100].mean())
    assert readings["control_hits"].value == pytest.approx(named[100:].mean())


def test_polars_in_polars_out():
    df = pl.from_pandas(people(100, seed=6))
    release = q.sanitize("rr", df, schema=q.learn_schema(df).schema, seed=0, keep=0.9)
    assert isinstance(release.to_frame(), pl.DataFrame)
    assert release.to_frame().columns == ["job", "age", "town"]
    assert isinstance(release.to_pandas(), pd.DataFrame)


def test_the_index_of_a_pandas_frame_is_no_column():
    df = people(100, seed=7)
    shuffled = df.sample(frac=1, random_state=1)
    schema = q.learn_schema(df).schema
    assert q.learn_schema(shuffled).schema == schema
    assert q.from_frame(shuffled, schema).schema.names == ("job", "age", "town")
    named = shuffled.set_index(pd.Index(range(100), name="row"))
    release = q.sanitize("identity", named, schema=schema, seed=0)
    assert list(release.to_pandas().columns) == ["job", "age", "town"]


def test_a_release_is_measured_against_its_original():
    original, release = people(300, seed=8), people(300, seed=9)
    readings = q.measure("marginals", original, release)
    assert all(reading.measured for reading in readings.values())
    same = q.measure("marginals", original, original.sample(frac=1, random_state=0))
    assert all(same[name].value != readings[name].value for name in readings)


def test_a_guess_is_written_as_a_contest_takes_it(tmp_path):
    df = people(40, seed=10)
    guess = q.attack("nearest", df.head(20), targets=df.head(3), seed=0)
    guess.to_csv(tmp_path / "answer.csv")
    lines = (tmp_path / "answer.csv").read_text().splitlines()
    assert lines[0] == "target,probability"
    assert [line.split(",")[0] for line in lines[1:]] == ["0", "1", "2"]


def test_parts_are_found_by_name_and_by_class():
    assert q.part("mst", epsilon=2).epsilon == 2
    assert {"nearest", "random"} <= set(q.parts("attack"))
    assert q.attacks.Nearest is type(q.part("nearest"))
    assert q.sanitizers.Mst is type(q.part("sanitizer/mst"))
    assert {"Nearest", "Random", "Attack"} <= set(dir(q.attacks))
    assert "Auc" in dir(q.measures)
    with pytest.raises(AttributeError, match="has no attribute 'Nobody'"):
        _ = q.attacks.Nobody
    df = people(60, seed=1)
    schema = q.learn_schema(df).schema
    by_class = q.sanitize(q.sanitizers.Mst, df, schema=schema, seed=0, epsilon=1)
    by_part = q.sanitize(q.part("mst", epsilon=1), df, schema=schema, seed=0)
    assert by_class.data.equals(by_part.data)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda df: q.sanitize("mtsx", df, seed=0), "mst"),
        (lambda df: q.sanitize("nearest", df, seed=0), "unknown sanitizer|no sanitizer"),
        (lambda df: q.sanitize(q.attacks.Nearest, df, seed=0), "expected a part of the family"),
        (lambda df: q.sanitize(q.part("mst"), df, seed=0, epsilon=1), "has its parameters"),
        (lambda df: q.parts("attacks"), "unknown family 'attacks'"),
        (lambda df: q.part("nobody"), "unknown part 'nobody'"),
        (
            lambda df: q.attack("nearest", df, targets=df, secret="shoe"),
            "column to infer 'shoe'; av",
        ),
        (
            lambda df: q.attack("nearest", df, targets=df[["job"]]),
            "the targets lack this column of the release",
        ),
        (lambda df: q.measure("auc", df, df), "reads a guess and the truth"),
        (lambda df: q.sanitize("mst", 7, seed=0), "expected a pandas, polars or pyarrow"),
    ],
)
@pytest.mark.filterwarnings("ignore::quintain.data.learning.learn.LearnedSchema")
def test_mistakes_get_a_sentence(call, words):
    with pytest.raises(QuintainError, match=words):
        call(people(30, seed=0))


def test_what_people_print_is_static_html():
    df = people(30, seed=0)
    df["job"] = df["job"].where(df["job"] != "smith", "<script>")
    schema = q.learn_schema(df).schema
    release = q.sanitize("identity", df, schema=schema, seed=0)
    guess = q.attack("nearest", release, targets=df, seed=0)
    readings = q.measure("auc", guess, [True] * 15 + [False] * 15)
    for shown in (release, release.data, schema, guess, readings, readings["auc"]):
        html = shown._repr_html_()
        assert html.startswith("<table>")
        assert "<script" not in html
    assert "&lt;script&gt;" in release._repr_html_()
    assert "a test that protects nobody" in release._repr_html_()


@pytest.mark.parametrize("shape", ["table", "transactions", "series"])
def test_every_kind_of_data_shows_its_first_rows(shape):
    html = example(shape, rows=200)._repr_html_()
    assert html.startswith("<table>")
    assert 1 < html.count("<tr>") <= 11


def test_a_board_shows_ranks_teams_and_scores():
    place = Place(team="<red>", rank=1, score=Reading.exact(0.5, 10, "lower"))
    html = Board(id="main", title="Attackers", places=(place,))._repr_html_()
    assert "<td>1</td><td>&lt;red&gt;</td><td>0.5" in html
    assert "Attackers" in html


def test_data_of_every_kind_are_written_as_csv(tmp_path):
    data = example("series", rows=50)
    data.to_csv(tmp_path / "stays.csv")
    assert q.read(tmp_path / "stays.csv", data.schema).lengths.tolist() == data.lengths.tolist()


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            pd.DataFrame([[1, 2]], columns=["age", "age"]),
            "data frame age: this column appears twice",
        ),
        (
            pd.DataFrame({"tags": [[1], [2]]}),
            "data frame tags: expected texts, numbers, dates or true and false, not "
            "list<item: int64>; convert the column, or leave it out",
        ),
        (
            pd.DataFrame({"age": [1, "x"]}),
            "data frame age: has cells that have no type in common (int, str), such as 'x' in "
            "row 1, counted from 0; make them texts or numbers, for example with "
            '.astype("string"), or leave the column out',
        ),
    ],
)
def test_a_frame_that_cannot_be_read_is_refused_with_the_column(frame, message):
    with pytest.raises(QuintainError) as caught:
        q.sanitize("rr", frame)
    assert str(caught.value) == message


def test_a_learned_schema_can_be_given_as_it_is_and_shows_its_warning():
    df = people(60, seed=1)
    learned = q.learn_schema(df)
    once, again = (q.sanitize("rr", df, schema=s, seed=3) for s in (learned, learned.schema))
    assert once.data.equals(again.data)
    page = learned._repr_html_()
    assert "<td>town</td>" in page
    assert "no privacy claim covers that" in page


def test_a_release_without_some_columns_is_not_measured_as_if_they_were_kept():
    df = people(60, seed=1)
    with pytest.raises(PartError, match="the release lacks town: leave these out"):
        q.measure("marginals", df, df[["job", "age"]])
    schema = q.learn_schema(df[["job", "age"]])
    assert q.measure("marginals", df, df[["job", "age"]], schema=schema)["tv1"].value == 0
