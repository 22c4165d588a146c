"""Domains that are measured with noise: what is kept, what is hidden, and what it costs."""

import json
import warnings
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import quintain as q
from quintain.data import Column, Schema, Table
from quintain.data.frames import from_frame
from quintain.errors import DataError, PartError
from quintain.measures.epsilon.thresholds import audited_epsilon
from quintain.randomness.noise import Noise
from quintain.releases import Claim
from quintain.runs.standalone.sanitizing import sanitize_file
from quintain.sanitizers.domains import (
    OTHER,
    covering_domain,
    learn_domain,
    measure_domain,
    refit,
)
from quintain.sanitizers.mechanism import (
    DomainSource,
    Mechanism,
    bound_rows,
    choose_mechanism,
)
from quintain.sanitizers.outside import require_owners
from quintain.sanitizers.sanitizer import sanitize
from quintain.sanitizers.synthetic.independent import Independent
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.privbayes import PrivBayes

few_values = pytest.mark.filterwarnings("ignore::quintain.data.learning.learn.LearnedSchema")
"""Of so few people values are lost, and warnings say so."""

PAY = Column(name="pay", kind="integer", low=3, high=900_000)
TOWN = Column(name="town", kind="category", values=("bath", "kent", "york"))
SIZE = Column(name="size", kind="category", values=("s", "m", "l"), ordered=True)
DAY = Column(name="day", kind="time", earliest="1990-01-01", latest="2030-12-31", nullable=True)
BMI = Column(name="bmi", kind="real", low=-5, high=90, nullable=True, missing="NA")
SCHEMA = Schema(columns=(PAY, TOWN, SIZE, DAY, BMI))


