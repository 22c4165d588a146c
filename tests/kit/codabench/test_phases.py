"""A contest with two phases on CodaBench: releases, the hand-over by organisers, then guesses."""

import io
import zipfile
from datetime import UTC, datetime
from math import fsum

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.cli.live import import_codabench
from quintain.contests import load
from quintain.errors import DataError, Refused, SubmissionError
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.kit.codabench.download import read_accounts, read_download, submit_download
from quintain.kit.codabench.plan import column_key, release_plan
from quintain.kit.codabench.program import releases as program
from quintain.kit.codabench.program.faults import Faults as ProgramFaults
from quintain.runs.folder.folder import csv_bytes
from quintain.runs.folder.paths import Task
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.score import score
from quintain.runs.submissions.checking import check, release_file
from quintain.runs.submissions.counting import submissions
from tests.contest_folders import SMALL, prepared
from tests.kit.codabench.upload_rules import refusals
from tests.kit.conftest import misread, track_of, unpacked
from tests.kit.scoring_run import run_scoring

TEAMS = ("red", "blue", "green")
ACCOUNTS = {"anna_b": "red", "PhaseId9_x": "blue", "green": "green"}
RULES = {
    **SMALL,
    "goal": {"use": "membership-set", "guesses": 15},
    "sample": {"use": "subset", "rows": 60},
    "repeats": 1,
    "sanitizer": [],
    "baseline": [],
    "utility": [],
    "privacy": [{"use": "hit-rate"}],
    "board": [
        {"id": "anonymizers", "use": "defence", "measure": "hit_rate"},
        {"id": "attackers", "use": "mean", "measure": "hit_rate"},
    ],
    "rule": [{"use": "rows", "least": 10, "most": 80}, {"use": "distinct-rows"}],
    "files": {
        "header": False,
        "strict": True,
        "guess": "inference_{task}_{attacker}.index",
        "release": "{track}_anonymized_{team}.csv",
    },
    "phase": [
        {"id": "anonymize", "submit": "release", "closes": "2026-05-10T00:00:00Z"},
        {
            "id": "attack",
            "submit": "guess",
            "opens": "2026-05-20T12:00:00Z",
            "closes": "2026-05-25T00:00:00Z",
        },
    ],
    "team": [{"id": team} for team in TEAMS],
}


def contest(root):
    return prepared(root, load("tiny", overrides=RULES))


@pytest.fixture(scope="module")
def releasing(tmp_path_factory):
    """A contest whose release phase runs on CodaBench; nothing is submitted to it."""
    return contest(tmp_path_factory.mktemp("two") / "contest")


def release_of(folder, team):
    """The distinct rows of a team's private data, in another order."""
    lines = sorted(set(csv_bytes(private(folder, team), header=False).splitlines(keepends=True)))
    return b"".join(lines)


def private(folder, team):
    return folder.private(track_of(folder), Task("main", team))


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def downloaded(path, entries):
    """A download of the site: number, account, day and files of each submission."""
    named = {
        f"{number}_{account}_PhaseId7_{day}:41-07_answers.zip": zipped(files)
        for number, account, day, files in entries
    }
    path.write_bytes(zipped(named))
    return path


def test_the_release_phase_is_taken_and_has_no_private_data(releasing):
    files = unpacked(bundle_bytes(releasing))
    assert not refusals(files) and not misread(files)
    config = yaml.safe_load(files["competition.yaml"])
    (phase,) = config["phases"]
    assert (phase["name"], phase["end"]) == ("anonymize", "2026-05-10 00:00:00")
    assert "reference_data" not in config["tasks"][0]
    assert not [name for name in files if name.startswith("reference_data/")]
    for team in TEAMS:
        data = private(releasing, team)
        content = csv_bytes(data, header=False)
        assert all(
            content not in other and data.digest().encode() not in other for other in files.values()
        )
    assert "quintain import-codabench" in files["ORGANISERS.md"].decode()


