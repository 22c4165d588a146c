"""Contests of programs: the organisers run what teams submit, whatever it does."""

import io
import json
import zipfile
from datetime import UTC, datetime

import numpy as np
import pytest

from quintain.contests import load
from quintain.errors import (
    Faults,
    FolderError,
    PhaseClosed,
    QuintainError,
    QuotaUsed,
    Refused,
    SubmissionError,
)
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.kit.kit import kit_bytes
from quintain.programs.choice import TRUSTED
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.play import reasons
from quintain.runs.score import score
from quintain.runs.submissions.counting import submissions
from quintain.runs.submissions.submit import submit
from quintain.runs.submissions.upload import read_upload
from quintain.runs.verification.verify import verify
from tests.runs.tasks.program_cases import PHASES, SEEKER, SEEKERS, made, seeker, zipped

# What a participant of 2020 would have written.
HIDER = """
import numpy as np
from utils.scaling import scale

def hider(input_dict):
    data, mask, seed = input_dict["data"], input_dict["padding_mask"], input_dict["seed"]
    np.random.seed(seed)
    noise = np.random.normal(0, scale, data.shape)
    return {returned}
"""


def hider(returned="data + noise, mask"):
    text = HIDER.replace("{returned}", returned)
    return zipped(**{"hider": text, "utils/__init__": "", "utils/scaling": "scale = 0.0\n"})


@pytest.fixture
def contest(tmp_path):
    return made(tmp_path / "live", PHASES)


@pytest.mark.slow
def test_programs_of_2020_play_unchanged(contest):
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    submit(
        contest, "blue", {"mine.zip": hider("np.random.normal(0, 1, data.shape)")}, kind="release"
    )
    hand_over(contest, containment=TRUSTED)
    submit(contest, "green", {"mine.zip": seeker()}, kind="guess")
    results = score(contest, containment=TRUSTED)["main"]
    assert results.cells["red", "green"]["reidentification"].value == 1.0
    assert results.cells["blue", "green"]["reidentification"].value < 0.9
    kinds = [(r.kind, r.team, r.made_by) for r in submissions(contest)]
    assert kinds == [
        ("program", "red", None),
        ("program", "blue", None),
        ("release", "blue", 8),
        ("release", "red", 7),
        ("program", "green", None),
        ("guess", "green", 14),
    ]
    assert verify(contest).problems == ()


@pytest.mark.slow
def test_one_failing_program_leaves_everything_else_running(contest):
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    submit(contest, "blue", {"mine.zip": hider("data[:, :3]")}, kind="release")
    submit(contest, "grey", {"mine.zip": hider("1 / 0")}, kind="release")
    hand_over(contest, containment=TRUSTED)
    submit(contest, "green", {"mine.zip": seeker()}, kind="guess")
    submit(contest, "blue", {"mine.zip": seeker("labels * np.nan")}, kind="guess")
    results = score(contest, containment=TRUSTED)["main"]
    assert set(results.cells) == {("red", "green")}
    failures = reasons(contest)
    assert failures["grey"] == "grey: it failed with an error"
    assert "wrong shape" in failures["blue"]
    assert "not finite" in failures["blue"], "both of its programs failed"
    lines = reasons(contest, public_data=True)["grey"]
    assert lines == "grey: it failed with ZeroDivisionError in hider.py, line 9"
    assert verify(contest).problems == ()


def test_programs_that_all_fail_leave_nothing_to_hand_over(contest):
    submit(contest, "grey", {"mine.zip": hider("1 / 0")}, kind="release")
    with pytest.raises(
        FolderError,
        match=r"submissions/reasons/00007\.txt says why",
    ):
        hand_over(contest, containment=TRUSTED)
    (reason,) = contest.root.glob("submissions/reasons/*.txt")
    assert reason.read_text() == "grey: it failed with an error\n"
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    hand_over(contest, containment=TRUSTED)
    assert [task.entry for task in contest.tasks(contest.edition().track[0])] == ["red"]


def test_scoring_again_runs_nothing_twice(contest):
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    hand_over(contest, containment=TRUSTED)
    submit(contest, "green", {"mine.zip": seeker()}, kind="guess")
    score(contest, containment=TRUSTED)
    before = (contest.root / "journal.jsonl").read_bytes()
    standings = (contest.root / "results/standings.json").read_bytes()
    score(contest, containment=TRUSTED)
    assert (contest.root / "journal.jsonl").read_bytes() == before
    assert (contest.root / "results/standings.json").read_bytes() == standings


@pytest.mark.slow
@pytest.mark.parametrize("quota", [{"total": 2}, {"per_day": 2}, {"total": 2, "per_day": 2}])
def test_what_a_program_made_uses_up_none_of_its_teams_submissions(tmp_path, quota):
    contest = made(tmp_path / "live", [{**phase, **quota} for phase in PHASES])
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    for kind, program, work in (("release", hider(), hand_over), ("guess", seeker(), score)):
        for team in ("red", "green"):
            submit(contest, team, {"mine.zip": program}, kind=kind, now=noon)
        work(contest, now=noon, containment=TRUSTED)
    submit(contest, "red", {"mine.zip": seeker()}, kind="guess", now=noon)
    with pytest.raises(QuotaUsed, match="team red has used"):
        submit(contest, "red", {"mine.zip": seeker()}, kind="guess", now=noon)
    made_by = [(r.team, r.kind) for r in submissions(contest) if r.made_by is not None]
    assert sorted(made_by) == [
        ("green", "guess"),
        ("green", "release"),
        ("red", "guess"),
        ("red", "release"),
    ]