def crowd(rows=3000):
    """People of whom one is rich, comes from York, is large, and was born far from the others."""
    usual = {
        "pay": [30, 47, 60],
        "town": ["bath", "kent", "bath"],
        "size": ["s", "m", "s"],
        "day": ["2001-05-01", "2002-05-01", None],
        "bmi": [20.5, 24.25, None],
    }
    odd = {"pay": 900_000, "town": "york", "size": "l", "day": "2030-12-31", "bmi": -5.0}
    cells = {name: [*(values * (rows // 3)), odd[name]] for name, values in usual.items()}
    return Table.of(SCHEMA, cells)


def measured(table, rho=0.05, rows=1, seed=0, threshold=1e-9):
    noise = Noise.for_test(seed)
    names = table.schema.names
    return measure_domain(table, names, rho=rho, threshold=threshold, rows=rows, noise=noise)


def test_measured_domains_are_public_cells_around_the_crowd():
    schema = measured(crowd()).schema
    assert schema["pay"].bounds == (16, 63)
    assert schema["town"].values == ("bath", "kent", OTHER)
    assert schema["size"].values == ("s", "m") and schema["size"].ordered
    assert (schema["day"].earliest, schema["day"].latest) == ("2001-01-01", "2002-12-31")
    assert schema["bmi"].bounds == (16, 32) and schema["bmi"].missing == ""  # nobody's word
    assert [column.nullable for column in schema.columns] == [False, False, False, True, True]


def test_the_odd_person_goes_to_the_nearest_bound_and_to_other():
    odd = measured(crowd()).records()[-1]
    assert (odd["pay"], odd["town"], odd["size"], odd["bmi"]) == (63, OTHER, "m", 16.0)
    assert f"{odd['day']:%Y-%m-%d}" == "2002-12-31"


def test_where_nothing_stands_out_the_domain_says_nothing():
    schema = measured(crowd(), rho=1e-9).schema
    assert schema["pay"].bounds == (0, 0) and schema["town"].values == (OTHER,)
    assert schema["size"].values == (OTHER,) and not schema["size"].ordered
    assert (schema["day"].earliest, schema["day"].nullable) == ("1970-01-01", False)


def test_a_person_with_many_rows_needs_a_higher_threshold():
    rare = Table.of(Schema(columns=(TOWN,)), {"town": ["bath"] * 400 + ["york"] * 60})
    assert measured(rare, rho=0.02).schema["town"].values == ("bath", "york", OTHER)
    assert measured(rare, rho=0.02, rows=50).schema["town"].values == ("bath", OTHER)


def test_the_value_other_of_the_data_is_no_second_one():
    table = Table.of(
        Schema(columns=(TOWN.model_copy(update={"values": ("bath", "other")}),)),
        {"town": ["bath", "other"] * 500},
    )
    assert measured(table).schema["town"].values == ("bath", OTHER)


LETTERS = "abcdef"


def graded(grades):
    """A frame with an ordered column whose categories are those that occur, as many frames have."""
    return pd.DataFrame({"grade": pd.Categorical(grades, sorted(set(grades)), ordered=True)})


def nearly_exact(table):
    """The table under its measured domain with hardly any noise: three people keep a value."""
    return measured(table, rho=50.0 * len(table.schema.names), threshold=1e-3)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.permutations([0, 1, 1, 3, 3, 3]), st.integers(0, 5))
def test_one_person_more_moves_nobody_else_to_another_value(counts, place):
    """Whatever the categories that occur: where a person goes follows from what is kept."""
    grades, coded = np.repeat([*LETTERS, LETTERS[place]], [*counts, 1]), []
    for cells in (grades.tolist(), grades[:-1].tolist()):
        column = Column(name="grade", kind="category", values=sorted(set(cells)), ordered=True)
        coded.append(nearly_exact(Table.of(Schema(columns=(column,)), {"grade": cells})))
    with_her, without = coded[0], coded[-1]
    assume(with_her.schema == without.schema)
    assert with_her.records()[: len(without)] == without.records()


numbers = st.integers(-70, 70)
cells = {
    "whole": st.lists(numbers, min_size=2, max_size=12),
    "real": st.lists(numbers.map(lambda x: x + 0.5), min_size=2, max_size=12),
    "time": st.lists(numbers.map(lambda x: f"{2000 + x}-03-04"), min_size=2, max_size=12),
    "text": st.lists(st.sampled_from(["kent", "bath", "other", "york"]), min_size=2, max_size=12),
}


@pytest.mark.parametrize("kind", cells)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_one_person_more_changes_no_other_record_of_any_kind(kind, data):
    frames = []
    people = data.draw(cells[kind])
    for rows in (people[:-1] * 3, [*people[:-1] * 3, people[-1]]):
        rows = [*rows, None] if data.draw(st.booleans()) else rows
        frames.append(pd.DataFrame({"x": pd.Series(rows)}).reset_index(drop=True))
    kinds = [q.learn_schema(frame, words=["x"] if kind == "text" else ()) for frame in frames]
    assume(kinds[0].schema["x"].kind == kinds[1].schema["x"].kind != "id")
    one, other = (
        nearly_exact(from_frame(frame, made.schema))
        for frame, made in zip(frames, kinds, strict=True)
    )
    assume(one.schema == other.schema)
    everybody = 3 * (len(people) - 1)
    assert one.records()[:everybody] == other.records()[:everybody]


@pytest.mark.parametrize("part", ["privbayes", "mst", "aim"])
def test_a_person_between_two_values_does_not_move_those_who_have_them(part):
    """A hundred people have c, too few to be kept. A new person has b, which nobody had."""
    grades = ["a"] * 600 + ["c"] * 100 + ["d"] * 600
    made = [graded(grades), graded([*grades, "b"])]
    coded = []
    for frame in made:
        learned = q.learn_schema(frame)
        table = from_frame(frame, learned.schema)
        mechanism = choose_mechanism(q.part(part), table.schema, learned=learned.unstated)
        coded.append(mechanism._prepare(table, Noise.for_test(1))[1])
    assert coded[0].schema == coded[1].schema
    assert coded[0].schema["grade"].values == ("a", "d")
    assert coded[1].records()[:-1] == coded[0].records()


def test_an_ordered_value_that_is_not_kept_goes_to_the_next_one_below():
    column = Column(name="x", kind="category", values=tuple("abcdef"), ordered=True)
    kept = column.model_copy(update={"values": ("b", "e")})
    table = Table(Schema(columns=(column,)), {"x": np.arange(6)})
    moved = refit(table, Schema(columns=(kept,))).records()
    assert "".join(record["x"] for record in moved) == "bbbbee"


def test_edges_that_somebody_stated_stay_as_far_as_the_measured_bounds_go():
    age = Column(name="age", kind="integer", low=0, high=99, edges=(5, 40, 60))
    table = Table(Schema(columns=(age,)), {"age": np.repeat([33, 50], 500)})
    made = measured(table).schema["age"]
    assert (made.bounds, made.edges) == ((32, 63), (40, 60))
    nothing = measured(table, rho=1e-9).schema["age"]
    assert (nothing.bounds, nothing.edges) == ((0, 0), None)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=30),
    st.floats(1e-6, 10),
    st.integers(0, 50),
)
def test_every_record_fits_its_measured_domain(numbers, rho, seed):
    low, high = min(numbers), max(numbers)
    column = Column(name="x", kind="integer", low=low, high=high)
    table = Table(Schema(columns=(column,)), {"x": np.array(numbers) - low})
    made = measured(table, rho=rho, seed=seed)
    first, last = made.schema["x"].bounds
    values = made.columns["x"] + made.schema["x"].offset
    assert first <= values.min() and values.max() <= last
    inside = [first <= number <= last for number in numbers]
    assert (values[inside] == np.array(numbers)[inside]).all()


def test_the_cells_are_the_same_whatever_the_data_are():
    """Bounds are powers of two, or one less: nobody's number shows, even with hardly any noise."""
    rng = np.random.default_rng(5)
    for seed in range(20):
        numbers = rng.integers(1, 10**6, 300)
        column = Column(name="x", kind="integer", low=1, high=10**6)
        table = Table(Schema(columns=(column,)), {"x": numbers - 1})
        low, high = measured(table, rho=5.0, seed=seed).schema["x"].bounds
        assert np.log2(low) % 1 == 0 and np.log2(high + 1) % 1 == 0


def test_learned_domains_are_those_of_the_records():
    schema = learn_domain(crowd().take(np.arange(2)), SCHEMA.names).schema
    assert schema["pay"].bounds == (30, 47) and schema["town"].values == ("bath", "kent")
    assert not schema["day"].nullable and schema["day"].latest == "2002-05-01"


def test_releases_fit_into_a_domain_that_covers_them():
    table = crowd(60)
    wide = covering_domain(SCHEMA, SCHEMA.names)
    back = refit(measured(table, rho=1e-6), wide)
    assert set(back.columns["town"].tolist()) == {wide["town"].values.index(OTHER)}
    assert refit(table, wide).records() == table.records()


# --- the mechanism --------------------------------------------------------------------------------


def test_a_mechanism_claims_what_domain_and_sanitizer_cost_together():
    names = SCHEMA.names
    for part, delta in ((Mst(epsilon=2, delta=1e-6), 1e-6), (PrivBayes(epsilon=2), 1e-9)):
        claim = choose_mechanism(part, SCHEMA, learned=names).claim_for(SCHEMA)
        assert (claim.epsilon, claim.delta, claim.domain) == (2, delta, "measured")
        assert "domain measured with noise" in claim.words()


@pytest.mark.parametrize("part", [Mst(epsilon=1.5), PrivBayes(epsilon=1.5), Independent()])
def test_the_default_is_measured_and_a_schema_is_public(part):
    assert choose_mechanism(part, SCHEMA, learned=()) is part
    made = choose_mechanism(part, SCHEMA, learned=("pay",))
    assert isinstance(made, Mechanism) and (made.domain, made.names) == ("measured", ("pay",))


def test_what_cannot_pay_claims_nothing():
    table = crowd(300).select(["town"])
    part = q.part("rr", keep=0.5)
    made = choose_mechanism(part, table.schema, learned=("town",))
    assert made.domain == "learned" and made.claim_for(table.schema) is None
    release = q.sanitize(part, table, domain="learned", seed=0)
    assert release.claim is None
    assert release.facts().startswith("no privacy claimed: the domain was learned from the data")
    with pytest.raises(PartError, match="no epsilon that could be divided"):
        choose_mechanism(part, table.schema, learned=("town",), domain="measured")
    with pytest.raises(PartError, match="claims nothing that could pay"):
        q.sanitize("identity", table, domain="measured", seed=0)


def test_public_domains_must_be_stated():
    with pytest.raises(PartError, match="nobody stated the domains of pay, town: give a schema"):
        choose_mechanism(Mst(), SCHEMA, learned=("pay", "town"), domain="public")


def test_a_unit_needs_a_bound_and_the_claim_is_about_persons():
    schema = SCHEMA.select(["town"]).with_id("pid")
    with pytest.raises(PartError, match="belong together"):
        choose_mechanism(Mst(), schema, learned=(), unit="pid")
    made = choose_mechanism(PrivBayes(epsilon=3.0), schema, learned=(), unit="pid", rows=4)
    assert made.claim_for(schema).words() == (
        "epsilon 3, one pid with at most 4 rows added or removed, public domain"
    )
    assert made._split()[1].epsilon == 0.75


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.integers(1, 4), st.integers(0, 9))
def test_at_most_so_many_rows_of_each_person_are_kept(people, rows, seed):
    schema = Schema(columns=(Column(name="pid", kind="id"),))
    table = Table.of(schema, {"pid": [f"p{person}" for person in people]})
    kept = bound_rows(table, "pid", rows, noise=Noise.for_test(seed))
    before, after = (np.bincount(np.array(people)[at], minlength=6) for at in (slice(None), kept))
    assert (after == np.minimum(before, rows)).all()


