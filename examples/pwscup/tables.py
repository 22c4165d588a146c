"""Write the invented tables that the editions beside this file play on.

    python tables.py

The tables of the contests are not here. Bring your own under the same names to use their data.
"""

import csv
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def write(name, columns):
    """Write one table."""
    with (HERE / name).open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def digits(rng, people=1500):
    """2023: six public and ten secret columns of digits, all independent."""
    names = [*(f"p{i}" for i in range(1, 7)), *(f"r{i}" for i in range(1, 11))]
    return {name: rng.integers(0, 10, people) for name in names}


def patients(rng, people=600):
    """2021: examinations, with a chance of diabetes that grows with age and body mass."""
    age = rng.integers(20, 81, people)
    bmi = np.clip(rng.normal(22 + age / 12, 5), 14.2, 70).round(1)
    ill = rng.random(people) < 1 / (1 + np.exp(9 - age / 20 - bmi / 7))
    return {
        "gen": rng.choice(["Female", "Male"], people),
        "age": age,
        "race": rng.choice(["Black", "Hispanic", "Mexican", "Other", "White"], people),
        "edu": rng.choice(["9th", "11th", "HighSchool", "College", "Graduate"], people),
        "mar": rng.choice(["Married", "Never", "Divorced", "Widowed"], people),
        "bmi": bmi,
        "dep": rng.integers(0, 2, people),
        "pir": rng.integers(0, 2, people),
        "qm": rng.choice(["Q1", "Q2", "Q3", "Q4"], people),
        "dia": ill.astype(int),
    }


def viewers(rng, people=900, movies=15):
    """2024: basic attributes, and ratings of movies that depend on a taste."""
    taste = rng.normal(size=(people, 2))
    loved = rng.normal(size=(2, movies))
    ratings = np.clip(np.round(3 + taste @ loved + rng.normal(size=(people, movies))), 0, 5)
    basic = {
        "gender": rng.choice(["F", "M"], people),
        "age": np.clip(np.round(35 + 12 * taste[:, 0]), 10, 90).astype(int),
        "occupation": rng.choice([f"job{i}" for i in range(12)], people),
        "zip": rng.choice([f"{i:03d}" for i in range(0, 1000, 50)], people),
    }
    return basic | {f"movie{i + 1}": ratings[:, i].astype(int) for i in range(movies)}


if __name__ == "__main__":
    write("digits.csv", digits(np.random.default_rng(2023)))
    write("patients.csv", patients(np.random.default_rng(2021)))
    write("viewers.csv", viewers(np.random.default_rng(2024)))
