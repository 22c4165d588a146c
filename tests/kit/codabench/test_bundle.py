"""A contest on CodaBench: taken by it, scored as we score, and the truth stays where it belongs."""

import json
import shutil
import sys
from math import fsum

import pytest
import yaml
from click.testing import CliRunner

from quintain.cli.organise import export
from quintain.contests import load
from quintain.contests.feedback import Feedback
from quintain.contests.submitting import FileFormat
from quintain.errors import FolderError, MissingExtra, NoSuchTrack, QuintainError, Rejected
from quintain.kit.codabench.bundle import bundle_bytes, worker_bytes
from quintain.kit.codabench.competition import competition, schedule
from quintain.kit.codabench.plan import column_key
from quintain.kit.kit import kit_bytes
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from tests.contest_folders import SMALL, prepared
from tests.kit.codabench.upload_rules import refusals
from tests.kit.conftest import answers, misread, track_of, unpacked
from tests.kit.scoring_run import run_scoring

# What CodaBench gets


@pytest.mark.parametrize("truth", ["bundle", "worker"])
def test_the_bundle_is_taken_and_not_misread(live, truth):
    files = unpacked(bundle_bytes(live, truth=truth))
    assert not refusals(files)
    assert misread(files) == []


def test_the_same_bytes_twice(live, bundle):
    assert bundle_bytes(Folder(live.root)) == bundle
    assert worker_bytes(live) == worker_bytes(Folder(live.root))


@pytest.mark.slow
def test_one_column_per_entry_and_their_average(bundle, live):
    config = yaml.safe_load(unpacked(bundle)["competition.yaml"])
    (board,) = config["leaderboards"]
    *columns, average = board["columns"]
    assert [c["key"] for c in columns] == [f"adv_{name}" for name in track_of(live).entries]
    assert (average["key"], average["index"]) == ("average", board["primary_index"])
    assert "computation" not in average  # CodaBench knows no median: the program writes it
    assert "solutions" not in config
    assert not config["make_programs_available"]
    assert "computes the official ranking" in unpacked(bundle)["pages/evaluation.md"].decode()


def test_long_names_are_cut_and_stay_apart():
    names = [f"{'long-name-' * 6}{i}" for i in range(100)]
    keys = {column_key("adv", name) for name in names}
    assert len(keys) == 100
    assert max(map(len, keys)) == 36


def test_phases_get_quoted_times_limits_and_a_second_between():
    phases = [
        {
            "id": "one",
            "submit": "guess",
            "closes": "2026-02-01T00:00:00Z",
            "per_day": 2,
            "total": 20,
        },
        {"id": "two", "submit": "guess", "opens": "2026-02-01T00:00:00Z", "total": 7},
    ]
    edition = load("tiny", overrides={"phase": phases})
    one, two = competition(edition, edition.track[0], ["e"])["phases"]
    assert (one["start"], one["end"]) == ("2000-01-01 00:00:00", "2026-01-31 23:59:59")
    assert (two["start"], two.get("end")) == ("2026-02-01 00:00:00", None)
    assert (one["max_submissions_per_day"], one["max_submissions"]) == (2, 20)
    assert (two["max_submissions_per_day"], two["max_submissions"]) == (7, 7)
    written = yaml.safe_dump(one)
    assert "start: '2000-01-01 00:00:00'" in written
    assert "end: '2026-01-31 23:59:59'" in written


def test_a_phase_without_dates_is_open(bundle):
    text = unpacked(bundle)["competition.yaml"].decode()
    assert "start: '2000-01-01 00:00:00'\n" in text
    assert " end:" not in text


