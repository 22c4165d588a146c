"""Second runs: before the hand-over every program runs again, and must make the same bytes."""

import json
from datetime import UTC, datetime

import pytest

from quintain.errors import FolderError
from quintain.journal.receipt import Receipt
from quintain.programs.choice import TRUSTED
from quintain.programs.failures import Reason
from quintain.runs.folder.record import receipt_again
from quintain.runs.organising import repeat
from quintain.runs.organising.decide import Subject, decide
from quintain.runs.organising.freeze import freeze, reveal
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from quintain.runs.tasks.programs import RunOutcome, made_files, run_new_programs
from quintain.runs.verification.verify import verdict, verify
from tests.runs.tasks.program_cases import PHASES, made, zipped

HONEST = """
import numpy as np
def hider(d):
    return np.nan_to_num(d["data"]) + np.random.default_rng(d["seed"]).normal(size=d["data"].shape)
"""
MOODY = """
import numpy as np, {modules}
def hider(d):
    rng = np.random.default_rng([d["seed"], int({mood})])
    return np.nan_to_num(d["data"]) + rng.normal(size=d["data"].shape)
"""
CHANCE = MOODY.format(modules="os", mood="os.urandom(3).hex(), 16")
MACHINE = MOODY.format(modules="socket", mood="socket.gethostname().encode().hex(), 16")


def contest(root, *, red):
    folder = made(root, PHASES)
    submit(folder, "red", {"red.zip": zipped(hider=red)}, kind="release")
    submit(folder, "blue", {"blue.zip": zipped(hider=HONEST)}, kind="release")
    return folder


def events(folder, kind):
    lines = map(json.loads, folder.at("public/events.jsonl").read_text().splitlines())
    return [event for event in lines if event["event"] == kind]


@pytest.mark.slow
def test_a_program_that_makes_the_same_again_is_handed_over(tmp_path):
    folder = contest(tmp_path / "live", red=HONEST)
    hand_over(folder, containment=TRUSTED)
    first, second = events(folder, "repeated")
    assert {first["team"], second["team"]} == {"red", "blue"}
    assert first["first"] == first["second"]
    assert events(folder, "decided") == []
    receipt = Receipt.from_bytes(receipt_again(folder, first["number"]).to_bytes())
    assert receipt.check(folder.state().key).size == folder.journal().size()
    assert json.loads(receipt.line)["second"] == first["second"], "the team has both hashes"


@pytest.mark.slow
def test_chance_is_disqualified_with_its_reason_and_the_contest_is_verified(tmp_path):
    folder = contest(tmp_path / "live", red=CHANCE)
    hand_over(folder, containment=TRUSTED)
    (decision,) = events(folder, "decided")
    assert (decision["decision"], decision["team"], decision["entry"]) == (
        "disqualified",
        "red",
        "red",
    )
    assert decision["reason"].startswith("its program made something else when it ran again")
    assert list(folder.owners(folder.edition().track[0])) == ["blue"], "nobody attacks it"
    freeze(folder, "the test is over", containment=TRUSTED)
    reveal(folder, containment=TRUSTED)
    verification = verify(folder, containment=TRUSTED)
    assert verification.problems == ()
    assert ", except what the program of red made: " in verdict(verification)


def test_a_program_that_depends_on_the_machine_is_disqualified(tmp_path, bubblewrap_for_own):
    folder = contest(tmp_path / "live", red=MACHINE)
    hand_over(folder, containment=TRUSTED)
    assert [event["team"] for event in events(folder, "decided")] == ["red"]


@pytest.fixture
def bubblewrap_for_own():
    """Skip where no sandbox pretends to be another machine."""
    from quintain.programs.choice import sandbox_for_own

    if sandbox_for_own().name != "bubblewrap":
        pytest.skip("no bubblewrap on this machine")


@pytest.mark.slow
def test_the_first_run_may_be_long_before_and_the_second_runs_once(tmp_path, monkeypatch):
    folder = contest(tmp_path / "live", red=CHANCE)
    run_new_programs(folder, "release", now=datetime.now(UTC), containment=TRUSTED)
    before = {team: made_files(folder, program) for team, program in programs(folder).items()}
    hand_over(folder, containment=TRUSTED)
    assert {event["team"]: event["first"] for event in events(folder, "repeated")} == before
    assert len(events(folder, "repeated")) == 2


def programs(folder):
    from quintain.runs.tasks.programs import latest_programs

    track = folder.edition().track[0]
    return {one.team: one for one in latest_programs(folder, track, "release")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("outcome", "decided"),
    [
        (RunOutcome(reason=Reason.OUT_OF_TIME.value), []),
        (RunOutcome(reason=Reason.CRASHED.value), ["blue", "red"]),
        (RunOutcome({"release.csv": "0" * 64}), ["blue", "red"]),
    ],
)
def test_a_slow_machine_is_not_the_fault_of_a_program(tmp_path, monkeypatch, outcome, decided):
    folder = contest(tmp_path / "live", red=HONEST)
    monkeypatch.setattr(repeat, "second_outcome", lambda *_: outcome)
    if decided:
        with pytest.raises(FolderError, match="what teams released is disqualified: its program"):
            hand_over(folder, containment=TRUSTED)
    else:
        hand_over(folder, containment=TRUSTED)
    assert sorted(event["team"] for event in events(folder, "decided")) == decided


@pytest.mark.slow
def test_organisers_can_reinstate_and_no_third_run_decides_again(tmp_path, monkeypatch):
    folder = contest(tmp_path / "live", red=HONEST)
    with monkeypatch.context() as patch:
        patch.setattr(repeat, "second_outcome", lambda *_: RunOutcome({"release.csv": "0" * 64}))
        with pytest.raises(FolderError):
            hand_over(folder, containment=TRUSTED)
    track = folder.edition().track[0].id
    decide(folder, "reinstated", Subject("red", track, "red"), "the disk was broken")
    hand_over(folder, containment=TRUSTED)
    assert list(folder.owners(folder.edition().track[0])) == ["red"]
    score(folder, containment=TRUSTED)
