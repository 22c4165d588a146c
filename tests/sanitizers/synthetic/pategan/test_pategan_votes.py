"""Teachers and the student of PATE-GAN: votes by the definition, levels, and the regression."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.sanitizers.synthetic.pategan import synthesizer as pategan
from quintain.sanitizers.synthetic.pategan import training
from quintain.sanitizers.synthetic.pategan.generator import Encoding, View, draw_levels
from quintain.sanitizers.synthetic.pategan.training import Student, Teachers
from tests.sanitizers.synthetic.pategan.pategan_cases import Recorder, chain, fitted, integers

# --- teachers -------------------------------------------------------------------------------------


def random_view(sizes, rng, *, pairs=True):
    shares = np.concatenate([rng.dirichlet(np.ones(size)) for size in sizes])
    column = np.repeat(np.arange(len(sizes)), sizes)
    moments = rng.normal(0, 0.05, (len(column), len(column))) * (column[:, None] < column)
    return View(sizes, shares, moments, pairs)


def features(view, records):
    """Write out phi: levels and pairs of levels of two columns, centred and divided by roots."""
    root = np.sqrt(view.weights)
    levels = view.centre(records) / root
    if not view.pairs:
        return levels
    pairs = [
        (levels[:, a][:, :, None] * levels[:, b][:, None, :]).reshape(len(records), -1)
        for i, a in enumerate(view.blocks)
        for b in view.blocks[i + 1 :]
    ]
    return np.concatenate([levels, *pairs], axis=1)


def generated_mean(view):
    """Compute the mean of phi over the generator's records from the view."""
    root = np.sqrt(view.weights)
    moments = view.moments * root[:, None] * root
    pairs = [moments[a, b].ravel() for i, a in enumerate(view.blocks) for b in view.blocks[i + 1 :]]
    return np.concatenate([np.zeros(len(view.shares)), *(pairs if view.pairs else [])])


def scores_one_by_one(view, records, part, count, queries):
    """Score each query by each teacher's definition; None for a teacher without records."""
    phi, mean = features(view, records), generated_mean(view)
    centred = features(view, queries) - mean
    parts = [phi[part == j] for j in range(count)]
    return [centred @ (rows.mean(axis=0) - mean) if len(rows) else None for rows in parts]


@pytest.mark.parametrize("pairs", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_votes_follow_the_definition(seed, pairs):
    rng = np.random.default_rng(seed)
    sizes = [2, 3, 5, 4]
    view = random_view(sizes, rng, pairs=pairs)
    records, queries = (rng.integers(sizes, size=(rows, 4)) for rows in (60, 40))
    part = rng.integers(20, size=60)
    part[part == 7] = 8  # at least one teacher has no records
    plain = scores_one_by_one(view, records, part, 20, queries)
    votes = Teachers(records, part, 20).votes(queries, view)
    surest = [score for score in plain if score is not None]
    clear = np.abs(surest).min(axis=0) > 1e-4
    assert clear.sum() > 20
    idle = sum(score is None and j % 2 == 1 for j, score in enumerate(plain))
    expected = (np.array(surest) > 0).sum(axis=0) + idle
    assert (votes[clear] == expected[clear]).all()


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6))
def test_one_record_more_changes_each_count_of_votes_by_one_at_most(seed):
    rng = np.random.default_rng(seed)
    sizes = [2, 7, 3]
    view = random_view(sizes, rng, pairs=bool(seed % 2))
    records, queries = (rng.integers(sizes, size=(rows, 3)) for rows in (40, 50))
    part = rng.integers(12, size=40)
    place = int(rng.integers(40))
    fewer = np.delete(records, place, axis=0), np.delete(part, place)
    both = [Teachers(r, p, 12).votes(queries, view) for r, p in ((records, part), fewer)]
    assert np.abs(both[0] - both[1]).max() <= 1


def test_a_teacher_votes_as_if_it_were_alone():
    # Exactly equal: not even a rounding error depends on the records of others.
    rng = np.random.default_rng(0)
    sizes = [3, 4, 2, 6]
    view = random_view(sizes, rng)
    records, queries = (rng.integers(sizes, size=(rows, 4)) for rows in (300, 200))
    part = rng.integers(30, size=300)
    alone = sum(
        Teachers(records[part == j], np.zeros((part == j).sum(), int), 1).votes(queries, view)
        for j in range(30)
    )
    assert (Teachers(records, part, 30).votes(queries, view) == alone).all()