@pytest.mark.parametrize(
    "times",
    [
        ({}, {}),
        ({"closes": "2026-02-02T00:00:00Z"}, {"opens": "2026-02-01T00:00:00Z"}),
        ({"opens": "2026-02-01T00:00:00Z"}, {"opens": "2026-02-01T00:00:00Z"}),
    ],
)
def test_phases_that_overlap_are_refused(times):
    phases = [{"id": f"p{i}", "submit": "guess", **when} for i, when in enumerate(times)]
    with pytest.raises(QuintainError, match="phases follow one another"):
        schedule(load("tiny", overrides={"phase": phases}).track[0])


def test_feedback_none_hides_what_codabench_can_hide():
    for show, hidden in (("none", True), ("ladder", True), ("rounded", False), ("full", False)):
        edition = load("tiny", overrides={"feedback": {"show": show}})
        config = competition(edition, edition.track[0], ["e"])
        assert config["phases"][0]["hide_score_output"] is hidden
        assert config["leaderboards"][0]["hidden"] is hidden


# The truth


def secrets(folder):
    """The truth of every task, as it could give itself away."""
    for task in folder.tasks(track_of(folder)):
        content = folder.at(paths.truth(task)).read_bytes()
        labels = [line.split(b",")[1] for line in content.split(b"\n")[1:-1]]
        yield from (content, content.partition(b"\n")[2])
        yield from (glue.join(labels) for glue in (b"", b",", b", ", b"\n"))
        yield folder.at(paths.private(task)).read_bytes()
    yield from (
        value.encode() for value in folder.secrets().model_dump(exclude={"format", "test"}).values()
    )


def test_participants_see_no_truth(live, bundle):
    files = unpacked(bundle)
    hidden = {name for name in files if name.startswith("reference_data/")}
    assert len(hidden) == len(live.tasks(track_of(live)))
    for name in files.keys() - hidden:
        for secret in secrets(live):
            assert secret not in files[name], name


def test_what_participants_see_is_cut_out_of_the_kit(live, bundle):
    kit = unpacked(kit_bytes(live))
    for name, content in unpacked(bundle).items():
        if name.startswith("public_data/"):
            assert kit[name.removeprefix("public_data/")] == content
        if name.startswith("starting_kit/example/"):
            assert kit[name.replace("starting_kit/example/", "example/main/attack/")] == content


def test_with_the_truth_on_the_worker_neither_half_has_any(live, bundle, tmp_path):
    split, worker = bundle_bytes(live, truth="worker"), worker_bytes(live)
    for content in (*unpacked(split).values(), *unpacked(worker).values()):
        for secret in secrets(live):
            assert secret not in content
    given = answers(live, "drawn")
    together = run_scoring(split, given, tmp_path / "together", worker=worker)
    assert together.code == 0
    assert together.scores == run_scoring(bundle, given, tmp_path / "plain").scores


def test_a_worker_without_its_half_says_so(live, tmp_path):
    split = bundle_bytes(live, truth="worker")
    done = run_scoring(split, answers(live, "drawn"), tmp_path)
    assert (done.code, done.scores) == (3, None)
    assert "please tell the organisers" in done.output


# What cannot be exported


def test_every_reason_is_given_at_once(live, tmp_path):
    copy = shutil.copytree(live.root / "public", tmp_path / "public").parent
    rules = json.loads((copy / "public/rules/1.json").read_bytes())
    rules["track"][0]["goal"] = {"use": "attribute", "column": "sex"}
    rules["track"][0]["feedback"] = {"show": "full", "shown_on": 0.5}
    rules["track"][0]["phase"] = [{"id": f"p{i}", "submit": "guess"} for i in range(2)]
    (copy / "public/rules/1.json").write_text(json.dumps(rules))
    with pytest.raises(Rejected) as refused:
        bundle_bytes(Folder(copy))
    overlap, split, measure = map(str, refused.value.faults)
    assert "on CodaBench, phases follow one another" in overlap
    assert "scores all targets at once" in split
    assert "list one of these first: measure/excess-accuracy-v1" in measure


