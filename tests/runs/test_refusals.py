"""One part that refuses leaves the rest of a contest running, and everybody sees the reason."""

import json
import shutil

import pytest

import quintain.runs.play as playing
from quintain import registry
from quintain.cli.main import main
from quintain.contests import load
from quintain.errors import JobFailed, PartError
from quintain.runs.folder.folder import Folder
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.verification.verify import verify
from tests.contest_folders import SMALL, small
from tests.registered import copy_registered_parts
from tests.runs.refusing_parts import register_refusing_parts
from tests.runs.submissions.test_team_releases import EDITION, PLAYERS

SHY = "shy needs bounds for age; shy needs bounds for "
PICKY = "picky attacks no release with a claim"
CLAIMING = ("rr-keep0.9", "rr-keep0.5", "independent-epsilon1", "independent-epsilon100")
REFUSING = {
    **SMALL,
    "sanitizer": [{"use": "identity"}, {"use": "shy"}, {"use": "independent", "epsilon": 1.0}],
    "baseline": [
        {"id": "random", "attack": {"use": "random"}},
        {"id": "picky", "attack": {"use": "picky"}},
    ],
    "utility": [{"use": "marginals"}, {"use": "strict"}],
}


@pytest.fixture(scope="module", autouse=True)
def _parts_that_refuse():
    """Register parts that refuse for these tests alone: tests of all parts must not see them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_parts", copy_registered_parts())
        register_refusing_parts()
        yield


@pytest.fixture(scope="module")
def refusing(tmp_path_factory):
    """A contest in which a sanitizer, an attack and a measure refuse, played to the end."""
    out = tmp_path_factory.mktemp("refusing") / "run"
    return play(load("tiny", overrides=REFUSING), out, seed=7)


def track_of(folder):
    return json.loads(folder.at("results/standings.json").read_bytes())["tracks"]["main"]


def test_the_rest_is_played_and_the_standings_say_what_was_refused(refusing):
    track = track_of(refusing)
    assert [entry["id"] for entry in track["entries"]] == ["identity", "independent"]
    (release,), (attack,) = track["refused"]["releases"], track["refused"]["attacks"]
    assert release["id"] == "shy"
    assert release["reason"].startswith(SHY)
    assert attack == {"entry": "independent", "attacker": "picky", "reason": PICKY}


def test_a_refused_sanitizer_has_no_tasks_and_a_refused_attack_has_no_cell(refusing):
    track = refusing.edition().track[0]
    assert {task.entry for task in refusing.tasks(track)} == {"identity", "independent"}
    rows = refusing.at("results/matrix.csv").read_text().splitlines()[1:]
    pairs = {(row.split(",")[1], row.split(",")[3]) for row in rows}
    others = {("identity", "random"), ("identity", "picky"), ("independent", "random")}
    assert {tuple(name.strip('"') for name in pair) for pair in pairs} == others


def test_a_measure_that_refuses_gives_a_reading_with_the_reason(refusing):
    readings = track_of(refusing)["entries"][0]["readings"]
    assert readings["strict"]["value"] is None
    assert readings["strict"]["note"] == "refused: strict reads no ages of people"
    assert readings["tv1"]["value"] == 0


def test_the_report_says_it_in_short_in_the_cell_and_in_the_list_of_entries(refusing):
    page = refusing.at("results/report.html").read_text()
    assert '<span class="bad">Refused</span>, so there is no figure' in page
    assert f"picky, on independent</bdi> ({PICKY})" in page
    assert f'title="picky on independent&#10;refused: {PICKY}">refused<span' in page
    assert (
        "✕ <bdi>shy</bdi></span> was not released and is not an entry; refused: shy needs" in page
    )
    assert ", refused or not measured" in page


def test_a_verifier_comes_to_the_same_refusals(refusing):
    assert verify(refusing).problems == ()
    assert verify(refusing, fast=True).problems == ()


def test_a_run_that_is_continued_gives_the_same_bytes_and_asks_nobody_again(refusing, tmp_path):
    shutil.copytree(refusing.root, tmp_path / "run")
    page = refusing.at("results/report.html").read_bytes()
    (tmp_path / "run/results/report.html").unlink()
    stamps = {p: p.stat().st_mtime_ns for p in (tmp_path / "run/.cache/stamps").iterdir()}
    again = play(load("tiny", overrides=REFUSING), tmp_path / "run", seed=7)
    assert again.at("results/report.html").read_bytes() == page
    changed = [p for p, time in stamps.items() if p.stat().st_mtime_ns != time]
    assert len(changed) == 1  # the page


def test_a_faked_refusal_is_noticed(refusing, tmp_path):
    shutil.copytree(refusing.root, tmp_path / "faked")
    path = tmp_path / "faked/public/main/refused/identity.000.txt"
    path.write_text("identity does not feel well\n")
    faked = Folder(tmp_path / "faked")
    score(faked)
    assert [entry["id"] for entry in track_of(faked)["entries"]] == ["independent"]
    problems = verify(faked).problems
    assert "public/main/refused/identity.000.txt: no commitment covers this file" in problems


def test_a_mistake_in_the_code_of_a_part_still_ends_the_run(tmp_path):
    changes = {**REFUSING, "sanitizer": [{"use": "shy", "mistake": True}]}
    with pytest.raises(JobFailed, match=r"TypeError: a mistake in the code \(refusing_parts.py"):
        play(load("tiny", overrides=changes), tmp_path / "run", seed=7)


def test_a_live_contest_is_not_prepared_with_a_sanitizer_that_refuses(tmp_path):
    with pytest.raises(PartError, match=r"^shy: refused: shy needs bounds for age"):
        small(tmp_path / "live", sanitizer=REFUSING["sanitizer"])
    folder = Folder(tmp_path / "live")
    assert not folder.state().prepared
    assert not folder.at("public/main/refused").exists()
    assert not folder.at("public/commitments/prepare-main.json").exists()


def test_a_live_contest_is_scored_although_a_baseline_refuses(tmp_path):
    changes = {key: REFUSING[key] for key in ("baseline", "utility")}
    folder = small(tmp_path / "live", repeats=1, team=[{"id": "red"}], **changes)
    score(folder, report=False)
    attacks = track_of(folder)["refused"]["attacks"]
    assert {one["entry"] for one in attacks} == set(CLAIMING)
    assert {one["reason"] for one in attacks} == {PICKY}


@pytest.mark.slow
def test_the_terminal_shows_refusals_and_fails_only_if_nothing_was_played(capsys, tmp_path):
    command = ["play", "tiny", "--workers", "1", "--seed", "7", "--set", "repeats=1"]
    command += ["--set", "dataset.rows=400"]
    command += ["--set", "sample.targets=20", "--set", "sample.background=60", "--out"]
    picky = '--set=baseline=[{id="picky",attack={use="picky"}}]'
    with pytest.raises(SystemExit) as done:
        main([*command, str(tmp_path / "a"), picky])
    assert done.value.code in (0, None)
    shown = capsys.readouterr().out
    assert f"refused: picky on 4 of 5 entries ({', '.join(CLAIMING)}): {PICKY}" in shown
    shy = '--set=sanitizer=[{use="shy"}]'
    with pytest.raises(SystemExit) as done:
        main([*command, str(tmp_path / "b"), shy])
    shown = capsys.readouterr()
    assert done.value.code not in (0, None)
    assert "refused: the release of shy: shy needs bounds" in shown.out
    assert "nothing was played: no attack could be made on any release" in shown.err


SHY_PLAYERS = """
[[baseline]]
id = "shy"
name = "The shy one"
sanitizer = { use = "shy" }

