"""A contest without attackers: utility, a report and the marks of a jury decide."""

import io
import json
import zipfile
from datetime import UTC, datetime

import pytest

from quintain.contests import load
from quintain.contests.words import rules_in_words
from quintain.errors import EditionError, NoSuchPhase, Refused, Rejected, SubmissionError
from quintain.kit.archive import archive_bytes
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.kit.kit import kit_bytes
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.rules import write_rules
from quintain.runs.organising.amend import amend
from quintain.runs.organising.freeze import reveal
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.prepare import prepare
from quintain.runs.score import score
from quintain.runs.scores.scores import strongest_attacks
from quintain.runs.standalone.matrix import rank_matrix
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify

START = datetime(2026, 5, 1, tzinfo=UTC)
SMALL = {
    "dataset": {"rows": 300},
    "sample": {"rows": 60},
    "rule": [{"use": "rows", "least": 10, "most": 100}],
    "team": [{"id": "red"}, {"id": "blue"}],
}
PDF = b"%PDF-1.4\n"


def rules(**changes):
    return load("jury", overrides={**SMALL, **changes})


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A contest whose jury has met; red and blue released the same sample, blue half of it."""
    root = tmp_path_factory.mktemp("jury") / "live"
    write_rules(root, rules())
    folder = Folder(root)
    prepare(folder, seed=3, now=START)
    lines = folder.at("teams/red/main/private.csv").read_bytes().splitlines(keepends=True)
    for team, rows in (("red", lines), ("blue", lines[:31])):
        files = {"release.csv": b"".join(rows), f"report-{team}.pdf": PDF}
        submit(folder, team, files, kind="release", now=START)
    hand_over(folder, now=START)
    marks = [{"name": "jury", "better": "higher", "values": {"red": 4.0, "blue": 9.5}}]
    amend(folder, rules(given=marks), "The jury has met.", now=START)
    score(folder, now=START)
    return folder


def test_marks_and_utility_make_the_points(judged):
    track = json.loads(judged.at(paths.STANDINGS).read_bytes())["tracks"]["main"]
    readings = {entry["id"]: entry["readings"] for entry in track["entries"]}
    points = {p["team"]: p["score"]["value"] for p in track["boards"][0]["places"]}
    for team, mark in (("red", 4.0), ("blue", 9.5)):
        own = {name: readings[team][name]["value"] for name in ("pairs", "association")}
        by_hand = 25 * (1 - own["pairs"]) + 25 * (1 - own["association"]) + 5 * mark
        assert points[team] == pytest.approx(by_hand, abs=1e-9)
    assert readings["red"]["pairs"]["value"] == 0.0, "it released its sample as it is"
    assert points["red"] == 70.0


def test_pages_speak_of_no_attack(judged):
    report = judged.at(paths.REPORT).read_text()
    assert "Nobody attacked the releases of this track" in report
    assert "Who found out how much" not in report and "heat map" not in report
    words = rules_in_words(judged.edition(), 1)
    titles = [section.title for section in words.tracks[0].sections]
    assert "What attackers want and know" not in titles
    with zipfile.ZipFile(io.BytesIO(kit_bytes(judged, "red", now=START))) as archive:
        readme = archive.read("README.md").decode()
        assert "quintain attack" not in readme and "attacker wants" not in readme
    assert strongest_attacks(judged, judged.edition().track[0]) == []


def test_nobody_can_guess(judged):
    with pytest.raises(NoSuchPhase, match="no phase in which teams submit a guess"):
        submit(judged, "red", {"blue.csv": b"target\n"}, kind="guess", now=START)
    with pytest.raises(Rejected, match="nobody attacks in track main"):
        bundle_bytes(judged)


def test_the_archive_verifies(judged, tmp_path):
    reveal(judged, now=START)
    with zipfile.ZipFile(io.BytesIO(archive_bytes(judged))) as archive:
        archive.extractall(tmp_path)
    assert verify(Folder(tmp_path)).problems == ()


def test_a_release_without_its_report_is_refused(tmp_path):
    write_rules(tmp_path, rules())
    folder = Folder(tmp_path)
    prepare(folder, seed=3, now=START)
    release = folder.at("teams/red/main/private.csv").read_bytes()
    with pytest.raises(SubmissionError, match="the report is missing: submit report-red"):
        submit(folder, "red", {"release.csv": release}, kind="release", now=START)
    files = {"release.csv": release, "report-red.pdf": b"<html>"}
    with pytest.raises(SubmissionError, match="is not a PDF: it does not begin with %PDF-"):
        submit(folder, "red", files, kind="release", now=START)
    with zipfile.ZipFile(io.BytesIO(bundle_bytes(folder))) as bundle:
        assert "competition.yaml" in bundle.namelist(), "CodaBench takes the releases"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"phase": [{"id": "a", "submit": "guess"}]}, "nobody attacks in this track: leave this"),
        (
            {"baseline": [{"id": "a", "attack": {"use": "random"}}]},
            "nobody attacks in this track: leave the attack out",
        ),
        ({"privacy": [{"use": "auc"}]}, "not at goal/none-v1"),
        ({"goal": {"use": "membership"}}, 'is required; only a track with goal = "none"'),
        ({"board": [{"id": "b", "use": "defence", "measure": "auc"}]}, "auc"),
    ],
)
def test_an_edition_that_half_attacks_is_refused(changes, message):
    with pytest.raises(EditionError) as caught:
        rules(**changes)
    assert message in str(caught.value)


def test_a_matrix_of_attacks_has_no_place_here(tmp_path):
    edition = rules()
    (tmp_path / "attacks.csv").write_text("attacker,red\nblue,0.5\n")
    with pytest.raises(Refused, match="nobody attacks"):
        rank_matrix(edition, edition.track[0], tmp_path / "attacks.csv")