def test_rows_of_nobody_are_refused_where_nothing_is_claimed():
    schema = Schema(columns=(Column(name="pid", kind="id", nullable=True),))
    table = Table.of(schema, {"pid": ["a", None]})
    assert bound_rows(table, "pid", 5, noise=Noise.for_test(1)).tolist() == [0]
    with pytest.raises(PartError, match="pid is missing in 1 rows"):
        require_owners(table, "pid")


# --- runs on neighbouring data --------------------------------------------------------------------

RICH = Schema(columns=(PAY, TOWN))


def few(odd):
    cells = {"pay": [30] * 12 + [900_000] * odd, "town": ["bath"] * 12 + ["york"] * odd}
    return Table.of(RICH, cells)


def audit(domain, epsilon=4.0, runs=150):
    """How surely the largest number and the town of the odd person show."""
    part = choose_mechanism(Independent(epsilon=epsilon), RICH, learned=RICH.names, domain=domain)
    scores = [[], []]
    for side, odd in enumerate((1, 0)):
        for run in range(runs):
            noise = Noise.for_test(2 * run + side)
            # What the sanitizer makes of the domain reads no more records, so it is left out.
            columns = part._prepare(few(odd), noise)[1].schema
            rich = columns["pay"].high > 100_000
            scores[side].append(rich + ("york" in columns["town"].values))
    return audited_epsilon(*map(np.array, scores), delta=1e-9, level=0.999).value


