"""Histories: the fast scores are those of a slow plain computation, and people are recognised."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.data.learning.people import learn_people
from quintain.data.people import People
from quintain.kernels.histories import (
    CANDIDATES,
    URN,
    Trait,
    choose_traits,
    find_traits,
    keep_rows,
    most_shared,
    rare_pairs,
    recognise,
    weigh,
)
from quintain.testing import example


def rng(seed=0):
    return np.random.default_rng(seed)


def people_of(person, size, **columns):
    """People with categories (integers below 1000) in their rows."""
    schema = Schema(columns=tuple(Column(name=n, kind="category", values=LETTERS) for n in columns))
    return People.of_rows(Table(schema, columns), np.asarray(person, np.int64), size)


LETTERS = tuple(f"v{number:03}" for number in range(1000))


def plain_scores(known, shown):
    """The Bayes factor of each pair, step by step, without any matrix."""
    share = [0.0] * known.shape[1]
    for row in shown:
        for value, count in enumerate(row):
            share[value] += count / max(1, row.sum()) / max(1, (shown.sum(axis=1) > 0).sum())
    scores = np.zeros((len(known), len(shown)))
    for i, mine in enumerate(known):
        for j, other in enumerate(shown):
            for value, count in enumerate(mine):
                for step in range(int(count)):
                    if other[value]:
                        scores[i, j] += math.log1p(other[value] / (URN * share[value] + step))
            for step in range(int(mine.sum())):
                scores[i, j] -= math.log1p(other.sum() / (URN + step))
    return scores


def trait_of(known, shown):
    from scipy.sparse import csr_array

    sides = [csr_array(np.asarray(side, np.float32)) for side in (known, shown)]
    return Trait("code", *sides, halves=(sides[1], sides[1]))


COUNTS = st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=2, max_size=4)


@given(COUNTS, COUNTS)
def test_scores_are_those_of_the_urn(known, shown):
    [(left, right)] = weigh([trait_of(known, shown)])
    fast = (left @ right.T).toarray()
    assert fast == pytest.approx(plain_scores(np.array(known), np.array(shown)), abs=1e-4)


def test_steps_that_are_taken_together_hardly_change_scores():
    known, shown = np.array([[90, 3, 0], [1, 40, 7]]), np.array([[60, 0, 1], [5, 70, 9]])
    [(left, right)] = weigh([trait_of(known, shown)])
    fast, slow = (left @ right.T).toarray(), plain_scores(known, shown)
    assert fast == pytest.approx(slow, abs=0.02 * np.abs(slow).max())


def habits(size, rows, seed, redrawn=0.2):
    """People with favourite codes, and the same people under new pseudonyms."""
    draw = rng(seed)
    person = np.repeat(np.arange(size), rows)
    favourites = draw.integers(60, size=(size, 4))
    code = favourites[person, draw.integers(4, size=len(person))]
    place = draw.integers(6, size=len(person))
    new = draw.permutation(size)
    changed = np.where(draw.random(len(code)) < redrawn, draw.integers(60, size=len(code)), code)
    mixed = draw.permutation(len(code))
    known = people_of(person, size, code=code, place=place)
    shown = people_of(
        new[person][mixed], size, code=changed[mixed], place=draw.integers(6, size=len(code))
    )
    return known, shown, new


def test_people_are_recognised_by_what_the_release_did_not_redraw():
    known, shown, new = habits(60, 12, 1)
    recognition = recognise(known, shown, rng=rng())
    assert recognition.traits[0] == "code"
    assert (recognition.first == new).mean() > 0.9
    assert recognition.mutual.mean() > 0.8


def test_strangers_do_not_stand_out_as_people_do():
    known, shown, _ = habits(60, 12, 1)
    _, strangers, _ = habits(60, 12, 2)
    own, other = (recognise(known, side, rng=rng()) for side in (shown, strangers))
    assert np.median(own.margin) > np.quantile(other.margin, 0.9)
    assert np.median(own.best) > np.quantile(other.best, 0.9)


def test_candidates_by_rare_values_have_the_best_pseudonym():
    known, shown, _ = habits(80, 12, 3)
    every = recognise(known, shown, rng=rng())
    few = recognise(known, shown, rng=rng(), all_pairs=10)
    assert few.traits == every.traits
    assert (few.first == every.first).mean() > 0.95
    same = few.first == every.first
    assert few.best[same] == pytest.approx(every.best[same], rel=1e-4)
    assert few.lost <= 0.05


def plain_tokens(trait, counts):
    """The rarest values of each, and pairs and triples of these, without any matrix of keys."""
    holders = (trait.shown.toarray() > 0).sum(axis=0)
    for row in counts.toarray():
        there = [value for value in np.flatnonzero(row) if holders[value]]
        rarest = sorted(there, key=lambda value: (holders[value], value))[:8]
        yield {
            frozenset(token)
            for size, most in ((1, 8), (2, 8), (3, 6))
            for token in combinations(rarest[:most], size)
        }


def test_candidates_share_the_rarest_tokens():
    known, shown, _ = habits(80, 12, 12)
    traits = list(find_traits(known, shown, rng=rng()))[:2]
    shared = np.zeros((80, 80))
    for trait in traits:
        mine, others = (list(plain_tokens(trait, side)) for side in (trait.known, trait.shown))
        holders = {token: sum(token in held for held in others) for token in set().union(*mine)}
        for i, tokens in enumerate(mine):
            for j, other in enumerate(others):
                shared[i, j] += sum(math.log(81 / holders[token]) for token in tokens & other)
    pairs = rare_pairs(traits, rng=rng())
    for i in range(80):
        kept = np.zeros(80, bool)
        kept[pairs.pseudonym[pairs.person == i]] = True
        assert kept.sum() == min(CANDIDATES, (shared[i] > 0).sum())
        assert shared[i][kept].min() >= shared[i][~kept].max() - 1e-4


def test_candidates_are_the_first_of_all_in_order():
    from scipy.sparse import csr_array

    draw = rng(10)
    for share in (0.0, 0.1, 0.9):  # of pseudonyms that share something; 32 of 90 can be kept
        there = draw.random((12, 90)) < share
        sums = np.where(there, draw.integers(1, 9, there.shape), 0).astype(np.float32) / 7
        shared = csr_array(sums)
        luck = rng(11).random(shared.nnz)
        entries = zip(*shared.nonzero(), shared.data, luck, strict=True)
        order = sorted(entries, key=lambda entry: (entry[0], -entry[2], entry[3]))
        kept = [
            (person + 5, pseudonym)
            for row in range(12)
            for person, pseudonym, _, _ in [entry for entry in order if entry[0] == row][
                :CANDIDATES
            ]
        ]
        found = most_shared(shared, 5, rng(11))
        assert list(zip(*(side.tolist() for side in found), strict=True)) == kept


def test_scores_do_not_depend_on_the_order_of_people_or_rows():
    known, shown, _ = habits(30, 6, 4)
    order = rng(5).permutation(30)
    branch = known.tables["rows"]
    rows = rng(6).permutation(len(branch))
    mixed = People.of_rows(branch.rows.take(rows), branch.person[rows], 30).take(order)
    one, other = recognise(known, shown, rng=rng()), recognise(mixed, shown, rng=rng())
    assert other.best == pytest.approx(one.best[order])
    assert other.margin == pytest.approx(one.margin[order])


def test_equal_pseudonyms_are_chosen_at_random_and_do_not_stand_out():
    known = people_of([0], 1, code=[1])
    shown = people_of([0, 1, 2], 3, code=[1, 1, 2])
    chosen = [recognise(known, shown, rng=rng(seed)).first[0] for seed in range(20)]
    assert set(chosen) == {0, 1}
    assert recognise(known, shown, rng=rng()).margin[0] < 0


def test_fewer_than_two_pseudonyms_tell_nothing():
    known = people_of([0, 1], 2, code=[1, 2])
    recognition = recognise(known, people_of([0], 1, code=[1]), rng=rng())
    assert (recognition.margin < -1e6).all() and not recognition.mutual.any()


def test_gaps_survive_a_shift_of_all_times_of_a_person():
    draw = rng(7)
    size, rows = 50, 10
    person = np.repeat(np.arange(size), rows)
    day = np.cumsum(draw.integers(1, 60, size=(size, rows)), axis=1).ravel()
    schema = Schema(columns=(Column(name="day", kind="time"),))
    shift = draw.integers(-300, 300, size)[person]
    new = draw.permutation(size)
    mixed = draw.permutation(len(day))
    known = People.of_rows(Table(schema, {"day": (5_000 + day) * 86_400}), person, size)
    moved = Table(schema, {"day": ((5_000 + day + shift) * 86_400)[mixed]})
    shown = People.of_rows(moved, new[person][mixed], size)
    recognition = recognise(known, shown, rng=rng())
    assert recognition.traits[0].startswith("gap of day")
    assert (recognition.first == new).mean() > 0.9
    few = recognise(keep_rows(known, 3, rng=rng()), shown, rng=rng(), whole=False)
    assert not any("gap" in name for name in few.traits)


def test_numbers_with_noise_are_compared_in_bins():
    draw = rng(8)
    person = np.repeat(np.arange(60), 12)
    level = draw.normal(size=(60, 1)).repeat(12, axis=1).ravel() + draw.normal(size=720) / 20
    schema = Schema(columns=(Column(name="level", kind="real"),))
    noisy = Table(schema, {"level": level + draw.normal(size=720) / 50})
    known = People.of_rows(Table(schema, {"level": level}), person, 60)
    recognition = recognise(known, People.of_rows(noisy, person, 60), rng=rng())
    assert recognition.traits[0] == "level in 64 bins"
    assert (recognition.first == np.arange(60)).mean() > 0.5


def test_a_person_keeps_some_rows_at_random_and_all_if_they_are_few():
    known = people_of([0, 0, 0, 1, -1, 2, 2], 4, code=[1, 2, 3, 4, 5, 6, 7])
    few = keep_rows(known, 2, rng=rng())
    assert few.tables["rows"].lengths().tolist() == [2, 1, 2, 0]
    drawn = {
        tuple(keep_rows(known, 2, rng=rng(s)).tables["rows"].rows.columns["code"][:2])
        for s in range(30)
    }
    assert drawn == {(1, 2), (1, 3), (2, 3)}


def test_a_trait_alone_needs_no_choice():
    known, shown, _ = habits(20, 4, 9)
    traits = list(find_traits(known, shown, rng=rng()))
    assert [trait.name for trait in traits] == ["code", "place", "code and place"]
    assert choose_traits(traits[:1], rng=rng()) == traits[:1]


def test_traits_that_tell_as_much_are_chosen_if_so_many_are_needed():
    known, shown, _ = habits(60, 12, 9)
    code, place, _ = find_traits(known, shown, rng=rng())
    again = replace(code, name="code again")
    traits = [code, place, again]
    assert choose_traits(traits, rng=rng()) == [code]  # it tells these few people apart
    chosen = choose_traits(traits, rng=rng(), least=3)
    assert [trait.name for trait in chosen] == ["code", "code again"]  # place tells nothing


@given(COUNTS, COUNTS)
def test_scores_of_several_traits_are_added(known, shown):
    traits = [trait_of(known, shown), trait_of(np.array(known)[:, ::-1], np.array(shown)[:, ::-1])]
    scores = sum((left @ right.T).toarray() for left, right in weigh(traits))
    slow = sum(
        plain_scores(trait.known.toarray().astype(int), trait.shown.toarray().astype(int))
        for trait in traits
    )
    assert scores == pytest.approx(slow, abs=1e-4)


def test_traits_of_several_tables_are_compared_together():
    frames = {
        "invoices": pd.DataFrame(
            {"who": ["a", "a", "b"], "no": ["i", "j", "k"], "way": list("xyx")}
        ),
        "lines": pd.DataFrame({"no": ["i", "i", "j", "k"], "item": ["tea", "jam", "tea", "ink"]}),
    }
    people = People.read(learn_people(frames, "who").schema, frames)
    names = [trait.name for trait in find_traits(people, people, rng=rng())]
    assert names == ["way of invoices", "item of lines"]
    assert recognise(people, people, rng=rng()).first.tolist() == [0, 1]
    few = keep_rows(people, 1, rng=rng())
    assert sum(few.tables[name].lengths() for name in frames).tolist() == [1, 1]
    own = few.tables["lines"]
    assert few.schema["lines"].parent == "" and own.parent.tolist() == own.person.tolist()


def test_times_of_a_fixed_schedule_do_not_hide_who_was_where():
    traces = example("trajectories", rows=960)
    rows = traces.to_rows().select(["time", "x", "y"])
    person = traces.person_of_point()
    known = People.of_rows(Table(rows.schema, rows.columns), person, len(traces))
    order = rng(3).permutation(len(traces))
    shown = known.take(order)
    recognition = recognise(known, shown, rng=rng(1))
    assert (order[recognition.first] == np.arange(len(traces))).mean() > 0.95
    assert "time" not in recognition.traits
