"""The null sanitizer: the reference point that all other sanitizers are compared with."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.data import Data, Schema
from quintain.data.shape_facts import is_shape
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized, Trace
from quintain.sanitizers.sanitizer import Sanitizer


@register("identity-v1")
class Identity(Sanitizer):
    """Publishes the private data as they are: perfect utility, no protection.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> people = q.Table.of(q.Schema(columns=(age,)), {"age": [21, 34, 35, 36, 90]})
    >>> release = q.sanitize("identity", people)
    >>> [record["age"] for record in release.data.records()]
    [21, 34, 35, 36, 90]
    """

    shapes: ClassVar[tuple[str, ...]] = ("table", "transactions", "series", "people")

    @classmethod
    def can_see(cls, schema: Schema) -> bool:
        """Data of any shape can be published as they are."""
        return is_shape(schema.shape)

    def tells_origins(self) -> bool:
        """Yes: record i of the release is record i of the private data."""
        return True

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Return the data unchanged; the method is listed as "none"."""
        release = Release(data, methods=(Method(name="none", rows=0),))
        return Sanitized(release, Trace(origins=np.arange(len(data))))