@pytest.mark.slow
def test_a_measured_domain_keeps_the_claim_and_a_learned_one_does_not():
    assert audit("measured") <= 4.0
    assert audit("learned", epsilon=0.5) > 2.0


def people(rows):
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {"age": rng.integers(18, 90, rows), "job": rng.choice(["baker", "nurse"], rows)}
    )


def test_a_table_that_is_too_small_for_measured_domains_is_told_so():
    with pytest.warns(UserWarning, match="'age', 'job': no value is left, because the rows"):
        q.sanitize("mst", people(60), epsilon=0.1, seed=1)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        q.sanitize("mst", people(3000), epsilon=1, seed=1)
    assert not any("no value is left" in str(warning.message) for warning in told)


def test_numbers_and_times_that_were_not_measured_are_told_too():
    rng = np.random.default_rng(4)
    skewed = rng.lognormal(2, 2, 60).round(1)
    born = pd.Timestamp("1935-01-01") + pd.to_timedelta(rng.integers(0, 26_000, 60), unit="D")
    with pytest.warns(UserWarning, match="'dose', 'born': no value is left"):
        q.sanitize("mst", pd.DataFrame({"dose": skewed, "born": born}), epsilon=0.1, seed=1)


def test_the_command_says_it_too(tmp_path):
    file = tmp_path / "people.csv"
    people(60).to_csv(file, index=False)
    made = sanitize_file(file, {"use": "mst", "epsilon": 0.1}, seed=1)
    assert any("no value is left" in caution for caution in made.cautions)


