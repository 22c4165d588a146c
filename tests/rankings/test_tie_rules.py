"""What decides between equal scores: another board, the earlier submission, a plugin's rule."""

import re
from dataclasses import replace

import pytest

from quintain import registry
from quintain.contests import load
from quintain.contests.json_schema import edition_schema
from quintain.contests.words import track_sections
from quintain.errors import EditionError
from quintain.rankings import Contestant, break_ties
from quintain.rankings.count_wins import CountWins
from quintain.rankings.earlier_submission import EarlierSubmission
from quintain.rankings.ties import RankOn
from quintain.runs.folder import paths
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.score import score
from quintain.runs.scores.scores import track_boards
from quintain.runs.submissions.counting import choose
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify
from quintain.testing import battery, example_results
from quintain.testing.examples import example_board
from tests.contest_folders import written
from tests.registered import forget_plugins_later
from tests.runs.verification.forgery import EDITION, TEAMS, day, guess

PLUGIN = '''
from quintain.rankings.ties import TieRule
from quintain.registry import register


@register("later-submission-v1")
class LaterSubmission(TieRule):
    """The team that took its time is first."""

    def keys(self, board, rule, results, boards):
        if rule.ranks_attackers:
            return {team: -time for team, time in results.guessed.items()}
        return {entry.owner: -entry.submitted for entry in results.entries if entry.submitted}
'''
BOARDS = """
[[board]]
id = "attackers"
use = "formula"
of = "attackers"
formula = "0 * median(hit_rate)"
{ties}

[[board]]
id = "useful"
use = "formula"
formula = "1 - tv2"
{ties}

[[baseline]]"""
"""On both boards, everybody has the same score."""
BEFORE, _, REST = EDITION.partition("[[board]]")
AFTER = REST.partition("[[baseline]]")[2]
ORDER = ("red", "green", "blue")
"""In this order teams submit."""


def rules(*ties, more=""):
    """An edition in which these rules decide on both boards."""
    boards = BOARDS.replace("{ties}", f"ties = [{', '.join(ties)}]")
    text = f"{BEFORE}{boards}{AFTER}"
    text = text.replace("commitment =", "# commitment =")
    return text.replace('use = "marginals"', 'use = "marginals"\nways = 2') + more


EARLIER, LATER = '{ use = "earlier-submission" }', '{ use = "later-submission" }'


@pytest.fixture
def plugin(monkeypatch, tmp_path):
    """A tie rule in a single file, as a user loads it."""
    forget_plugins_later(monkeypatch)
    (tmp_path / "later.py").write_text(PLUGIN)
    registry.load_file(tmp_path / "later.py")


def release(folder, team, now):
    content = folder.at(paths.team_sample(team, "main")).read_bytes()
    return submit(folder, team, {"release.csv": content}, now=now).submission.number


def attack(folder, team, now):
    files = {f"{other}.csv": guess(*range(5)) for other in TEAMS if other != team}
    return submit(folder, team, files, now=now).submission.number


def ranks(folder, board):
    """The ranks of the teams, with what the judge measured."""
    (track,) = folder.edition().track
    boards = {
        b.id: b for b in track_boards(track, score(folder, now=day(21), report=False)["main"])
    }
    return [boards[board].rank_of(team) for team in ORDER]


def played(tmp_path, text):
    """Everybody publishes its own sample and guesses alike, one team after the other."""
    folder = written(tmp_path / "contest", text)
    for number, team in enumerate(ORDER, start=2):
        release(folder, team, day(number))
    hand_over(folder, now=day(10))
    for number, team in enumerate(ORDER, start=12):
        attack(folder, team, day(number))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("board", ["attackers", "useful"])
def test_the_earlier_submission_wins_and_anybody_can_verify_that(tmp_path, board):
    assert ranks(played(tmp_path / "shared", rules()), board) == [1, 1, 1]
    folder = played(tmp_path / "parted", rules(EARLIER))
    assert ranks(folder, board) == [1, 2, 3]
    assert verify(folder).problems == ()


