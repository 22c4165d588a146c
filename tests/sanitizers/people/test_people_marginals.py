"""People marginals: everybody counts once, the budget covers everything, and trees come back."""

import numpy as np
import pytest
from benchmarks.people import distinguish
from benchmarks.people.data import simulated
from hypothesis import given, settings
from hypothesis import strategies as st

import quintain as q
from quintain.accounting.budget import Budget
from quintain.accounting.zcdp import rho_for
from quintain.data import Column, Schema, Table, Trees
from quintain.data.learning.people import learn_people
from quintain.data.people import Branch, People
from quintain.data.people_files import open_tables
from quintain.data.people_schema import PeopleSchema, TableSchema
from quintain.data.sources.clinic import Clinic
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.sanitizers.mechanism import choose_mechanism
from quintain.sanitizers.people import marginals
from quintain.sanitizers.people.marginals import PeopleMarginals
from quintain.sanitizers.people.shares import WHOLE, RowShares, divide_people, one_row_each
from quintain.sanitizers.people.stages import stages
from quintain.sanitizers.people.table_model import ALONE, KnownColumn, _Pairs

few_people = pytest.mark.filterwarnings("ignore:.*no value is left")
"""Of so few people no value is left, and a warning says so."""

LETTER = Column(name="letter", kind="category", values=("a", "b", "c"), nullable=True)
NUMBER = Column(name="number", kind="integer", low=-3, high=400)
ROOT = TableSchema(name="root", columns=(LETTER,), key="key")
VISITS = TableSchema(name="visits", columns=(LETTER, NUMBER), key="visit", reference="key")
DRUGS = TableSchema(name="drugs", columns=(LETTER,), parent="visits", reference="visit")


def tree(visits, drugs, rng, root=True):
    """People of whom each has so many visits, and each visit so many drugs."""
    size, visit, drug = len(visits), int(np.sum(visits)), int(np.sum(drugs))
    of_visit = np.repeat(np.arange(size), visits)
    of_drug = np.repeat(np.arange(visit), drugs)

    def rows(table, count):
        cells = {"letter": rng.integers(-1, 3, count), "number": rng.integers(0, 404, count)}
        schema = Schema(columns=table.columns)
        return Table(schema, {name: cells[name] for name in schema.names})

    tables = {
        "root": Branch(rows(ROOT, size), np.arange(size), np.arange(size), size),
        "visits": Branch(rows(VISITS, visit), of_visit, of_visit, size),
        "drugs": Branch(rows(DRUGS, drug), of_drug, of_visit[of_drug], size),
    }
    kept = (ROOT, VISITS, DRUGS) if root else (VISITS, DRUGS)
    schema = PeopleSchema(tables=kept)
    return People(schema, size, None, {table.name: tables[table.name] for table in kept})


@st.composite
def people(draw):
    """People with up to five visits, and up to three drugs each."""
    visits = draw(st.lists(st.integers(0, 5), min_size=1, max_size=6))
    drugs = [draw(st.integers(0, 3)) for _ in range(sum(visits))]
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return tree(visits, drugs, rng, root=draw(st.booleans()))


@settings(deadline=None, max_examples=40)
@given(people())
def test_the_parts_of_a_person_add_up_to_one_whole_at_most(everybody):
    shares = divide_people(everybody)
    for name, branch in everybody.tables.items():
        parts = shares[name].parts
        sums = np.bincount(branch.person, parts, everybody.size)
        assert (parts >= 0).all() and (sums <= WHOLE).all()
        if everybody.schema[name].parent == "":
            assert (sums[branch.lengths() > 0] == WHOLE).all()


@settings(deadline=None, max_examples=40)
@given(people())
def test_one_person_moves_all_counts_of_a_table_by_one_at_most(everybody):
    fewer = everybody.take(np.arange(everybody.size - 1))
    for name, branch in everybody.tables.items():
        counts = []
        for data in (everybody, fewer):
            codes = data.tables[name].rows.columns["letter"].astype(np.int64) + 1
            counts.append(divide_people(data)[name].count([codes], (4,)))
        moved = counts[0] - counts[1]
        assert (moved >= 0).all()
        assert moved.sum() <= 1
        slow = np.zeros(4)  # a slow reference: row by row
        for row, parts in enumerate(divide_people(everybody)[name].parts.tolist()):
            slow[branch.rows.columns["letter"][row] + 1] += parts / WHOLE
        assert np.allclose(counts[0], slow)


