"""Artefacts: further files of a submission, stored, checked and handed over as the rules say."""

import json
import shutil

import pytest

from quintain.contests import load
from quintain.errors import EditionError, SubmissionError
from quintain.jobs.files import write_file
from quintain.journal.events import Submitted
from quintain.kit.archive import archive_bytes
from quintain.kit.kit import kit_bytes
from quintain.runs.folder.folder import Folder
from quintain.runs.organising.freeze import freeze
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.score import score
from quintain.runs.submissions.counting import submissions
from quintain.runs.submissions.submit import submit
from quintain.runs.submissions.upload import read_upload
from quintain.runs.verification.verify import verify
from tests.runs.submissions.hand_in.hand_in_cases import (
    ARTEFACTS,
    MODEL,
    OPEN,
    contest,
    edition,
    opened_zip,
    private,
)
from tests.runs.submissions.test_team_releases import EDITION, OVER


@pytest.fixture(scope="module")
def with_artefacts(tmp_path_factory):
    """A contest in which red alone submitted, with every artefact; handed over; read only."""
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
    hand_over(folder, now=OVER)
    score(folder, now=OVER)
    return folder


def test_artefacts_are_stored_by_their_hash_and_handed_over_as_the_rules_say(
    with_artefacts, tmp_path
):
    folder = with_artefacts
    handed = folder.root / "public/main/tasks/red/artefacts"
    assert {path.name: path.read_bytes() for path in handed.iterdir()} == {"model-red.npz": MODEL}
    assert verify(folder).problems == ()
    with opened_zip(tmp_path / "kit.zip", kit_bytes(folder, "blue", now=OVER)) as kit:
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


def test_the_archive_has_all_but_what_is_never_published(with_artefacts, tmp_path):
    folder = Folder(shutil.copytree(with_artefacts.root, tmp_path / "contest"))
    freeze(folder, "the test is over", now=OVER)
    score(folder, now=OVER)
    (event,) = (one for one in submissions(folder) if one.team == "red")
    with opened_zip(tmp_path / "revealed.zip", archive_bytes(folder)) as archive:
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