def test_the_site_accepts_a_release_and_says_what_is_wrong_with_another(releasing, tmp_path):
    bundle, good = bundle_bytes(releasing), release_of(releasing, "red")
    done = run_scoring(bundle, {"mine.csv": good, "card.json": b"{}"}, tmp_path / "good")
    assert (done.code, done.scores) == (0, {"valid": 1, "records": len(good.splitlines())})
    first, rest = good.split(b"\n", 1)
    bad = b"x" + first + b"\n" + rest + rest.split(b"\n")[0] + b"\n"
    done = run_scoring(bundle, {"mine.csv": bad, "card.json": b"[]"}, tmp_path / "bad")
    assert (done.code, done.scores) == (1, None)
    assert "card.json: is not a JSON object" in done.output
    assert "repeats the record on line 2" in done.output
    assert "mine.csv:1 age='x" in done.output
    done = run_scoring(bundle, {"a.csv": good, "b.csv": good}, tmp_path / "two")
    assert "a release is one file" in done.output


CELLS = ["", "-1", "200", "Bachelors", "x", "=1", "17", '"17"', "5.0", "17,3"]


@settings(deadline=None, max_examples=15)
@given(
    edits=st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 8), st.sampled_from(CELLS)), max_size=3
    ),
    keep=st.sampled_from([5, 40, 1000]),
    again=st.booleans(),
)
def test_a_release_is_refused_in_the_words_of_our_judge(releasing, edits, keep, again):
    rows = [line.split(",") for line in release_of(releasing, "red").decode().splitlines()][:keep]
    for row, column, text in edits:
        rows[row % len(rows)][column % len(rows[0])] = text
    lines = [",".join(row) for row in rows]
    content = "\n".join([*lines, *(lines[:1] if again else []), ""]).encode()
    track, faults = track_of(releasing), ProgramFaults()
    name = release_file(track, "red")
    program.read({name: content}, release_plan(releasing, track), faults)
    try:
        check(releasing, track, "release", "red", {name: content})
        sentences = []
    except SubmissionError as error:
        sentences = sorted(map(str, error.faults))
    assert sorted(faults.sentences) == sentences


def test_before_the_hand_over_there_is_no_truth_to_split(releasing):
    with pytest.raises(Refused, match="leave --truth worker out"):
        bundle_bytes(releasing, truth="worker")


# From the site to the official ranking


def answers(folder, team, rng):
    """What a team uploads: an answer about every release but its own."""
    track = track_of(folder)
    tasks = [task for task in folder.tasks(track) if task.entry != team]
    blind = [folder.question(track, task).blind(rng=rng).table for task in tasks]
    return {
        f"{task.name}.csv": csv_bytes(table, header=False)
        for task, table in zip(tasks, blind, strict=True)
    }


@pytest.mark.slow
def test_a_contest_goes_from_codabench_to_our_ranking(tmp_path):
    folder, rng = contest(tmp_path / "contest"), np.random.default_rng(2)
    track, account = track_of(folder), {team: name for name, team in ACCOUNTS.items()}
    path = downloaded(
        tmp_path / "releases.zip",
        [
            (9, account["red"], "2026-05-03", {"r.csv": release_of(folder, "red")}),
            (12, account["blue"], "2026-05-04", {"r.csv": release_of(folder, "blue")}),
            (11, account["blue"], "2026-05-04", {"r.csv": b"1,2\n"}),
            (30, account["green"], "2026-05-09", {"r.csv": release_of(folder, "green")}),
            (31, "stranger", "2026-05-09", {"r.csv": release_of(folder, "green")}),
        ],
    )
    found = read_download(path, folder.edition().limits)
    done = submit_download(folder, track, found, ACCOUNTS)
    assert [one.team for one in done.accepted] == ["red", "blue", "green"]
    assert [one.time[:10] for one in done.accepted] == ["2026-05-03", "2026-05-04", "2026-05-09"]
    refused = [str(fault) for fault in done.refused]
    assert refused[0].startswith(f"11_{account['blue']}_PhaseId7_2026-05-04:41-07_answers.zip/")
    assert "stranger" in refused[-1]
    hand_over(folder, now=datetime(2026, 5, 11, tzinfo=UTC))

    bundle = bundle_bytes(folder)
    assert not refusals(unpacked(bundle)) and not misread(unpacked(bundle))
    given = {team: answers(folder, team, rng) for team in TEAMS}
    on_site = {team: run_scoring(bundle, given[team], tmp_path / team) for team in TEAMS}
    entries = [(i, account[team], "2026-05-20", given[team]) for i, team in enumerate(TEAMS)]
    found = read_download(downloaded(tmp_path / "guesses.zip", entries), folder.edition().limits)
    done = submit_download(folder, track, found, ACCOUNTS)
    assert not list(done.refused)
    assert done.accepted[0].time.startswith("2026-05-20T12:00:00")
    assert not submit_download(folder, track, found, ACCOUNTS).accepted  # they are known
    cells = score(folder, report=False)["main"].cells
    for team in TEAMS:
        others = [other for other in TEAMS if other != team]
        expected = {
            column_key("hit", other): cells[other, team]["hit_rate"].value for other in others
        }
        assert on_site[team].scores == {**expected, "average": fsum(expected.values()) / 2}


