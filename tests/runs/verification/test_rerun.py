"""Honest contests are verified without a false alarm; programs and baselines run again."""

import shutil

import pytest

from quintain.contests import load
from quintain.programs.choice import TRUSTED
from quintain.runs.folder import paths
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from quintain.runs.verification import replay
from quintain.runs.verification.verify import verdict, verify
from tests.runs.submissions.test_team_releases import EDITION, PLAYERS
from tests.runs.tasks.program_cases import PHASES, SEEKERS, made, seeker, zipped
from tests.runs.verification.forgery import Forger

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


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """A contest of programs: one works, one fails, one makes something else every time."""
    contest = made(tmp_path_factory.mktemp("programs") / "live", PHASES, board=SEEKERS, award=[])
    for team, program in {
        "red": hider(),
        "grey": hider("1 / 0"),
        "blue": hider("np.random.default_rng().normal(0, 1, data.shape)"),
    }.items():
        submit(contest, team, {"mine.zip": program}, kind="release")
    hand_over(contest, containment=TRUSTED)
    submit(contest, "green", {"mine.zip": seeker()}, kind="guess")
    score(contest, containment=TRUSTED)
    return contest


@pytest.mark.slow
def test_what_a_program_makes_anew_every_time_is_excepted(programs):
    verification = verify(programs, containment=TRUSTED)
    assert verification.problems == verification.notes == ()
    ((team, (sentence,)),) = verification.excepted.items()
    assert team == "blue" and not verification.complete
    assert sentence.endswith(") makes something else every time")
    assert ", except what the program of blue made: " in verdict(verification)


def test_where_programs_may_not_run_a_note_says_so(programs, monkeypatch):
    def refuse(jobs, *contained):
        raise replay.SandboxError("this machine cannot contain the programs of teams")

    monkeypatch.setattr(replay, "contain", refuse)
    verification = verify(programs)
    assert verification.problems == ()
    assert verification.notes == (
        "programs were not run again: this machine cannot contain the programs of teams",
    )


@pytest.fixture
def forger(programs, tmp_path):
    """The organisers of a copy of the contest of programs."""
    shutil.copytree(programs.root, tmp_path / "forged")
    return Forger(tmp_path / "forged")


@pytest.mark.slow
def test_an_answer_that_a_program_does_not_give_is_excepted_with_boards_without_it(forger):
    index = forger.find("submitted", team="green", kind="guess")
    event = forger.events[index]
    (blob,) = (forger.at(paths.submitted_file(event.files["red.csv"], "red.csv")),)
    files = forger.store({"red.csv": reversed_guess(blob.read_bytes())})
    forger.change(index, files={**event.files, **files})
    verification = verify(forger.finish(rescore=True), containment=TRUSTED)
    assert verification.problems == ()
    (sentence,) = verification.excepted["green"]
    assert sentence.endswith(") did not make red.csv here; it makes another")
    assert verdict(verification).startswith(
        "verified against nothing published (0 of 17 events fixed), "
        "except what the program of blue and the program of green made: "
    )
    boards = {board.name: board for board in verification.boards}
    assert "green" in {team for _, team in boards["main/seekers"].whole}
    assert "green" not in {team for _, team in boards["main/seekers"].without}


def test_a_second_run_that_nobody_can_repeat_is_a_note(forger):
    index = forger.find("repeated", team="red")
    event = forger.events[index]
    forger.change(index, second=dict.fromkeys(event.second, "0" * 64))
    verification = verify(forger.finish(rescore=True), containment=TRUSTED)
    assert verification.problems == ()
    (note,) = verification.notes
    assert note.endswith(
        ") makes here what it made at first; the organisers say that its second run made "
        "something else"
    )


def test_a_second_run_of_files_that_were_never_made_is_a_problem(forger):
    index = forger.find("repeated", team="red")
    event = forger.events[index]
    forger.change(index, first=dict.fromkeys(event.first, "0" * 64))
    problems = verify(forger.finish(rescore=True), containment=TRUSTED).problems
    assert any("made other files in its first run" in problem for problem in problems)


def reversed_guess(content):
    """The same targets, each guessed the other way."""
    header, *lines = content.decode().splitlines()
    pairs = [line.rsplit(",", 1) for line in lines]
    swapped = [f"{target},{1 - float(value):g}" for target, value in pairs]
    return "\n".join([header, *swapped, ""]).encode()


@pytest.mark.slow
def test_a_program_whose_answers_were_left_out_is_found(forger):
    forger.events.pop(forger.find("submitted", team="green", kind="guess"))
    folder = forger.finish()
    with_no_programs(folder)
    verification = verify(folder, containment=TRUSTED)
    assert verification.problems == ()
    assert any(
        "but the journal does not have it" in text for text in verification.excepted["green"]
    )


def with_no_programs(folder):
    """Score a contest as if no program answered."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("quintain.runs.score.answer_by_programs", lambda *_, **__: None)
        score(folder, report=False)


@pytest.mark.slow
def test_a_baseline_of_a_rehearsal_that_submitted_something_else_is_found(copy):
    forger = Forger(copy.root)
    index = forger.find("submitted", team="random")
    (name, digest), *_ = forger.events[index].files.items()
    content = forger.at(paths.submitted_file(digest, name)).read_bytes()
    files = forger.store({name: reversed_guess(content)})
    forger.change(index, files={**forger.events[index].files, **files})
    (problem,) = verify(forger.finish(rescore=True)).problems
    assert problem.endswith(f"{name} is not what the baseline random makes")
