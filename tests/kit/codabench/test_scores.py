"""The scoring program of a bundle scores as the judge does, to the last bit."""

import json
import shutil

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.guesses import Guess, Truth
from quintain.guesses.membership import Membership
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.kit.codabench.exported import MEMBERSHIP
from quintain.kit.codabench.plan import column_key
from quintain.kit.codabench.program import guesses as program
from quintain.kit.codabench.program.faults import OrganisersFault
from quintain.kit.codabench.program.goals import membership
from quintain.kit.codabench.program.sums import pairwise_sum
from quintain.measures import Case, reading_rng
from quintain.registry import build
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.score import score
from quintain.runs.standalone.measuring import measure_files
from quintain.runs.submissions.checking import guess_file
from quintain.runs.submissions.submit import submit
from tests.contest_folders import small
from tests.kit.conftest import GUESSES, answers, track_of, unpacked
from tests.kit.scoring_run import can_mount, run_scoring


@pytest.fixture(scope="module")
def ours(live):
    """Our own readings of every kind of guess."""
    for kind in GUESSES:
        submit(live, kind, answers(live, kind))
    return score(live)["main"].cells


def entry_scores(done):
    """The scores on single entries, without the average of them."""
    return {key: value for key, value in done.scores.items() if key != "average"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", GUESSES)
def test_the_scoring_program_scores_as_we_do(live, bundle, ours, kind, tmp_path):
    done = run_scoring(bundle, answers(live, kind), tmp_path)
    assert (done.code, done.output) == (0, "scored 10 answers\n")
    assert entry_scores(done) == {
        column_key("adv", entry): ours[entry, kind]["membership_advantage"].value
        for entry in track_of(live).entries
    }
    if kind in ("perfect", "inverted"):
        assert set(done.scores.values()) == {1.0 if kind == "perfect" else -1.0}


def test_a_single_release_reads_as_its_loose_files_do(tmp_path):
    folder = small(tmp_path / "once", repeats=1)
    given = answers(folder, "drawn")
    done = run_scoring(bundle_bytes(folder), given, tmp_path)
    for task in folder.tasks(track_of(folder)):
        path = tmp_path / guess_file(track_of(folder), task, "red")
        path.write_bytes(given[guess_file(track_of(folder), task, "red")])
        truth = folder.at(paths.truth(task))
        read = measure_files(track_of(folder), truth=truth, guess=path)["membership_advantage"]
        assert done.scores[column_key("adv", task.entry)] == read.value


ANY = Schema(columns=(Column(name="x", kind="integer"),))
TRUTH, GUESS = Membership().truth_schema(ANY), Membership().guess_schema(ANY)
MEASURES = {
    "adv": ("membership-advantage", {}),
    "acc": ("accuracy", {}),
    "auc": ("auc", {}),
    "tpr": ("tpr-at-fpr", {"fpr": 0.15}),
}


@pytest.mark.slow
@pytest.mark.parametrize("key", MEASURES)
def test_every_measure_that_can_be_exported_is_scored_as_we_do(live, ours, key, tmp_path):
    use, parameters = MEASURES[key]
    name = use.replace("-", "_")
    folder = Folder(shutil.copytree(live.root, tmp_path / "copy"))
    rules = json.loads((folder.root / "public/rules/1.json").read_bytes())
    rules["track"][0]["privacy"] = [{"use": use, **parameters}]
    rules["track"][0]["board"][0]["rule"]["measure"] = name
    (folder.root / "public/rules/1.json").write_text(json.dumps(rules))
    content = bundle_bytes(folder)
    board = yaml.safe_load(unpacked(content)["competition.yaml"])["leaderboards"][0]
    assert board["title"] == MEMBERSHIP[f"measure/{use}-v1"].title
    cells = score(folder)["main"].cells
    for kind in ("drawn", "barely", "one"):
        done = run_scoring(content, answers(live, kind), tmp_path / kind)
        assert entry_scores(done) == {
            column_key(key, entry): cells[entry, kind][name].value
            for entry in track_of(live).entries
        }


def judged(pairs):
    """One repetition as the judge sees it."""
    names = [f"t{i}" for i in range(len(pairs))]
    members = [int(member) for member, _ in pairs]
    truth = Table.of(TRUTH, {"target": names, "member": members})
    guess = Table.of(GUESS, {"target": names, "probability": [score for _, score in pairs]})
    return Case(Truth(truth), Guess(guess))


def program_case(pairs):
    """One repetition as the program sees it."""
    names = [f"t{i}" for i in range(len(pairs))]
    truth = {"target": names, "member": [int(member) for member, _ in pairs]}
    return truth, {"target": names, "probability": [score for _, score in pairs]}


PROBABILITIES = st.sampled_from([0.0, 0.1, 0.5, 0.7, 1.0]) | st.floats(0, 1)
REPEATS = st.lists(
    st.lists(st.tuples(st.booleans(), PROBABILITIES), min_size=1, max_size=300),
    min_size=1,
    max_size=3,
)


@pytest.mark.parametrize("key", MEASURES)
@settings(deadline=None, max_examples=50)
@given(repeats=REPEATS)
def test_the_program_meets_our_measure_to_the_last_bit(key, repeats):
    use, parameters = MEASURES[key]
    (read,) = (
        build("measure", {"use": use, **parameters})
        .measure([judged(pairs) for pairs in repeats], rng=reading_rng())
        .values()
    )
    cases = [program_case(pairs) for pairs in repeats]
    try:
        assert membership.measure(cases, {"key": key, **parameters}) == [read.value]
    except OrganisersFault:
        assert not read.measured


def test_sums_of_many_numbers_are_those_of_numpy():
    drawn = np.random.default_rng(1).random(5000)
    for length in [*range(300), 1000, 4999, 5000]:
        assert pairwise_sum(drawn[:length].tolist()) == drawn[:length].sum()


def test_scores_are_rounded_as_the_rules_say():
    shown = program.shown
    assert shown(1 / 3, {"digits": 1, "step": None}) == 0.3
    assert shown(0.34, {"digits": None, "step": 0.25}) == 0.25
    assert shown(1 / 3, {"digits": None, "step": None}) == 1 / 3


@pytest.mark.skipif(not can_mount(), reason="bubblewrap is missing or may not mount")
def test_mounted_at_app_for_real(live, bundle, ours, tmp_path):
    done = run_scoring(bundle, answers(live, "drawn"), tmp_path, mounted=True)
    assert done.code == 0, done.output
    read = ours["identity", "drawn"]["membership_advantage"].value
    assert done.scores["adv_identity"] == read
