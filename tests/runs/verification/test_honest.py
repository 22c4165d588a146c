"""Honest contests of every kind are verified, with no false alarm."""

import pytest

from quintain.contests import load
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from quintain.runs.verification import rerun
from quintain.runs.verification.verify import verify
from tests.runs.submissions.test_team_releases import EDITION, PLAYERS
from tests.runs.tasks.program_cases import PHASES, made, seeker, zipped

HIDER = """
import numpy as np

def hider(input_dict):
    data, mask = input_dict["data"], input_dict["padding_mask"]
    noise = np.random.default_rng({seed}).normal(0, 0.01, data.shape)
    return {returned}
"""


def hider(returned="data + noise, mask", seed="input_dict['seed']"):
    return zipped(hider=HIDER.replace("{returned}", returned).replace("{seed}", seed))


def test_a_contest_of_releases_is_verified_without_the_key_of_the_signatures(tmp_path):
    (tmp_path / "e.toml").write_text(EDITION + PLAYERS)
    folder = play(load(tmp_path / "e.toml"), tmp_path / "run", seed=2)
    (folder.root / "secret/signing.key").unlink()
    verification = verify(folder)
    assert verification.problems == ()
    assert {"rules-1", "prepare-main", "handover-main"} <= set(verification.roots)


@pytest.fixture
def programs(tmp_path):
    """A contest of programs: one works, one fails, one makes something else every time."""
    contest = made(tmp_path / "live", PHASES)
    for team, program in {
        "red": hider(),
        "grey": hider("1 / 0"),
        "blue": hider("np.random.default_rng().normal(0, 1, data.shape)"),
    }.items():
        submit(contest, team, {"mine.zip": program}, kind="release")
    hand_over(contest, trust_programs=True)
    submit(contest, "green", {"mine.zip": seeker()}, kind="guess")
    score(contest, trust_programs=True)
    return contest


def test_programs_run_again_and_those_that_make_something_else_are_a_note(programs):
    verification = verify(programs, trust_programs=True)
    assert verification.problems == ()
    (note,) = verification.notes
    assert "team blue" in note
    assert "is not deterministic: what it makes cannot be verified" in note


def test_where_programs_may_not_run_a_note_says_so(programs, monkeypatch):
    def refuse(jobs, trust_programs):
        raise rerun.SandboxError("this machine cannot contain the programs of teams")

    monkeypatch.setattr(rerun, "contained", refuse)
    verification = verify(programs)
    assert verification.problems == ()
    assert verification.notes == (
        "programs were not run again: this machine cannot contain the programs of teams",
    )
