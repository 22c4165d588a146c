"""What teams hand in: artefacts beside a release, and a choice among several samples."""

import json
from datetime import UTC, datetime

import pytest

from quintain.cli.main import main
from quintain.contests import load
from quintain.errors import EditionError, Refused, SubmissionError
from quintain.jobs.files import write_file
from quintain.journal.events import Submitted
from quintain.kit.archive import archive_bytes
from quintain.kit.kit import kit_bytes
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import record, writing
from quintain.runs.folder.zipped import opened
from quintain.runs.organising.freeze import freeze
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.prepare import prepare
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.submissions.submit import LONG_AGO, submit
from quintain.runs.submissions.submitted import store, submissions
from quintain.runs.submissions.upload import read_upload
from quintain.runs.verification.verify import verify
from tests.runs.submissions.test_team_releases import EDITION, OVER, PLAYERS

RELEASE_PHASE = 'submit = "release"\n'
ARTEFACTS = """
[[phase.artefact]]
name = "model"
file = "model-{team}.npz"
required = true
max_bytes = 1000
published = "with-release"

[[phase.artefact]]
name = "report"
file = "report.txt"
kind = "text"
published = "never"

[[phase.artefact]]
name = "settings"
file = "settings.json"
kind = "json"

[[phase.artefact]]
name = "second"
file = "second.csv"
kind = "table"
"""
OPEN = datetime(2026, 5, 2, tzinfo=UTC)
MODEL = b"PK\x03\x04 a model"


def edition(extra="", phase=""):
    """The rules of a small contest; ``phase`` goes into its release phase."""
    dates = "closes = 2026-05-10T00:00:00Z\n"
    return extra + EDITION.replace(dates, dates + phase)


def contest(root, text):
    """A prepared contest of the teams red and blue."""
    text += '[[team]]\nid = "red"\n[[team]]\nid = "blue"\n'
    write_file(root / "edition.toml", text.encode())
    folder = Folder(root)
    prepare(folder, seed=11, now=LONG_AGO)
    return folder


def private(folder, team="red", name="private.csv"):
    return (folder.root / f"teams/{team}/main/{name}").read_bytes()


@pytest.fixture(scope="module")
def with_artefacts(tmp_path_factory):
    """A contest in which red submitted every artefact; nobody else submitted anything."""
    folder = contest(tmp_path_factory.mktemp("artefacts") / "contest", edition(phase=ARTEFACTS))
    files = {
        "release.csv": private(folder),
        "model-red.npz": MODEL,
        "report.txt": b"We added noise.\n",
        "settings.json": b'{"keep": 0.5}',
        "second.csv": private(folder),
    }
    accepted = submit(folder, "red", files, kind="release", now=OPEN)
    assert sorted(accepted.submission.files) == sorted(files)
    return folder


def test_artefacts_are_stored_by_their_hash_and_handed_over_as_the_rules_say(with_artefacts):
    folder = with_artefacts
    hand_over(folder, now=OVER)
    handed = folder.root / "public/main/tasks/red/artefacts"
    assert {path.name: path.read_bytes() for path in handed.iterdir()} == {"model-red.npz": MODEL}
    score(folder, now=OVER)
    assert verify(folder).problems == ()
    with opened_zip(folder.root.parent / "kit.zip", kit_bytes(folder, "blue", now=OVER)) as kit:
        assert kit.at("public/main/tasks/red/artefacts/model-red.npz").read_bytes() == MODEL


def test_the_kit_says_which_artefacts_to_submit_and_has_a_valid_example(tmp_path):
    folder = contest(tmp_path / "contest", edition(phase=ARTEFACTS))
    with opened_zip(tmp_path / "kit.zip", kit_bytes(folder, "blue", now=OPEN)) as kit:
        line = "- `model-blue.npz`: model; at most 1,000 bytes, required, published with"
        assert line in kit.at("README.md").read_text()
        example, model = kit.root / "example/main/anonymize", "model-blue.npz"
        files = read_upload(example, kit.edition().limits, artefacts=[model])
    assert sorted(files) == [model, "release.csv"]
    submit(folder, "blue", files, kind="release", now=OPEN)


def opened_zip(path, content):
    path.write_bytes(content)
    return opened(path)


