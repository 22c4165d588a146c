"""AIM: choose marginals for a workload one by one, and draw records from the model they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from quintain.accounting.budget import Budget
from quintain.accounting.zcdp import gaussian_sigma, rho_for
from quintain.data import Schema, Table
from quintain.data.schema.column import optional_field
from quintain.errors import PartError
from quintain.noise import Noise
from quintain.progress import report
from quintain.registry import register
from quintain.releases import Claim, FocalPoint
from quintain.sanitizers.synthesizer import Arrays, Synthesizer
from quintain.sanitizers.synthetic.aim.rounds import COLUMN_SHARE, Rounds
from quintain.sanitizers.synthetic.aim.workload import (
    MOST_CANDIDATES,
    Candidates,
    Marginal,
    all_marginals,
    fitting_ways,
)
from quintain.sanitizers.synthetic.counted_columns import count_columns, varying
from quintain.sanitizers.synthetic.level_model import LevelModel
from quintain.sanitizers.synthetic.pgm import MOST_CELLS

Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]


@dataclass(frozen=True, eq=False)
class AimModel(LevelModel):
    """Tables over levels that fit all measured marginals, and the list of these marginals."""

    kind: ClassVar[str] = "aim"

    chosen: tuple[Marginal, ...] = ()

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """List the marginals that the rounds chose, and columns that are in none of them."""
        return _focal_points(self.chosen, list(self.levels))

    def arrays(self) -> Arrays:
        """Give the tables, the values of each level, and the chosen marginals."""
        places = [[self.schema.names.index(name) for name in names] for names in self.chosen]
        marginals = {f"chosen_{n}": np.array(place) for n, place in enumerate(places)}
        return {**super().arrays(), **marginals}

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> Self:
        """Make a model from what :meth:`arrays` gave."""
        count = sum(name.startswith("chosen_") for name in arrays)
        places = [arrays[f"chosen_{number}"] for number in range(count)]
        chosen = tuple(tuple(schema.names[place] for place in row) for row in places)
        return replace(super().from_arrays(schema, size, arrays), chosen=chosen)


@register("aim-v1")
class Aim(Synthesizer):
    """Draws records from noisy marginals, each chosen because the model fitted it worst.

    The part counts every column with Gaussian noise, and merges the values that do not stand out
    from the noise. Then it works in rounds. Each round chooses one marginal that the model fits
    badly and that matters for the workload (exponential mechanism), counts it with Gaussian noise,
    and fits a graphical model to all noisy counts. If a round has moved the model less than noise
    alone would, the next rounds have half the noise. The last round spends the rest of the budget.
    Records are drawn from the last model.

    The workload is the list of marginals that the release should preserve. Candidates are all its
    parts: a workload of three columns also offers pairs and single columns.

    Every answer is paid from one budget in zCDP; a round costs epsilon**2 / 8 for the choice and 1
    / (2 sigma**2) for the counts. Only the schema's domain is used, and the number of records is
    estimated from the noisy counts.

    In four points the part differs from the publication. A fifth of the budget goes to the columns,
    not a sixteenth, and the first rounds are at least four times larger, so that a table of few
    columns has one round for each marginal; these were tuned on two census tables. Rare values are
    merged, as in MST. Candidates whose noise is larger than any possible error are not offered. The
    fit prefers models near to uniform a little.

    Parameters
    ----------
    epsilon, delta : the total privacy loss.
    ways : the workload has all marginals of so many columns: 2, as in other implementations, or 3,
        as in the experiments of the publication, which takes longer. If this gives more than 20,000
        candidates, as three columns of 50 do, the workload has marginals of fewer columns, and the
        release says so.
    workload : the marginals of the workload, each a list of columns, instead of all.
    weights : the weight of each marginal of ``workload``; by default all have the weight 1.
    most_cells : the most cells of the model. More cells allow more dependences, and need more time
        and memory.

    In the example table, size and flag depend on colour, and AIM counts these pairs first:

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table())
    >>> aim = Aim(epsilon=10, ways=2)
    >>> aim.play(table, noise=q.Noise.for_test(1)).chosen
    [('colour', 'size'), ('colour', 'flag'), ('size', 'flag')]

    References
    ----------
    McKenna, Mullins, Sheldon and Miklau (2022), "AIM: An Adaptive and Iterative Mechanism for
    Differentially Private Synthetic Data".
    """

    most_values: ClassVar[int | None] = MOST_CELLS

    epsilon: Annotated[float, Field(gt=0, lt=1e6, allow_inf_nan=False)] = 1.0
    delta: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 1e-9
    ways: Annotated[int, Field(ge=1, le=3)] = 2
    workload: tuple[Annotated[Marginal, Field(min_length=1, max_length=3)], ...] | None = (
        optional_field()
    )
    weights: tuple[Weight, ...] | None = optional_field()
    most_cells: Annotated[int, Field(ge=1, le=MOST_CELLS)] = 2**18

    @model_validator(mode="after")
    def _weights_match(self) -> Self:
        if self.weights is not None and len(self.weights) != len(self.workload or ()):
            raise ValueError("give one weight for each marginal of the workload")
        if self.workload is not None and not self.workload:
            raise ValueError("the workload is empty; leave it out to preserve all marginals")
        return self

    @classmethod
    def examples(cls) -> list[Self]:
        """List one sanitizer with much noise and one with little."""
        return [cls(), cls(epsilon=100.0, ways=3, rows=50)]

    def claim(self) -> Claim:
        """Claim approximate differential privacy."""
        return Claim(epsilon=self.epsilon, delta=self.delta)

    def require(self, schema: Schema) -> None:
        """A workload may name only columns of the table."""
        super().require(schema)
        unknown = {name for names in self.workload or () for name in names} - set(schema.names)
        if unknown:
            raise PartError(
                f"{self.id}: the workload has unknown columns: {', '.join(sorted(unknown))}; "
                f"available: {', '.join(schema.names)}"
            )

    def detail(self, schema: Schema) -> str:
        """Say which workload the model was made for."""
        if self.workload is not None:
            return f"{self.summary()}; the workload has {len(self.workload)} marginals"
        columns = len(varying(self, schema))
        ways = fitting_ways(columns, self.ways)
        text = f"{self.summary()}; the workload has all marginals of {min(ways, columns)} columns"
        if ways < self.ways:
            text += f", because {self.ways} would give more than {MOST_CANDIDATES:,} candidates"
        return text

    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise) -> AimModel:
        """Run all rounds, then fit the model once more."""
        rounds = self.play(data, noise=noise)
        rounds.finish()
        graph, levels = rounds.fit.model(), rounds.offers.columns.levels
        return AimModel(data.schema, round(graph.total), graph, levels, tuple(rounds.chosen))

    def structure(self, data: Table, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Give only the marginals that one run chooses."""
        rounds = self.play(data, noise=noise)
        return _focal_points(rounds.chosen, rounds.fit.domain.names)

    def play(self, data: Table, *, noise: Noise) -> Rounds:
        """Count the columns, then run all rounds; nothing else reads the data."""
        columns = varying(self, data.schema)
        budget = Budget(rho_for(self.epsilon, self.delta))
        sigma = gaussian_sigma(COLUMN_SHARE * budget.rho / len(columns))
        counted = count_columns(data, columns, sigma=sigma, budget=budget, noise=noise)
        workload = self._workload([column.name for column in columns])
        rounds = Rounds(counted, Candidates.of(workload, counted.domain), budget, self.most_cells)
        for share in rounds.run(noise):
            report("measuring marginals", round(100 * share), 100)
        return rounds

    def _workload(self, names: list[str]) -> dict[Marginal, float]:
        """Give the marginals of columns that vary, with their weights."""
        if self.workload is None:
            return all_marginals(names, fitting_ways(len(names), self.ways))
        out: dict[Marginal, float] = {}
        weights = self.weights or (1.0,) * len(self.workload)
        for marginal, weight in zip(self.workload, weights, strict=True):
            varied = tuple(sorted(set(marginal).intersection(names)))
            if varied:
                out[varied] = out.get(varied, 0.0) + weight
        return out or all_marginals(names, 1)


def _focal_points(chosen: Sequence[Marginal], names: Sequence[str]) -> tuple[FocalPoint, ...]:
    """List what was counted, without marginals that are part of a larger one."""
    sets = {frozenset(marginal) for marginal in [*chosen, *((name,) for name in names)]}
    largest = [one for one in sets if not any(one < other for other in sets)]
    return tuple(sorted(FocalPoint(tuple(sorted(one))) for one in largest))
