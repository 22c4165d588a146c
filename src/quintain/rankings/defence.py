"""Defence: ranks the teams that made releases by how well these withstood all attackers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from quintain.errors import Fault
from quintain.measures import BlindLaw, Reading
from quintain.rankings.board import Board, Candidate, order
from quintain.rankings.formulas.vector import Figures
from quintain.rankings.results import Entry, Results
from quintain.rankings.rule import KnownNames, Points, RankingRule
from quintain.rankings.trimming import average_name, middle
from quintain.registry import register
from quintain.wording.languages import to_say


class _Counted(NamedTuple):
    """The measured readings about one release, figure by figure."""

    value: list[float]
    low: list[float]
    high: list[float]
    n: list[int]

    def add(self, reading: Reading) -> None:
        self.value.append(reading.value)
        self.low.append(reading.low)
        self.high.append(reading.high)
        self.n.append(reading.n)


_UNITS = {
    "protection": to_say("protection of the release"),
    "risk": to_say("risk of the release"),
}
_FLOOR = to_say("what a release keeps against blind attackers")


@register("defence-v1")
class Defence(RankingRule):
    """How well a release withstood its attackers, optionally averaged with its utility.

    A team's attack on its own release does not count. A release that failed a gate scores as if
    the attackers had learned everything, and has no rank. A team with several releases counts with
    its best one.

    Parameters
    ----------
    measure : the privacy reading that counts, between 0 and 1; lower is better for people. A list
        may include readings of the release itself; each counts like one more attacker.
    attackers : what counts of all attackers: the "worst" for the release, or their "mean".
    trim : for the mean, the share of the weakest attackers, and of the strongest, that is left
        out; 0.5 leaves the median. A friend who answers wrongly on purpose then gains little.
    shown : "protection" is one minus what attackers learned, and the highest wins; "risk" is what
        they learned, and the lowest wins.
    utility : a reading of the release that is averaged in; under "risk" it must be a loss.
    utility_weight : the weight of the utility in that average, from 0 to 1.
    points : {scale, whole}: how a score is shown.

    References
    ----------
    AMIC 2020, "Scores of anonymizers"; DARC 2019, rule 18; PWSCup 2023.

    Examples
    --------
    Ann's release lost less to its strongest attacker, bob, than bob's release to ann:

    >>> from quintain.testing import example_results
    >>> results = example_results({"ann": {"bob": 0.2}, "bob": {"ann": 0.5}}, measure="hit_rate")
    >>> board = Defence(measure="hit_rate").rank("defence", results, {})
    >>> [(place.rank, place.team, place.score.value) for place in board.places]
    [(1, 'ann', 0.8), (2, 'bob', 0.5)]
    """

    measure: str | Annotated[tuple[str, ...], Field(min_length=1)] = "hit_rate"
    attackers: Literal["worst", "mean"] = "worst"
    trim: Annotated[float, Field(ge=0, le=0.5)] = 0.0
    shown: Literal["protection", "risk"] = "protection"
    utility: str | None = None
    utility_weight: Annotated[float, Field(ge=0, le=1)] = 0.5
    points: Points = Points()

    @property
    def uses(self) -> tuple[str, ...]:
        """The privacy readings, then the utility reading if there is one."""
        return (*self._measures, *([self.utility] if self.utility else ()))

    @property
    def _measures(self) -> tuple[str, ...]:
        return (self.measure,) if isinstance(self.measure, str) else self.measure

    def faults(self, known: KnownNames) -> Iterator[Fault]:
        """Every name that the edition does not have, and every reading that is upside down."""
        yield from super().faults(known)
        for name in self._measures:
            if known.better.get(name) == "higher":
                yield Fault(
                    f"takes {name!r} for what attackers learned, and the higher it is, the better "
                    'for people: use "formula"',
                    column="measure",
                )
        wanted = "higher" if self.shown == "protection" else "lower"
        if self.utility is not None and known.better.get(self.utility, wanted) != wanted:
            yield Fault(
                f"averages in {self.utility!r}, of which {known.better[self.utility]} is better; "
                f'with shown = "{self.shown}", {wanted} must be better',
                column="utility",
            )

    def rank(self, board: str, results: Results, boards: Mapping[str, Board]) -> Board:
        """Score every release; each team counts with its best one."""
        highest = self.shown == "protection"
        best: dict[str, Candidate] = {}
        readings = self._counted_readings(results)
        for entry, leaks in zip(results.entries, readings, strict=True):
            candidate = self._score(entry, leaks, results)
            owner = entry.owner or entry.id
            best_so_far = best.get(owner)
            if best_so_far is None or candidate.before(best_so_far, highest_first=highest):
                best[owner] = candidate
        floor = self._floor(readings, results)
        return Board(
            id=board,
            unit=_UNITS[self.shown],
            wins="highest" if highest else "lowest",
            places=order(best, results.contestants, highest_first=highest),
            floor=floor,
            floor_says=""
            if floor is None
            else to_say("what a release keeps against blind attackers"),
        )

    def _score(self, entry: Entry, readings: _Counted, results: Results) -> Candidate:
        if not entry.accepted:
            worst = Reading.exact(
                self.points.of(0.0 if self.shown == "protection" else 1.0), 1, self._better
            )
            note = f"disqualified: {'; '.join(entry.faults)}"
            return Candidate(worst, entry=entry.id, note=note, disqualified=True)
        missing = [
            n for n in self._measures if n in entry.readings and not entry.readings[n].measured
        ]
        if missing or not readings.value:
            note = f"{missing[0]} was not measured" if missing else "not attacked"
            return Candidate(Reading.missing(self._better, note), entry=entry.id)
        score = self._with_utility(self._together(readings), entry)
        points = self.points.of_reading(score)
        return Candidate(points, entry=entry.id, p=self._luck(readings, results))

    @property
    def _better(self) -> Literal["higher", "lower"]:
        return "higher" if self.shown == "protection" else "lower"

    def _counted_readings(self, results: Results) -> list[_Counted]:
        """For every entry the readings that count: of its attackers, and of the release itself."""
        grids = {name: results.grid(name) for name in self._measures}
        teams = np.array([contestant.id for contestant in results.contestants], np.object_)
        out = []
        for i, entry in enumerate(results.entries):
            readings = _Counted([], [], [], [])
            for name, grid in grids.items():
                counted = grid.measured[i] & (teams != entry.owner)
                readings.value.extend(grid.value[i][counted].tolist())
                readings.low.extend(grid.low[i][counted].tolist())
                readings.high.extend(grid.high[i][counted].tolist())
                readings.n.extend(grid.n[i][counted].tolist())
                if name in entry.readings:
                    readings.add(entry.readings[name])
            out.append(readings)
        return out

    def _together(self, readings: _Counted) -> Reading:
        figures = Figures(readings.value, readings.low, readings.high, min(readings.n))
        if self.attackers == "worst":
            # The worst attacker was picked after looking, as in the formula max(...).
            value, low, high = map(max, figures.lengthen("low")[:3])
        else:
            counted = middle(len(readings.value), self.trim)
            middles = (sorted(row)[counted] for row in figures[:3])
            value, low, high = (fsum(row) / len(row) for row in middles)
        if self.shown == "protection":
            value, low, high = 1 - value, 1 - high, 1 - low
        n = sum(readings.n)
        word = "largest" if self.attackers == "worst" else average_name(self.trim)
        method = f"{word} of the attackers' intervals"
        return Reading(value=value, low=low, high=high, n=n, better=self._better, method=method)

    def _with_utility(self, score: Reading, entry: Entry) -> Reading:
        if self.utility is None:
            return score
        utility = entry.readings.get(self.utility)
        if utility is None or not utility.measured:
            return Reading.missing(self._better, f"{self.utility} was not measured")
        weight = self.utility_weight
        update = {
            key: (1 - weight) * getattr(score, key) + weight * getattr(utility, key)
            for key in ("value", "low", "high")
        }
        return score.model_copy(update=update)

    def _law(self, results: Results) -> BlindLaw | None:
        """The blind law, which says something about the worst attacker on a single reading only."""
        if self.attackers != "worst" or len(self._measures) > 1:
            return None
        return results.blind.get(self._measures[0])

    def _luck(self, readings: _Counted, results: Results) -> float | None:
        """How likely blind attackers alone learn this much or more."""
        law = self._law(results)
        if law is None:
            return None
        return law.at_least(max(readings.value), len(readings.value))

    def _floor(self, readings: Sequence[_Counted], results: Results) -> float | None:
        law = self._law(results)
        if law is None or self.utility or not results.entries:
            return None
        most = max(len(reading.value) for reading in readings)
        best = law.best_of(most) if most else law.expected
        return Points(scale=self.points.scale).of(1 - best if self.shown == "protection" else best)
