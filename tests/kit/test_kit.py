"""The participant's kit: everything a team may see, nothing else, and a valid answer to start."""

import re

import pytest

from quintain.cli.main import cli
from quintain.contests import load
from quintain.errors import NoSuchTeam, SubmissionError
from quintain.jobs.files import write_file
from quintain.kit.kit import kit_bytes
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import Task
from quintain.runs.folder.rules import write_rules
from quintain.runs.organising.prepare import prepare
from quintain.runs.submissions.checking import check
from quintain.runs.submissions.counting import submissions
from quintain.runs.submissions.submit import submit
from quintain.wording import languages
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
    # The facts about a release are public in this contest, so its card is the same in both places.
    secret = [p for p in contest.root.glob("secret/**/*") if p.is_file() and p.name != "card.json"]
    hidden = [p.read_bytes() for p in secret]
    assert not any(content in hidden for content in files.values())


def test_the_same_contest_gives_the_same_kit(contest):
    assert kit_bytes(contest) == kit_bytes(contest)


def test_a_kit_is_the_same_in_every_language(contest, monkeypatch):
    class Shouting(languages.Language):
        def text(self, text, context=""):
            return f"! {text}"

    monkeypatch.setitem(languages._LANGUAGES, "xx", Shouting())
    kit = kit_bytes(contest)
    with languages.speaking("xx"):
        assert languages.say("a") == "! a"
        assert kit_bytes(contest) == kit


def test_the_examples_answer_every_task_and_are_accepted(contest):
    files = unpacked(kit_bytes(contest))
    answers = {
        name.rsplit("/", 1)[1]: content
        for name, content in files.items()
        if name.startswith("example/main/attack/")
    }
    assert len(answers) == len(contest.tasks(contest.edition().track[0]))
    assert submit(contest, "red", answers).submission.team == "red"


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
    in_kit, in_folder = (f.private(track, Task("main", "red")) for f in (kit, two_roles))
    assert in_kit.equals(in_folder)
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
    with pytest.raises(NoSuchTeam, match=f"unknown team '{team}'; available: red, blue"):
        kit_bytes(two_roles, team)


def test_a_team_without_data_of_its_own_gets_what_everybody_gets_under_its_name(contest):
    files, anybodys = unpacked(kit_bytes(contest, "red")), unpacked(kit_bytes(contest))
    assert "--team red" in files["README.md"].decode()
    assert files.keys() == anybodys.keys()
    assert {name for name in files if files[name] != anybodys[name]} == {"README.md"}


def test_the_readme_says_what_the_contest_is_and_how_to_hand_in(contest):
    text = unpacked(kit_bytes(contest))["README.md"].decode()
    heading, _, rest = text.split("\n\n", 2)
    assert heading == "# REHEARSAL: anybody can compute the truth from the seed"
    assert rest.startswith(f"# {contest.edition().title}\n")
    assert "--team YOUR-TEAM" in text
    assert "## Track `main`: " in text


def test_a_kit_has_no_hidden_files(tmp_path):
    folder = small(tmp_path / "c", team=[{"id": "red"}], repeats=1)
    before = unpacked(kit_bytes(folder))
    (folder.root / "public/.release.csv.123.part").write_text("half")
    assert unpacked(kit_bytes(folder)) == before


# --- the README, followed word by word ------------------------------------------------------------


def opened_kit(folder, tmp_path, team="red"):
    for name, content in unpacked(kit_bytes(folder, team)).items():
        write_file(tmp_path / "kit" / name, content)
    return tmp_path / "kit"


def commands(kit, verb):
    """The commands of a kind that the README gives, as arguments."""
    lines = (kit / "README.md").read_text().splitlines()
    return [line.split()[1:] for line in lines if line.startswith(f"    quintain {verb} ")]


def named_files(kit):
    """The files and folders that the README says are in the kit."""
    text = (kit / "README.md").read_text()
    listed = re.findall(r"^- `([^`]+)`: ", text, re.MULTILINE)
    return [name.removesuffix("TASK/") for name in listed]


def teams_of(name, tmp_path, **changes):
    teams = [{"id": "red"}, {"id": "blue"}]
    edition = load(name, quick=True, overrides={"team": teams, **changes})
    write_rules(tmp_path / "contest", edition)
    folder = Folder(tmp_path / "contest")
    prepare(folder, seed=3)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tiny", "amic", "darc", "hide-and-seek"])
def test_the_readme_can_be_followed_literally(name, tmp_path, monkeypatch, capsys):
    folder = teams_of(name, tmp_path)
    kit = opened_kit(folder, tmp_path)
    monkeypatch.chdir(kit)
    for file in named_files(kit):
        assert (kit / file).exists(), file
    for arguments in commands(kit, "attack"):
        cli.main(arguments, standalone_mode=False)
    checks = commands(kit, "check")
    assert checks
    for arguments in checks:
        cli.main(arguments, standalone_mode=False)
    assert "valid" in capsys.readouterr().out
    for arguments in commands(kit, "submit"):
        where = [str(folder.root) if word == "FOLDER" else word for word in arguments]
        cli.main(where, standalone_mode=False)
        assert capsys.readouterr().out.startswith("event ")
    assert len(submissions(folder)) == len(commands(kit, "submit")) >= 1


@pytest.mark.slow
def test_the_readme_of_a_release_phase_names_file_rules_and_gates(tmp_path):
    kit = opened_kit(teams_of("amic", tmp_path), tmp_path)
    text = (kit / "README.md").read_text()
    assert "Your private data are `teams/red/pre/private.csv`" in text
    assert "Submit one file called `pre_anonymizeddata_red.csv`, without a header line" in text
    assert "if same is yes, as many as the original has (rows: least 1,000" in text
    assert "- histogram must be at least 0.99: " in text
    assert "There is nothing to attack yet." in text


def test_the_readme_of_a_kit_for_everybody_says_where_private_data_are(two_roles):
    text = unpacked(kit_bytes(two_roles))["README.md"].decode()
    assert "`teams/YOUR-TEAM/main/private.csv` in the kit that the organisers make" in text
    assert "quintain check" not in text
