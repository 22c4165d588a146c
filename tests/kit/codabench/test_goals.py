"""One contest of each goal on CodaBench: taken by it, scored as we score, refused as we refuse."""

from math import fsum

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.kit.codabench.bundle import bundle_bytes
from quintain.kit.codabench.exported import board_measure
from quintain.kit.codabench.plan import column_key
from quintain.runs.folder.folder import csv_bytes
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from tests.kit.codabench.goal_contests import CONTESTS, contest, mixed
from tests.kit.codabench.sentences import our_sentences, program_sentences
from tests.kit.codabench.upload_rules import refusals
from tests.kit.conftest import misread, track_of, unpacked
from tests.kit.scoring_run import run_scoring


@pytest.fixture(scope="module")
def contests(tmp_path_factory):
    made = {}

    def get(name):
        if name not in made:
            made[name] = contest(tmp_path_factory.mktemp("goal") / "contest", name)
        return made[name]

    return get


@pytest.mark.parametrize("name", CONTESTS)
def test_a_bundle_of_every_goal_is_taken_and_scores_as_we_do(contests, name, tmp_path):
    folder = contests(name)
    track, bundle = track_of(folder), bundle_bytes(folder)
    files = unpacked(bundle)
    assert not refusals(files) and not misread(files)
    rng = np.random.default_rng(4)
    given = {
        f"{task.name}.csv": csv_bytes(mixed(folder, task, rng).table)
        for task in folder.tasks(track)
    }
    submit(folder, "red", given)
    cells = score(folder, report=False)["main"].cells
    done = run_scoring(bundle, given, tmp_path)
    assert (done.code, done.output) == (0, f"scored {len(given)} answers\n")
    readings = zip(board_measure(track).keys, track.guess_measures[0].reads, strict=True)
    average = done.scores.pop("average")
    assert done.scores == {
        column_key(key, entry): cells[entry, "red"][reading].value
        for key, reading in readings
        for entry in track.entries
    }
    first = [done.scores[column_key(board_measure(track).key, entry)] for entry in track.entries]
    assert any(0.1 < value < 0.9 for value in first)
    (board,) = yaml.safe_load(files["competition.yaml"])["leaderboards"]
    assert {c["key"] for c in board["columns"]} == {*done.scores, "average"}
    assert average == fsum(first) / len(first)
    assert [board["columns"][i]["key"] for i in range(len(first))] == [
        column_key(board_measure(track).key, entry) for entry in track.entries
    ]


ODD = [
    "",
    "DEL",
    "nobody",
    "=1+1",
    "-7",
    "a:b",
    "a:b:c:d",
    "1e3",
    "17",
    "0",
    "x\u200by",
    '"q"',
    "é",
]


@pytest.mark.parametrize(
    "name",
    [
        "membership-set",
        "attribute",
        "attribute of a number",
        "published row",
        "linkability",
        "singling out",
        "hidden columns",
        "reconstruction",
        "linkage",
    ],
)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_every_goal_refuses_in_the_words_of_our_judge(contests, name, data):
    folder = contests(name)
    track = track_of(folder)
    blind = folder.question(track, folder.tasks(track)[0]).blind(rng=np.random.default_rng(1))
    header, *lines = csv_bytes(blind.table).decode().splitlines()
    rows = [line.split(",") for line in lines]
    for _ in range(data.draw(st.integers(0, 3))):
        row = data.draw(st.integers(0, len(rows) - 1))
        at = data.draw(st.integers(0, len(rows[row]) - 1))
        other = data.draw(st.integers(0, len(rows) - 1))
        rows[row][at] = data.draw(
            st.sampled_from([*ODD, rows[other][min(at, len(rows[other]) - 1)]])
        )
        if data.draw(st.booleans()):
            rows[row] += data.draw(st.sampled_from([[], ["1"], ["", ""]]))
    if data.draw(st.booleans()):
        del rows[data.draw(st.integers(0, len(rows) - 1))]
    content = "\n".join([header, *map(",".join, rows), ""]).encode()
    sentences, _ = our_sentences(folder, track, content)
    assert program_sentences(folder, track, content)[0] == sentences


def test_two_values_of_a_category_without_order_are_one_fault(contests):
    folder = contests("singling out")
    track = track_of(folder)
    blind = folder.question(track, folder.tasks(track)[0]).blind(rng=np.random.default_rng(1))
    header, *lines = csv_bytes(blind.table).decode().splitlines()
    rows = [line.split(",") for line in lines]
    row = next(row for row in rows if row[1] == "workclass")
    for row[2:4] in (["Never-worked", "Private"], ["Private", "Never-worked"]):
        content = "\n".join([header, *map(",".join, rows), ""]).encode()
        sentences, _ = our_sentences(folder, track, content)
        assert program_sentences(folder, track, content)[0] == sentences
        assert len(sentences) == 1
