"""Formula: a board whose scores are computed by a formula in the edition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, Self

from quintain.errors import Fault
from quintain.measures import Direction, Reading
from quintain.rankings.board import Board, Candidate, order
from quintain.rankings.formulas import Scope, boards_in, evaluate, parse, readings_in, trims_in
from quintain.rankings.formulas.lookups import (
    COUNTS,
    FOUND_BY,
    AnonymizerLookup,
    AttackerLookup,
    ContestValues,
    TeamLookup,
    found_at,
)
from quintain.rankings.formulas.text import FormulaText, formula_faults
from quintain.rankings.formulas.vector import reading_of
from quintain.rankings.results import Results
from quintain.rankings.rule import KnownNames, Points, RankingRule
from quintain.registry import register

_LONGEST_UNIT = 120
"""A longer formula is not shown beside the scores."""


@register("formula-v1")
class Formula(RankingRule):
    """A score that the edition computes by a formula, such as ``1 - max(hit_rate)``.

    The names in the formula are readings of the track. For anonymizers, a reading of guesses is a
    list with one number per attacker, without the team's own attack. For attackers, every reading
    is a list with one number per entry, without the team's own entries. A score that needs an
    unmeasured reading, or divides by zero, has no rank. A team with several releases counts with
    its best one, and a release that failed a gate has no score.

    Parameters
    ----------
    formula : the score, from readings, numbers, + - * /, comparisons and the functions min, max,
        sum, mean, count, abs, floor, round, clamp, default, highest, lowest, median, trimmed, top,
        with_own, score, rank and reading; docs/reference/formulas.md explains them.
    of : who is ranked: "anonymizers" by their releases, "attackers" by their attacks, or "teams"
        by earlier boards alone.
    wins : whether the "highest" or the "lowest" score wins.
    missing : for attackers, the value of an entry that was not attacked.
    points : {scale, whole}: how a score is shown.

    References
    ----------
    PWSCup 2024: utility and anonymity in points of 100, less twice what is missing to 50 in each.

    Examples
    --------
    Ann's release lost less to its strongest attacker, bob, than bob's release to ann:

    >>> from quintain.testing import example_results
    >>> results = example_results({"ann": {"bob": 0.2}, "bob": {"ann": 0.5}}, measure="hit_rate")
    >>> board = Formula(formula="100 * (1 - max(hit_rate))").rank("defence", results, {})
    >>> [(place.rank, place.team, place.score.value) for place in board.places]
    [(1, 'ann', 80.0), (2, 'bob', 50.0)]
    """

    formula: FormulaText
    of: Literal["anonymizers", "attackers", "teams"] = "anonymizers"
    wins: Literal["highest", "lowest"] = "highest"
    missing: float = 0.0
    points: Points = Points()

    @classmethod
    def examples(cls) -> list[Self]:
        """One formula for each of those who can be ranked."""
        return [
            cls(formula="max(0, 100 * (1 - max(hit_rate)) - 5)"),
            cls(formula="mean(highest(2, hit_rate))", of="attackers", wins="lowest"),
            cls(formula="0.1 * score('first') + 0.9 * score('second')", of="teams"),
        ]

    @property
    def uses(self) -> tuple[str, ...]:
        """The readings that the formula names."""
        names = (name.name for name in readings_in(parse(self.formula)))
        return tuple(dict.fromkeys(name for name in names if not _is_special(name)))

    @property
    def ranks_attackers(self) -> bool:
        """The edition says who is ranked."""
        return self.of == "attackers"

    @property
    def trims(self) -> Mapping[str, float]:
        """The readings of which the formula takes a mean, a trimmed mean or a median."""
        return trims_in(parse(self.formula)) if self.ranks_attackers else {}

    @property
    def uses_found(self) -> tuple[str, ...]:
        """The goals for which the formula counts the attackers who found the same record."""
        goals = (found_at(name.name) for name in readings_in(parse(self.formula)))
        return tuple(dict.fromkeys(goal for goal in goals if goal is not None))

    @property
    def follows(self) -> tuple[str, ...]:
        """The boards that the formula names."""
        return tuple(dict.fromkeys(board.value for board in boards_in(parse(self.formula))))

    def faults(self, known: KnownNames) -> Iterator[Fault]:
        """Every name that the edition does not have, with its place in the formula."""
        if known.over_tracks and self.of != "teams":
            message = 'a board over all tracks ranks teams by other boards: write of = "teams"'
            yield Fault(message, column="of")
            return
        yield from formula_faults(self.formula, _scope(self.of, known))
        for name in readings_in(parse(self.formula)):
            message = _special_fault(name.name, self.of, known)
            if message:
                yield Fault(message, column="formula", got=self.formula, character=name.at)

    @classmethod
    def faults_of_table(cls, table: Mapping[str, object], known: KnownNames) -> Iterator[Fault]:
        """Unknown names in a formula that has other faults, too."""
        return formula_faults(table.get("formula"), _scope(table.get("of"), known))

    def rank(self, board: str, results: Results, boards: Mapping[str, Board]) -> Board:
        """Compute the formula for everybody who is ranked."""
        contest = ContestValues(results, boards, self.missing)
        highest = self.wins == "highest"
        scores: dict[str, Candidate] = {}
        for team, candidate in self._candidates(contest):
            best = scores.get(team)
            if best is None or candidate.before(best, highest_first=highest):
                scores[team] = candidate
        return Board(
            id=board,
            unit=self.formula if len(self.formula) <= _LONGEST_UNIT else "formula",
            wins=self.wins,
            places=order(scores, results.contestants, highest_first=highest),
        )

    def _candidates(self, contest: ContestValues) -> Iterator[tuple[str, Candidate]]:
        if self.of == "anonymizers":
            yield from self._releases(contest)
        elif self.of == "attackers":
            for attacker in contest.results.attackers():
                score = self._score(AttackerLookup(contest, attacker.id))
                yield attacker.id, Candidate(score, note=score.note)
        else:
            yield from self._teams(contest)

    def _releases(self, contest: ContestValues) -> Iterator[tuple[str, Candidate]]:
        for row, entry in enumerate(contest.results.entries):
            team = entry.owner or entry.id
            if entry.accepted:
                score = self._score(AnonymizerLookup(contest, team, entry, row))
                yield team, Candidate(score, entry=entry.id, note=score.note)
            else:
                note = f"disqualified: {'; '.join(entry.faults)}"
                score = Reading.missing(self._better, note)
                yield team, Candidate(score, entry=entry.id, note=note, disqualified=True)

    def _teams(self, contest: ContestValues) -> Iterator[tuple[str, Candidate]]:
        named = [contest.boards[name] for name in self.follows]
        listed = (place.team for board in named for place in board.places)
        everybody = (contestant.id for contestant in contest.results.contestants)
        for team in dict.fromkeys(listed if named else everybody):
            score = self._score(TeamLookup(contest, team))
            places = [board.place_of(team) for board in named]
            known = [place.disqualified for place in places if place is not None]
            out = bool(known) and all(known)
            yield team, Candidate(score, note=score.note, disqualified=out)

    def _score(self, lookup: TeamLookup) -> Reading:
        reading = reading_of(evaluate(parse(self.formula), lookup), self._better)
        return self.points.of_reading(reading)

    @property
    def _better(self) -> Direction:
        return "higher" if self.wins == "highest" else "lower"


def _is_special(name: str) -> bool:
    """Whether a name is a count or a list of finds, and no reading."""
    return name in COUNTS or found_at(name) is not None


def _special_fault(name: str, of: str, known: KnownNames) -> str:
    """Why a count, or the list of finds, cannot be used here; empty if it can."""
    if not _is_special(name) or of == "teams":
        return ""
    if name in known.guesses | known.releases:
        return f"{name} has a meaning of its own in formulas; give the reading another name"
    if known.finds.get(found_at(name) or "") is False and name not in COUNTS:
        return (
            f"{name} needs a measure that tells which records were found, such as "
            "hit-rate, membership-advantage or reidentification"
        )
    return ""


def _scope(of: object, known: KnownNames) -> Scope:
    """The names that a formula may use, by who is ranked."""
    counts, boards = frozenset(COUNTS), known.boards
    if of == "teams":
        return Scope(counts, boards=boards)
    lists = frozenset(f"{goal}.{FOUND_BY}" if goal else FOUND_BY for goal in known.finds)
    if of == "attackers":
        return Scope(counts, known.guesses | known.releases, lists, boards, per="entry")
    return Scope(counts | known.releases, known.guesses, lists, boards)
