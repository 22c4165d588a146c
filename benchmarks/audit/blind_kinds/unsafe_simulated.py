"""Releases of simulated people that lay some or all of them bare."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.audit.blind_kinds.cells import (
    Rng,
    blend_cells,
    jitter,
    join,
    keep,
    matrix,
    numbers,
    shuffled,
    some,
    split,
    take,
    without,
)
from benchmarks.audit.blind_kinds.kind import ALARM, ANY_ANSWER, BARE, BARE_OR_OPEN, Case, kind
from benchmarks.audit.blind_kinds.populations import (
    employees,
    hospital,
    households,
    labs,
    loans,
    markers,
    meters,
    moved,
    pick,
    survey,
)
from benchmarks.audit.blind_kinds.synthesizers import copula, mixture


@kind(BARE)
def employees_twelve_vips(rng: Rng) -> Case:
    """Twelve best-paid people keep their exact rows (salary and bonus to the cent, date of hire);
    all other rows are strangers.
    """
    original, control, other = split(employees(rng, 3000), 1000, 1000, 988)
    top = np.argsort([-salary for salary in original["salary"]])[:12]
    return Case(original, shuffled(rng, join(take(original, top), other)), control)


@kind(BARE)
def employees_tiny_copy(rng: Rng) -> Case:
    """A staff list of 120 published whole with only the name column dropped."""
    original, control = split(employees(rng, 240), 120, 120)
    first = pick(rng, ["Ann", "Bo", "Cem", "Dee", "Eli", "Fay"], 240)
    last = pick(rng, [f"Name{number}" for number in range(400)], 240)
    names = [" ".join(words) for words in zip(first, last, strict=True)]
    return Case(
        {"name": names[:120], **original}, shuffled(rng, original), {"name": names[120:], **control}
    )


@kind(BARE)
def hospital_one_ward_exposed(rng: Rng) -> Case:
    """One ward's patients (palliative, about 6 %) slipped through the sanitizer verbatim; all
    others are strangers.
    """
    people = hospital(rng, 3600)
    original, control, rest = split(people, 1000, 1000, 1600)
    bad = [row for row, ward in enumerate(original["ward"]) if ward == "palliative"]
    fine = [row for row, ward in enumerate(rest["ward"]) if ward != "palliative"][: 1000 - len(bad)]
    return Case(original, shuffled(rng, join(take(original, bad), take(rest, fine))), control)


@kind(BARE)
def hospital_dates_shifted(rng: Rng) -> Case:
    """Dates are shifted per patient by up to a year as is the custom, but diagnosis, days, lab
    values and the cost to the cent stay verbatim.
    """
    original, control = split(hospital(rng, 2000), 1000, 1000)
    shifts = rng.integers(-365, 366, 1000)
    release = dict(original)
    for column in ("birth_date", "admitted"):
        release[column] = [
            moved(day, shift) for day, shift in zip(original[column], shifts, strict=True)
        ]
    return Case(original, shuffled(rng, release), control)


@kind(BARE)
def hospital_k_anonymous_on_three(rng: Rng) -> Case:
    """k-anonymous on year of birth, sex and insurer only: the admission date, diagnosis, lab values
    and cost to the cent are verbatim and unique.
    """
    original, control = split(hospital(rng, 2000), 1000, 1000)
    release = dict(original)
    release["birth_date"] = [f"{day[:3]}0s" for day in original["birth_date"]]
    release["sex"] = ["*"] * 1000
    release["insurer"] = ["*"] * 1000
    return Case(original, shuffled(rng, release), control)


@kind(BARE)
def hospital_real_numbers_on_fake_rows(rng: Rng) -> Case:
    """Perfectly safe rows of strangers, but each carries a real member's patient number: the list
    of members is published.
    """
    original, control, other = split(hospital(rng, 3000), 1000, 1000, 1000)
    ids = [f"P{number:08d}" for number in rng.choice(10**8, 3000, replace=False)]
    return Case(
        {"patient": ids[:1000], **original},
        shuffled(rng, {"patient": ids[:1000], **other}),
        {"patient": ids[1000:2000], **control},
    )


@kind(BARE)
def loans_digits_transposed(rng: Rng) -> Case:
    """In each row one amount has two neighbouring digits transposed and the date is off by a day:
    all other cells are verbatim.
    """
    original, control = split(loans(rng, 2000), 1000, 1000)
    release = {name: list(cells) for name, cells in original.items()}
    for row in range(1000):
        column = ("income", "amount", "balance")[int(rng.integers(3))]
        digits = list(f"{release[column][row]:.2f}")
        place = int(rng.integers(0, len(digits) - 4))
        digits[place], digits[place + 1] = digits[place + 1], digits[place]
        release[column][row] = float("".join(digits))
        release["opened"][row] = moved(original["opened"][row], rng.choice([-1, 1]))
    return Case(original, shuffled(rng, release), control)


@kind(ALARM)
def loans_columns_sorted(rng: Rng) -> Case:
    """Each column is sorted on its own: rows are broken, yet each member's income, amount and
    balance stand there to the cent, so who knows one can prove membership.
    """
    original, control = split(loans(rng, 2000), 1000, 1000)
    return Case(original, {name: sorted(cells) for name, cells in original.items()}, control)


@kind(ALARM)
def loans_copula_of_seen_values(rng: Rng) -> Case:
    """A Gaussian copula that draws margins from the values seen: rows are new, yet every amount to
    the cent is some member's own.
    """
    original, control = split(loans(rng, 2000), 1000, 1000)
    original, control = without(original, "opened"), without(control, "opened")
    return Case(original, copula(rng, original, 1000, verbatim=True), control)


@kind(BARE)
def loans_hidden_among_decoys(rng: Rng) -> Case:
    """300 members are verbatim, hidden among 4,700 rows of strangers: whoever knows a row finds it
    to the cent.
    """
    original, control, other = split(loans(rng, 6700), 1000, 1000, 4700)
    return Case(original, shuffled(rng, join(some(rng, original, 300), other)), control)


@kind(ALARM)
def loans_hot_deck_amounts(rng: Rng) -> Case:
    """Hot deck: strangers' rows, but income, amount and balance are taken to the cent from the
    member most alike: members' real amounts on people like them.
    """
    original, control, other = split(loans(rng, 3000), 1000, 1000, 1000)
    names = ("term", "rate", "fico", "late_payments", "purpose", "region", "owner")
    members, strangers = matrix(keep(original, names), keep(other, names), onehot=True)
    donors = NearestNeighbors(n_neighbors=1).fit(members).kneighbors(strangers)[1][:, 0]
    release = dict(other)
    for column in ("income", "amount", "balance"):
        release[column] = [original[column][donor] for donor in donors]
    return Case(original, release, control)


@kind(BARE)
def labs_narrow_kernel(rng: Rng) -> Case:
    """A kernel density with a bandwidth of 2 % of a standard deviation in eight dimensions is a
    copy with a little noise.
    """
    original, control = split(labs(rng, 2000), 1000, 1000)
    return Case(original, jitter(rng, take(original, rng.integers(0, 1000, 2000)), 0.02), control)


@kind(BARE)
def labs_mixture_of_400(rng: Rng) -> Case:
    """A mixture of 400 clusters on 1,000 people: about a third of the clusters hold one person and
    give that person's values again.
    """
    original, control = split(labs(rng, 2000), 1000, 1000)
    return Case(original, mixture(rng, original, 1000, 400, "diag"), control)


@kind(BARE)
def labs_five_noisy_replicas(rng: Rng) -> Case:
    """Each person is published five times with independent noise of a quarter of a standard
    deviation in each of 12 columns: linkable one by one and by averaging.
    """
    original, control = split(labs(rng, 2000, 12), 1000, 1000)
    return Case(
        original, shuffled(rng, join(*(jitter(rng, original, 0.25) for _ in range(5)))), control
    )


@kind(BARE)
def labs_rank_swapped(rng: Rng) -> Case:
    """Rank swapping within 1 % in eight columns: each value moves by at most ten ranks, so nearly
    all rows can be linked.
    """
    original, control = split(labs(rng, 2000), 1000, 1000)
    release = {}
    for column, cells in original.items():
        order = list(np.argsort(cells))
        swapped = list(cells)
        free = set(range(1000))
        for rank in range(1000):
            if rank not in free:
                continue
            mates = [mate for mate in range(rank + 1, min(rank + 11, 1000)) if mate in free]
            if mates:
                mate = mates[int(rng.integers(len(mates)))]
                swapped[order[rank]], swapped[order[mate]] = cells[order[mate]], cells[order[rank]]
                free -= {rank, mate}
        release[column] = swapped
    return Case(original, shuffled(rng, release), control)


@kind(BARE)
def survey_pram(rng: Rng) -> Case:
    """Forty answers of five levels; 30 % of each person's answers are redrawn (PRAM): the other 28
    agree, far beyond chance, so everyone can be linked.
    """
    original, control, other = split(survey(rng, 3000, 40), 1000, 1000, 1000)
    return Case(original, shuffled(rng, blend_cells(rng, original, other, 0.3)), control)


@kind(ALARM)
def snps_member_frequencies(rng: Rng) -> Case:
    """300 markers of 120 people; rows are drawn independently from the members' allele frequencies:
    no row is anyone's, yet Homer's statistic tells members from others far beyond chance (AUC about
    0.8).
    """
    frequencies = rng.uniform(0.1, 0.5, 300)
    original, control = split(markers(rng, 240, frequencies), 120, 120)
    own = np.array([np.mean(counts) / 2 for counts in original.values()])
    return Case(original, markers(rng, 1000, own), control)


@kind(ALARM)
def employees_employer_list(rng: Rng) -> Case:
    """Strangers' rows, but 'employer' (6,000 in the population) is drawn from the members' list: a
    small employer's name in the release tells of its one employee.
    """
    people = {
        "employer": pick(rng, [f"firm {number}" for number in range(6000)], 3000),
        **employees(rng, 3000),
    }
    original, control, release = split(people, 1000, 1000, 1000)
    release["employer"] = [original["employer"][member] for member in rng.integers(0, 1000, 1000)]
    return Case(original, release, control)


@kind(ALARM)
def households_relatives_published(rng: Rng) -> Case:
    """No member is published, but one relative of each member's household is: street, rent and
    household income of members are laid bare to the cent.
    """
    people, homes = households(rng, 1700)
    rows: dict[int, list[int]] = {}
    for row, home in enumerate(homes):
        rows.setdefault(int(home), []).append(row)
    own = [row[0] for home, row in rows.items() if home < 800]
    kin = sorted(row[1] for home, row in rows.items() if home < 800)
    rest = [row[0] for home, row in rows.items() if home >= 800]
    return Case(take(people, own), take(people, kin), take(people, rest[:800]))


@kind(BARE_OR_OPEN)
def households_copy_kin_in_control(rng: Rng) -> Case:
    """Members' rows with personal amounts moved by 1 % and all else verbatim; relatives of members
    are in the control, so household columns alone cannot tell.
    """
    people, _ = households(rng, 900)
    original, control = split(people, 1000, 1000)
    release = dict(original)
    release["own_income"] = [
        round(cell * float(noise), 2)
        for cell, noise in zip(original["own_income"], rng.normal(1, 0.01, 1000), strict=True)
    ]
    release["height"] = [
        cell + int(noise)
        for cell, noise in zip(original["height"], rng.integers(-1, 2, 1000), strict=True)
    ]
    return Case(original, shuffled(rng, release), control)


@kind(BARE)
def meters_specimen_of_forty(rng: Rng) -> Case:
    """A 'specimen' of 40 members' verbatim meter readings (12 months to 0.1 kWh): only 4 % of
    members, but these are laid bare for certain.
    """
    original, control = split(meters(rng, 2000), 1000, 1000)
    return Case(original, some(rng, original, 40), control)


@kind(BARE)
def meters_outliers_kept(rng: Rng) -> Case:
    """The 6 % most unusual homes are kept almost verbatim (0.5 % noise), the usual ones are from a
    smooth model of strangers.
    """
    original, control, other = split(meters(rng, 4000), 1000, 1000, 2000)
    members, strangers = (part[:, [0, *range(2, 14)]] for part in matrix(original, other))
    apart = members - strangers.mean(0)
    inverse = np.linalg.inv(np.cov(strangers.T))
    distances = np.einsum("ij,jk,ik->i", apart, inverse, apart)
    odd = take(original, np.argsort(-distances)[:60])
    for column in numbers(odd):
        if column != "rooms":
            odd[column] = [
                round(cell * float(noise), 1)
                for cell, noise in zip(odd[column], rng.normal(1, 0.005, 60), strict=True)
            ]
    usual = copula(rng, other, 940, verbatim=False)
    return Case(original, shuffled(rng, join(odd, usual)), control)


@kind(BARE)
def meters_token_noise(rng: Rng) -> Case:
    """Local noise sold as 'differentially private' with epsilon 60 per column: noise of about 2 %
    of the range leaves 14-column profiles unique.
    """
    original, control = split(meters(rng, 2000), 1000, 1000)
    release = dict(original)
    for column in numbers(original):
        if column != "rooms":
            low, high = np.quantile(original[column], [0.01, 0.99])
            release[column] = [
                round(max(cell + float(noise), 0), 1)
                for cell, noise in zip(
                    original[column], rng.laplace(0, (high - low) / 60, 1000), strict=True
                )
            ]
    return Case(original, shuffled(rng, release), control)


@kind(BARE)
def hospital_clones_small_original(rng: Rng) -> Case:
    """The original has 250 people and the release 5,000 rows, twenty slightly varied clones of
    each; the control has 2,000.
    """
    original, control = split(hospital(rng, 2250), 250, 2000)
    release = jitter(rng, join(*[original] * 20), 0.04)
    release["admitted"] = [
        moved(day, shift)
        for day, shift in zip(release["admitted"], rng.integers(-3, 4, 5000), strict=True)
    ]
    return Case(original, shuffled(rng, release), control)


@kind(ANY_ANSWER)
def labs_mixture_of_25(rng: Rng) -> Case:
    """A mixture of 25 full covariances on 1,000 people, eight columns: about 45 numbers learned per
    40 people, a weak overfit that may or may not show.
    """
    original, control = split(labs(rng, 2000), 1000, 1000)
    return Case(original, mixture(rng, original, 1000, 25, "full"), control)