def test_only_the_answers_about_ones_own_release_may_be_missing(tmp_path):
    folder = contest(tmp_path / "contest")
    entries = [(i, t, "2026-05-03", {"r.csv": release_of(folder, t)}) for i, t in enumerate(TEAMS)]
    found = read_download(downloaded(tmp_path / "r.zip", entries), folder.edition().limits)
    submit_download(folder, track_of(folder), found, {})
    hand_over(folder, now=datetime(2026, 5, 11, tzinfo=UTC))
    bundle = bundle_bytes(folder)
    given = answers(folder, "red", np.random.default_rng(2))
    done = run_scoring(bundle, {"blue.csv": given["blue.csv"]}, tmp_path)
    assert done.code == 1
    assert "green.csv: is missing; a submission answers every task" in done.output


def test_the_command_imports_and_lists_what_is_refused(tmp_path):
    folder = contest(tmp_path / "contest")
    path = downloaded(
        tmp_path / "bulk.zip",
        [
            (1, "anna_b", "2026-05-03", {"r.csv": release_of(folder, "red")}),
            (2, "anna_b", "2026-05-12", {"r.csv": release_of(folder, "red")[:-9]}),
        ],
    )
    accounts = tmp_path / "accounts.csv"
    accounts.write_text("account,team\nanna_b,red\n")
    command = [str(folder.root), str(path), "--accounts", str(accounts)]
    done = CliRunner().invoke(import_codabench, command)
    assert "event 6: team red submitted 1 file" in done.output
    assert "new and accepted: 1 of 2 submissions" in done.output
    assert isinstance(done.exception, SubmissionError)
    assert "is not open at 2026-05-12 00:00:00 UTC" in str(done.exception)
    assert [one.team for one in submissions(folder)] == ["red"]


def test_files_that_come_once_more_count_again_and_known_numbers_do_not(tmp_path):
    folder = contest(tmp_path / "contest")
    first = {"r.csv": release_of(folder, "red")}
    lines = first["r.csv"].splitlines(keepends=True)
    other = {"r.csv": b"".join([lines[0], *reversed(lines[1:])])}
    days = [(7, "red", "2026-05-03", first), (8, "red", "2026-05-03", other)]
    limits, track = folder.edition().limits, track_of(folder)
    early = read_download(downloaded(tmp_path / "early.zip", days), limits)
    assert len(submit_download(folder, track, early, {}).accepted) == 2
    again = downloaded(tmp_path / "late.zip", [*days, (9, "red", "2026-05-03", first)])
    done = submit_download(folder, track, read_download(again, limits), {})
    assert [event.imported for event in done.accepted] == [9]
    assert len(done.known) == 2
    first_file, _, last_file = (event.files for event in submissions(folder))
    assert first_file == last_file


def test_a_day_before_the_phase_is_refused(tmp_path):
    folder = contest(tmp_path / "contest")
    entries = [(i, t, "2026-05-03", {"r.csv": release_of(folder, t)}) for i, t in enumerate(TEAMS)]
    limits, track = folder.edition().limits, track_of(folder)
    submit_download(
        folder, track, read_download(downloaded(tmp_path / "r.zip", entries), limits), {}
    )
    hand_over(folder, now=datetime(2026, 5, 11, tzinfo=UTC))
    given = answers(folder, "red", np.random.default_rng(2))
    early = downloaded(tmp_path / "g.zip", [(9, "red", "2026-05-19", given)])
    done = submit_download(folder, track, read_download(early, limits), {})
    assert "was made on 2026-05-19; attack opens on 2026-05-20" in str(done.refused.findings[0])


