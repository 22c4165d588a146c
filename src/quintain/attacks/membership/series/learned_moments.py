"""Learned moments: run the public sanitizer to learn which averages of series give members away."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.membership.series.averages import SeriesMoments
from quintain.attacks.membership.series.series_attack import Scores, SeriesAttack, prepare_robustly
from quintain.attacks.shadows import random_samples, shadow_runs
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Series, as_series
from quintain.data.arrays import Floats
from quintain.guesses import Guess
from quintain.registry import register
from quintain.releases import Release

_LEAST_NOISE = 1e-6
"""The least noise of a moment, as a share of its variance over samples."""


@register("learned-moments-v1")
class LearnedMoments(SeriesAttack):
    r"""Learns from own runs of the sanitizer which moments of a release show its members.

    The moments of a person are those of ``series-averages``: means of columns, of their products,
    and of their products with the row before. A shadow run has known members, so it shows how a
    deviation of the members' moments from everybody's reaches a release: with an offset, a gain
    $g_j$ and noise of variance $v_j$ for each moment j. With $t_{ij}$ the moments of target i less
    those of everybody, $r_j$ those of the release less the offset, and $w_{ij} = g_j t_{ij} /
    \sqrt{v_j}$, the score is the best linear estimate of who is a member, for k private persons:

    $$ (W W^T + 4 k^2 I)^{-1} W z, \quad z_j = r_j / \sqrt{v_j}. $$

    So a moment that the sanitizer shrinks is compared with what shrunk moments usually are, and
    one that it covers with noise counts for little. ``series-averages`` does neither.

    What it assumes: the attacker has series of the population, and can run the sanitizer with the
    settings that made the release: because the contest gives its code, or because it is public.
    The private data have as many persons as the release, and about half of the targets are among
    them.

    Parameters
    ----------
    shadows : how many shadow runs.
    steps : as for every attack on series.

    References
    ----------
    Dwork, Smith, Steinke, Ullman and Vadhan, Robust traceability from trace amounts, FOCS 2015.
    Shokri, Stronati, Song and Shmatikov, Membership inference attacks against machine learning
    models, S&P 2017.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> release = q.sanitize("lagged-gaussian", stays.take(range(10)), seed=1)
    >>> known = {"targets": stays, "population": stays, "sanitizer": q.part("lagged-gaussian")}
    >>> guess = q.attack("learned-moments", release, **known, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 10 + [False] * 10)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.77; chance is 0.50'
    """

    needs: ClassVar[frozenset[Fact]] = frozenset({"base", "code"})

    shadows: Annotated[int, Field(ge=3, le=1000)] = 20

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Run the sanitizer, learn what it keeps, and score the targets."""
        base = as_series(knowledge.base_data())
        private = len(as_series(release.data))
        count = self.shadows if private else 0
        samples = random_samples(base, count=count, rows=private, rng=rng)
        pairs = [
            (as_series(run.sample), as_series(run.release.data))
            for run in shadow_runs(knowledge, samples, rng=rng)
        ]
        scores_of = partial(self.scores, base=base, pairs=pairs)
        return self.rank(knowledge, release, scores_of, rng=rng)

    def scores(
        self,
        targets: Series,
        released: Series,
        steps: int,
        *,
        rng: np.random.Generator,
        base: Series | None = None,
        pairs: Sequence[tuple[Series, Series]] = (),
    ) -> Scores:
        """Score targets with what ``pairs`` teach: samples, and what the sanitizer made of them."""
        target_side, release_side = prepare_robustly(targets, released, steps, timed=True)
        pairs = [pair for pair in pairs if all(len(side.values) for side in pair)]
        if min(len(target_side.values), len(release_side.values)) == 0 or len(pairs) < 3:
            return np.zeros(len(targets))
        moments = SeriesMoments.of(target_side, products=True)

        def mean(series: Series) -> Floats:
            return moments.mean(prepare_robustly(targets, series, steps, timed=True)[1])

        usual = mean(targets if base is None else base)
        private = np.array([mean(sample) for sample, _ in pairs]) - usual
        shadow = np.array([mean(made) for _, made in pairs])
        offset, gain, noise = learn_transmission(private, shadow)
        sums, rows = moments.sums(target_side)
        away = (sums - rows[:, None] * usual) / rows.mean()
        weighed = away * (gain / np.sqrt(noise))
        leaning = (moments.mean(release_side) - offset) / np.sqrt(noise)
        kernel = weighed @ weighed.T
        penalty = 4.0 * len(released) ** 2
        return np.linalg.solve(kernel + penalty * np.eye(len(kernel)), weighed @ leaning)


def learn_transmission(private: Floats, released: Floats) -> tuple[Floats, Floats, Floats]:
    """Offset, gain and noise of each moment: how the private deviation reaches a release.

    Each row is a shadow run. The noise contains what the offset, a mean of few runs, is off.

    >>> private = np.array([[-1.0, 0.0], [0.0, 1.0], [1.0, -1.0]])
    >>> offset, gain, noise = learn_transmission(private, 3 + 0.5 * private)
    >>> offset.tolist(), gain.tolist(), noise.max() < 1e-5
    ([3.0, 3.0], [0.5, 0.5], np.True_)
    """
    runs, offset = len(private), released.mean(axis=0)
    x, y = private - private.mean(axis=0), released - offset
    inner, outer = (x * y).sum(axis=0), (x**2).sum(axis=0)
    gain = np.maximum(inner / np.where(outer > 0, outer, 1.0), 0.0)
    rest = ((y - gain * x) ** 2).sum(axis=0) / (runs - 2) * (1 + 1 / runs)
    return offset, gain, np.maximum(rest, _LEAST_NOISE * outer / runs) + np.finfo(np.float32).tiny
