"""Cases in which the control is unfit, or little can be compared: nobody can say much."""

from __future__ import annotations

from benchmarks.audit.blind_kinds.adult import ADULT, INTEGERS, adult
from benchmarks.audit.blind_kinds.cells import Rng, blank, jitter, join, shuffled, some, split
from benchmarks.audit.blind_kinds.kind import BARE_OR_OPEN, FINE_OR_OPEN, NO_HARM, OPEN, Case, kind
from benchmarks.audit.blind_kinds.populations import hospital, labs, loans, survey
from benchmarks.audit.blind_kinds.synthesizers import mixture


@kind(BARE_OR_OPEN)
def adult_copy_of_both(rng: Rng) -> Case:
    """The vendor fed control and original alike: half the rows are members', half the control's,
    all slightly moved; members are exposed, but the control is no yardstick.
    """
    original, control = adult(rng, 1000, 1000)
    release = jitter(rng, join(some(rng, original, 500), some(rng, control, 500)), 0.02)
    return Case(original, shuffled(rng, release), control)


@kind(OPEN)
def adult_copy_of_control(rng: Rng) -> Case:
    """The release is a copy of the control (someone took the wrong file): it was made with the
    control, so nothing can be said on the members.
    """
    original, control = adult(rng, 1000, 1000)
    return Case(original, shuffled(rng, jitter(rng, control, 0.01)), control)


@kind(OPEN)
def adult_control_of_others(rng: Rng) -> Case:
    """The release is of the members' own population (older men, US) and independent, but the
    control is of young women and foreigners: no fair comparison.
    """
    original, release = adult(
        rng,
        1000,
        1000,
        where=lambda person: (
            person["sex"] == "Male"
            and person["age"] >= 40
            and person["native_country"] == "United-States"
        ),
    )
    (control,) = adult(
        rng, 1000, where=lambda person: person["sex"] == "Female" and person["age"] < 35
    )
    return Case(original, release, control)


@kind(BARE_OR_OPEN)
def adult_copy_control_of_others(rng: Rng) -> Case:
    """A verbatim copy of the members with a control of another population: laid bare in fact, but
    the control is unfit.
    """
    (original,) = adult(
        rng, 1000, where=lambda person: person["sex"] == "Male" and person["age"] >= 40
    )
    (control,) = adult(
        rng, 1000, where=lambda person: person["sex"] == "Female" and person["age"] < 35
    )
    return Case(original, shuffled(rng, original), control)


@kind(OPEN)
def hospital_twelve_people(rng: Rng) -> Case:
    """Twelve patients, twelve strangers released, twelve in the control: no verdict can be founded
    on that.
    """
    original, control, release = split(hospital(rng, 36), 12, 12, 12)
    return Case(original, release, control)


@kind(FINE_OR_OPEN)
def adult_renamed_strangers(rng: Rng) -> Case:
    """Strangers' rows with all but two columns renamed and re-coded: safe by construction, but
    hardly any column can be compared.
    """
    original, control, people = adult(rng, 1000, 1000, 1000)
    release = {}
    for place, column in enumerate(ADULT):
        if column in ("sex", "race"):
            release[column] = people[column]
        elif column in INTEGERS:
            release[f"v{place}"] = [round(cell * 0.37 - 4, 3) for cell in people[column]]
        else:
            levels = sorted({str(cell) for cell in people[column]})
            release[f"v{place}"] = [f"L{levels.index(str(cell))}" for cell in people[column]]
    return Case(original, release, control)


@kind(BARE_OR_OPEN)
def adult_control_is_original(rng: Rng) -> Case:
    """The 'control' is the original itself, shuffled, and the release a copy of it with slight
    noise: exposed in fact, but the yardstick is void.
    """
    (original,) = adult(rng, 1000)
    return Case(original, shuffled(rng, jitter(rng, original, 0.02)), shuffled(rng, original))


@kind(OPEN)
def loans_control_ten_years_later(rng: Rng) -> Case:
    """The control was gathered ten years later: all money is a third higher and dates are later;
    the release is of the members' year and independent.
    """
    original, release, control = split(loans(rng, 3000), 1000, 1000, 1000)
    for column in ("income", "amount", "balance"):
        control[column] = [round(cell * 1.35, 2) for cell in control[column]]
    control["opened"] = [
        f"{int(cell[:4]) + 10}{'-02-28' if cell[4:] == '-02-29' else cell[4:]}"
        for cell in control["opened"]
    ]
    return Case(original, release, control)


@kind(FINE_OR_OPEN)
def survey_nearly_all_missing(rng: Rng) -> Case:
    """95 % of the cells are missing in all three tables (12 questions); release of strangers: safe,
    with next to nothing to judge by.
    """
    original, control, release = split(blank(rng, survey(rng, 3000, 12), 0.95), 1000, 1000, 1000)
    return Case(original, release, control)


@kind(BARE_OR_OPEN)
def labs_mixture_of_both(rng: Rng) -> Case:
    """The 400-cluster mixture was trained on original and control together: members are exposed,
    but so is the control.
    """
    original, control = split(labs(rng, 1000), 500, 500)
    return Case(original, mixture(rng, join(original, control), 1000, 400, "diag"), control)


@kind(NO_HARM)
def adult_generalised_k25(rng: Rng) -> Case:
    """Fully generalised: only text bands of three columns, each cell with 25 people or more, all
    else suppressed: little to compare, little harm.
    """
    original, control = adult(rng, 1000, 1000)
    bands = [
        ("under 40" if age < 40 else "40 and over", sex, income)
        for age, sex, income in zip(
            original["age"], original["sex"], original["income"], strict=True
        )
    ]
    many = {band for band in bands if bands.count(band) >= 25}
    rows = [band if band in many else ("*", "*", "*") for band in bands]
    release = {column: ["*"] * 1000 for column in ADULT}
    for place, column in enumerate(("age", "sex", "income")):
        release[column] = [band[place] for band in rows]
    return Case(original, shuffled(rng, release), control)


@kind(FINE_OR_OPEN)
def loans_five_strangers(rng: Rng) -> Case:
    """A release of five strangers' rows: independent of the members, and too little to test
    much.
    """
    original, control, release = split(loans(rng, 2005), 1000, 1000, 5)
    return Case(original, release, control)
