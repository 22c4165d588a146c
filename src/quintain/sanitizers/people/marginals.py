"""People marginals: synthetic people in several tables, with a promise per person."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.accounting.zcdp import rho_for
from quintain.data import Data, Schema, Table
from quintain.data.arrays import Ints, Rows
from quintain.data.coding import Coding, Edges
from quintain.data.column import optional_field
from quintain.data.people import MOST_ROWS, People
from quintain.data.people_schema import PeopleSchema
from quintain.data.trees import Trees
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Claim, FocalPoint, Method, Release, Sanitized, Trace
from quintain.sanitizers.domains import learn_domain, measure_domain, refit
from quintain.sanitizers.mechanism import LEARNED, DomainSource
from quintain.sanitizers.people.shares import WHOLE, RowShares, divide_people, one_row_each
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
PATHS = 4_000
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
        points = {FocalPoint((draw.name,), (draw.given,) if draw.given else ()) for draw in draws}
        return tuple(sorted(points))


@register("people-marginals-v1")
class PeopleMarginals(Sanitizer):
    """Draws people with all their rows from noisy counts within tables and across them.

    Neighbours differ in one person with all rows, however many these are. In each table everybody
    counts once: a person with five visits is a fifth of a person in each of them
    (:mod:`quintain.sanitizers.people.shares` has the proof). So no row is left out, and a person
    with many rows needs no more noise than others.

    The first table has one row per person, with the number of rows that belong to it in each table
    below. The part counts its columns with Gaussian noise, chooses for each column the one on which
    it depends most (exponential mechanism), and counts these pairs with noise. Each table below is
    done in the same way, where a column may depend on a column of a row above, such as the age of a
    patient or the number of visits. The budget is added up in zCDP, and each column gets the same
    part of it. People are drawn table by table: how many rows a row has, then these rows given it.
    Rows of the same row above are drawn independently of each other.

    A release has as many people as the noisy counts say, and no columns of kind id.

    Parameters
    ----------
    epsilon, delta : the total privacy loss of a person.
    domain : "public" takes the domains of the schema as they are; "measured" measures them with
        noise, for a tenth of the budget and half of delta; "learned" reads them off the rows, and
        then nothing is claimed.
    rows : the most rows that a row of the release has in one table below; a private row with more
        counts as one with so many.
    edges : "measured" gives narrow bins to dense parts of a column, "equal" gives equal widths. By
        default, edges are measured for reals, times and integers with more than 256 values, unless
        the schema says how to cut them. Measured edges cost a tenth of the budget.
    groups : the most values of a category that are told apart; by default, all are.

    >>> import quintain as q
    >>> from quintain.data.sources.clinic import Clinic
    >>> clinic = Clinic(rows=2000).data(np.random.default_rng(1))
    >>> release = q.sanitize("people-marginals", clinic, epsilon=4, seed=1)
    >>> print(release.claim.words())
    epsilon 4, delta 1e-09, one person added or removed, public domain
    >>> release.data
    <Trees of 2006 persons: patients 2006 rows, visits 11730 rows, prescriptions 11613 rows>

    References
    ----------
    McKenna, Miklau and Sheldon (2021), Winning the NIST Contest, for the choice of pairs. Wilson et
    al. (2020), Differentially private SQL with bounded user contribution, for the unit.
    """

    shapes: ClassVar[tuple[str, ...]] = ("people",)

    epsilon: Annotated[float, Field(gt=0, lt=1e6, allow_inf_nan=False)] = 1.0
    delta: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 1e-9
    domain: DomainSource = "public"
    rows: Annotated[int, Field(ge=1, le=MOST_ROWS)] = 100
    edges: Edges | None = optional_field()
    groups: Annotated[int, Field(ge=2)] | None = optional_field()

    @classmethod
    def examples(cls) -> list[Self]:
        """List one sanitizer with much noise and one with little."""
        return [cls(), cls(epsilon=100.0, rows=20)]

    def claim_for(self, schema: Schema) -> Claim | None:
        """Claim approximate differential privacy for persons."""
        if self.domain == "learned":
            return None
        facts = {"epsilon": self.epsilon, "delta": self.delta, "unit": "person"}
        return Claim.model_validate({**facts, "domain": self.domain})

    def require(self, schema: Schema) -> None:
        """A model counts values, so every column needs a finite domain or bounds."""
        super().require(schema)
        columns = [c for c in schema.columns if "." in c.name]
        ids = ", ".join(column.name for column in columns if column.identifying)
        if ids:
            raise PartError(f"{self.id} cannot draw ids: leave out {ids}")
        if not columns and len(schema.tables or ()) < 2:
            raise PartError(f"{self.id} needs a column to draw, or a second table")
        if self.domain == "public" and columns:
            require_bounds(self, Schema(columns=tuple(columns)))

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Fit a model of people, and draw the release from it."""
        trees: Trees = self.see(data)
        model = self.fit(trees.people, rng=rng, noise=noise)
        drawn = Trees.of(model.sample(model.size, rng=rng), trees.schema.title)
        method = Method(name="synthetic data generation", rows=len(drawn), detail=self.summary())
        claim = self.claim_for(trees.schema)
        no_claim = LEARNED if self.domain == "learned" else ""
        release = Release(drawn, claim, (method,), no_claim=no_claim)
        return Sanitized(release, Trace(model.focal_points()))

    def choice(self, data: Data, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Give only what each column is drawn from."""
        trees: Trees = self.see(data)
        rng = np.random.default_rng(0)
        return self.fit(trees.people, rng=rng, noise=noise).focal_points()

    def fit(self, people: People, *, rng: np.random.Generator, noise: Noise) -> PeopleModel:
        """Measure noisy counts of people, and estimate the models that fit them."""
        tables = stages(people, self.rows)
        samples = {name: one_row_each(stage.branch, noise=noise) for name, stage in tables.items()}
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
        shares.setdefault(EVERYBODY, RowShares(np.full(people.size, WHOLE)))
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
