"""AMIC's files: their faults, and their names at the time when they are needed."""

import io
import json
import zipfile

import pytest

from quintain.contests import load
from quintain.errors import PhaseClosed, Refused, SubmissionError
from quintain.runs.folder.folder import csv_bytes
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.score import score
from quintain.runs.submissions.rounds import trial_files
from quintain.runs.submissions.submit import submit
from tests.contest_folders import prepared
from tests.editions.test_amic import SMALL, main_exit


@pytest.fixture
def live(tmp_path):
    """A prepared contest of two teams."""
    changes = {**SMALL, "baseline": [], "team": [{"id": "01"}, {"id": "02"}]}
    return prepared(tmp_path / "live", load("amic", quick=True, overrides=changes), seed=8)


def private(folder, team):
    return (folder.root / f"teams/{team}/pre/private.csv").read_bytes()


def release(folder, team, content, **more):
    name = f"pre_anonymizeddata_{team}.csv"
    return submit(folder, team, {name: content, **more}, track="pre", kind="release")


def test_every_fault_of_a_release_is_named_with_row_and_column(live):
    rows = private(live, "01").decode().splitlines()
    cells = [row.split(",") for row in rows[:999]]
    cells[0][0], cells[1][0], cells[2][0] = "100", "20s", "[20-24]"
    cells[3][7] = "40.0"
    cells[4].pop()
    with pytest.raises(SubmissionError) as caught:
        release(live, "01", "\n".join(",".join(row) for row in cells).encode())
    found = {(fault.line, fault.column) for fault in caught.value.faults}
    assert {(1, "age"), (2, "age"), (3, "age"), (4, "hours-per-week"), (5, None)} <= found


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda text: text[: text.index("\n", len(text) // 3) + 1], "at least 1000"),
        (lambda text: text * 51, "the limit is 100000"),
        (lambda text: "age,workclass\n" + text, "expected 9"),
        (lambda text: "\ufeff" + text, "byte order mark"),
        (lambda text: text.replace("\n", "\r\n"), "carriage return"),
    ],
    ids=["few", "many", "header", "bom", "crlf"],
)
def test_a_file_that_breaks_the_format_is_refused(live, spoil, message):
    with pytest.raises(SubmissionError, match=message):
        release(live, "01", spoil(private(live, "01").decode()).encode())


def test_a_release_under_another_name_is_refused(live):
    with pytest.raises(SubmissionError, match=r"must be called pre_anonymizeddata_01\.csv"):
        submit(live, "01", {"mine.csv": private(live, "01")}, track="pre", kind="release")


def indices(rows):
    return "".join(f"{row}\n" for row in rows).encode()


QUESTIONNAIRE = {
    "claim": {"epsilon": 3.0, "delta": 0.001},
    "models": [
        {"name": "k-anonymity", "value": 4, "columns": ["age", "sex"]},
        {"name": "pk-anonymity", "value": 2.5},
        {"name": "delta-presence", "value": 0.2},
    ],
    "methods": [{"name": "microaggregation", "columns": ["age"], "rows": 300}],
}


def test_the_questionnaire_reaches_the_attackers(live):
    card = {"card.json": json.dumps(QUESTIONNAIRE).encode()}
    release(live, "01", private(live, "01"), **card)
    release(live, "02", private(live, "02"))
    hand_over(live, "pre")
    with pytest.raises(PhaseClosed, match="the releases of track pre were handed over at"):
        release(live, "02", private(live, "02"))  # it could not count any more
    shown = json.loads((live.root / "public/pre/tasks/01/card.json").read_bytes())
    assert (shown["claim"]["epsilon"], shown["claim"]["delta"]) == (3.0, 0.001)
    assert [(one["name"], one["value"]) for one in shown["models"]] == [
        (one["name"], one["value"]) for one in QUESTIONNAIRE["models"]
    ]
    assert shown["methods"][0]["name"] == "microaggregation"


def test_row_0_is_taken_and_a_row_named_twice_is_not(live):
    for team in ("01", "02"):
        release(live, team, private(live, team))
    hand_over(live, "pre")
    name = "inference_02_01.index"
    submit(live, "01", {name: indices(range(40))}, track="pre", kind="guess")
    for rows, message in (
        ([*range(39), 0], "named before"),
        ([*range(39), 5000], "rows 0..4999"),
        (range(41), "expected 40"),
    ):
        with pytest.raises(SubmissionError, match=message):
            submit(live, "01", {name: indices(rows)}, track="pre", kind="guess")


