"""People marginals: synthetic people in several tables, with a promise per person."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.accounting.zcdp import rho_for
from quintain.data import Table
from quintain.data.arrays import Ints, Rows
from quintain.data.coding import Coding, Edges
from quintain.data.people import People
from quintain.data.people_schema import PeopleSchema
from quintain.data.schema import optional_field
from quintain.noise import Noise
from quintain.releases import Claim, FocalPoint
from quintain.sanitizers.domains import learn_domain, measure_domain, refit
from quintain.sanitizers.mechanism import DomainSource
from quintain.sanitizers.people.shares import WHOLE, Shares, divide_people, one_row_each
from quintain.sanitizers.people.stages import (
    EVERYBODY,
    Stage,
    number_name,
    stages,
    to_people,
    with_bins,
    without_bins,
)
from quintain.sanitizers.people.table_model import KnownColumn, TableModel, fit_table
from quintain.sanitizers.private_coding import MeasuredCoding
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.synthesizer import LARGEST_RELEASE, require_bounds

DOMAIN_SHARE = 0.1
"""The part of the budget for measured domains."""
CODING_SHARE = 0.1
"""The part of what is left for measured edges and groups."""
PATHS = 20_000
"""How many people are drawn to see what a model says about those who have rows below."""


@dataclass(frozen=True, slots=True, eq=False)
class PeopleModel:
    """A fitted model of people, which is already private: it may be sampled freely.

    Parameters
    ----------
    schema : the tables of the people.
    above : for each stage the one to whose rows its rows belong, in the order of drawing.
    models : the model of each stage with columns.
    codings : how codes of each stage become cells.
    """

    schema: PeopleSchema
    above: Mapping[str, str | None]
    models: Mapping[str, TableModel]
    codings: Mapping[str, Coding]

    @property
    def size(self) -> int:
        """About how many people the model was fitted on: a private estimate."""
        first = next(iter(self.models.values()))
        return min(max(1, round(first.total)), LARGEST_RELEASE)

    def sample(self, size: int, *, rng: np.random.Generator) -> People:
        """Draw so many people: their own rows, then how many rows they have below, then these."""
        cells: dict[str, Table] = {}
        levels: dict[str, dict[str, Ints]] = {}
        parents: dict[str, Rows] = {}
        for name, above in self.above.items():
            rows, around = size, dict[str, Ints]()
            if above is not None:
                numbers = _within_limit(cells[above].numbers(number_name(name)).astype(np.int64))
                parents[name] = np.repeat(np.arange(len(numbers)), numbers)
                rows = len(parents[name])
                around = {n: level[parents[name]] for n, level in levels[above].items()}
            drawn = self.models[name].draw(rows, around, rng)
            codes = self.models[name].expand(rows, drawn, rng)
            cells[name] = self.codings[name].decode(codes, rng)
            levels[name] = {**around, **drawn}
        return to_people(self.schema, cells, parents, size)

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """List what each column is drawn from."""
        draws = [draw for model in self.models.values() for draw in model.draws]
        points = {
            FocalPoint((draw.name,), (draw.given,) if draw.given else ()) for draw in draws
        }
        return tuple(sorted(points))


class PeopleMarginals(Sanitizer):
    """Draws people with all their rows from noisy counts within tables and across them."""

    epsilon: Annotated[float, Field(gt=0, lt=1e6, allow_inf_nan=False)] = 1.0
    delta: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 1e-9
    domain: DomainSource = "public"
    rows: Annotated[int, Field(ge=1, le=100_000)] = 100
    edges: Edges | None = optional_field()
    groups: Annotated[int, Field(ge=2)] | None = optional_field()

    def sanitize(self, data, *, rng, noise):
        raise NotImplementedError

    def fit(self, people: People, *, rng: np.random.Generator, noise: Noise) -> PeopleModel:
        """Measure noisy counts of people, and estimate the models that fit them."""
        tables = stages(people, self.rows)
        samples = {
            name: one_row_each(stage.branch, noise=noise) for name, stage in tables.items()
        }
        rho = rho_for(self.epsilon, self.delta / 2 if self.domain == "measured" else self.delta)
        tables, spent = self._decide_domains(tables, samples, rho, noise)
        rho -= spent
        codings, spent = self._decide_codings(tables, samples, rho, noise)
        rho -= spent
        codes = {name: codings[name].encode(stage.table) for name, stage in tables.items()}
        models = self._fit(people, tables, codes, rho, rng, noise)
        above = {name: stage.above for name, stage in tables.items()}
        return PeopleModel(people.schema, above, models, codings)

    def _decide_domains(
        self, tables: Mapping[str, Stage], samples: Mapping[str, Rows], rho: float, noise: Noise
    ) -> tuple[dict[str, Stage], float]:
        """The stages under their domains, and what these cost."""
        if self.domain == "public":
            return dict(tables), 0.0
        measured = self.domain == "measured"
        each = DOMAIN_SHARE * rho / sum(len(s.table.schema.columns) for s in tables.values())
        out = {}
        for name, stage in tables.items():
            table, names = without_bins(stage.table), stage.table.schema.names
            if not names:
                out[name] = stage
                continue
            if measured:
                decided = measure_domain(
                    table.take(samples[name]),
                    names,
                    rho=each * len(names),
                    threshold=self.delta / 2 / len(tables),
                    rows=1,
                    noise=noise,
                )
            else:
                decided = learn_domain(table, names)
            out[name] = stage.under(with_bins(refit(table, decided.schema)))
        return out, DOMAIN_SHARE * rho if measured else 0.0

    def _decide_codings(
        self, tables: Mapping[str, Stage], samples: Mapping[str, Rows], rho: float, noise: Noise
    ) -> tuple[dict[str, Coding], float]:
        """How the cells of each stage become codes, and what this costs.

        An answer that is epsilon-private costs epsilon^2 / 2 in zCDP.
        """
        coding = MeasuredCoding(self.edges, self.groups)
        count = sum(len(coding.columns(stage.table.schema)) for stage in tables.values())
        each = math.sqrt(2 * CODING_SHARE * rho / count) if count else 0.0
        codings = {}
        for name, stage in tables.items():
            names = coding.columns(stage.table.schema)
            codings[name] = (
                coding.measure(
                    stage.table.take(samples[name]),
                    epsilon=each * len(names),
                    noise=noise,
                    missing_code=False,
                )
                if names
                else Coding.of(stage.table.schema, missing_code=False)
            )
        return codings, CODING_SHARE * rho if count else 0.0

    def _fit(
        self,
        people: People,
        tables: Mapping[str, Stage],
        codes: Mapping[str, Table],
        rho: float,
        rng: np.random.Generator,
        noise: Noise,
    ) -> dict[str, TableModel]:
        """Fit the model of each stage; each column gets the same part of the budget."""
        shares = {**divide_people(people.take(np.arange(people.size)))}
        shares.setdefault(EVERYBODY, Shares(np.full(people.size, WHOLE)))
        each = rho / sum(len(table.schema.columns) for table in codes.values())
        models: dict[str, TableModel] = {}
        levels: dict[str, dict[str, Ints]] = {}
        paths: dict[str, dict[str, Ints]] = {}
        columns: dict[str, KnownColumn] = {}
        for name, stage in tables.items():
            around: dict[str, Ints] = {}
            drawn: dict[str, Ints] = {}
            if stage.above is not None:
                parent = stage.branch.parent
                around = {n: level[parent] for n, level in levels[stage.above].items()}
                drawn = paths[stage.above]
                some = models[stage.above].some_rows(number_name(name), drawn)
                drawn = {n: level[some] for n, level in drawn.items()}
            model = models[name] = fit_table(
                self,
                codes[name],
                shares[name],
                numbers=[number_name(n) for n in tables if tables[n].above == name],
                above=around,
                known={n: _among(columns[n], levels) for n, levels in drawn.items()},
                rho=each * len(codes[name].schema.columns),
                noise=noise,
            )
            levels[name] = {**around, **model.merge(codes[name])}
            columns |= model.columns
            length = len(next(iter(drawn.values()))) if drawn else PATHS
            paths[name] = {**drawn, **model.draw(length, drawn, rng)}
        return models


def _among(column: KnownColumn, levels: Ints) -> KnownColumn:
    """What is known of a column among people who have these levels."""
    counts = np.bincount(levels, minlength=len(column.expected)).astype(np.float64)
    return replace(column, expected=counts)


def _within_limit(numbers: Ints) -> Ints:
    """Numbers of rows whose sum is not larger than any release; the last ones become zero."""
    return np.where(np.cumsum(numbers) <= LARGEST_RELEASE, numbers, 0)