def test_a_measure_the_program_cannot_compute_is_refused_at_export(live, tmp_path):
    folder = Folder(shutil.copytree(live.root, tmp_path / "copy"))
    rules = json.loads((folder.root / "public/rules/1.json").read_bytes())
    rules["track"][0]["privacy"] = [{"use": "confidence-weighted"}]
    rules["track"][0]["board"][0]["rule"]["measure"] = "confidence_weighted"
    (folder.root / "public/rules/1.json").write_text(json.dumps(rules))
    with pytest.raises(
        QuintainError,
        match=r"first by measure/confidence-weighted-v1, which .* cannot compute; list one of "
        r"these first: measure/membership-advantage-v1, measure/accuracy-v1, measure/auc-v1, "
        r"measure/tpr-at-fpr-v1",
    ):
        bundle_bytes(folder)


def test_without_pyyaml_the_line_that_installs_it_is_shown(live, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingExtra, match=r"quintain\[codabench\]"):
        bundle_bytes(live)


def test_a_truth_of_one_class_cannot_be_exported(live, tmp_path):
    copy = Folder(shutil.copytree(live.root, tmp_path / "copy"))
    for task in copy.tasks(track_of(copy)):
        path = copy.at(paths.truth(task))
        path.write_text(path.read_text().replace(",1\n", ",0\n"))
    with pytest.raises(QuintainError, match=r"identity cannot be scored: .* of one class"):
        bundle_bytes(copy)


def test_a_track_that_is_not_there_cannot_be_exported(live):
    with pytest.raises(NoSuchTrack, match="choose one with --track: main"):
        bundle_bytes(live, track="other")


def test_before_the_hand_over_there_is_nothing_to_export(live, tmp_path):
    copy = shutil.copytree(live.root / "public", tmp_path / "public").parent
    rules = json.loads((copy / "public/rules/1.json").read_bytes())
    rules["track"][0]["sanitizer"] = []
    (copy / "public/rules/1.json").write_text(json.dumps(rules))
    with pytest.raises(FolderError, match="track main has nothing to attack"):
        bundle_bytes(Folder(copy))


def test_of_several_tracks_one_is_exported_under_its_own_rules(tmp_path):
    track = load("tiny", overrides={**SMALL, "repeats": 1}).track[0]
    form = {"files": FileFormat(header=False, strict=True)}
    other = track.model_copy(
        update={"id": "other", "feedback": Feedback(show="rounded", digits=1), **form}
    )
    edition = load("tiny").model_copy(update={"track": (track, other)})
    folder = prepared(tmp_path / "two", edition)
    with pytest.raises(NoSuchTrack, match="choose one with --track: main, other"):
        bundle_bytes(folder)
    bundle = bundle_bytes(folder, track="other")
    assert not any("/main/" in name for name in unpacked(bundle))
    head = "starting_kit/example/"
    given = {n.removeprefix(head): c for n, c in unpacked(bundle).items() if n.startswith(head)}
    assert not given["identity.csv"].startswith(b"target")
    done = run_scoring(bundle, given, tmp_path)
    assert done.code == 0, done.output
    average = done.scores.pop("average")
    assert all(value == round(value, 1) for value in done.scores.values())
    assert average == fsum(done.scores.values()) / len(done.scores)  # it tells nothing more
    assert run_scoring(bundle, answers(folder, "drawn"), tmp_path / "headed").code == 1


def test_the_command_writes_the_bundle_and_the_workers_half(live, bundle, tmp_path):
    target = tmp_path / "bundle.zip"
    done = CliRunner().invoke(export, [str(live.root), "codabench", str(target), "--rehearsal"])
    assert (done.exit_code, target.read_bytes()) == (0, bundle)
    done = CliRunner().invoke(
        export,
        [str(live.root), "codabench", str(target), "--truth", "worker", "--rehearsal", "--replace"],
    )
    assert target.read_bytes() == bundle_bytes(live, truth="worker")
    assert (tmp_path / "bundle-worker.zip").read_bytes() == worker_bytes(live)