def exported(live, out, what, *more):
    main_exit(["export", str(live.root), what, str(out), *more, "--replace"])
    with zipfile.ZipFile(io.BytesIO(out.read_bytes())) as archive:
        return {name: archive.read(name).decode("latin-1") for name in archive.namelist()}


@pytest.mark.slow
def test_samples_are_handed_out_under_their_names_before_anybody_releases(live, tmp_path):
    files = exported(live, tmp_path / "round.zip", "round", "--track", "pre")
    samples = {f"pre_samplingdata_{team}.csv" for team in ("01", "02")}
    assert set(files) == {"pre_syntheticdata.csv", "test.csv", *samples}  # and no answers yet
    kit = exported(live, tmp_path / "kit.zip", "kit", "--team", "01", "--rehearsal")
    named = {name for name in kit if name.startswith("files/pre/")}
    assert named == {"files/pre/pre_samplingdata_01.csv", "files/pre/test.csv"}
    assert kit["files/pre/pre_samplingdata_01.csv"] == files["pre_samplingdata_01.csv"]
    assert "`files/pre/`: the same data, under the names that" in kit["README.md"]
    for team in ("01", "02"):
        release(live, team, private(live, team))
    hand_over(live, "pre")
    kit = exported(live, tmp_path / "kit.zip", "kit", "--team", "01", "--rehearsal")
    assert {name for name in kit if name.startswith("files/pre/")} == {
        *named,
        "files/pre/pre_syntheticdata.csv",
        "files/pre/pre_anonymizeddata_01.csv",
        "files/pre/pre_anonymizeddata_02.csv",
    }


def test_a_trial_has_its_answer_and_nothing_of_the_contest(live, tmp_path):
    files = exported(live, tmp_path / "trial.zip", "trial")
    assert set(files) == {
        "census_income.data.csv",
        "test.csv",
        "trial_anonymizeddata.csv",
        "trial_answer.index",
        "trial_samplingdata.csv",
        "trial_syntheticdata.csv",
    }
    population = files["trial_syntheticdata.csv"].splitlines()
    rows = files["trial_answer.index"].split()
    sample = files["trial_samplingdata.csv"].splitlines()
    assert sorted(population[int(row)] for row in rows) == sorted(sample)
    assert files["trial_syntheticdata.csv"].encode() != csv_bytes(live.base("pre"), header=False)


def test_a_trial_never_shows_the_own_data_of_organisers(monkeypatch):
    track = load("amic", quick=True).track[0]
    monkeypatch.setattr(type(track.dataset), "own_files", lambda self: {"table.csv": "0"})
    with pytest.raises(Refused, match="the organisers' own"):
        trial_files(track)


@pytest.mark.slow
def test_a_round_goes_out_and_comes_in_under_the_names_of_the_rules(live, tmp_path):
    for team in ("01", "02"):
        release(live, team, private(live, team))
    hand_over(live, "pre")
    for attacker, other in (("01", "02"), ("02", "01")):
        name = f"inference_{other}_{attacker}.index"
        submit(live, attacker, {name: indices(range(40))}, track="pre", kind="guess")
    score(live)
    out = tmp_path / "round.zip"
    files = exported(live, out, "round", "--track", "pre")
    answers = files["pre_answer_01.index"].split()
    sampled = files["pre_samplingdata_01.csv"].splitlines()
    population = files["pre_syntheticdata.csv"].splitlines()
    assert set(files) == {
        "pre_syntheticdata.csv",
        "test.csv",
        "pre_samplingdata_01.csv",
        "pre_samplingdata_02.csv",
        "pre_answer_01.index",
        "pre_answer_02.index",
        "pre_anonymizeddata_01.csv",
        "pre_anonymizeddata_02.csv",
        "inference_01_02.index",
        "inference_02_01.index",
    }
    assert sorted(population[int(row)] for row in answers) == sorted(sampled)
    before = (live.root / "journal.jsonl").read_text().count("\n")
    main_exit(["submit-round", str(live.root), str(out), "--kind", "guess", "--track", "pre"])
    assert (live.root / "journal.jsonl").read_text().count("\n") == before + 2
