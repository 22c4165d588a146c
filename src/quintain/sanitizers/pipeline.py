"""Pipelines: several sanitizers, one after another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from quintain.data import Data, Table
from quintain.data.schema import Shape
from quintain.errors import Rejected
from quintain.noise import Noise
from quintain.registry import Part, build, register
from quintain.releases import FocalPoint, Method, Release, Sanitized, Trace
from quintain.sanitizers.sanitizer import Sanitizer, sanitize


def _built(table: Any) -> Any:
    """A step from its table; pydantic carries sentences, so the faults become one."""
    if isinstance(table, Part):
        return table
    if not isinstance(table, str | Mapping):
        raise ValueError('a step is written { use = "..." }')
    try:
        return build(Sanitizer.family, table)
    except Rejected as error:
        raise ValueError("; ".join(str(fault) for fault in error.faults)) from None


def _written(step: Sanitizer) -> dict[str, Any]:
    return step.spec()


Step = Annotated[
    Sanitizer,
    BeforeValidator(_built),
    PlainSerializer(_written),
    WithJsonSchema({"x-part": Sanitizer.family}),
]


@register("pipeline-v1")
class Pipeline(Sanitizer):
    """Gives the release of one sanitizer to the next, and publishes the last.

    No step but the first sees the private data. So what the first step claims holds for the end,
    however often it is worked on: that is post-processing. What a later step claims holds for what
    it was given and says nothing of the private data, in which one person may have changed much of
    that; it is not passed on. A first step that claims nothing therefore leaves nothing claimed.

    Parameters
    ----------
    steps : the sanitizers in order, each written as in an edition:
        ``[{ use = "k-anonymity", k = 3 }, { use = "rr", keep = 0.9 }]``.

    References
    ----------
    Dwork and Roth, The algorithmic foundations of differential privacy (2014), proposition 2.1.
    """

    shapes: ClassVar[tuple[Shape, ...]] = ("table", "transactions", "series")
    aligned: ClassVar[bool] = True  # as far as its steps are: each hides the order where it must

    steps: Annotated[tuple[Step, ...], Field(min_length=1)]

    @classmethod
    def examples(cls) -> list[Self]:
        """A step whose claim survives, and steps without one."""
        private = [{"use": "independent", "epsilon": 2.0}, {"use": "top-bottom-coding"}]
        plain = [
            {"use": "k-anonymity", "k": 2},
            {"use": "integer-noise", "scale": 2.0},
            {"use": "rrp", "columns": ["colour", "flag"]},
        ]
        return [cls.model_validate({"steps": steps}) for steps in (private, plain)]

    def takes(self, shape: Shape) -> bool:
        """What every step takes."""
        return all(step.takes(shape) for step in self.steps)

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Run the steps as an edition runs a sanitizer, the order of records hidden each time."""
        made: list[Sanitized] = []
        for step in self.steps:
            made.append(sanitize(step, data, rng=rng, noise=noise))
            data = made[-1].release.data
        if isinstance(data, Table):
            data = data.take(data.order())
        methods: tuple[Method, ...] = sum((one.release.methods for one in made), ())
        points: tuple[FocalPoint, ...] = sum((one.trace.focal_points for one in made), ())
        release = Release(data, made[0].release.claim, methods)
        return Sanitized(release, Trace(tuple(dict.fromkeys(points))))
