"""A contest that runs, by its commands alone: teams, changes, the journal, the end."""

import json
import zipfile

import pytest

from quintain.cli.main import main
from quintain.journal.receipt import Receipt
from quintain.runs.folder.folder import Folder
from quintain.runs.organising.decide import Subject, decide
from quintain.runs.organising.hand_over import hand_over
from tests.runs.organising.live_cases import at, release, two_rounds

EDITION = """\
include = "tiny"
id = "live"
repeats = 1
dataset.rows = 400
sample = { targets = 20, background = 60 }
[[team]]
id = "red"
[[phase]]
id = "attack"
submit = "guess"
opens = 2020-01-01T00:00:00Z
closes = 2090-01-01T00:00:00Z
"""


def run(capsys, *arguments, code=0):
    """What a command prints; it ends with this code."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert (ended.value.code or 0) == code
    printed = capsys.readouterr()
    return printed.out if code == 0 else printed.err


def test_a_kit_that_says_a_phase_is_closed_reminds_of_a_new_kit(tmp_path, capsys):
    folder, kit = tmp_path / "over", tmp_path / "kit.zip"
    folder.mkdir()
    (folder / "edition.toml").write_text(EDITION.replace("2090", "2021"))
    run(capsys, "prepare", folder, "--workers", 1)
    run(capsys, "export", folder, "kit", kit, "--team", "red")
    zipfile.ZipFile(kit).extractall(tmp_path / "kit")
    answers = tmp_path / "kit/example/main/attack"
    for place, reminded in ((tmp_path / "kit", True), (folder, False)):
        with pytest.raises(SystemExit):
            main(["check", str(place), str(answers), "--team", "red"])
        shown = capsys.readouterr().err
        assert "it closed at 2021-01-01" in shown
        assert ("only a new kit says so" in shown) is reminded


def test_a_receipt_replaces_no_other(tmp_path, capsys):
    folder, kept = tmp_path / "live", tmp_path / "red.json"
    folder.mkdir()
    (folder / "edition.toml").write_text(EDITION)
    run(capsys, "prepare", folder, "--workers", 1)
    run(capsys, "export", folder, "kit", tmp_path / "kit.zip")
    zipfile.ZipFile(tmp_path / "kit.zip").extractall(tmp_path / "kit")
    submit = ("submit", folder, tmp_path / "kit/example/main/attack", "--team", "red")
    run(capsys, *submit, "--receipt", kept)
    first = kept.read_bytes()
    assert "is there already" in run(capsys, *submit, "--receipt", kept, code=2)
    assert kept.read_bytes() == first
    assert len(list(Folder(folder).journal().submissions())) == 1


@pytest.mark.slow
def test_a_contest_is_organised_by_its_commands(tmp_path, capsys):
    folder, edition = tmp_path / "live", tmp_path / "live/edition.toml"
    folder.mkdir()
    edition.write_text(EDITION)
    run(capsys, "prepare", folder, "--workers", 1)
    kit = tmp_path / "green.zip"
    added = run(capsys, "team", "add", folder, "green", "--per-day", 2, "--kit", kit)
    assert "team green takes part" in added and "give it to nobody else" in added
    zipfile.ZipFile(kit).extractall(tmp_path / "kit")
    answers = tmp_path / "kit/example/main/attack"
    assert "takes part already" in run(capsys, "team", "add", folder, "red", code=1)
    check = run(capsys, "check", tmp_path / "kit", answers, "--team", "green")
    assert "a valid guess of 5 files" in check
    run(capsys, "submit", folder, answers, "--team", "green")
    assert "submissions" in run(capsys, "team", "list", folder)
    assert "submissions" not in run(capsys, "team", "list", tmp_path / "kit")

    why = ("--why", "the site was down")
    early = run(capsys, "extend", folder, "attack", "--until", "2089-01-01T00:00Z", *why, code=1)
    assert "a phase can become longer, never shorter" in early
    for until in ("May", "9999-12-31T23:59-05:00"):
        assert "expected a time like" in run(
            capsys, "extend", folder, "attack", "--until", until, *why, code=2
        )
    longer = run(capsys, "extend", folder, "attack", "--until", "2091-01-01T00:00Z", *why)
    assert "closes at 2091-01-01 00:00 UTC, not at 2090-01-01 00:00 UTC" in longer

    edition.write_text(EDITION.replace("2090", "2091").replace("400", "500"))
    refused = run(capsys, "amend", folder, edition, "--why", "more data", code=1)
    assert "track.main.dataset: must stay as it is" in refused
    edition.write_text(EDITION.replace("2090", "2091") + "per_day = 3\n")
    amended = run(capsys, "amend", folder, "--why", "a limit was missing")
    assert amended.splitlines()[:2] == [
        "version 2 of the rules is in force; it changes:",
        "  phase.attack.per_day",
    ]

    assert "team red is disqualified: spam" in run(
        capsys, "team", "disqualify", folder, "red", "--why", "spam"
    )
    listed = run(capsys, "team", "list", folder)
    assert "2 per day" in listed and "disqualified: spam" in listed
    run(capsys, "team", "reinstate", folder, "red", "--why", "a mistake")

    log = run(capsys, "log", folder)
    number = Folder(folder).journal().size() - 4
    assert f"{number:>6}" not in log and "1 submission" in log
    assert "a guess of 5 files" in run(capsys, "log", folder, "--all")
    receipt = tmp_path / "receipt.json"
    run(capsys, "receipt", folder, number, "--out", receipt)
    again = Receipt.from_bytes(receipt.read_bytes())
    assert again.check(Folder(folder).state().key).size == Folder(folder).journal().size()
    assert json.loads(run(capsys, "receipt", folder, number)) == json.loads(receipt.read_bytes())
    checkpoint = run(capsys, "checkpoint", folder)
    assert checkpoint == again.checkpoint == (folder / "public/checkpoint.txt").read_text()

    revealed = tmp_path / "revealed.zip"
    assert "run quintain freeze" in run(capsys, "reveal", folder, revealed, code=1)
    assert "to end them now, give a reason with --why" in run(capsys, "freeze", folder, code=1)
    run(capsys, "freeze", folder, "--why", "everybody is done", "--workers", 1)
    assert "quintain verify revealed.zip" in run(capsys, "reveal", folder, revealed, "--workers", 1)
    run(capsys, "verify", revealed, "--workers", 1)
    with zipfile.ZipFile(revealed) as archive:
        page = archive.read("results/report.html").decode()
        archive.extractall(tmp_path / "archive")
    for sentence in ("What happened", "the site was down", "a limit was missing", "a mistake"):
        assert sentence in page
    assert run(capsys, "log", tmp_path / "archive") == run(capsys, "log", folder)
    assert run(capsys, "checkpoint", tmp_path / "archive") == run(capsys, "checkpoint", folder)


def warning(capsys, *arguments):
    """What a command that ends well prints on standard error."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert not ended.value.code
    return capsys.readouterr().err


