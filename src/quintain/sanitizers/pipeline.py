"""Pipelines: several sanitizers that run one after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from quintain.accounting.split import Split
from quintain.data import Data, Schema, shape_of
from quintain.data.arrays import Rows
from quintain.errors import PartError, Rejected
from quintain.randomness.noise import Noise
from quintain.registry import Part, build, register
from quintain.releases import Claim, FocalPoint, Method, Release, Sanitized, Trace, origins_through
from quintain.sanitizers.sanitizer import Sanitizer, sanitize


def _build_step(table: Any) -> Any:
    """Build a step from its table; pydantic reports one sentence, so all faults are joined."""
    if isinstance(table, Part):
        return table
    if not isinstance(table, str | Mapping):
        raise ValueError('a step is written { use = "..." }')
    try:
        return build(Sanitizer.family, table)
    except Rejected as error:
        raise ValueError("; ".join(str(fault) for fault in error.faults)) from None


def _write_step(step: Sanitizer) -> dict[str, Any]:
    return step.spec()


Step = Annotated[
    Sanitizer,
    BeforeValidator(_build_step),
    PlainSerializer(_write_step),
    WithJsonSchema({"x-part": Sanitizer.family}),
]


@register("pipeline-v1")
class Pipeline(Sanitizer):
    """Passes the release of each sanitizer to the next one, and publishes the last release.

    Only the first step sees the private data. So its claim also holds for the last release: the
    later steps are post-processing. The claim of a later step is dropped. It holds for the data
    that this step was given, and one person may have changed many of their records. If the first
    step claims nothing, the pipeline claims nothing.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> people = q.Table.of(q.Schema(columns=(age,)), {"age": [21, 34, 35, 36, 90]})
    >>> steps = [{"use": "microaggregation", "k": 2}, {"use": "top-bottom-coding", "high": 50}]
    >>> release = q.sanitize("pipeline", people, steps=steps)
    >>> [record["age"] for record in release.data.records()]
    [30, 30, 30, 50, 50]

    Parameters
    ----------
    steps : the sanitizers in order, each as an edition file writes it:
        ``[{ use = "k-anonymity", k = 3 }, { use = "rr", keep = 0.9 }]``.

    References
    ----------
    Dwork and Roth, The algorithmic foundations of differential privacy (2014), proposition 2.1.
    """

    shapes: ClassVar[tuple[str, ...]] = ("table", "transactions", "series", "people")
    aligned: ClassVar[bool] = True  # each step hides the order of records if it has to

    steps: Annotated[tuple[Step, ...], Field(min_length=1)]

    @classmethod
    def examples(cls) -> list[Self]:
        """One pipeline that keeps the claim of its first step, and one without a claim."""
        private = [{"use": "independent", "epsilon": 2.0}, {"use": "top-bottom-coding"}]
        plain = [
            {"use": "small-class-deletion", "k": 2},
            {"use": "integer-noise", "scale": 2.0},
            {"use": "rrp", "columns": ["colour", "flag"]},
        ]
        return [cls.model_validate({"steps": steps}) for steps in (private, plain)]

    def require(self, schema: Schema) -> None:
        """Every step must take the columns of the data, because every release has them."""
        reasons = [step.refusal(schema) for step in self.steps]
        refused = [f"step {number}: {text}" for number, text in enumerate(reasons, 1) if text]
        if refused:
            raise PartError("; ".join(refused))

    def claim_for(self, schema: Schema) -> Claim | None:
        """What the first step claims; the others see no private data."""
        return self.steps[0].claim_for(schema)

    def split(self, *, measured: bool, rows: int) -> tuple[Split, Sanitizer]:
        """Divide the budget of the first step."""
        split, first = self.steps[0].split(measured=measured, rows=rows)
        return split, self.model_copy(update={"steps": (first, *self.steps[1:])})

    def tells_origins(self) -> bool:
        """Whether every step does; the origins of all steps are followed back to the first."""
        return all(step.tells_origins() for step in self.steps)

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Run each step as an edition runs a sanitizer, then sort a plain table by content."""
        return self.combine(len(data), list(self.run_steps(data, rng=rng, noise=noise)))

    def run_steps(
        self, data: Data, *, rng: np.random.Generator, noise: Noise
    ) -> Iterator[Sanitized]:
        """What each step makes of the release of the step before."""
        for step in self.steps:
            result = sanitize(step, data, rng=rng, noise=noise)
            yield result
            data = result.release.data

    def combine(self, rows: int, results: Sequence[Sanitized]) -> Sanitized:
        """The last release, with the origins, methods and claims of all steps.

        ``rows`` is the number of private records.
        """
        origins: Rows | None = np.arange(rows)
        for result in results:
            origins = origins_through(origins, result.trace.origins)
        first, last = results[0].release, results[-1].release
        data, shape = last.data, shape_of(last.data)
        order = None if shape.deletes_in_place else shape.hidden_order(data)
        if order is not None:
            data, origins = data.take(order), origins_through(origins, order)
        methods: tuple[Method, ...] = sum((result.release.methods for result in results), ())
        points: tuple[FocalPoint, ...] = sum((result.trace.focal_points for result in results), ())
        # Differential privacy survives whatever follows; other models hold only for what they see.
        release = Release(data, first.claim, methods, models=last.models, test=last.test)
        return Sanitized(release, Trace(tuple(dict.fromkeys(points)), origins))

    def choice(self, data: Data, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Give what each step would choose on these data."""
        chosen = [point for step in self.steps for point in step.choice(data, noise=noise)]
        return tuple(dict.fromkeys(chosen))