def test_players_are_not_told_the_seed_of_the_split(contest):
    spy = "np.full_like(data, seed)"
    submit(contest, "red", {"mine.zip": hider(spy)}, kind="release")
    hand_over(contest, containment=TRUSTED)
    track = contest.edition().track[0]
    seed = int(contest.release(track, contest.tasks(track)[0]).data.values[0, 0])
    chosen = np.random.default_rng(seed).permutation(40)[:20]
    members = contest.truth(track, contest.tasks(track)[0]).table.columns["member"]
    assert 0 < members[chosen].sum() < 20
    assert json.loads((contest.root / "public/edition.json").read_bytes())  # no seed in the rules
    assert "seed" not in (contest.root / "public/edition.json").read_text()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"mine.zip": zipped(main="x = 1")}, "needs hider.py"),
        ({"mine.zip": zipped(hider="", seeker="")}, "submit only one of them"),
        ({"mine.zip": b"not a zip"}, "cannot be read as a zip"),
        ({"a.zip": hider(), "b.zip": hider()}, "one zip file, not 2"),
    ],
)
def test_what_is_no_program_is_refused(contest, files, message):
    with pytest.raises(SubmissionError, match=message):
        submit(contest, "red", files, kind="release")


def test_names_in_a_zip_cannot_lead_out_of_it(contest):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../hider.py", "")
    faults = Faults("x.zip")
    from quintain.runs.submissions.checking import unpack_program

    contract = contest.edition().track[0].phase_for("release").contract
    unpack_program(contract, out.getvalue(), contest.edition().limits, faults)
    assert "leads out" in str(faults.findings[0])


@pytest.mark.slow
def test_releases_are_handed_over_once(contest):
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    hand_over(contest, containment=TRUSTED)
    with pytest.raises(Refused, match="releases of every round that is prepared were handed over"):
        hand_over(contest, containment=TRUSTED)
    with pytest.raises(PhaseClosed, match="the releases of track main were handed over at"):
        submit(contest, "blue", {"mine.zip": hider()}, kind="release")
    score(contest, containment=TRUSTED)
    assert verify(contest).problems == ()


def test_a_program_is_a_zip_and_its_release_has_the_name_that_is_wanted(tmp_path):
    contest = made(tmp_path / "live", PHASES, files={"release": "of_{team}.csv"})
    with pytest.raises(SubmissionError, match=r"a name that ends in .zip"):
        submit(contest, "red", {"mine.txt": hider()}, kind="release")
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    hand_over(contest, containment=TRUSTED)
    assert [list(r.files) for r in submissions(contest)] == [["mine.zip"], ["of_red.csv"]]


@pytest.mark.slow
def test_a_seeker_that_fails_on_a_release_counts_as_chance_there(tmp_path):
    contest = made(tmp_path / "live", PHASES, board=SEEKERS, award=[])
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    submit(contest, "blue", {"mine.zip": hider("np.ones(data.shape), mask")}, kind="release")
    hand_over(contest, containment=TRUSTED)
    picky = SEEKER.replace("{returned}", "labels if np.nanstd(generated) > 1 else 1 / 0")
    submit(contest, "green", {"mine.zip": zipped(seeker=picky)}, kind="guess")
    score(contest, containment=TRUSTED)
    standings = json.loads((contest.root / "results/standings.json").read_text())
    seekers = standings["tracks"]["main"]["boards"][0]["places"]
    (place,) = (place for place in seekers if place["team"] == "green")
    assert place["score"]["value"] == pytest.approx((1.0 + 0.5) / 2)


def test_no_bundle_of_a_contest_of_programs_is_made(contest):
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    hand_over(contest, containment=TRUSTED)
    with pytest.raises(QuintainError, match="teams submit programs"):
        bundle_bytes(contest)


# --- trying a program in a rehearsal --------------------------------------------------------------


def test_a_team_of_programs_is_given_examples_and_no_private_data(contest, tmp_path):
    assert not (contest.root / "teams").exists()
    with zipfile.ZipFile(io.BytesIO(kit_bytes(contest, "red"))) as kit:
        names = set(kit.namelist())
        kit.extractall(tmp_path / "kit")
    assert {"example/main/hide/hider.py", "example/main/seek/seeker.py"} < names
    assert not [name for name in names if "private" in name or "test" in name]
    rules = load(tmp_path / "kit")
    assert rules.to_bytes() == contest.edition().to_bytes(), "a kit can be played"
    upload = read_upload(tmp_path / "kit/example/main/hide", rules.limits, program=True)
    submit(contest, "red", upload, kind="release")
    hand_over(contest, containment=TRUSTED)
    assert list(contest.owners(contest.edition().track[0]).values()) == ["red"]
