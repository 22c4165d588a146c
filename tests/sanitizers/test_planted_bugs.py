"""Four classic bugs, each planted into a sanitizer: the bound on epsilon rises above the claim.

The game: run the sanitizer often on data with and without one person, and let an attack that knows
both tell the runs apart. Beside each bug the sound sanitizer plays the same game and stays below.
"""

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.measures.epsilon import DEFAULT
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic.independent import Independent
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.privbayes import PrivBayes, dependence

LEVEL = 0.99


def table(rows):
    names = "xyz"[: len(rows[0])]
    columns = tuple(Column(name=name, kind="category", values=("0", "1")) for name in names)
    values = {name: [str(row[j]) for row in rows] for j, name in enumerate(names)}
    return Table.of(Schema(columns=columns), values)


MANY = [(0, 0, 0)] * 50
ODD = (1, 1, 1)
ADDED = table([*MANY, ODD]), table(MANY)


def fresh(side, run):
    return [side, run]


def play(sanitizer, neighbours, score, runs, seed=fresh, delta=0.0):
    """The bound from so many runs with and without the person."""
    sides = []
    for side, data in enumerate(neighbours):
        scores = []
        for run in range(runs):
            rng = np.random.default_rng(seed(side, run))
            made = sanitize(sanitizer, data, rng=rng, noise=Noise.for_test(rng))
            scores.append(score(made.release.data))
        sides.append(np.array(scores, float))
    return DEFAULT.bound(*sides, delta=delta, level=LEVEL, rng=np.random.default_rng(0)).value


def caught(bound, claim):
    assert bound > claim, f"the bound is {bound:.2f}, the claim {claim:.2f}: the bug was missed"


def sound(bound, claim):
    assert bound <= claim, f"the bound is {bound:.2f}, the claim {claim:.2f}: a false alarm"


def ones(release):
    return release.codes().sum()


@pytest.mark.parametrize("cls", [Independent, PrivBayes])
def test_noise_that_is_n_times_too_small_is_caught(cls, monkeypatch):
    sanitizer = cls(epsilon=1.0)
    sound(play(sanitizer, ADDED, ones, 50), 1.0)
    right, n = Noise.laplace, len(ADDED[0])
    monkeypatch.setattr(Noise, "laplace", lambda self, scale, size: right(self, scale / n, size))
    caught(play(sanitizer, ADDED, ones, 50), 1.0)


def test_a_fixed_seed_is_caught():
    sanitizer = Independent(epsilon=1.0)
    sound(play(sanitizer, ADDED, ones, 40), 1.0)
    # With one seed for all runs a release is a function of the data.
    known = sanitize(
        sanitizer,
        ADDED[0],
        rng=(rng := np.random.default_rng(7)),
        noise=Noise.for_test(rng),
    ).release.data

    def same(release):
        return len(release) == len(known) and np.array_equal(release.codes(), known.codes())

    caught(play(sanitizer, ADDED, same, 40, seed=lambda side, run: 7), 1.0)


def tree_data():
    """Columns x and y play the same role for z, until one person more decides between them."""
    cells = {(0, 0, 0): 320, (0, 0, 1): 80, (1, 1, 1): 320, (1, 1, 0): 80}
    cells |= {(0, 1, 0): 50, (0, 1, 1): 50, (1, 0, 0): 50, (1, 0, 1): 50}
    rows = [row for row, count in cells.items() for _ in range(count)]
    return table([*rows, (0, 1, 1)]), table(rows)


def parent_of_z(release):
    """How much more z depends on y than on x."""
    x, y, z = release.codes().T.astype(np.int64)
    return dependence(y, z, 2) - dependence(x, z, 2)


def test_a_structure_that_is_chosen_without_noise_is_caught(monkeypatch):
    sanitizer, neighbours = PrivBayes(epsilon=1.0, theta=40.0), tree_data()
    sound(play(sanitizer, neighbours, parent_of_z, 40), 1.0)
    monkeypatch.setattr(
        Noise, "choose", lambda self, scores, epsilon, sensitivity: int(np.argmax(scores))
    )
    caught(play(sanitizer, neighbours, parent_of_z, 40), 1.0)


@pytest.mark.slow
def test_an_ignored_delta_is_caught(monkeypatch):
    # Pure epsilon implies epsilon**2 / 2 zCDP; the way back costs a delta.
    monkeypatch.setattr(
        "quintain.sanitizers.synthetic.mst.rho_for", lambda epsilon, delta: epsilon**2 / 2
    )
    sanitizer, sides = Mst(epsilon=2.0, delta=1e-3), []
    # MST learns of people by noisy counts alone; these show more than synthetic rows.
    for side, rows in enumerate(([(0, 0), (1, 1)], [(0, 0)])):
        data, scores = table(rows), []
        for run in range(300):
            measured = sanitizer.measure(data, noise=Noise.for_test(2 * run + side))[0]
            scores.append(sum(m.counts.flat[-1] / m.variance.flat[-1] for m in measured))
        sides.append(np.array(scores))
    bound = DEFAULT.bound(*sides, delta=1e-3, level=LEVEL, rng=np.random.default_rng(0)).value
    caught(bound, sanitizer.epsilon)
