"""A friend in a contest: disqualified, it gives nothing; organisers see who knew its release."""

import io
import json
import shutil
import zipfile

import pytest

from quintain.cli.main import main
from quintain.kit.archive import archive_bytes
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.organising.decide import Subject, decide
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify
from tests.runs.verification.forgery import day, live_contest


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A scored contest in which blue told red five people of its sample."""
    root = tmp_path_factory.mktemp("told") / "contest"
    live_contest(root, drop=("red",))
    folder = Folder(root)
    people = folder.at("secret/main/tasks/blue/truth.csv").read_text().splitlines()[1:6]
    files = {"blue.csv": "\n".join([*people, ""]).encode(), "green.csv": b"60\n61\n62\n63\n64\n"}
    submit(folder, "red", files, now=day(15))
    score(folder, report=False, now=day(21))
    return root


@pytest.fixture
def folder(told, tmp_path):
    """A copy that a test may change."""
    return Folder(shutil.copytree(told, tmp_path / "copy"))


def first(folder):
    standings = json.loads(folder.at(paths.STANDINGS).read_bytes())
    (board,) = standings["tracks"]["main"]["boards"]
    return {place["team"]: place["score"]["value"] for place in board["places"]}


@pytest.mark.slow
def test_a_friend_who_is_disqualified_gives_nothing(folder):
    before = first(folder)
    assert before["red"] == max(before.values())
    decide(folder, "disqualified", Subject("blue"), "a second account of red", now=day(22))
    score(folder, report=False, now=day(22))
    green = json.loads(folder.at(paths.COLLUSION).read_bytes())["tracks"]["main"][0]
    assert green["measure"] == "hit_rate"
    assert first(folder)["red"] < before["red"]
    assert verify(folder).problems == ()


@pytest.mark.slow
def test_the_residuals_are_verified_and_stay_with_the_organisers(folder):
    (table,) = json.loads(folder.at(paths.COLLUSION).read_bytes())["tracks"]["main"]
    top = table["pairs"][0]
    assert (top["attacker"], top["owner"], top["value"]) == ("red", "blue", 1.0)
    assert (top["chance"], top["stands_out"]) == (None, False)  # three teams cannot tell
    with zipfile.ZipFile(io.BytesIO(archive_bytes(folder))) as archive:
        assert paths.STANDINGS in archive.namelist()
        assert paths.COLLUSION not in archive.namelist()
    assert verify(folder).problems == ()
    folder.at(paths.COLLUSION).unlink()
    assert verify(folder).problems == ()
    folder.at(paths.COLLUSION).write_text("{}")
    assert any(paths.COLLUSION in problem for problem in verify(folder).problems)


@pytest.mark.slow
def test_score_prints_who_knew_a_release_too_well(folder, capsys):
    with pytest.raises(SystemExit):
        main(["score", str(folder.root), "--no-report"])
    printed = capsys.readouterr().out
    assert "More than expected" in printed
    assert "too few attacks by others" in printed
