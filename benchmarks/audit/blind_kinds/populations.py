"""Simulated populations: patients, loans, employees, answers, lab values, meters, households."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta

import numpy as np
from scipy.stats import norm

from benchmarks.audit.blind_kinds.cells import Cells, Rng, take
from quintain.data.arrays import Array

WORDS = ("never", "seldom", "sometimes", "often", "always")


def zipf(levels: int, power: float) -> Array:
    """Shares that fall with a power of the rank."""
    shares: Array = 1 / np.arange(1, levels + 1) ** power
    shares /= shares.sum()
    return shares


def cents(values: Iterable[float]) -> list[float]:
    """Numbers with two decimals."""
    return [round(float(value), 2) for value in values]


def integers(values: Iterable[float]) -> list[int]:
    """Numbers without decimals."""
    return [round(float(value)) for value in values]


def pick(
    rng: Rng, levels: Sequence[str], rows: int, shares: Sequence[float] | Array | None = None
) -> list[str]:
    """Random words, equally often or with these shares."""
    return [str(levels[place]) for place in rng.choice(len(levels), rows, p=shares)]


def iso(days: Iterable[date]) -> list[str]:
    """Dates as a file has them."""
    return [day.isoformat() for day in days]


def moved(text: str, days: int) -> str:
    """A date that is so many days later."""
    return (date.fromisoformat(text) + timedelta(int(days))).isoformat()


def hospital(rng: Rng, rows: int) -> Cells:
    """Patients of a hospital: dates, diagnoses, lab values and costs."""
    age = np.clip(rng.gamma(6, 10, rows), 0, 101)
    sick = rng.normal(0, 1, rows) + (age - 55) / 30
    admitted = [date(2022, 1, 1) + timedelta(int(day)) for day in rng.integers(0, 730, rows)]
    born = [day - timedelta(int(years * 365.25)) for day, years in zip(admitted, age, strict=True)]
    days = 1 + rng.poisson(np.exp(0.8 + 0.35 * sick))
    diagnosis = [
        f"{'ABCDEFGHIJKLMN'[code % 14]}{code % 97:02d}.{code % 10}"
        for code in rng.choice(300, rows, p=zipf(300, 1.0))
    ]
    cost = np.exp(7.2 + 0.5 * np.log(days) + 0.4 * sick + rng.normal(0, 0.5, rows))
    wards = ["general", "surgery", "cardio", "neuro", "maternity", "icu", "palliative"]
    return {
        "sex": pick(rng, ["F", "M"], rows, [0.53, 0.47]),
        "birth_date": iso(born),
        "admitted": iso(admitted),
        "days": integers(days),
        "diagnosis": diagnosis,
        "ward": pick(rng, wards, rows, [0.34, 0.22, 0.15, 0.1, 0.08, 0.05, 0.06]),
        "systolic": integers(125 + 10 * sick + rng.normal(0, 14, rows)),
        "creatinine": cents(np.exp(-0.1 + 0.15 * sick + rng.normal(0, 0.25, rows))),
        "cost": cents(cost),
        "insurer": pick(rng, [f"ins{number}" for number in range(9)], rows, zipf(9, 0.8)),
        "left_to": [
            "home" if ill < 0.8 else "rehab" if ill < 1.6 else "care home" if ill < 2.8 else "died"
            for ill in sick + rng.normal(0, 0.6, rows)
        ],
    }


def loans(rng: Rng, rows: int) -> Cells:
    """Loans: amounts to the cent, rates, dates and regions."""
    income = np.exp(rng.normal(10.6, 0.6, rows))
    score = 680 + 40 * (np.log(income) - 10.6) + rng.normal(0, 60, rows)
    fico = np.clip(score, 450, 850)
    amount = np.clip(np.exp(rng.normal(9.3, 0.7, rows)) + 0.1 * income, 500, None)
    term = rng.choice([12, 24, 36, 48, 60, 84], rows, p=[0.1, 0.15, 0.35, 0.15, 0.2, 0.05])
    rate = np.clip(18 - (fico - 500) / 30 + rng.normal(0, 1.2, rows), 2, 29)
    opened = [date(2019, 1, 1) + timedelta(int(day)) for day in rng.integers(0, 1800, rows)]
    purposes = ["car", "debt", "home", "medical", "wedding", "boat", "study", "other"]
    return {
        "income": cents(income),
        "amount": cents(amount),
        "balance": cents(amount * rng.beta(2, 1.5, rows)),
        "term": integers(term),
        "rate": cents(rate),
        "fico": integers(fico),
        "late_payments": integers(rng.poisson(np.exp((650 - fico) / 80))),
        "opened": iso(opened),
        "purpose": pick(rng, purposes, rows, [0.25, 0.3, 0.18, 0.08, 0.04, 0.02, 0.06, 0.07]),
        "region": pick(rng, [f"R{number:02d}" for number in range(40)], rows, zipf(40, 0.7)),
        "owner": pick(rng, ["rent", "own", "mortgage"], rows, [0.42, 0.13, 0.45]),
    }


def employees(rng: Rng, rows: int) -> Cells:
    """Staff: grades, dates of hire, salaries to the cent."""
    grade = rng.choice(9, rows, p=zipf(9, 0.6))
    served = np.clip(rng.gamma(2, 1300, rows), 1, 15000)
    salary = np.exp(10.2 + 0.14 * grade + rng.normal(0, 0.12, rows))
    departments = ["ops", "sales", "it", "hr", "legal", "finance", "research", "board"]
    return {
        "department": pick(
            rng, departments, rows, [0.32, 0.24, 0.15, 0.06, 0.03, 0.08, 0.11, 0.01]
        ),
        "grade": integers(grade + 1),
        "sex": pick(rng, ["f", "m", "x"], rows, [0.46, 0.53, 0.01]),
        "birth_year": integers(np.clip(rng.normal(1982 - grade, 9, rows), 1950, 2005)),
        "hired": iso(date(2024, 1, 1) - timedelta(int(days)) for days in served),
        "site": pick(rng, [f"site-{number}" for number in range(14)], rows, zipf(14, 1)),
        "salary": cents(salary),
        "bonus": cents(
            np.where(rng.random(rows) < 0.4, 0, salary * rng.lognormal(-2.6, 0.8, rows))
        ),
        "sick_days": integers(rng.negative_binomial(1, 0.15, rows)),
        "rating": integers(np.clip(rng.normal(3.3, 0.9, rows), 1, 5)),
    }


def survey(rng: Rng, rows: int, items: int, levels: int = 5, load: float = 0.6) -> Cells:
    """Answers on a scale that depend on three hidden factors; every other one is in words."""
    hidden = rng.normal(size=(rows, 3))
    shift = np.sin(np.arange(items) * 1.7) * 0.5
    noise = np.sqrt(1 - load**2) * rng.normal(size=(rows, items))
    leaning = load * hidden[:, np.arange(items) % 3] + noise + shift
    answers = np.searchsorted(norm.ppf(np.arange(1, levels) / levels), leaning) + 1
    return {
        f"q{item + 1}": [WORDS[level - 1] for level in answers[:, item]]
        if item % 2
        else integers(answers[:, item])
        for item in range(items)
    }


def labs(rng: Rng, rows: int, columns: int = 8) -> Cells:
    """Lab values with three decimals that depend on two hidden factors."""
    load = np.cos(np.arange(columns)[:, None] * np.array([0.9, 1.7]))
    scores = rng.normal(size=(rows, 2)) @ load.T * 0.7 + rng.normal(size=(rows, columns)) * 0.7
    table: Cells = {}
    for place in range(columns):
        score = scores[:, place]
        values = 100 + 15 * score if place % 3 else np.exp(3 + 0.5 * score)
        table[f"lab_{place}"] = [round(float(value), 3) for value in values]
    return table


def meters(rng: Rng, rows: int) -> Cells:
    """Homes with twelve readings of a meter."""
    base = np.exp(rng.normal(5.4, 0.5, rows))
    winter = rng.beta(2, 3, rows)
    table: Cells = {
        "rooms": integers(np.clip(1 + base / 90 + rng.normal(0, 1, rows), 1, 12)),
        "heating": [
            "electric" if cold > 0.55 else "gas" if other < 0.7 else "oil"
            for cold, other in zip(winter, rng.random(rows), strict=True)
        ],
    }
    for month in range(12):
        season = 1 + winter * np.cos(2 * np.pi * month / 12)
        used = base * season * rng.lognormal(0, 0.12, rows)
        table[f"kwh_{month + 1:02d}"] = [round(float(value), 1) for value in used]
    return table


def households(rng: Rng, homes: int) -> tuple[Cells, Array]:
    """People with values that their household shares, and the household of each."""
    home = np.repeat(np.arange(homes), rng.integers(2, 6, homes))
    rows = len(home)
    rent = np.exp(rng.normal(6.8, 0.4, homes))
    income = rent * rng.lognormal(1.2, 0.3, homes)
    area = rng.integers(25, 220, homes)
    street = rng.integers(0, 900, homes)
    cars = rng.poisson(0.9, homes)
    age = np.where(rng.random(rows) < 0.55, rng.integers(20, 80, rows), rng.integers(0, 20, rows))
    days = age * 365 + rng.integers(0, 365, rows)
    jobs = ["none", "clerk", "nurse", "driver", "teacher", "builder", "student", "chef"]
    table: Cells = {
        "street": [f"street {street[place]}" for place in home],
        "rent": cents(rent[home]),
        "household_income": cents(income[home]),
        "floor_area": integers(area[home]),
        "cars": integers(cars[home]),
        "sex": pick(rng, ["f", "m"], rows),
        "born": iso(date(2024, 1, 1) - timedelta(int(day)) for day in days),
        "own_income": cents(np.where(age < 18, 0, np.exp(rng.normal(7.3, 0.7, rows)))),
        "height": integers(np.where(age < 15, 60 + 7 * age, 170 + rng.normal(0, 9, rows))),
        "job": pick(rng, jobs, rows),
    }
    order = rng.permutation(rows)
    return take(table, order), home[order]


def markers(rng: Rng, rows: int, frequencies: Array) -> Cells:
    """Genetic markers: how many of the two alleles are the rarer one."""
    counts = rng.binomial(2, frequencies, size=(rows, len(frequencies)))
    return {f"rs{place:04d}": integers(counts[:, place]) for place in range(len(frequencies))}
