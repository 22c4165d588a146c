"""Trying a program in a rehearsal, before it is submitted."""

import json

import pytest

from quintain.contests import load
from quintain.errors import FolderError, Refused, SubmissionError
from quintain.programs.hide_and_seek import HideAndSeek
from quintain.runs.folder.paths import tracebacks
from quintain.runs.play import play, read_programs, reasons
from quintain.runs.submissions.counting import submissions
from quintain.runs.verification.verify import verify
from tests.runs.tasks.program_cases import PHASES, SMALL, STEPS, seeker

EXAMPLES = HideAndSeek(**STEPS)


@pytest.fixture
def rehearsal():
    """A small contest with two built-in players."""
    players = [
        {"id": "noise", "sanitizer": {"use": "add-noise"}},
        {"id": "knn", "attack": {"use": "series-knn"}},
    ]
    return load("hide-and-seek", overrides={**SMALL, "phase": PHASES, "baseline": players})


def written(folder, role, name, text=None):
    """The example of a role, or another text, as a folder of its own."""
    (folder / name).mkdir()
    for file, content in EXAMPLES.example(role).items():
        (folder / name / file).write_text(content.decode() if text is None else text)
    return folder / name


@pytest.mark.slow
def test_programs_play_along_with_the_baselines(rehearsal, tmp_path):
    paths = [written(tmp_path, "release", "My Hider"), written(tmp_path, "guess", "mine")]
    programs = read_programs(rehearsal, paths)
    assert set(programs) == {"my-hider", "mine"}
    folder = play(rehearsal, tmp_path / "run", seed=1, programs=programs)
    standings = json.loads((folder.root / "results/standings.json").read_text())
    boards = {board["id"]: board["places"] for board in standings["tracks"]["main"]["boards"]}
    ranks = {place["team"]: place["rank"] for place in boards["hiders"]}
    assert ranks == {"noise": 1, "my-hider": None}, "baselines are ranked, programs beside them"
    assert {place["team"] for place in boards["seekers"]} == {"knn", "mine"}
    assert reasons(folder) == {}
    assert verify(folder).problems == ()
    again = play(rehearsal, tmp_path / "run", seed=1, programs=programs)
    assert len(submissions(again)) == 6
    changed = {**programs, "mine": seeker()}
    with pytest.raises(FolderError, match="a run of an earlier version of mine"):
        play(rehearsal, tmp_path / "run", seed=1, programs=changed)


@pytest.mark.slow
def test_two_programs_of_the_same_file_name_play_under_the_names_of_their_folders(
    rehearsal, tmp_path
):
    red, blue = (written(tmp_path, "release", name) / "hider.py" for name in ("red", "blue"))
    programs = read_programs(rehearsal, [red, blue])
    assert set(programs) == {"red-hider", "blue-hider"}
    folder = play(rehearsal, tmp_path / "run", seed=1, programs=programs)
    owners = folder.owners(folder.edition().track[0])
    assert sorted(owners.values()) == ["blue-hider", "noise", "red-hider"]


def test_a_program_that_fails_in_a_rehearsal_is_told_why(rehearsal, tmp_path):
    programs = read_programs(rehearsal, [written(tmp_path, "guess", "bad", "import nothing_here")])
    folder = play(rehearsal, tmp_path / "run", seed=1, programs=programs)
    assert reasons(folder)["bad"].endswith("it failed with an error")
    assert "ModuleNotFoundError in seeker.py, line 1" in reasons(folder, public_data=True)["bad"]
    (traceback,) = tracebacks(folder.root)
    assert "No module named 'nothing_here'" in traceback.read_text()
    assert "nothing_here" not in reasons(folder)["bad"]


def test_what_cannot_play_is_refused_before_anything_is_played(rehearsal, tmp_path):
    knn, other = written(tmp_path, "guess", "knn"), tmp_path / "other.py"
    other.write_text("print(1)")
    with pytest.raises(Refused, match="another player has the name 'knn'"):
        read_programs(rehearsal, [knn])
    with pytest.raises(SubmissionError, match=r"other.py: needs seeker.py"):
        read_programs(rehearsal, [other])
    with pytest.raises(Refused, match="tiny accepts no programs"):
        read_programs(load("tiny"), [other])