def test_an_account_with_the_name_of_a_team_is_not_this_team(tmp_path):
    folder = contest(tmp_path / "contest")
    entries = [(1, "red", "2026-05-03", {"r.csv": release_of(folder, "red")})]
    found = read_download(downloaded(tmp_path / "r.zip", entries), folder.edition().limits)
    done = submit_download(folder, track_of(folder), found, {"anna": "red"})
    assert "team red has another account; 'red' is not in the list" in str(list(done.refused))
    assert not done.accepted


def test_a_download_with_other_names_is_refused(tmp_path):
    path = tmp_path / "bulk.zip"
    path.write_bytes(zipped({"ID_82_program.zip": b"", "7_a_PhaseId1_2026-13-01:1-1_x.zip": b""}))
    with pytest.raises(DataError) as refused:
        read_download(path, load("tiny").limits)
    assert str(refused.value).count("expected a name such as") == 2
    path.write_bytes(b"nothing")
    with pytest.raises(DataError, match="cannot be read as a zip file"):
        read_download(path, load("tiny").limits)


def test_every_fault_of_the_accounts_is_listed(tmp_path):
    path = tmp_path / "accounts.csv"
    path.write_text("account,team\na,red\na,blue\nb,nobody\nc\n")
    with pytest.raises(DataError) as refused:
        read_accounts(path, TEAMS)
    assert [str(fault) for fault in refused.value.faults] == [
        "accounts.csv:3 account='a': has another team before",
        "accounts.csv:4 team='nobody': unknown team; available: red, blue, green",
        "accounts.csv:5: expected 2 cells, account and team, found 1",
    ]


# Purchases: everybody knows the original, so the site compares rows with it.

PURCHASES = {
    "dataset": {"rows": 400},
    "baseline": [],
    "team": [{"id": "red"}],
    "limits": {"rows": 1000},
}


@pytest.fixture(scope="module")
def shopping(tmp_path_factory):
    """DARC on a small shop, before anybody has released anything."""
    edition = load("darc", overrides=PURCHASES)
    return prepared(tmp_path_factory.mktemp("shop") / "contest", edition)


def purchases_of(folder):
    return csv_bytes(private(folder, "red")).decode().splitlines()


def refusals_of(folder, lines):
    """The sentences of the site, and those of our judge, about the same release."""
    track, faults, content = track_of(folder), ProgramFaults(), "\n".join([*lines, ""]).encode()
    name = release_file(track, "red")
    program.read({name: content}, release_plan(folder, track), faults)
    try:
        check(folder, track, "release", "red", {name: content})
        sentences = []
    except SubmissionError as error:
        sentences = sorted(map(str, error.faults))
    return sorted(faults.sentences), sentences


def test_the_site_refuses_a_release_that_is_three_rows_short(shopping, tmp_path):
    lines = purchases_of(shopping)
    ours, judges = refusals_of(shopping, lines)
    assert ours == judges == []
    done = run_scoring(
        bundle_bytes(shopping), {"r.csv": "\n".join([*lines[:-3], ""]).encode()}, tmp_path
    )
    assert (done.code, done.scores) == (1, None)
    assert "has 397 rows; expected 400, as many as the original" in done.output
    files = unpacked(bundle_bytes(shopping))
    assert "compares each row" in files["ORGANISERS.md"].decode()


BY_CELL = {0: ["p 1", "x" * 70, "DEL", "somebody"], 1: ["2011/07/15", ""], 3: ["10002", ""]}


@pytest.mark.slow
@settings(deadline=None, max_examples=15)
@given(
    edits=st.lists(
        st.tuples(st.integers(1, 399), st.sampled_from(sorted(BY_CELL)), st.integers(0, 3)),
        max_size=4,
    ),
    deleted=st.sampled_from([0, 1, 200, 399]),
)
def test_rows_are_compared_with_the_original_in_the_words_of_our_judge(shopping, edits, deleted):
    rows = [line.split(",") for line in purchases_of(shopping)]
    for row, column, choice in edits:
        texts = BY_CELL[column]
        rows[row][column] = texts[choice % len(texts)]
    for row in rows[1 : 1 + deleted]:
        row[0] = "DEL"
    ours, judges = refusals_of(shopping, [",".join(row) for row in rows])
    assert ours == judges
