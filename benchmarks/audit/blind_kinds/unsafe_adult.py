"""Releases of Adult that lay people bare: copies, parts of copies, and tight functions of rows."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.audit.blind_kinds.adult import ADULT, INTEGERS, adult, coarse
from benchmarks.audit.blind_kinds.cells import (
    Rng,
    blank,
    blend_cells,
    jitter,
    join,
    keep,
    like,
    matrix,
    numbers,
    shuffled,
    some,
    take,
    without,
)
from benchmarks.audit.blind_kinds.kind import ALARM, ANY_ANSWER, BARE, Case, kind
from benchmarks.audit.blind_kinds.populations import cents, pick
from benchmarks.audit.blind_kinds.synthesizers import cart, groups_of, mode


@kind(BARE)
def adult_jittered_copy(rng: Rng) -> Case:
    """Every person's row is published with numbers moved by 3 % of a standard deviation and all
    codes kept: almost all can be linked.
    """
    original, control = adult(rng, 1000, 1000)
    return Case(original, shuffled(rng, jitter(rng, original, 0.03)), control)


@kind(BARE)
def adult_half_subset(rng: Rng) -> Case:
    """Half of the people are published verbatim; each row's fnlwgt with the other columns is all
    but unique.
    """
    original, control = adult(rng, 1000, 1000)
    return Case(original, some(rng, original, 500), control)


@kind(BARE)
def adult_copies_among_strangers(rng: Rng) -> Case:
    """15 % of the people are published verbatim amid 850 rows of strangers."""
    original, control, other = adult(rng, 1000, 1000, 850)
    return Case(original, shuffled(rng, join(some(rng, original, 150), other)), control)


@kind(BARE)
def adult_bootstrap(rng: Rng) -> Case:
    """A bootstrap resample: about 63 % of the people are in it verbatim."""
    original, control = adult(rng, 1000, 1000)
    return Case(original, take(original, rng.integers(0, 1000, 1000)), control)


@kind(ALARM)
def adult_smote(rng: Rng) -> Case:
    """SMOTE rows lie on the line between a person and one of its five nearest, with all the
    person's codes: strong dependence on members, though not a copy.
    """
    original, control = adult(rng, 1000, 1000)
    (points,) = matrix(original, onehot=True)
    near = NearestNeighbors(n_neighbors=6).fit(points).kneighbors(points)[1][:, 1:]
    own = rng.permutation(1000)
    mate = near[own, rng.integers(0, 5, 1000)]
    shares = rng.random(1000)
    release, mates = take(original, own), take(original, mate)
    for column in numbers(original):
        release[column] = [
            like(cell, cell + share * (other - cell))
            for cell, other, share in zip(release[column], mates[column], shares, strict=True)
        ]
    return Case(original, release, control)


@kind(BARE)
def adult_partially_synthetic(rng: Rng) -> Case:
    """Partially synthetic: only occupation, income, hours and capital gain are redrawn from
    strangers; eleven columns with fnlwgt stay verbatim for everyone.
    """
    original, control, other = adult(rng, 1000, 1000, 1000)
    release = dict(original)
    for column in ("occupation", "income", "hours_per_week", "capital_gain"):
        release[column] = list(other[column])
    return Case(original, shuffled(rng, release), control)


@kind(BARE)
def adult_rounded_topcoded(rng: Rng) -> Case:
    """Everyone's row is published after rounding and top-coding; the rounded rows are still nearly
    all unique, so most people can be linked.
    """
    original, control = adult(rng, 1000, 1000)
    return Case(original, shuffled(rng, coarse(original)), control)


@kind(BARE)
def adult_ten_percent_swapped(rng: Rng) -> Case:
    """One cell in ten is swapped between members, the others stay verbatim and in place."""
    original, control = adult(rng, 1000, 1000)
    return Case(original, shuffled(rng, blend_cells(rng, original, original, 0.10)), control)


@kind(BARE)
def adult_recombined_halves(rng: Rng) -> Case:
    """Each row is the left half of one member's row with the right half of another's: a known left
    half (with fnlwgt) proves membership for everyone.
    """
    original, control = adult(rng, 1000, 1000)
    others = take(original, rng.permutation(1000))
    release = keep(original, ADULT[:8]) | keep(others, ADULT[8:])
    return Case(original, shuffled(rng, release), control)


@kind(BARE)
def adult_sixty_percent_suppressed(rng: Rng) -> Case:
    """60 % of cells are suppressed at random but the others are verbatim: four rows in ten still
    show the all-but-unique fnlwgt with about five more cells.
    """
    original, control = adult(rng, 1000, 1000)
    return Case(original, shuffled(rng, blank(rng, original, 0.6)), control)


@kind(BARE)
def adult_absurd_cells(rng: Rng) -> Case:
    """An adversary hides copies from distances: in each row two random cells of 15 are replaced by
    absurd values or a stranger's, the other 13 are verbatim.
    """
    original, control, other = adult(rng, 1000, 1000, 1000)
    release = keep(original, ADULT)
    for row in range(1000):
        for place in rng.choice(len(ADULT), 2, replace=False):
            column = ADULT[place]
            absurd = column in INTEGERS
            release[column][row] = int(rng.integers(10**7, 10**8)) if absurd else other[column][row]
    return Case(original, shuffled(rng, release), control)


@kind(BARE)
def adult_cart_leaf_one(rng: Rng) -> Case:
    """Sequential trees grown to single persons, starting from fnlwgt: each leaf gives one donor, so
    most rows are members' rows again.
    """
    original, control = adult(rng, 1000, 1000)
    order = ["fnlwgt", "age", *(name for name in ADULT if name not in ("fnlwgt", "age"))]
    return Case(original, cart(rng, original, 1000, 1, order), control)


@kind(BARE)
def adult_six_columns_verbatim(rng: Rng) -> Case:
    """Only age, sex, hours, education, occupation and country are published, but verbatim for
    everyone: nine in ten of these combinations belong to a member alone, so nearly everyone can be
    told to be in.
    """
    original, control = adult(rng, 1000, 1000)
    names = ("age", "sex", "hours_per_week", "education", "occupation", "native_country")
    return Case(keep(original, names), shuffled(rng, keep(original, names)), keep(control, names))


@kind(BARE)
def adult_dropped_and_added_columns(rng: Rng) -> Case:
    """Four columns dropped, three junk columns added, the order changed: the eleven others are
    verbatim for all, with fnlwgt.
    """
    original, control = adult(rng, 1000, 1000)
    rest = without(original, "education", "relationship", "capital_loss", "income")
    release = {
        "row": list(range(1, 1001)),
        **keep(rest, sorted(rest, reverse=True)),
        "batch": pick(rng, "ABC", 1000),
        "score": cents(rng.random(1000)),
    }
    return Case(original, release, control)


@kind(BARE)
def adult_foreign_born_exposed(rng: Rng) -> Case:
    """A minority is exposed: everyone not born in the United States (about a tenth) is verbatim in
    the release, the rest are strangers.
    """
    original, control, rest = adult(rng, 1000, 1000, 1300)
    usual = ("United-States", None)
    rare = [row for row, country in enumerate(original["native_country"]) if country not in usual]
    other = [row for row, country in enumerate(rest["native_country"]) if country in usual]
    release = join(take(original, rare), take(rest, other[: 1000 - len(rare)]))
    return Case(original, shuffled(rng, release), control)


@kind(ALARM)
def adult_microaggregated_three(rng: Rng) -> Case:
    """Microaggregation of all columns in groups of three: each row is the mean/mode of three near
    members, a tight function of who is in.
    """
    original, control = adult(rng, 1000, 1000)
    (points,) = matrix(original, onehot=True)
    release = keep(original, ADULT)
    for group in groups_of(rng, points, 3):
        for column in original:
            cells = [original[column][row] for row in group]
            middle = round(float(np.mean(cells))) if column in INTEGERS else mode(cells)
            for row in group:
                release[column][row] = middle
    return Case(original, shuffled(rng, release), control)


@kind(ANY_ANSWER)
def adult_two_percent_no_weight(rng: Rng) -> Case:
    """2 % of members are verbatim among 980 strangers, without fnlwgt: such rows often coincide
    with strangers anyway, so 1,000 people may not show it.
    """
    original, control, other = adult(rng, 1000, 1000, 980, drop=("fnlwgt",))
    return Case(original, shuffled(rng, join(some(rng, original, 20), other)), control)