[[baseline]]
id = "short"
sanitizer = { use = "moments", rows = 50 }
"""


def test_a_player_without_a_release_is_listed_and_the_others_play_on(tmp_path):
    (tmp_path / "e.toml").write_text(EDITION + PLAYERS + SHY_PLAYERS)
    folder = play(load(tmp_path / "e.toml"), tmp_path / "run", seed=2)
    track = track_of(folder)
    assert [entry["id"] for entry in track["entries"]] == ["noisy", "open"]
    assert track["refused"]["attacks"] == []
    shy, short = track["refused"]["releases"]
    assert shy == {"id": "shy", "reason": SHY + "150 records"}
    assert short["id"] == "short"
    assert "has 50 records" in short["reason"]
    assert "<bdi>The shy one, whose release was refused</bdi>" in (
        folder.at("results/report.html").read_text()
    )
    assert verify(folder).problems == ()


def test_a_player_that_is_left_out_although_it_does_not_refuse_is_noticed(tmp_path, monkeypatch):
    (tmp_path / "e.toml").write_text(EDITION + PLAYERS)
    monkeypatch.setattr(playing, "makes_release", lambda track: ["open"])
    folder = play(load(tmp_path / "e.toml"), tmp_path / "run", seed=2)
    (problem,) = verify(folder).problems
    assert problem.endswith("the baseline noisy makes a release, but the journal does not have it")