def test_what_counts_is_the_last_submission_that_counts(tmp_path):
    folder = written(tmp_path / "contest", rules(EARLIER))
    first = {team: release(folder, team, day(number)) for number, team in enumerate(ORDER, start=2)}
    release(folder, "red", day(6))
    release(folder, "green", day(7))
    choose(folder, "green", [first["green"]], now=day(8))
    hand_over(folder, now=day(10))
    for number, team in enumerate(ORDER, start=12):
        attack(folder, team, day(number))
    attack(folder, "red", day(15))
    assert ranks(folder, "useful") == [3, 1, 2]
    assert ranks(folder, "attackers") == [3, 1, 2]


@pytest.mark.usefixtures("plugin")
def test_a_tie_rule_of_a_plugin_is_one_file(tmp_path):
    for part, check in battery(registry.find("tie", "later-submission")):
        check(part)
    folder = played(tmp_path, rules(LATER))
    assert ranks(folder, "useful") == ranks(folder, "attackers") == [3, 2, 1]
    (line,) = {
        line.partition(" Where ")[2]
        for section in track_sections(folder.edition().track[0])
        for line in section.lines
        if section.title == "Boards"
    }
    assert line == "scores are equal: The team that took its time is first."
    assert "later-submission" in edition_schema()["$defs"]["part-tie"]["oneOf"][0]["enum"]


def test_rules_decide_one_after_the_other():
    teams = [Contestant(team) for team in "abc"]
    board = example_board("b", dict.fromkeys("abc", 5))
    results = replace(example_results({}), guessed={"a": 3.0, "b": 1.0, "c": 2.0})
    other = RankOn(board="o").keys(
        board, CountWins(), results, {"o": example_board("o", {"a": 9, "b": 1, "c": 9})}
    )
    earlier = EarlierSubmission().keys(board, CountWins(), results, {})
    made = break_ties(board, [other, earlier], teams)
    assert [(place.rank, place.team) for place in made.places] == [(1, "c"), (2, "a"), (3, "b")]


def test_a_team_without_a_submission_is_last():
    board = example_board("b", {"a": 5, "b": 5, "c": 5})
    results = replace(example_results({}), guessed={"c": 1.0})
    keys = EarlierSubmission().keys(board, CountWins(), results, {})
    made = break_ties(board, [keys], [])
    assert [(place.rank, place.team) for place in made.places] == [(1, "c"), (2, "a"), (2, "b")]


def read(tmp_path, text):
    (tmp_path / "rules.toml").write_text(text)
    return load(tmp_path / "rules.toml")


OVERALL = """
[[overall]]
id = "all"
use = "weighted-sum"
boards = { "main/useful" = 1 }
ties = [{ use = "earlier-submission" }]
"""


@pytest.mark.parametrize(
    ("ties", "more", "words"),
    [
        (['"nobody"'], "", "unknown board 'nobody' among those before it; available: none"),
        (['{ use = "rank-on", board = "nobody" }'], "", "unknown board 'nobody' among those"),
        (['{ use = "earlyer-submission" }'], "", "did you mean 'earlier-submission'?"),
        (['{ use = "earlier-submission", by = "day" }'], "", "unknown parameter"),
        ([], OVERALL, "a board over all tracks rests on no submission of its own"),
    ],
)
def test_a_tie_that_nothing_can_decide_is_refused(tmp_path, ties, more, words):
    with pytest.raises(EditionError, match=re.escape(words)):
        read(tmp_path, rules(*ties, more=more))


def test_a_board_alone_is_written_as_its_id(tmp_path):
    text = (
        rules().replace("ties = []", 'ties = ["attackers"]').replace('ties = ["attackers"]', "", 1)
    )
    long = text.replace('"attackers"]', '{ use = "rank-on", board = "attackers" }]')
    assert long.count("rank-on") == 1
    short, full = (read(tmp_path, each).track[0].board[1] for each in (text, long))
    assert short.ties == ("attackers",) and short.tie_rules == full.tie_rules
    assert short.follows == full.follows == ("attackers",)
