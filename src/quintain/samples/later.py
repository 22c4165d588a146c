"""Later: what people did in the first days is known, what they did afterwards is private."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Trajectories
from quintain.data.trajectories import DAY
from quintain.data_part import DataPart
from quintain.errors import PartError
from quintain.registry import register
from quintain.samples.sample import Design, Sample


@register("later-v1")
class Later(DataPart, Design):
    """Takes the trajectories of the later days as private data; attackers know the first days.

    Everybody who has points in both periods is a target and a member. A goal shows what the
    population has before the first time of the private data.

    Parameters
    ----------
    days : how many days from the first one on are known; the days after them are private.

    >>> import numpy as np
    >>> from quintain.samples import Later
    >>> from quintain.testing import example
    >>> traces = example("trajectories")
    >>> sample = Later(days=2).draw(traces, rng=np.random.default_rng(1))
    >>> traces, sample.private
    (<Trajectories 12 persons, 192 points on 8 x 8 cells>,
     <Trajectories 12 persons, 96 points on 8 x 8 cells>)

    References
    ----------
    Murakami et al., Designing a location trace anonymization contest, arXiv:2107.10407 (PWS Cup
    2019: reference traces and original traces).
    """

    shapes: ClassVar[tuple[str, ...]] = ("trajectories",)

    days: Annotated[int, Field(ge=1)]

    @classmethod
    def examples(cls) -> list[Self]:
        """Half of the days of the example trajectories."""
        return [cls(days=2)]

    def draw(self, population: Data, *, rng: np.random.Generator) -> Sample:
        """Cut every trajectory at the same midnight."""
        traces: Trajectories = self.see(population)
        day = traces.times() // DAY
        later = day >= (day.min() if len(day) else 0) + self.days
        person, people = traces.person_of_point(), len(traces)
        both = [np.bincount(person[part], minlength=people) > 0 for part in (later, ~later)]
        rows = np.flatnonzero(both[0] & both[1])
        if not len(rows):
            raise PartError(
                f"nobody has points in the first {self.days} days and later; choose other days"
            )
        private = traces.keep(later).take(rows)
        targets = np.arange(len(rows))
        return Sample(population, private, rows, targets, np.ones(len(rows), bool), rows)