def test_one_person_moves_the_score_of_a_pair_by_one_at_most():
    rng = np.random.default_rng(3)
    shares = np.append(np.full(30, WHOLE), np.full(5, WHOLE // 5))  # the last person has five rows
    levels = {
        "one": rng.integers(6, size=35),
        "other": np.append(rng.integers(4, size=30), [3] * 5),
    }
    levels[ALONE] = np.zeros(35, np.int64)
    columns = {
        "one": KnownColumn.of(np.full(6, 5.0), ordered=True),
        "other": KnownColumn.of(np.full(4, 7.5), ordered=False),
        ALONE: KnownColumn(np.array([30.0]), (np.zeros(1, np.int64),)),
    }
    scores = []
    for rows in (35, 30):
        kept = {name: level[:rows] for name, level in levels.items()}
        pairs = _Pairs(kept, columns, {}, RowShares(shares[:rows]), 30.0)
        choices = pairs.choices([("one", "other"), ("one", ALONE)])
        scores.append(pairs.scores(choices, 1.0))
    assert len(choices) == 3 * 2 + 3
    assert np.abs(scores[0] - scores[1]).max() <= 1


def test_a_random_row_of_everybody():
    branch = tree([2, 0, 3], [0] * 5, np.random.default_rng(1)).tables["visits"]
    drawn = [one_row_each(branch, noise=Noise.for_test(seed)) for seed in range(50)]
    assert all(branch.person[rows].tolist() == [0, 2] for rows in drawn)
    assert {tuple(rows) for rows in drawn} == {(a, b) for a in (0, 1) for b in (2, 3, 4)}


@pytest.mark.parametrize("domain", ["public", "measured"])
def test_everything_is_paid_from_the_budget(domain, monkeypatch):
    charged = []
    charge = Budget._charge

    def listen(self, cost):
        charged.append(cost)
        charge(self, cost)

    measure = marginals.MeasuredCoding.measure

    def listen_to_edges(self, data, *, epsilon, noise, missing_code):
        count = len(self.columns(data.schema))
        charged.extend([(epsilon / count) ** 2 / 2] * count)
        people_with_a_row.append(len(data))
        return measure(self, data, epsilon=epsilon, noise=noise, missing_code=missing_code)

    people_with_a_row = []
    monkeypatch.setattr(Budget, "_charge", listen)
    monkeypatch.setattr(marginals.MeasuredCoding, "measure", listen_to_edges)
    everybody = tree([3] * 50, [1] * 150, np.random.default_rng(1))
    part = PeopleMarginals(epsilon=2.0, delta=1e-6, domain=domain)
    part.fit(everybody, rng=np.random.default_rng(1), noise=Noise.for_test(1))
    left = part.delta / 2 if domain == "measured" else part.delta
    assert sum(charged) == pytest.approx(rho_for(2.0, left), rel=1e-6)
    assert set(people_with_a_row) <= {50}  # one row of each


def test_much_budget_keeps_marginals_within_and_across_tables():
    everybody = simulated(1500)
    part = PeopleMarginals(epsilon=1000.0, rows=20)
    rng = np.random.default_rng(1)
    model = part.fit(everybody, rng=rng, noise=Noise.for_test(1))
    drawn = model.sample(model.size, rng=rng)
    assert drawn.size == everybody.size
    before, after = (stages(each, 20) for each in (everybody, drawn))
    tables = []
    for stage in (before, after):
        ward = stage["patients"].table.columns["patients.ward"][stage["visits"].branch.parent]
        place = stage["visits"].table.columns["visits.place"]
        table = np.bincount(2 * ward + place, minlength=4)
        tables.append(table / table.sum())
        number = stage["patients"].table.columns["number of visits"]
        old = stage["patients"].table.numbers("patients.age") > 60
        tables.append(np.array([number[old].mean(), number[~old].mean()]))
    assert np.abs(tables[0] - tables[2]).sum() < 0.05
    assert tables[1] == pytest.approx(tables[3], rel=0.2)


@few_people
@pytest.mark.parametrize("root", [True, False])
@pytest.mark.parametrize("domain", ["public", "measured", "learned"])
def test_any_tree_comes_back_as_a_tree(root, domain):
    everybody = tree([3, 0, 1, 2] * 20, [1, 0] * 60, np.random.default_rng(2), root=root)
    data = Trees.of(everybody)
    release = q.sanitize("people-marginals", data, epsilon=5, domain=domain, seed=1)
    again = Trees.from_rows(release.data.to_rows())
    assert again.digest() == release.data.digest()
    assert [table.name for table in again.people.schema.tables] == list(everybody.tables)
    assert (release.claim is None) == (domain == "learned")
    if not root:
        lengths = release.data.people.tables["visits"].lengths()
        assert (lengths > 0).all()


def test_a_person_between_two_values_does_not_move_those_who_have_them():
    """The categories are those that occur; c is too rare to be kept, and a new person has b."""
    cells = []
    for more in ([], ["b"]):
        grades = [*["a"] * 600, *["c"] * 50, *["d"] * 600, *more]
        values = tuple(sorted(set(grades)))
        grade = Column(name="grade", kind="category", values=values, ordered=True)
        table = Table.of(Schema(columns=(grade,)), {"grade": grades})
        row = np.arange(len(grades))
        root = TableSchema(name="root", columns=(grade,), key="key")
        everybody = People(
            PeopleSchema(tables=(root,)),
            len(row),
            None,
            {"root": Branch(table, row, row, len(row))},
        )
        given, noise = stages(everybody, 10), Noise.for_test(1)
        part = PeopleMarginals(epsilon=1, domain="measured")
        decided, _ = part._decide_domains(given, {"root": row}, rho_for(1, 5e-10), noise)
        cells.append(decided["root"].table)
    assert cells[0].schema == cells[1].schema
    assert cells[0].schema["root.grade"].values == ("a", "d")
    assert cells[1].records()[:1250] == cells[0].records()


@few_people
def test_the_claim_is_about_persons():
    clinic = Clinic(rows=50).data(np.random.default_rng(1))
    release = q.sanitize("people-marginals", clinic, epsilon=3, domain="measured", seed=1)
    assert release.claim.unit == "person"
    assert release.claim.words().startswith("epsilon 3, delta 1e-09, one person added or removed")
    learned = q.sanitize("people-marginals", clinic, domain="learned", seed=1)
    assert "learned from the data" in learned.facts()


@few_people
def test_domains_of_frames_without_a_schema_are_measured():
    tables = Clinic(rows=40).data(np.random.default_rng(1)).to_tables()
    frames = {name: q.data.to_pandas(table) for name, table in tables.items()}
    with pytest.warns(UserWarning, match="measured with noise, but which tables and columns there"):
        release = q.sanitize("people-marginals", frames, epsilon=50, seed=1)
    assert release.claim.words().endswith(
        "domain measured with noise, columns and kinds as in the data"
    )
    assert set(release.to_frames()) == set(frames)
    with pytest.raises(PartError, match="give a schema"):
        q.sanitize("people-marginals", frames, domain="public", seed=1)


@few_people
def test_a_schema_that_is_still_marked_as_learned_is_not_public(tmp_path):
    clinic = Clinic(rows=40).data(np.random.default_rng(1))
    for name, table in clinic.to_tables().items():
        table.to_csv(tmp_path / f"{name}.csv")
    stated = tmp_path / "people.json"
    with open_tables(tmp_path) as tables:
        stated.write_text(learn_people(tables).to_json())
    part = PeopleMarginals(epsilon=50)
    with pytest.warns(UserWarning, match="measured with noise"):
        release = q.sanitize(part, tmp_path, schema=stated, seed=1)
    assert (release.claim.domain, release.claim.kinds) == ("measured", "as in the data")
    stated.write_text(stated.read_text().replace('"learned": true', '"note": ""'))
    claim = q.sanitize(part, tmp_path, schema=stated, seed=1).claim
    assert (claim.domain, claim.kinds) == ("public", "stated")


@few_people
def test_a_table_that_only_one_person_fills_is_told_by_the_claim():
    """A transplant of one person brings a table into the release: the claim excludes it."""
    tables = Clinic(rows=40).data(np.random.default_rng(1)).to_tables()
    frames = {name: q.data.to_pandas(table) for name, table in tables.items()}
    for rows in (0, 1):
        one = frames["visits"].head(rows)
        transplants = one.assign(organ="heart") if rows else one.assign(organ=[])
        with pytest.warns(UserWarning, match="the claim does not cover it"):
            release = q.sanitize(
                "people-marginals", {**frames, "transplants": transplants}, epsilon=50, seed=1
            )
        assert ("transplants" in release.to_frames()) == bool(rows)
        assert release.claim.kinds == "as in the data"


def test_one_person_and_a_tiny_epsilon_still_give_a_release():
    alone = Trees.of(tree([2], [1, 1], np.random.default_rng(1)))
    release = q.sanitize("people-marginals", alone, epsilon=0.01, seed=1)
    assert len(release.data) >= 1


@pytest.mark.parametrize("root", [True, False])
def test_tables_without_any_row_are_tables_without_any_row(root):
    nobody = Trees.of(tree([1, 1, 1], [0, 0, 0], np.random.default_rng(1), root=root))
    release = q.sanitize("people-marginals", nobody, epsilon=1000, seed=1)
    assert len(release.data.people.tables["drugs"]) == 0
    assert len(release.data.people.tables["visits"]) == 3


def test_a_table_may_have_no_columns_and_a_name_like_a_number():
    day = Column(name="day", kind="category", values=("a", "b"))
    tables = (
        TableSchema(name="number of stays", columns=(day,), key="who"),
        TableSchema(name="stays", columns=(), reference="who"),
    )
    size, of = 30, np.repeat(np.arange(30), 2)
    rows = Table(Schema(columns=(day,)), {"day": np.arange(30) % 2})
    own = Branch(rows, np.arange(size), np.arange(size), size)
    stays = Branch(Table(Schema.model_construct(columns=()), {}), of, of, size)
    branches = {"number of stays": own, "stays": stays}
    people = Trees.of(People(PeopleSchema(tables=tables), size, None, branches))
    release = q.sanitize("people-marginals", people, epsilon=1000, seed=1)
    assert len(release.data.people.tables["stays"]) == 60


def test_faint_tails_of_numbers_give_nobody_many_rows():
    everybody = Trees.of(tree([1] * 400, [0] * 400, np.random.default_rng(1)))
    release = q.sanitize("people-marginals", everybody, epsilon=2, rows=10_000, seed=1)
    assert len(release.data.people.tables["visits"]) < 1000


def test_what_cannot_be_drawn_is_refused_with_a_reason():
    part = PeopleMarginals()
    ids = TableSchema(name="root", columns=(Column(name="iban", kind="id"),), key="key")
    with pytest.raises(PartError, match=r"cannot draw ids: leave out root\.iban"):
        part.require(PeopleSchema(tables=(ids,)).flat())
    wide = TableSchema(name="root", columns=(Column(name="pay", kind="real"),), key="key")
    with pytest.raises(PartError, match=r"give low and high for root\.pay"):
        part.require(PeopleSchema(tables=(wide,)).flat())
    PeopleMarginals(domain="measured").require(PeopleSchema(tables=(wide,)).flat())
    with pytest.raises(PartError, match="whole persons; leave out the unit"):
        choose_mechanism(part, PeopleSchema(tables=(ROOT,)).flat(), learned=(), unit="x", rows=1)


@pytest.mark.slow
def test_a_planted_fault_is_caught_and_the_part_is_not(monkeypatch):
    monkeypatch.setattr(marginals, "PATHS", 500)
    part = PeopleMarginals(epsilon=1.0, delta=distinguish.DELTA, rows=distinguish.MOST)
    runs = 40
    sound = distinguish.bounds(distinguish.play(part, runs))
    with distinguish.whole_rows():
        faulty = distinguish.bounds(distinguish.play(part, runs))
    assert max(sound.values()) <= part.epsilon < max(faulty.values())