def test_organisers_are_warned_of_what_a_change_breaks(tmp_path, capsys):
    folder = two_rounds(tmp_path / "two-rounds")
    release(folder, "red", 1)
    release(folder, "blue", 1)
    decide(folder, "disqualified", Subject("red", "pre"), "its rows are copies", now=at(1))
    change = ("extend", folder.root, "anonymize", "--track", "main", "--why", "more time")
    late = warning(capsys, *change, "--until", "2090-01-01T00:00Z")
    assert "warning: track main: releases are accepted in anonymize until 2090-01-01" in late
    hand_over(folder, "pre", now=at(2))
    back = ("team", "reinstate", folder.root, "red", "--track", "pre", "--why", "a mistake")
    assert warning(capsys, *back) == (
        "warning: no attacker got release red of team red in track pre, so it cannot be ranked\n"
    )
    scored = run(capsys, "score", folder.root, "--workers", 1, "--no-report")
    assert "main: attackers: nobody is ranked yet" in scored
    assert not warning(capsys, "board", folder.root, "--official")
    run(capsys, "team", "disqualify", folder.root, "blue", "--why", "they shared answers")
    events = folder.journal().size()
    stale = warning(capsys, "board", folder.root, "--official")
    assert f"warning: these are the scores after event {events - 1} of {events}" in stale


def test_gates_that_change_after_the_hand_over_are_told(tmp_path, capsys):
    folder = two_rounds(tmp_path / "two-rounds")
    release(folder, "red", 1)
    path = tmp_path / "changed.toml"
    gate = 'utility = [{ use = "marginals", at_most = 0.9 }]\n'
    path.write_text(gate + folder.at("edition.toml").read_text())
    hand_over(folder, "pre", now=at(2))
    told = warning(capsys, "amend", folder.root, path, "--why", "a bound was missing")
    assert "warning: track pre: its releases were handed over" in told


@pytest.mark.slow
@pytest.mark.parametrize("command", ["reveal", "export"])
def test_a_file_that_is_there_stays(tmp_path, capsys, command):
    folder, kept = tmp_path / "contest", tmp_path / "people.csv"
    run(capsys, "new", "tiny", folder)
    run(capsys, "prepare", folder, "--seed", 1)
    kept.write_text("age\n40\n")
    what = ["kit"] if command == "export" else []
    refused = run(capsys, command, folder, *what, kept, code=2)
    assert "is there already: name another place, or replace it with --replace" in refused
    assert kept.read_text() == "age\n40\n"


def test_a_team_chooses_what_counts(tmp_path, capsys):
    folder = tmp_path / "live"
    folder.mkdir()
    (folder / "edition.toml").write_text(EDITION)
    run(capsys, "prepare", folder, "--workers", 1)
    run(capsys, "export", folder, "kit", tmp_path / "kit.zip", "--team", "red")
    zipfile.ZipFile(tmp_path / "kit.zip").extractall(tmp_path / "kit")
    for _ in range(2):
        run(capsys, "submit", folder, tmp_path / "kit/example/main/attack", "--team", "red")
    first = next(Folder(folder).journal().submissions("red")).number
    chosen = run(capsys, "choose", folder, first, "--team", "red")
    assert f"team red: in phase attack of track main count {first}" in chosen
    assert "already" in run(capsys, "choose", folder, first, "--team", "red", code=1)
    assert f"what counts in phase attack of track main: {first}." in run(capsys, "log", folder)
    back = run(capsys, "choose", folder, "--last", "--team", "red")
    assert "count its last submissions" in back
    neither = run(capsys, "choose", folder, "--team", "red", code=2)
    assert "name the submissions that count, or give --last" in neither
