"""Who wins with friends among the teams, and whom the residuals accuse.

    python -m benchmarks.fairness [EDITION ...] [--contests 20] [--teams 8] [--play 14]

Makes up contests of each edition and ranks them by its rules: without friends, and with one to
three friends. On boards of attackers each hands in a release that tells red everything; on boards
of releases each answers wrongly about red's release. "before" is the same rule with
means, in which releases without a rank count; "now" is the edition. With ``--play`` it also plays
the editions with the built-in players, of whom nobody is a friend: Hide-and-Seek so many times,
each other one once. A pair counts as judged if there were enough other readings to accuse it.

The contests are not made as those of ``quintain lint``: an attacker has some of five methods, a
release is weak against some of them, the best method counts, and each reading rests on 200 people.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet

# isort: split
import numpy as np

from quintain.contests import Track, load
from quintain.contests.fields import RankedBoard
from quintain.data.arrays import Floats
from quintain.rankings import Results
from quintain.rankings.collusion import ResidualPair, residual_pairs, stands_out
from quintain.rankings.defence import Defence
from quintain.rankings.formula import Formula
from quintain.rankings.mean import Mean
from quintain.runs.accomplices import HonestContest, MadeUp, with_friends, with_wrong_answers
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.scores.residuals import learned_ends
from quintain.runs.scores.scores import rank_boards

EDITIONS = (
    *("snake1", "amic", "darc", "hide-and-seek"),
    *("mico", "mico-answers", "trips", "trips-both", "two-goals"),
)
PLAYED = ("mico", "mico-answers", "trips", "two-goals", "amic", "darc")
OFTEN = "hide-and-seek"
"""The edition with enough built-in seekers and hiders to accuse somebody."""
MOST_FRIENDS = 3
METHODS = 5
PEOPLE = 200
BASELINES = 6
RED = "team0"


def draw_learned(attackers: int, releases: int, *, rng: np.random.Generator) -> Floats:
    """What each attacker finds in each release, above one half."""
    strength = rng.gamma(2.0, 0.5, (attackers, METHODS)) * (rng.random((attackers, METHODS)) < 0.5)
    weakness = 0.05 * rng.gamma(1.0, 1.0, (METHODS, releases))
    right = 0.5 + np.minimum(0.45, (strength[:, :, None] * weakness[None]).max(axis=1))
    learned: Floats = rng.binomial(PEOPLE, right) / PEOPLE
    return learned


def make_contest(
    made_up: MadeUp, teams: int, friends: int, leak: float | None, *, rng: np.random.Generator
) -> Results:
    """A contest of so many teams; the attackers after them are baselines and release nothing.

    Without ``leak`` the friends tell red nothing, and answer wrongly about its release.
    """
    learned = draw_learned(
        len(made_up.teams), len(made_up.teams) + len(made_up.track.entries), rng=rng
    )
    if leak is None:
        learned = with_wrong_answers(learned, friends)
    else:
        learned = with_friends(learned, friends, leak)
    results = made_up.results(learned, rng=rng)
    owners = set(made_up.teams[teams:])
    return replace(
        results,
        entries=tuple(entry for entry in results.entries if entry.owner not in owners),
        contestants=tuple(replace(c, competing=c.id not in owners) for c in results.contestants),
    )


def without_friends(results: Results, friends: int) -> Results:
    """The same results after the friends are disqualified."""
    out = {f"team{i}" for i in range(1, 1 + friends)}
    entries = (replace(e, faults=("a friend",)) if e.owner in out else e for e in results.entries)
    return replace(results, entries=tuple(entries))


def as_before(board: RankedBoard) -> RankedBoard:
    """A board with a mean, on which releases without a rank count."""
    rule = board.rule
    if isinstance(rule, Mean | Defence):
        rule = rule.model_copy(update={"trim": 0.0})
    elif isinstance(rule, Formula):
        rule = rule.model_copy(update={"formula": rule.formula.replace("median(", "mean(")})
    return board.model_copy(update={"rule": rule, "unranked": "count"})


def red_is_first(boards: list[RankedBoard], board: str, results: Results) -> float:
    """Red's share of the first place of a board."""
    places = rank_boards(boards, results)[board].places
    first = [place.team for place in places if place.rank == 1]
    return (RED in first) / max(1, len(first))


