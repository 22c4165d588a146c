"""A table of invented students, as an organiser would bring it."""

import numpy as np

STUDENTS = "students.csv"


def students(rows: int = 200) -> bytes:
    """A CSV file with ids, numbers and categories."""
    rng = np.random.default_rng(5)
    lines = ["record,age,sex,faculty,semester,grade"]
    for number in range(rows):
        faculty = ("law", "medicine", "arts")[rng.integers(3)]
        semester = int(rng.integers(1, 13))
        age, grade = 18 + semester // 2 + int(rng.integers(9)), 1 + int(rng.integers(31)) / 10
        lines.append(f"r-{number:05d},{age},{'fm'[rng.integers(2)]},{faculty},{semester},{grade}")
    return ("\n".join(lines) + "\n").encode()