def test_parts_are_disjoint_and_drawn_in_secret(monkeypatch):
    calls = []

    class Watched(Teachers):
        def __init__(self, records, part, count):
            calls.append((records, part, count))
            super().__init__(records, part, count)

    monkeypatch.setattr(pategan, "Teachers", Watched)
    data, noise = chain(3, 4, 2), Recorder()
    fitted(data, noise=noise, epsilon=1000.0, teachers=40)
    ((records, part, count),) = calls
    # Each record has one teacher, so the parts are disjoint.
    assert count == 40
    assert part.shape == (len(data),)
    assert (records == data.codes()).all()
    assert (40, 600) in noise.parts
    # The same rng and other noise give other parts.
    fitted(data, noise=Recorder(2), epsilon=1000.0, teachers=40)
    assert (calls[1][1] != part).any()


# --- levels ---------------------------------------------------------------------------------------


def test_a_record_keeps_its_values_through_levels_if_they_are_few():
    data = chain(3, 4, 2)
    uniform = [np.full(size, 1 / size) for size in (3, 4, 2)]
    encoding = Encoding.cut(data.schema, uniform, 100)
    assert encoding.sizes == [3, 4, 2]
    levels = encoding.encode(data.codes())
    assert encoding.decode(levels, rng=np.random.default_rng(0)).equals(data)


def test_many_values_become_ranges_of_equal_shares_and_values_keep_their_shares():
    schema = integers(1000)
    share = np.random.default_rng(0).dirichlet(np.full(1000, 0.3))
    encoding = Encoding.cut(schema, [share], 20)
    level_share = encoding.level_shares()
    assert len(level_share) <= 20
    assert np.median(level_share) == pytest.approx(1 / 20, rel=0.3)
    codes = np.repeat(np.arange(1000), 300)[:, None]
    drawn = encoding.decode(encoding.encode(codes), rng=np.random.default_rng(1))
    # Every value stays in its range, and follows the shares inside it.
    assert (encoding.encode(drawn.codes()) == encoding.encode(codes)).all()
    first = encoding.level_of[0] == 0
    counts = np.bincount(drawn.columns["c0"], minlength=1000)[first]
    assert np.abs(counts / counts.sum() - share[first] / share[first].sum()).sum() < 0.05


def test_levels_are_drawn_by_their_shares():
    rng = np.random.default_rng(0)
    sizes = [2, 5]
    shares = np.concatenate([rng.dirichlet(np.ones(s), 8) for s in sizes], axis=1)
    drawn = draw_levels(np.repeat(shares, 5000, axis=0), sizes, rng=rng).reshape(8, 5000, 2)
    for row in range(8):
        for i, block in enumerate((slice(0, 2), slice(2, 7))):
            frequency = np.bincount(drawn[row, :, i], minlength=sizes[i]) / 5000
            assert frequency == pytest.approx(shares[row, block], abs=0.03)


# --- the student ----------------------------------------------------------------------------------


def test_the_student_solves_its_regression(monkeypatch):
    monkeypatch.setattr(training, "_ENOUGH", 1e-12)
    rng = np.random.default_rng(0)
    sizes = [2, 3, 4]
    learner = Student(random_view(sizes, rng), 0.01, 0.05)
    for _ in range(2):
        queries = rng.integers(sizes, size=(80, 3))
        votes, blind, spread = rng.random(80), rng.uniform(0.4, 0.6, 80), rng.uniform(1, 2, 80)
        view = random_view(sizes, rng)
        learner.learn(queries, votes, blind, spread, view)
    lines, scale = learner._linear(), learner._scale(view)
    learner._solve(lines, view)
    # The same with every product of two levels written out, and a free intercept for each round.
    kept = scale > 0
    products = lines.points[:, :, None] * lines.points[:, None, :]
    design = np.column_stack([products[:, kept], lines.turn == 0, lines.turn == 1])
    ridge = np.concatenate([1 / scale[kept].astype(float) ** 2, [0, 0]])
    weighted = design.T * lines.weight
    exact = np.linalg.solve(weighted @ design + np.diag(ridge), weighted @ lines.response)
    assert learner._estimate[kept] == pytest.approx(exact[:-2], abs=1e-3 * np.abs(exact[:-2]).max())
    assert not learner._estimate[~kept].any()
