"""A team chooses one of its private samples, and everything is judged by that sample."""

import json

import pytest

from quintain.cli.main import main
from quintain.contests import load
from quintain.errors import EditionError, Refused
from quintain.journal.events import Submitted
from quintain.kit.kit import kit_bytes
from quintain.runs.folder.record import record, writing
from quintain.runs.folder.zipped import open_packed
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.submissions.counting import store, submissions
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify
from tests.runs.submissions.hand_in.hand_in_cases import (
    ARTEFACTS,
    OPEN,
    contest,
    edition,
    private,
)
from tests.runs.submissions.test_team_releases import EDITION, OVER, PLAYERS


def test_a_team_chooses_one_of_its_samples_and_is_judged_by_it(tmp_path):
    folder = contest(tmp_path / "contest", edition("samples = 3\n"))
    samples = [private(folder, name=f"private.{n}.csv") for n in (1, 2, 3)]
    assert len(set(samples)) == 3
    assert not (folder.root / "teams/red/main/private.csv").exists()
    accepted = submit(folder, "red", {"mine.csv": samples[1]}, kind="release", sample=2, now=OPEN)
    assert accepted.submission.sample == 2
    assert accepted.sentence().startswith("event ")
    assert "made from sample 2" in accepted.sentence()
    other = private(folder, "blue", "private.3.csv")
    submit(folder, "blue", {"mine.csv": other}, kind="release", sample=3, now=OPEN)
    hand_over(folder, now=OVER)
    track = folder.edition().track[0]
    task = next(task for task in folder.tasks(track) if task.entry == "red")
    assert folder.private(track, task).digest() == folder.private(track, task, 2).digest()
    score(folder, now=OVER)
    entries = json.loads(folder.at("results/standings.json").read_bytes())["tracks"]["main"]
    assert [entry["readings"]["tv1"]["value"] for entry in entries["entries"]] == [0, 0]
    assert verify(folder).problems == ()


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (None, "no sample is named: say from which one you made the release, --sample 1 to"),
        (4, "sample 4 does not exist: choose one, --sample 1 to --sample 3"),
    ],
)
def test_a_release_without_a_choice_is_refused(tmp_path, sample, message):
    folder = contest(tmp_path / "contest", edition("samples = 3\n"))
    files = {"mine.csv": private(folder, name="private.1.csv")}
    with pytest.raises(Refused, match=message):
        submit(folder, "red", files, kind="release", sample=sample, now=OPEN)
    assert submissions(folder) == []


def test_a_verifier_notices_a_release_in_the_journal_without_its_sample(tmp_path):
    folder = contest(tmp_path / "contest", edition("samples = 3\n"))
    files = store(folder, {"mine.csv": private(folder, name="private.1.csv")})
    event = Submitted(team="red", track="main", phase="anonymize", kind="release", files=files)
    with writing(folder) as journal:
        record(folder, journal, event, now=OPEN)
    problems = verify(folder).problems
    assert any("(submitted): no sample is named: say from which one" in p for p in problems)


def test_the_name_of_the_file_says_which_sample_it_is(tmp_path):
    text = edition("samples = 2\n").replace(
        "strict = true\n", 'strict = true\nrelease = "{team}-{sample}.csv"\n'
    )
    folder = contest(tmp_path / "contest", text)
    second = private(folder, name="private.2.csv")
    accepted = submit(folder, "red", {"red-2.csv": second}, kind="release", now=OPEN)
    assert accepted.submission.sample == 2
    with pytest.raises(Refused, match="two samples are named"):
        submit(folder, "red", {"red-2.csv": second}, kind="release", sample=1, now=OPEN)


def test_a_contest_without_a_choice_refuses_the_number_of_a_sample(tmp_path):
    folder = contest(tmp_path / "contest", EDITION)
    with pytest.raises(Refused, match="there is no choice among samples here"):
        submit(folder, "red", {"r.csv": private(folder)}, kind="release", sample=1, now=OPEN)


@pytest.mark.slow
def test_players_of_a_rehearsal_release_their_first_sample(tmp_path):
    (tmp_path / "e.toml").write_text(edition("samples = 2\n", ARTEFACTS) + PLAYERS)
    folder = play(load(tmp_path / "e.toml"), tmp_path / "run", seed=2)
    releases = [one for one in submissions(folder) if one.kind == "release"]
    assert [one.sample for one in releases] == [1, 1]
    assert verify(folder).problems == ()


def test_a_kit_has_all_samples_and_its_commands_work_with_one(tmp_path, capsys):
    folder = contest(tmp_path / "contest", edition("samples = 2\n"))
    (tmp_path / "kit.zip").write_bytes(kit_bytes(folder, "red", now=OPEN))
    with open_packed(tmp_path / "kit.zip") as kit:
        readme = kit.at("README.md").read_text()
        assert "`teams/red/main/private.1.csv` and `teams/red/main/private.2.csv`" in readme
        assert "--kind release --sample 1" in readme
        run = ["sanitize", str(kit.root), "--use", "rr", "--set", "keep=0.9", "--team", "red"]
        out = str(tmp_path / "out")
        with pytest.raises(SystemExit):
            main([*run, "--out", out])
        assert "choose one of your samples: --sample 1 to --sample 2" in capsys.readouterr().err
        with pytest.raises(SystemExit) as done:
            main([*run, "--out", out, "--sample", "2"])
        assert not done.value.code
        assert f"quintain check {kit.root} {out} --team red --kind release --sample 2" in (
            capsys.readouterr().out
        )
        check = ["check", str(kit.root), out, "--team", "red", "--kind", "release"]
        with pytest.raises(SystemExit):
            main([*check, "--sample", "2"])
        shown = capsys.readouterr()
        assert "a valid release of 2 files" in shown.out
        assert "tv1" in shown.out


def test_samples_need_releases_that_teams_submit(tmp_path):
    for text, message in (
        ("samples = 2\n", "samples is for tracks in which teams submit releases"),
        ('feedback = { releases = "utility" }\n', "releases is for tracks in which teams submit"),
    ):
        path = tmp_path / "e.toml"
        path.write_text(f'include = "tiny"\nid = "x"\n{text}')
        with pytest.raises(EditionError, match=message):
            load(path)
