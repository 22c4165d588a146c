"""Write the invented patients that the edition beside this file plays on.

    python tables.py

Bring a table of the same columns to use other data.
"""

import csv
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def patients(rng, people=3000):
    """A trial: the hazard grows with age and stage, and the treatment lowers it by a third."""
    age = np.clip(rng.normal(60, 12, people).round(), 20, 95)
    stage = rng.choice(4, people, p=[0.45, 0.3, 0.15, 0.1])
    treated = rng.integers(0, 2, people)
    hazard = 0.012 * np.exp(0.03 * (age - 60) + 0.5 * stage + np.log(2 / 3) * treated)
    death, end = rng.exponential(1 / hazard), rng.uniform(24, 72, people)
    return {
        "age": age.astype(int),
        "sex": rng.choice(["female", "male"], people),
        "stage": np.array(["I", "II", "III", "IV"])[stage],
        "treatment": np.array(["control", "treated"])[treated],
        "months": np.minimum(death, end).round().astype(int),
        "died": (death <= end).astype(int),
    }


def write(path, columns):
    """Write one table."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


if __name__ == "__main__":
    write(HERE / "patients.csv", patients(np.random.default_rng(2026)))
