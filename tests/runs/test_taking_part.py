"""Taking part: a kit, an attack on all its tasks, and files that the judge takes."""

import io
import json
import zipfile

import pytest

from quintain.cli.main import main
from quintain.contests import load
from quintain.errors import FolderError, KnowledgeError, Refused, Rejected, SubmissionError
from quintain.kit.kit import kit_bytes
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.zipped import open_packed
from quintain.runs.score import score
from quintain.runs.taking_part import answer, release
from tests.contest_folders import prepared, small
from tests.runs.submissions.test_team_releases import EDITION

NEAREST = {"use": "nearest"}


@pytest.fixture
def kit(live, tmp_path):
    """The red team's kit, unpacked; it has nothing of what is secret."""
    out = tmp_path / "kit"
    with zipfile.ZipFile(io.BytesIO(kit_bytes(live, "red"))) as archive:
        archive.extractall(out)
    assert not (out / "secret").exists()
    return Folder(out)


def quintain(*arguments):
    with pytest.raises(SystemExit) as done:
        main([str(word) for word in arguments])
    return done.value.code


@pytest.mark.slow
def test_from_a_kit_to_a_rank(live, kit, tmp_path, capsys):
    answers = tmp_path / "answers"
    command = ["attack", kit.root, "--use", "nearest", "--set", "distance=manhattan"]
    assert quintain(*command, "--out", answers, "--team", "red", "--workers", "1") == 0
    track = live.edition().track[0]
    assert len(list(answers.iterdir())) == len(live.tasks(track))
    assert quintain("check", kit.root, answers, "--team", "red") == 0
    assert quintain("submit", live.root, answers, "--team", "red") == 0
    score(live)
    standings = json.loads(live.at("results/standings.json").read_bytes())
    places = standings["tracks"]["main"]["boards"][0]["places"]
    assert [place["rank"] for place in places if place["team"] == "red"] == [1]
    assert "next: quintain check" in capsys.readouterr().out


def test_the_zip_of_a_kit_gives_the_same_bytes_as_the_unpacked_kit(live, kit, tmp_path):
    archive = tmp_path / "kit.zip"
    archive.write_bytes(kit_bytes(live, "red"))
    track = live.edition().track[0]
    with open_packed(archive) as packed:
        assert answer(packed, track, NEAREST) == answer(kit, track, NEAREST)


def test_single_tasks_are_answered_by_their_name(kit):
    track = kit.edition().track[0]
    assert list(answer(kit, track, NEAREST, tasks=["identity"])) == ["identity.csv"]
    with pytest.raises(Refused, match=r"^unknown task 'identiy'; did you mean 'identity'\?$"):
        answer(kit, track, NEAREST, tasks=["identiy"])


def test_the_same_seed_gives_the_same_answers_and_another_seed_others(kit):
    track, use = kit.edition().track[0], {"use": "random"}
    assert answer(kit, track, use, seed=1) == answer(kit, track, use, seed=1)
    assert answer(kit, track, use, seed=1) != answer(kit, track, use, seed=2)


def test_an_unknown_attack_or_parameter_is_refused_before_any_work(kit):
    track = kit.edition().track[0]
    with pytest.raises(Rejected, match="unknown attack 'naerest'; did you mean 'nearest'"):
        answer(kit, track, {"use": "naerest"})
    with pytest.raises(Rejected, match="distanc: unknown parameter; did you mean 'distance'"):
        answer(kit, track, NEAREST | {"distanc": "gower"})


def test_an_attack_gets_no_more_than_the_kit_gives(tmp_path):
    folder = small(
        tmp_path / "closed", repeats=1, team=[{"id": "red"}], knowledge={"gives": []}, baseline=[]
    )
    track = folder.edition().track[0]
    with pytest.raises(KnowledgeError, match="density-ratio-v1 needs base"):
        answer(folder, track, {"use": "density-ratio"})


def test_answers_that_are_called_after_their_team_need_one(tmp_path):
    folder = small(
        tmp_path / "named",
        repeats=1,
        team=[{"id": "red"}],
        files={"guess": "{attacker}_{task}.csv"},
    )
    track = folder.edition().track[0]
    with pytest.raises(Refused, match="name your team"):
        answer(folder, track, NEAREST)
    files = answer(folder, track, NEAREST, team="red", tasks=["identity"])
    assert list(files) == ["red_identity.csv"]


def test_what_is_no_kit_is_refused(tmp_path):
    path = tmp_path / "kit.zip"
    path.write_bytes(b"no zip")
    with pytest.raises(SubmissionError, match="cannot be read as a zip file"), open_packed(path):
        pass


def test_a_contest_without_releases_of_teams_takes_none(kit):
    with pytest.raises(Refused, match="teams make no releases"):
        release(kit, kit.edition().track[0], {"use": "rr"}, team="red")


def test_a_release_made_from_a_kit_is_one_the_judge_takes(tmp_path):
    text = EDITION.replace("opens = 2026-05-01T00:00:00Z\n", "").replace(
        "closes = 2026-05-10T00:00:00Z\n", ""
    )
    (tmp_path / "two.toml").write_text(text + '[[team]]\nid = "red"\n')
    folder = prepared(tmp_path / "two", load(tmp_path / "two.toml"))
    archive, out = tmp_path / "kit.zip", tmp_path / "release"
    archive.write_bytes(kit_bytes(folder, "red"))
    command = ["sanitize", archive, "--use", "rr", "--set", "keep=0.95", "--team", "red"]
    assert quintain(*command, "--out", out) == 0
    assert sorted(path.name for path in out.iterdir()) == ["card.json", "release.csv"]
    assert json.loads((out / "card.json").read_bytes())["test"] is False
    assert quintain("check", folder.root, out, "--team", "red", "--kind", "release") == 0
    assert quintain("submit", folder.root, out, "--team", "red", "--kind", "release") == 0


def test_a_release_needs_the_private_sample_of_its_team(tmp_path):
    (tmp_path / "two.toml").write_text(EDITION + '[[team]]\nid = "red"\n')
    folder = prepared(tmp_path / "two", load(tmp_path / "two.toml"))
    with pytest.raises(FolderError, match="no private sample of team 'blue'"):
        release(folder, folder.edition().track[0], {"use": "rr"}, team="blue")