def test_the_archive_has_all_but_what_is_never_published(with_artefacts):
    folder = with_artefacts
    if folder.state().frozen is None:
        freeze(folder, "the test is over", now=OVER)
        score(folder, now=OVER)
    (event,) = (one for one in submissions(folder) if one.team == "red")
    with opened_zip(folder.root.parent / "revealed.zip", archive_bytes(folder)) as archive:
        stored = {path.stem for path in archive.root.glob("submissions/files/*/*")}
        assert stored == {event.files[name] for name in event.files if name != "report.txt"}
        checked = verify(archive)
        assert checked.problems == ()
        assert "1 submitted file could not be checked: the rules publish only the hash" in (
            checked.notes
        )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model-red.npz": None}, "the model is missing: submit model-red.npz (at most 1,000 byt"),
        ({"model-red.npz": b"x" * 1001}, "model-red.npz: 1001 bytes; the limit is 1000"),
        ({"report.txt": b"\xff\xfe"}, "report.txt: is not UTF-8 text: byte 0 is 0xff"),
        ({"report.txt": b"fine\na\x1b[2J"}, "report.txt:2: contains a character that cannot be"),
        ({"settings.json": b"{"}, "settings.json: "),
        ({"second.csv": b"a,b\n1\n"}, "second.csv"),
        ({"other.bin": b"x"}, "a release is one file"),
        ({"model-blue.npz": b"x"}, "a release is one file"),
    ],
)
def test_a_submission_with_a_faulty_artefact_is_refused(tmp_path, change, message):
    folder = contest(tmp_path / "contest", edition(phase=ARTEFACTS))
    files = {"release.csv": private(folder), "model-red.npz": MODEL} | change
    given = {name: content for name, content in files.items() if content is not None}
    with pytest.raises(SubmissionError) as caught:
        submit(folder, "red", given, kind="release", now=OPEN)
    assert message in str(caught.value)
    assert submissions(folder) == []


def test_an_upload_may_hold_files_of_any_kind_only_where_the_rules_name_them(tmp_path):
    write_file(tmp_path / "up/release.csv", b"1,2\n")
    write_file(tmp_path / "up/model-red.npz", MODEL)
    limits = load("tiny").limits
    assert read_upload(tmp_path / "up", limits, artefacts=["model-red.npz"])["model-red.npz"]
    with pytest.raises(SubmissionError, match="is a zip archive"):
        read_upload(tmp_path / "up", limits)


@pytest.mark.parametrize(
    ("phase", "message"),
    [
        ('file = "../model"', "string should match pattern"),
        ('file = "model-{task}"', "file may contain {track} and {team}"),
        ('file = "card.json"', "could be another file of the same submission"),
        ('file = "release.csv"', "could be another file of the same submission"),
        ('file = "m"\nkind = "json"\nmax_bytes = 5_000_001', "the limit for a file that the judge"),
        ('file = "m"\n[[phase.artefact]]\nname = "b"\nfile = "M"', "two artefacts have the file"),
        ('file = "m"\npublished = "soon"', "published"),
    ],
)
def test_an_artefact_with_a_fault_is_found_at_load_with_its_line(tmp_path, phase, message):
    path = tmp_path / "e.toml"
    path.write_text(edition(phase=f'[[phase.artefact]]\nname = "model"\n{phase}\n'))
    with pytest.raises(EditionError) as caught:
        load(path)
    assert message in str(caught.value)
    assert all(fault.line is not None for fault in caught.value.faults)


def test_guesses_have_no_artefact_that_is_published_with_a_release(tmp_path):
    text = EDITION.replace(
        'submit = "guess"\n',
        'submit = "guess"\nartefact = [{ name = "m", file = "m", published = "with-release" }]\n',
    )
    (tmp_path / "e.toml").write_text(text)
    with pytest.raises(EditionError, match="guesses come with no release"):
        load(tmp_path / "e.toml")


def test_rules_and_journals_without_the_new_keys_keep_their_bytes():
    rules = json.loads(load("amic").to_bytes())["track"][0]
    assert "samples" not in rules
    assert "releases" not in rules["feedback"]
    assert all("artefact" not in phase for phase in rules["phase"])
    event = Submitted(team="red", track="main", phase="a", kind="release", files={})
    assert b"sample" not in event.line()
    assert b'"sample": 2' in event.model_copy(update={"sample": 2}).line()


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


def test_players_of_a_rehearsal_release_their_first_sample(tmp_path):
    (tmp_path / "e.toml").write_text(edition("samples = 2\n", ARTEFACTS) + PLAYERS)
    folder = play(load(tmp_path / "e.toml"), tmp_path / "run", seed=2)
    releases = [one for one in submissions(folder) if one.kind == "release"]
    assert [one.sample for one in releases] == [1, 1]
    assert verify(folder).problems == ()


def test_a_kit_has_all_samples_and_its_commands_work_with_one(tmp_path, capsys):
    folder = contest(tmp_path / "contest", edition("samples = 2\n"))
    (tmp_path / "kit.zip").write_bytes(kit_bytes(folder, "red", now=OPEN))
    with opened(tmp_path / "kit.zip") as kit:
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