def pairs_of(track: Track, results: Results) -> Iterator[ResidualPair]:
    """The pairs of an attacker and a release that the residuals list, of all goals."""
    for aim in track.attack_aims:
        measured = track.measures_for(aim.id)[0]
        name = next(iter(measured.reads))
        tables = len(track.attack_aims)
        yield from residual_pairs(results, name, learned_ends(measured), tables=tables)


def lines(track: Track, name: str, teams: int, contests: int, seed: int) -> Iterator[str]:
    """One line per board of attackers and number of friends."""
    if not track.teams_release:
        yield f"| {name} | {track.id} | teams do not release | | | | | |"
        return
    made_up = MadeUp(track, HonestContest(teams=teams + BASELINES))
    guesses = {name for measured in track.guess_measures for name in measured.reads}
    for board in (b for b in track.board if b.rule.ranks_attackers or guesses & {*b.rule.uses}):
        rules = {"before": [as_before(one) for one in track.board], "now": list(track.board)}
        for friends in range(MOST_FRIENDS + 1):
            wins: dict[str, float] = {}
            leak, guilty = (
                best_leak(made_up, rules["before"], board, teams, friends, contests, seed),
                0,
            )
            rng = np.random.default_rng((seed, friends))
            for _ in range(contests):
                results = make_contest(made_up, teams, friends, leak, rng=rng)
                for when, boards in rules.items():
                    later = without_friends(results, friends)
                    for what, ranked in ((when, results), (f"{when}, out", later)):
                        wins[what] = wins.get(what, 0) + red_is_first(boards, board.id, ranked)
                guilty += any(map(stands_out, pairs_of(track, results)))
            cells = [f"{wins[key]:.0f}" for key in ("before", "now", "before, out", "now, out")]
            where = f"{track.id}/{board.id}"
            yield f"| {name} | {where} | {friends} of {teams} | {' | '.join(cells)} | {guilty} |"


def best_leak(
    made_up: MadeUp,
    boards: list[RankedBoard],
    board: RankedBoard,
    teams: int,
    friends: int,
    contests: int,
    seed: int,
) -> float | None:
    """How much the friends best tell red: a release that tells everything may lose its place."""
    if not board.rule.ranks_attackers:
        return None
    if not board.rule.follows:
        return 1.0

    def wins(leak: float) -> float:
        rng = np.random.default_rng((seed, 1000 + friends))
        drawn = (make_contest(made_up, teams, friends, leak, rng=rng) for _ in range(contests))
        return sum(red_is_first(boards, board.id, results) for results in drawn)

    return max((1.0, 0.5, 0.25, 0.1), key=wins)


def played_line(name: str, seed: int) -> str:
    """Whom the residuals accuse where the built-in players play each other."""
    with tempfile.TemporaryDirectory() as folder:
        run = play(load(name, quick=True), Path(folder) / "run", seed=seed)
        results, tracks = score(run, report=False), run.edition().track
        listed = [pair for t in tracks if t.guess_measures for pair in pairs_of(t, results[t.id])]
    judged = [pair for pair in listed if pair.chance is not None]
    accused = [f"{pair.attacker} on {pair.entry}" for pair in judged if stands_out(pair)]
    cells = (name, str(seed), str(len(listed)), str(len(judged)), ", ".join(accused) or "nobody")
    return f"| {' | '.join(cells)} |"


def players(times: int, seed: int) -> list[tuple[str, int]]:
    """The contests that are played, each with its seed."""
    often = [(OFTEN, seed + i) for i in range(times)]
    return [*often, *((name, seed) for name in PLAYED if times)]


def main() -> None:
    """Print the table, then the contests of the built-in players."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fairness", description=__doc__)
    parser.add_argument("editions", nargs="*", default=EDITIONS)
    parser.add_argument("--contests", type=int, default=20)
    parser.add_argument("--teams", type=int, default=8)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--play", type=int, default=0, metavar="TIMES")
    asked = parser.parse_args()
    print("Red is first, of", asked.contests, "contests; out: the friends are disqualified")
    print("| edition | board | friends | before | now | before, out | now, out | accused in |")
    print("|---|---|---|---|---|---|---|---|")
    for name in asked.editions:
        for track in load(name).track:
            for line in lines(track, name, asked.teams, asked.contests, asked.seed):
                print(line, flush=True)
    if asked.play:
        print("| played | seed | pairs | judged | accused |\n|---|---|---|---|---|", flush=True)
    for name, seed in players(asked.play, asked.seed):
        print(played_line(name, seed), flush=True)


if __name__ == "__main__":
    main()
