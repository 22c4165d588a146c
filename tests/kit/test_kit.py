"""The participant's kit: everything a team may see, nothing else, and a valid answer to start."""

import pytest

from quintain.errors import NoSuchTeam, SubmissionError
from quintain.jobs.files import write_file
from quintain.kit.kit import kit_bytes
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.task import Task
from quintain.runs.prepare import prepare
from quintain.runs.submissions.checking import check
from quintain.runs.submissions.submit import submit
from tests.contest_folders import small
from tests.kit.conftest import unpacked

TWO_ROLES = """\
id = "two-roles"
title = "Everybody sanitizes, everybody attacks"
goal = { use = "membership-set", guesses = 5 }

[dataset]
use = "adult"
rows = 200

[sample]
use = "subset"
rows = 40

[[phase]]
id = "anonymize"
submit = "release"

[[privacy]]
use = "hit-rate"

[[board]]
id = "attackers"
use = "mean"
measure = "hit_rate"

[[team]]
id = "red"

[[team]]
id = "blue"
"""


@pytest.fixture
def contest(tmp_path):
    return small(tmp_path / "contest", team=[{"id": "red"}], repeats=1)


@pytest.fixture
def two_roles(tmp_path):
    """A contest in which red and blue have private data of their own."""
    write_file(tmp_path / "two/edition.toml", TWO_ROLES.encode())
    folder = Folder(tmp_path / "two")
    prepare(folder, seed=4)
    return folder


def test_a_kit_has_every_public_file_and_no_secret_one(contest):
    files = unpacked(kit_bytes(contest))
    public = [p for p in contest.root.glob("public/**/*") if p.is_file()]
    assert {name for name in files if name.startswith("public/")} == {
        path.relative_to(contest.root).as_posix() for path in public
    }
    assert {name.split("/")[0] for name in files} == {"public", "example", "README.md"}
    hidden = [p.read_bytes() for p in contest.root.glob("secret/**/*") if p.is_file()]
    assert not any(content in hidden for content in files.values())


def test_the_same_contest_gives_the_same_kit(contest):
    assert kit_bytes(contest) == kit_bytes(contest)


def test_the_examples_answer_every_task_and_are_accepted(contest):
    files = unpacked(kit_bytes(contest))
    answers = {
        name.rsplit("/", 1)[1]: content
        for name, content in files.items()
        if name.startswith("example/main/")
    }
    assert len(answers) == len(contest.tasks(contest.edition().track[0]))
    assert submit(contest, "red", answers).receipt.number == 1


def test_the_kit_opens_as_an_edition_folder(contest, tmp_path):
    for name, content in unpacked(kit_bytes(contest)).items():
        write_file(tmp_path / "kit" / name, content)
    opened = Folder(tmp_path / "kit")
    assert opened.prepared
    track = opened.edition().track[0]
    for task in opened.tasks(track):
        assert len(opened.release(track, task).data)
        assert len(opened.question(track, task).table)


def test_a_team_is_given_its_own_data_and_nobody_elses(two_roles):
    files = unpacked(kit_bytes(two_roles, "red"))
    own = {name for name in files if name.startswith("teams/")}
    assert own
    assert all(name.startswith("teams/red/") for name in own)
    blue = [p.read_bytes() for p in two_roles.root.glob("teams/blue/**/*") if p.is_file()]
    assert blue
    assert not any(content in blue for content in files.values())


def test_a_team_checks_its_release_with_its_kit_as_the_judge_does(two_roles, tmp_path):
    for name, content in unpacked(kit_bytes(two_roles, "red")).items():
        write_file(tmp_path / "kit" / name, content)
    kit, track = Folder(tmp_path / "kit"), two_roles.edition().track[0]
    given = (kit.root / "teams/red/main/private.csv").read_bytes()
    check(kit, track, "release", "red", {"mine.csv": given})
    mine, theirs = (f.private(track, Task("main", "red")) for f in (kit, two_roles))
    assert mine.equals(theirs)
    with pytest.raises(SubmissionError, match=r"mine\.csv:2 age='x': expected"):
        lines = given.decode().split("\n")
        lines[1] = "x," + lines[1].split(",", 1)[1]
        check(kit, track, "release", "red", {"mine.csv": "\n".join(lines).encode()})


def test_without_a_team_nobodys_data_are_given(two_roles):
    assert not [name for name in unpacked(kit_bytes(two_roles)) if name.startswith("teams/")]


def test_the_population_is_in_no_kit_while_releases_are_still_made(two_roles):
    assert not [name for name in unpacked(kit_bytes(two_roles, "red")) if "base" in name]


@pytest.mark.parametrize("team", ["green", "../secret", ""])
def test_a_team_that_does_not_take_part_has_no_kit(two_roles, team):
    with pytest.raises(NoSuchTeam, match=f"unknown team '{team}'; teams: red, blue"):
        kit_bytes(two_roles, team)


def test_a_team_without_data_of_its_own_gets_what_everybody_gets_under_its_name(contest):
    files, anybodys = unpacked(kit_bytes(contest, "red")), unpacked(kit_bytes(contest))
    assert "--team red" in files["README.md"].decode()
    assert files.keys() == anybodys.keys()
    assert {name for name in files if files[name] != anybodys[name]} == {"README.md"}


def test_the_readme_says_what_the_contest_is_and_how_to_hand_in(contest):
    text = unpacked(kit_bytes(contest))["README.md"].decode()
    assert text.startswith(f"# {contest.edition().title}\n")
    assert "--team YOUR-TEAM" in text
    assert "- `main`: " in text


def test_a_kit_has_no_hidden_files(tmp_path):
    folder = small(tmp_path / "c", team=[{"id": "red"}], repeats=1)
    before = unpacked(kit_bytes(folder))
    (folder.root / "public/.release.csv.123.part").write_text("half")
    assert unpacked(kit_bytes(folder)) == before
