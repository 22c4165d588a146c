"""Releases that know nothing of the original, or next to nothing about any person."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from itertools import product

import numpy as np

from benchmarks.audit.blind_kinds.adult import adult, coarse
from benchmarks.audit.blind_kinds.cells import (
    Cells,
    Rng,
    blank,
    jitter,
    join,
    keep,
    mapped,
    shuffled,
    split,
    take,
)
from benchmarks.audit.blind_kinds.kind import FINE, FINE_OR_OPEN, FINE_OR_SLIGHT, Case, kind
from benchmarks.audit.blind_kinds.populations import (
    cents,
    employees,
    hospital,
    households,
    integers,
    labs,
    loans,
    markers,
    meters,
    pick,
    survey,
    zipf,
)
from benchmarks.audit.blind_kinds.synthesizers import cart, copula, mixture


@kind(FINE)
def adult_strangers(rng: Rng) -> Case:
    """The release is a third random sample of strangers, independent of the members; coincident
    rows are as likely for the control.
    """
    original, control, release = adult(rng, 1000, 1000, 1000, drop=("fnlwgt",))
    return Case(original, release, control)


@kind(FINE)
def adult_strangers_unbalanced(rng: Rng) -> Case:
    """4,000 strangers, and a control of only 250: independent of the members."""
    original, control, release = adult(rng, 1000, 250, 4000)
    return Case(original, release, control)


@kind(FINE)
def adult_cart_of_strangers(rng: Rng) -> Case:
    """Trees grown to single persons, but on strangers: a copy of others, independent of members."""
    original, control, other = adult(rng, 1000, 1000, 1000)
    return Case(original, cart(rng, other, 1000, 1), control)


@kind(FINE_OR_SLIGHT)
def adult_cart_leaf_fifty(rng: Rng) -> Case:
    """Trees with 50 people per leaf on the members' coarse columns, numbers smoothed after:
    dependence on any one person is slight.
    """
    original, control = adult(
        rng, 1000, 1000, drop=("fnlwgt", "native_country", "capital_gain", "capital_loss")
    )
    return Case(original, cart(rng, original, 1000, 50, smooth=0.3), control)


@kind(FINE)
def adult_young_strangers(rng: Rng) -> Case:
    """The release is of strangers and only of people under 30: a poor picture of the population,
    but it knows nothing of the members.
    """
    original, control, rest = adult(rng, 1000, 1000, 4000)
    young = [row for row, age in enumerate(rest["age"]) if age < 30][:800]
    return Case(original, take(rest, young), control)


@kind(FINE)
def adult_strangers_rounded_blanked(rng: Rng) -> Case:
    """Strangers' rows, rounded, top-coded and with a fifth of the cells blank: independent of the
    members.
    """
    original, control, release = adult(rng, 1000, 1000, 1000)
    return Case(original, blank(rng, coarse(release), 0.2), control)


def four_coarse_columns(table: Cells) -> Cells:
    """Age and schooling in wide steps, sex and income."""
    table = keep(table, ("age", "sex", "education_num", "income"))
    table = mapped(table, "age", lambda cell: min(10 * (cell // 10), 70))
    return mapped(table, "education_num", lambda cell: 3 * (cell // 3))


@kind(FINE_OR_SLIGHT)
def adult_private_histogram(rng: Rng) -> Case:
    """Rows drawn from a histogram of four coarse columns with Laplace noise, epsilon 1: the
    certainty about any person is bounded by proof.
    """
    original, control = (four_coarse_columns(people) for people in adult(rng, 1000, 1000))
    axes = (range(10, 80, 10), ("Female", "Male"), range(0, 18, 3), ("<=50K", ">50K"))
    profiles = list(product(*axes))
    people = Counter(zip(*original.values(), strict=True))
    counts = np.array([people[profile] for profile in profiles])
    noisy = np.clip(counts + rng.laplace(0, 1, len(counts)), 0, None)
    drawn = rng.choice(len(profiles), 1000, p=noisy / noisy.sum())
    release = {
        column: [profiles[place][axis] for place in drawn] for axis, column in enumerate(original)
    }
    return Case(original, release, control)


@kind(FINE_OR_SLIGHT)
def adult_common_codes_shuffled(rng: Rng) -> Case:
    """Six columns of few levels each shuffled on its own: only margins of common codes are kept."""
    names = ("workclass", "education_num", "marital_status", "race", "sex", "income")
    original, control = (keep(people, names) for people in adult(rng, 1000, 1000))
    return Case(
        original,
        {name: [cells[row] for row in rng.permutation(1000)] for name, cells in original.items()},
        control,
    )


@kind(FINE)
def survey_short_strangers(rng: Rng) -> Case:
    """Five three-level answers of strangers: nearly every member's row is found in the release, and
    nearly every control's too.
    """
    original, control, release = split(survey(rng, 3000, 5, 3), 1000, 1000, 1000)
    return Case(original, release, control)


@kind(FINE)
def survey_long_strangers(rng: Rng) -> Case:
    """Sixty answers of strangers, a quarter of them missing: independent of the members."""
    original, control, release = split(blank(rng, survey(rng, 2600, 60), 0.25), 1000, 1000, 600)
    return Case(original, release, control)


@kind(FINE)
def contracts_standard_packages(rng: Rng) -> Case:
    """Contracts come in 30 standard packages with equal prices and dates, so most rows of any three
    samples coincide; the release is of strangers.
    """
    packages: Cells = {
        "plan": [f"plan {number}" for number in range(30)],
        "price": cents(rng.uniform(9, 90, 30)),
        "minutes": integers(rng.choice([100, 500, 1000, 9999], 30)),
        "gb": integers(rng.choice([1, 5, 20, 100], 30)),
        "start": [
            (date(2023, 1, 1) + timedelta(int(day))).isoformat() for day in rng.integers(0, 300, 30)
        ],
    }
    people = take(packages, rng.choice(30, 3000, p=zipf(30, 0.8)))
    people["months"] = integers(rng.choice([12, 24], 3000))
    special = rng.random(3000) < 0.03
    people["price"] = [
        round(price * float(factor), 2) if reduced else price
        for price, factor, reduced in zip(
            people["price"], rng.uniform(0.5, 0.99, 3000), special, strict=True
        )
    ]
    original, control, release = split(people, 1000, 1000, 1000)
    return Case(original, release, control)


@kind(FINE)
def households_at_random(rng: Rng) -> Case:
    """People of shared households fall at random into original, release and control: near-twins
    abound, but alike for members and control.
    """
    people, _ = households(rng, 1000)
    original, control, release = split(people, 1000, 1000, 1000)
    return Case(original, release, control)


@kind(FINE_OR_OPEN)
def employees_tiny_strangers(rng: Rng) -> Case:
    """120 staff, 120 others released, 120 control: independent; so few that an auditor may
    decline.
    """
    original, control, release = split(employees(rng, 360), 120, 120, 120)
    return Case(original, release, control)


@kind(FINE)
def hospital_strangers_missing(rng: Rng) -> Case:
    """Hospital rows of strangers with dates, rare codes and 30 % missing cells: independent of the
    members.
    """
    original, control, release = split(blank(rng, hospital(rng, 3000), 0.3), 1000, 1000, 1000)
    return Case(original, release, control)


@kind(FINE)
def wealth_heavy_tails_strangers(rng: Rng) -> Case:
    """Very heavy-tailed money columns (Pareto, alpha 1.1) of strangers: wild outliers in the
    release belong to nobody in the original.
    """
    rows = 3000
    wealth = rng.pareto(1.1, rows) * 1e4
    people: Cells = {
        "wealth": cents(wealth),
        "debt": cents(wealth * rng.pareto(1.3, rows)),
        "gifts": cents(np.where(rng.random(rows) < 0.9, 0, rng.pareto(1.1, rows) * 500)),
        "tax": cents(wealth * 0.01 * rng.lognormal(0, 0.5, rows)),
        "canton": pick(rng, [f"c{number}" for number in range(26)], rows, zipf(26, 0.9)),
        "children": integers(rng.poisson(1.2, rows)),
        "age": integers(rng.uniform(18, 95, rows)),
    }
    original, control, release = split(people, 1000, 1000, 1000)
    return Case(original, release, control)


@kind(FINE_OR_SLIGHT)
def labs_one_gaussian(rng: Rng) -> Case:
    """One Gaussian (mean and covariance, 44 numbers from 1,000 members): hardly anything about one
    person can get through.
    """
    original, control = split(labs(rng, 2000), 1000, 1000)
    return Case(original, mixture(rng, original, 1000, 1, "full"), control)


@kind(FINE_OR_SLIGHT)
def labs_drowned_in_noise(rng: Rng) -> Case:
    """Members' rows with noise of five standard deviations in every column: the trace of any row
    drowns.
    """
    original, control = split(labs(rng, 2000), 1000, 1000)
    return Case(original, shuffled(rng, jitter(rng, original, 5.0)), control)


@kind(FINE_OR_OPEN)
def hospital_test_patients(rng: Rng) -> Case:
    """Ten dummy 'test patients' sit alike in original, control and release; all else in the release
    is strangers.
    """
    original, control, release, dummies = split(hospital(rng, 3000), 990, 990, 990, 10)
    return Case(*(shuffled(rng, join(people, dummies)) for people in (original, release, control)))


@kind(FINE)
def loans_strangers_large_control(rng: Rng) -> Case:
    """300 members, 300 strangers released, 3,000 in the control: independent of the members."""
    original, control, release = split(loans(rng, 3600), 300, 3000, 300)
    return Case(original, release, control)


@kind(FINE)
def loans_clones_of_strangers(rng: Rng) -> Case:
    """The release repeats strangers five times each with slight noise: it looks like an overfitted
    copy, but of nobody in the original.
    """
    original, control, other = split(loans(rng, 2400), 1000, 1000, 400)
    return Case(original, shuffled(rng, jitter(rng, join(*[other] * 5), 0.03)), control)


@kind(FINE)
def snps_population_frequencies(rng: Rng) -> Case:
    """300 markers drawn from the population's own frequencies: nothing of the 300 members is in
    it.
    """
    frequencies = rng.uniform(0.1, 0.5, 300)
    original, control, release = split(markers(rng, 1200, frequencies), 300, 300, 600)
    return Case(original, release, control)


@kind(FINE)
def meters_copula_of_strangers(rng: Rng) -> Case:
    """A smoothed copula fitted on strangers, 3,000 rows: no member had any influence."""
    original, control, other = split(meters(rng, 3000), 1000, 1000, 1000)
    return Case(original, copula(rng, other, 3000, verbatim=False), control)


@kind(FINE)
def employees_employers_of_strangers(rng: Rng) -> Case:
    """An employer column of 6,000 names and all else of strangers: names meet by chance, as often
    in the control.
    """
    people = {
        "employer": pick(rng, [f"firm {number}" for number in range(6000)], 3000),
        **employees(rng, 3000),
    }
    original, control, release = split(people, 1000, 1000, 1000)
    return Case(original, release, control)
