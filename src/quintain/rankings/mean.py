"""Mean: an attacker's average reading over all entries, or over the best defended ones."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from quintain.data.arrays import Floats
from quintain.measures import BlindLaw, Reading
from quintain.rankings.board import Board, Candidate, order
from quintain.rankings.results import Results
from quintain.rankings.rule import Points, RankingRule
from quintain.rankings.trimming import average_name, middle
from quintain.registry import register
from quintain.wording.languages import to_say


@register("mean-v1")
class Mean(RankingRule):
    """The mean reading of an attacker over the entries of others.

    The interval is the mean of the entries' intervals. It is conservative, because luck on
    different entries partly cancels.

    Parameters
    ----------
    measure : the reading that is averaged; higher wins.
    board : count only the entries in the first places of this earlier board. A place that names
        no entry, as on a board of sums, stands for every release of its team.
    top : how many first places count. An attacker's own place is skipped and the next one counts
        instead, so that every attacker has the same number of entries. A team that does not
        compete has no place.
    trim : the share of the entries with the lowest readings, and of those with the highest, that
        is left out; 0.5 leaves the median. A single release that gives itself away to a friend
        then moves the score by little.
    missing : the value of an entry that was not attacked. Use the value of chance if a program may
        fail. Who attacked none of the first places has no score.
    points : {scale, whole}: how a score is shown.

    References
    ----------
    AMIC 2020, "Scores of attackers"; Hide-and-Seek 2020.

    Examples
    --------
    Bob did not attack the entry "mst", which counts as 0:

    >>> from quintain.testing import example_results
    >>> results = example_results({"rr": {"ann": 0.3, "bob": 0.4}, "mst": {"ann": 0.2}})
    >>> board = Mean(measure="membership_advantage").rank("mean", results, {})
    >>> [(place.rank, place.team, place.score.value) for place in board.places]
    [(1, 'ann', 0.25), (2, 'bob', 0.2)]

    The release "pal" told eve everything; the median does not follow it:

    >>> told = {"rr": {"ann": 0.2, "eve": 0}, "mst": {"ann": 0.2, "eve": 0}, "pal": {"eve": 1}}
    >>> [Mean(trim=trim).rank("", example_results(told), {}).places[0].team for trim in (0, 0.5)]
    ['eve', 'ann']
    """

    measure: str = "membership_advantage"
    board: str | None = None
    top: Annotated[int, Field(ge=1)] | None = None
    trim: Annotated[float, Field(ge=0, le=0.5)] = 0.0
    missing: float = 0.0
    points: Points = Points()

    @model_validator(mode="after")
    def _top_of_what(self) -> Self:
        if (self.board is None) != (self.top is None):
            raise ValueError("give board and top together: the first places of that board count")
        return self

    @property
    def uses(self) -> tuple[str, ...]:
        """The reading that is averaged."""
        return (self.measure,)

    @property
    def ranks_attackers(self) -> bool:
        """It ranks attackers."""
        return True

    @property
    def uses_guesses(self) -> tuple[str, ...]:
        """The reading that is averaged: only guesses say which attacker it belongs to."""
        return self.uses

    @property
    def trims(self) -> Mapping[str, float]:
        """How it averages the readings of an attacker."""
        return {self.measure: self.trim}

    @property
    def follows(self) -> tuple[str, ...]:
        """The board whose first places decide which entries count."""
        return () if self.board is None else (self.board,)

    def rank(self, board: str, results: Results, boards: Mapping[str, Board]) -> Board:
        """Average the readings of each attacker."""
        grid = results.grid(self.measure)
        rows = {entry.id: i for i, entry in enumerate(results.entries)}
        columns = {contestant.id: i for i, contestant in enumerate(results.contestants)}
        scores = {}
        for attacker in results.attackers():
            counted = [rows[entry] for entry in self._entries(attacker.id, results, boards)]
            cells = counted, columns[attacker.id]
            figures = np.stack([grid.value[cells], grid.low[cells], grid.high[cells]])
            measured = grid.measured[cells]
            n = int(grid.n[cells][measured].sum())
            scores[attacker.id] = self._score(figures[:, measured], n, len(counted), results)
        law = self._law(results)
        return Board(
            id=board,
            unit=f"{self._average} {self.measure}",
            places=order(scores, results.contestants, highest_first=True),
            floor=None if law is None else Points(scale=self.points.scale).of(law.expected),
            floor_says="" if law is None else to_say("what a blind attacker gets on average"),
        )

    def _entries(self, attacker: str, results: Results, boards: Mapping[str, Board]) -> list[str]:
        others = [entry.id for entry in results.entries if results.faces(attacker, entry)]
        if self.board is None:
            return others
        owned = {entry.id: entry.owner for entry in results.entries}
        first = [
            [entry for entry in others if entry == place.entry]
            if place.entry is not None
            else [entry for entry in others if owned.get(entry) == place.team]
            for place in boards[self.board].places
            if place.rank is not None
        ]
        return [entry for entries in list(filter(None, first))[: self.top] for entry in entries]

    def _score(self, figures: Floats, n: int, entries: int, results: Results) -> Candidate:
        """The score from the measured values, lows and highs; entries without count as missing."""
        if not entries:
            return Candidate(Reading.missing("higher", "there is nothing to attack"))
        if self.board is not None and not figures.shape[1]:
            # Otherwise an award for the attack on the first entry could go to who left it alone.
            return Candidate(Reading.missing("higher", "attacked no entry that counts"))
        absent = [self.missing] * (entries - figures.shape[1])
        # Each number grows with every reading, so its ends are those of all lows and of all highs.
        value, low, high = (self._mean([*row, *absent]) for row in figures.tolist())
        reading = Reading(
            value=value,
            low=low,
            high=high,
            n=n,
            better="higher",
            method=f"{self._average} of the entries' intervals",
        )
        law = self._law(results)
        p = None if law is None else law.mean_of(entries).at_least(value)
        return Candidate(self.points.of_reading(reading), p=p)

    def _mean(self, values: list[float]) -> float:
        counted = sorted(values)[middle(len(values), self.trim)]
        # fsum is exact, so equal values in another order give equal scores.
        return fsum(counted) / len(counted)

    @property
    def _average(self) -> str:
        return average_name(self.trim)

    def _law(self, results: Results) -> BlindLaw | None:
        """The law of blind guessing, which is known for the plain mean only."""
        return results.blind.get(self.measure) if not self.trim else None
