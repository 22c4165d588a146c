"""Unsafe releases in disguise: an audit that cannot compare them may say that it cannot."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from benchmarks.audit.blind_kinds.adult import ADULT, INTEGERS, adult
from benchmarks.audit.blind_kinds.cells import Rng, mapped, shuffled, split
from benchmarks.audit.blind_kinds.kind import BARE_OR_OPEN, Case, kind
from benchmarks.audit.blind_kinds.populations import cents, employees, loans


@kind(BARE_OR_OPEN)
def adult_label_encoded_copy(rng: Rng) -> Case:
    """A verbatim copy with every category replaced by an integer code under the same column names;
    numbers stay verbatim, so the attacker loses nothing.
    """
    original, control = adult(rng, 1000, 1000)
    release = {}
    for column, cells in original.items():
        if column in INTEGERS:
            release[column] = list(cells)
        else:
            levels = sorted({str(cell) for cell in cells})
            codes = dict(zip(levels, rng.permutation(len(levels)).tolist(), strict=True))
            release[column] = [codes[str(cell)] for cell in cells]
    return Case(original, shuffled(rng, release), control)


@kind(BARE_OR_OPEN)
def adult_renamed_copy(rng: Rng) -> Case:
    """A verbatim copy with all columns renamed (f1, f2, ...) and reordered: a person can match
    columns by eye, a tool may not.
    """
    original, control = adult(rng, 1000, 1000)
    order = rng.permutation(len(ADULT))
    release = {f"f{place}": original[ADULT[old]] for place, old in enumerate(order)}
    return Case(original, shuffled(rng, release), control)


@kind(BARE_OR_OPEN)
def adult_offset_copy(rng: Rng) -> Case:
    """A verbatim copy whose number columns all got a constant offset or a change of unit: undone by
    anyone who knows one member.
    """
    original, control = adult(rng, 1000, 1000)
    release = dict(original)
    for column, factor, offset in (
        ("age", 1, 10),
        ("fnlwgt", 0.001, 0),
        ("hours_per_week", 60, 0),
        ("capital_gain", 0.92, 0),
        ("capital_loss", 0.92, 0),
        ("education_num", 1, 100),
    ):
        release[column] = [round(cell * factor + offset, 3) for cell in original[column]]
    return Case(original, shuffled(rng, release), control)


@kind(BARE_OR_OPEN)
def adult_reformatted_copy(rng: Rng) -> Case:
    """A verbatim copy in another dress: numbers as text with thousands marks, codes in upper case
    with blanks; nothing is protected.
    """
    original, control = adult(rng, 1000, 1000)
    release = original
    for column in ADULT:
        dress = "{:,}".format if column in INTEGERS else in_capitals
        release = mapped(release, column, dress)
    return Case(original, shuffled(rng, release), control)


def in_capitals(text: str) -> str:
    """A code in upper case with blanks."""
    return f" {text.upper().replace('-', ' ')} "


@kind(BARE_OR_OPEN)
def loans_tokenised_copy(rng: Rng) -> Case:
    """Every cell is replaced by a keyed token, the same for equal cells of a column: the structure
    of all rows is kept (frequency attack), but no cell can be compared.
    """
    original, control = split(loans(rng, 2000), 1000, 1000)
    key = str(rng.integers(1 << 60))
    release = {
        column: [hashlib.sha256(f"{key}{column}{cell}".encode()).hexdigest()[:10] for cell in cells]
        for column, cells in original.items()
    }
    return Case(original, shuffled(rng, release), control)


@kind(BARE_OR_OPEN)
def employees_means_of_ones(rng: Rng) -> Case:
    """Averages per department, site, grade and sex: most cells hold one person, so the 'mean'
    salary is that person's; but the table has another shape.
    """
    original, control = split(employees(rng, 2000), 1000, 1000)
    names = ("department", "site", "grade", "sex")
    rows: dict[tuple[Any, ...], list[int]] = {}
    for row, group in enumerate(zip(*(original[name] for name in names), strict=True)):
        rows.setdefault(group, []).append(row)
    groups = sorted(rows)
    release = {name: [group[place] for group in groups] for place, name in enumerate(names)}
    release["people"] = [len(rows[group]) for group in groups]
    for name in ("salary", "bonus", "sick_days"):
        means = (np.mean([original[name][row] for row in rows[group]]) for group in groups)
        release[f"mean_{name}"] = cents(means)
    return Case(original, release, control)
