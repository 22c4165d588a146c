"""Later: what people did in the first days is known, what they did afterwards is private."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Trajectories
from quintain.data.data_part import DataPart
from quintain.data.trajectories import DAY
from quintain.errors import PartError
from quintain.registry import register
from quintain.samples.sample import Design, Sample


@register("later-v1")
class Later(DataPart, Design):
    """Takes the trajectories of the later days as private data; attackers know the first days.

    Everybody who has points in both periods can be drawn; who is drawn is a target and a member. A
    goal shows what the population has of them before the first time of the private data. Where
    teams make releases, let ``people`` be a small part of the population: a team knows the private
    data of its own release, and so the answers about everybody who is in another one, too.

    Parameters
    ----------
    days : how many days from the first one on are known; the days after them are private.
    people : how many people are drawn; everybody by default.

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
    people: Annotated[int, Field(ge=2)] | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """Half of the days of the example trajectories, of everybody or of some people."""
        return [cls(days=2), cls(days=2, people=5)]

    def private_size(self, population: int) -> int | None:
        """``people``, if it is given."""
        return self.people

    def draw(self, population: Data, *, rng: np.random.Generator) -> Sample:
        """Draw people, and cut every trajectory at the same midnight."""
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
        if self.people is not None:
            if self.people > len(rows):
                raise PartError(f"{len(rows)} people have points in both periods; lower people")
            rows = np.sort(rng.choice(rows, self.people, replace=False))
        private = traces.keep(later).take(rows)
        targets = np.arange(len(rows))
        return Sample(population, private, rows, targets, np.ones(len(rows), bool), rows)
