"""Practice games are like the task, have a truth, and are scored as the contest scores."""

import pytest
from quintain_agent import Games
from quintain_agent.games import leak, score_answers

from quintain.errors import Refused, SubmissionError
from tests.agents.conftest import TASK
from tests.contest_folders import small


@pytest.fixture
def games(kit):
    return Games(kit, kit.edition().track[0])


def test_a_practice_game_has_the_sizes_of_its_task_and_other_people(games):
    real, practice = games.game(TASK).situation, games.practise(TASK, 0).situation
    assert real.truth is None
    assert len(practice.question.table) == len(real.question.table)
    assert len(practice.release.data) == pytest.approx(len(real.release.data), abs=15)
    assert practice.release.data.schema == real.release.data.schema
    names = [[method.name for method in one.release.methods] for one in (practice, real)]
    assert names[0] == names[1]
    assert practice.question.table.digest() != real.question.table.digest()


def test_the_same_seed_draws_the_same_game(kit, games):
    again = Games(kit, kit.edition().track[0])
    first, same, other = (
        one.practise(TASK, seed).situation for one, seed in ((games, 4), (again, 4), (games, 5))
    )
    assert first.release.data.digest() == same.release.data.digest()
    assert first.release.data.digest() != other.release.data.digest()


def test_practice_is_scored_and_the_truth_of_a_task_stays_secret(games):
    name = "identity.000"
    practice, real = games.practise(name, 1), games.game(name)
    guess = games.attack(practice, {"use": "exact-match"}, 0)
    assert leak(games.score(practice, guess)) > 0.7
    with pytest.raises(Refused, match="secret"):
        games.score(real, games.attack(real, {"use": "exact-match"}, 0))


def test_practice_tells_how_an_attack_does_in_the_contest(contest, games):
    track = contest.edition().track[0]
    for attack, finds in (("exact-match", True), ("random", False)):
        game = games.game("identity.000")
        guess = games.attack(game, {"use": attack}, 0)
        practised = games.practise("identity.000", 2)
        tried = leak(games.score(practised, games.attack(practised, {"use": attack}, 0)))
        real = leak(score_answers(contest, track, {"identity.000": guess})["identity.000"])
        assert (tried > 0.7) == (real > 0.7) == finds


def test_only_attacks_that_can_play_are_listed(games):
    names = games.attacks_for(games.game(TASK))
    assert {"nearest", "exact-match", "dcr-ratio"} <= set(names)
    assert not {"random", "regression", "joint-ratio"} & set(names)  # blind, other goal, no code


def test_a_guess_is_read_as_by_the_judge(games):
    game = games.practise(TASK, 0)
    with pytest.raises(SubmissionError) as refused:
        games.read(game, "target,probability\n0,7\n999,1\n")
    for words in (":2 probability='7'", "999"):  # every fault at once
        assert words in str(refused.value)


def test_there_is_no_practice_where_rules_hide_the_population_or_the_sanitizer(tmp_path):
    for gives, words in ((["parameters"], "population"), (["base"], "how it was made")):
        folder = small(tmp_path / words.split()[0], knowledge={"gives": gives})
        games = Games(folder, folder.edition().track[0])
        with pytest.raises(Refused, match=words):
            games.practise(next(iter(games.tasks)), 0)