def told(make):
    """What a call returns, and the sentence about lost columns in its warnings."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        made = make()
    return made, "".join(str(note.message) for note in notes if "no value" in str(note.message))


def few_people(rows):
    rng = np.random.default_rng(rows)
    sex = np.array(["f", "m"])[rng.permutation(rows) % 2]
    born = pd.Timestamp("1935-01-01") + pd.to_timedelta(rng.integers(0, 26_000, rows), unit="D")
    cells = {"sex": sex, "age": rng.integers(34, 60, rows), "dose": rng.lognormal(0, 3, rows)}
    return pd.DataFrame({**cells, "born": born})


def test_the_lines_of_the_warning_keep_the_columns_that_were_lost(tmp_path):
    frame, file = few_people(300), tmp_path / "stated.json"
    _, sentence = told(lambda: q.sanitize("mst", frame, epsilon=1, seed=1))
    assert "'sex'" in sentence and "300" not in sentence  # which is nobody's business
    lines = sentence[sentence.index("{") :]
    file.write_text(lines)
    with pytest.raises(DataError, match="columns"):  # dots are no values
        q.sanitize("mst", frame, schema=file, epsilon=1, seed=1)
    given = json.loads(lines)
    assert [column["name"] for column in given["columns"]] == ["sex", "dose", "born"]
    given["columns"][0]["values"] = ["f", "m"]
    given["columns"][1] |= {"low": 0, "high": 1e5}
    given["columns"][2] |= {"earliest": "1930-01-01", "latest": "2010-12-31"}
    file.write_text(json.dumps(given))
    release, sentence = told(lambda: q.sanitize("mst", frame, schema=file, epsilon=1, seed=1))
    assert not sentence and release.data.schema.names == tuple(frame.columns)
    assert release.data.schema["sex"].values == ("f", "m")
    assert set(release.to_frame()["sex"]) == {"f", "m"}
    assert release.data.schema["dose"].bounds == (0, 1e5)
    assert release.data.schema["age"].bounds == (32, 63)  # which is measured
    assert (release.claim.domain, release.claim.kinds) == ("measured", "as in the data")
    frame.to_csv(tmp_path / "people.csv", index=False)
    made = sanitize_file(tmp_path / "people.csv", {"use": "mst"}, schema=file, seed=1)
    assert made.card.claim == release.claim and made.contents["release.csv"].count(b"other") == 0


def test_a_schema_may_leave_other_columns_to_be_learned(tmp_path):
    sex = Schema(columns=(Column(name="sex", kind="category", values=("f", "m", "x")),))
    frame = few_people(60).assign(code=[f"c{row}" for row in range(60)])
    whole = q.learn_schema(frame, schema=sex)
    assert whole.schema.names == ("sex",) and whole.kinds_stated
    partly = q.learn_schema(frame, schema=sex, others=True)
    assert partly.schema.names == ("sex", "age", "dose", "born", "code")
    assert partly.schema["sex"] == sex["sex"]
    assert partly.unstated == ("age", "dose", "born") and not partly.kinds_stated
    file = tmp_path / "stated.json"
    file.write_text(json.dumps({"others": "learned", "columns": [{"name": "smell", "kind": "id"}]}))
    with pytest.raises(DataError, match="smell"):
        q.sanitize("mst", frame, schema=file, seed=1)
    file.write_text(json.dumps({"others": "all", "columns": [{"name": "sex", "kind": "id"}]}))
    with pytest.raises(DataError, match="others"):
        q.sanitize("mst", frame, schema=file, seed=1)


# --- columns and kinds ----------------------------------------------------------------------------

AS_IN_THE_DATA = "columns and kinds as in the data"


def doses(odd):
    rng = np.random.default_rng(7)
    dose = rng.integers(1, 9, 2000).astype(float)
    whole, empty = dose.astype(int).astype(str), [None] * 1999
    return {
        "a real number": pd.DataFrame({"dose": np.append(dose, 2.5 if odd else 2.0)}),
        "a filled cell": pd.DataFrame({"dose": dose, "hiv": [*empty, "positive" if odd else None]}),
        "a second word": pd.DataFrame({"dose": [*whole, "refused", "asleep" if odd else "2"]}),
    }


@few_values
@pytest.mark.parametrize("case", doses(False))
def test_what_one_cell_decides_about_columns_is_told_by_the_claim(case, tmp_path):
    """One row more adds a column or changes a kind: what nothing measures, the claim excludes."""
    schemas = []
    for odd in (False, True):
        frame = doses(odd)[case]
        release = q.sanitize("mst", frame, epsilon=1, seed=1)
        assert release.claim.kinds == "as in the data"
        assert release.claim.words().endswith(f"domain measured with noise, {AS_IN_THE_DATA}")
        assert AS_IN_THE_DATA in release.facts()
        frame.to_csv(tmp_path / "people.csv", index=False)
        made = sanitize_file(tmp_path / "people.csv", {"use": "mst"}, seed=1)
        assert json.loads(made.card.to_bytes())["claim"]["kinds"] == "as in the data"
        assert any(AS_IN_THE_DATA in words for words in made.card.claims())
        schemas.append([(c.name, c.kind) for c in release.data.schema.columns])
    assert schemas[0] != schemas[1]


@few_values
def test_columns_that_somebody_stated_are_not_as_in_the_data(tmp_path):
    frame = few_people(60)
    learned = q.learn_schema(frame)
    stated = {"schema": learned.schema, "seed": 1}
    for domain, words in ((None, "public domain"), ("measured", "domain measured with noise")):
        claim = q.sanitize("mst", frame, domain=domain, **stated).claim
        assert claim.kinds == "stated" and claim.words().endswith(f"added or removed, {words}")
    assert "kinds" not in claim.model_dump()
    assert q.sanitize("mst", from_frame(frame, learned.schema), seed=1).claim.kinds == "stated"
    marked = tmp_path / "marked.json"
    marked.write_text(learned.to_json())
    for schema in (learned, marked):
        assert q.sanitize("mst", frame, schema=schema, seed=1).claim.kinds == "as in the data"


def test_metadata_of_another_tool_leave_kinds_to_the_cells(tmp_path):
    file, metadata = tmp_path / "people.csv", tmp_path / "metadata.json"
    few_people(60).to_csv(file, index=False)
    columns = {"age": {"sdtype": "numerical"}, "sex": {"sdtype": "categorical"}}
    facts = {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "columns": columns}
    metadata.write_text(json.dumps(facts))
    made = sanitize_file(file, {"use": "mst", "epsilon": 50.0}, schema=metadata, seed=1)
    assert made.card.claim.kinds == "as in the data"


def test_a_claim_about_units_tells_it_too():
    schema = SCHEMA.select(["town"]).with_id("pid")
    made = choose_mechanism(Mst(), schema, learned=("town",), unit="pid", rows=4)
    assert made.claim_for(schema).words().endswith(AS_IN_THE_DATA)
    public = choose_mechanism(Mst(), schema, learned=(), kinds_stated=False)
    assert public.claim_for(schema).words().endswith(f"public domain, {AS_IN_THE_DATA}")


class OwnDomain(Mst):
    """A plugin that decides on its domain itself, as people-marginals does."""

    id: ClassVar[str] = "sanitizer/own-domain-v1"
    domain: DomainSource = "public"

    def claim_for(self, schema):
        return Claim(epsilon=self.epsilon, domain=self.domain)


def test_a_plugin_that_decides_on_its_domain_itself_need_not_know_of_kinds():
    made = choose_mechanism(OwnDomain(), SCHEMA, learned=("pay",))
    assert made.claim_for(SCHEMA).words().endswith(f"domain measured with noise, {AS_IN_THE_DATA}")
    assert made.parameters()["domain"] == "measured"
    released = sanitize(made, crowd(300), rng=np.random.default_rng(1), noise=Noise.for_test(1))
    assert released.release.claim.kinds == "as in the data"
    assert isinstance(choose_mechanism(OwnDomain(), SCHEMA, learned=()), OwnDomain)


def test_a_named_column_that_is_taken_for_an_id_is_explained(tmp_path):
    file = tmp_path / "people.csv"
    people(60).assign(code=[f"c{row}" for row in range(60)]).to_csv(file, index=False)
    with pytest.raises(PartError, match=r"unknown column 'code'.*not published: code \(an id"):
        sanitize_file(file, {"use": "k-anonymity", "columns": ["age", "code"]})
