"""Are identities found that a release hides in hashes, codes, pairs, texts, order or decimals?

    python -m benchmarks.audit.hidden_identities [--kinds FILE] [--only NAME] [--seeds N]

Every kind makes a release twice: of the people of the original, which harms them, and of strangers
in the same way, which harms nobody. The audit has to see the first and must raise no alarm about
the second. ``FILE`` is a Python file with kinds of your own in place of those below.

A kind is a function of this form; its name and the first line of its docstring stand in the table:

    def md5_of_names(people: pandas.DataFrame, rng: numpy.random.Generator) -> pandas.DataFrame:
        '''MD5 of the names, in place of the names.'''

``people`` has one row for each person, and these columns, all of texts but for the last four:

- ``id``: a number of seven digits, as a text; no two people have the same.
- ``name``: first and family name, such as "Zoé Besson"; few people share one.
- ``birth``: a date such as "1956-02-09".
- ``phone``: a telephone number such as "06 54 12 98 07".
- ``email``: an address such as "zoe.besson.071@mail.example".
- ``town``: one of twelve towns; ``sex``: "f" or "m"; ``illness``: one of nine.
- ``age``, ``height`` (whole numbers), ``weight``, ``income`` (numbers with a decimal or two).

The function returns a release: any columns, any names, any order of rows, any number of rows.
The attributes of its rows should come from ``blind(people, rng)``, which draws every column of
attributes alone and so tells nothing about anybody; what is hidden beside them is the identity.
Import it from ``benchmarks.audit.hidden_identities``. All draws come from ``rng``.
A function whose name begins with an underscore, or that is imported, is no kind.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from quintain.audits.release import audit_release
from quintain.audits.results import ReleaseAudit
from quintain.measures.intervals import clopper_pearson

Kind = Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame]
PEOPLE = 300
ATTRIBUTES = ["town", "sex", "illness", "age", "height", "weight", "income"]
_FIRST = [
    "Zoé",
    "Anna",
    "Marc",
    "Lena",
    "Paul",
    "Nora",
    "Hugo",
    "Ines",
    "Karl",
    "Mia",
    "Jean",
    "Olga",
    "Emil",
    "Rosa",
    "Luca",
    "Vera",
    "Noah",
    "Lola",
    "Finn",
    "Clara",
    "Otto",
    "Alma",
    "Yann",
    "Ella",
    "Ivan",
    "Juna",
    "Max",
    "Tess",
    "Rémi",
    "Uma",
]
_SYLLABLES = [
    "bes",
    "mar",
    "kol",
    "den",
    "fis",
    "ler",
    "von",
    "tas",
    "gri",
    "pel",
    "run",
    "sol",
    "wen",
    "hof",
    "mil",
    "rat",
]
_TOWNS = [
    "Yarm",
    "Kelso",
    "Thun",
    "Zug",
    "Brig",
    "Sion",
    "Chur",
    "Biel",
    "Olten",
    "Aarau",
    "Arbon",
    "Vevey",
]
_ILLNESSES = ["asthma", "flu", "gout", "acne", "measles", "mumps", "angina", "anemia", "none"]


def population(count: int, rng: np.random.Generator) -> pd.DataFrame:
    """Invented people; attributes depend a little on each other."""
    sex = rng.choice(["f", "m"], count)
    age = rng.integers(18, 90, count)
    height = np.round(rng.normal(np.where(sex == "f", 165, 178), 7)).astype(int)
    weight = np.round(rng.normal(height - 98, 9), 1)
    income = np.round(rng.lognormal(10.3, 0.5, count), 2)
    first = rng.choice(_FIRST, count)
    syllables = rng.choice(_SYLLABLES, (count, 3))
    family = np.array(["".join(syllable).capitalize() for syllable in syllables])
    digits = rng.integers(0, 100, (count, 4))
    births = [
        f"{2026 - years}-{month:02}-{day:02}"
        for years, month, day in zip(
            age, rng.integers(1, 13, count), rng.integers(1, 29, count), strict=True
        )
    ]
    plain = [name.replace("é", "e").lower() for name in first]
    more = rng.integers(0, 1000, count)
    return pd.DataFrame(
        {
            "id": (rng.choice(9_000_000, count, replace=False) + 1_000_000).astype(str),
            "name": [f"{one} {other}" for one, other in zip(first, family, strict=True)],
            "birth": births,
            "phone": ["06 " + " ".join(f"{pair:02}" for pair in digit) for digit in digits],
            "email": [
                f"{one}.{other.lower()}.{number:03}@mail.example"
                for one, other, number in zip(plain, family, more, strict=True)
            ],
            "town": rng.choice(_TOWNS, count),
            "sex": sex,
            "illness": rng.choice(_ILLNESSES, count),
            "age": age,
            "height": height,
            "weight": weight,
            "income": income,
        }
    )


def blind(people: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """The attributes of people, each column drawn anew from a wide public law."""
    others = population(len(people), rng)
    return others[ATTRIBUTES]


def plain_names(people: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """The names as they are."""
    return blind(people, rng).assign(name=people["name"])


def md5_of_names(people: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """MD5 of the names, in place of the names."""
    return blind(people, rng).assign(name=[_md5(name) for name in people["name"]])


def sha256_of_pairs(people: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """The first 16 characters of SHA-256 of name and birth date, in a column of its own."""
    pairs = people["name"].str.lower() + "|" + people["birth"]
    token = [hashlib.sha256(pair.encode()).hexdigest()[:16] for pair in pairs]
    return blind(people, rng).assign(token=token)


def short_notes(people: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """A note with name, birth date and telephone number."""
    said = "Patient " + people["name"] + ", born " + people["birth"] + ", called " + people["phone"]
    return blind(people, rng).assign(note=said)


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def kinds_of(file: Path | None = None) -> dict[str, Kind]:
    """The kinds of a file, or those of this one, by their names."""
    if file is None:
        return {kind.__name__: kind for kind in OWN_KINDS}
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None  # a path of a Python file has both
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {
        name: made
        for name, made in vars(module).items()
        if callable(made)
        and not name.startswith("_")
        and getattr(made, "__module__", "") == module.__name__
    }


OWN_KINDS: tuple[Kind, ...] = (plain_names, md5_of_names, sha256_of_pairs, short_notes)


def audit_kind(kind: Kind, seed: int, people: int = PEOPLE) -> tuple[ReleaseAudit, ReleaseAudit]:
    """The audits of one kind: its release of the original, and its release of strangers."""
    everybody = population(3 * people, np.random.default_rng([seed, 0]))
    original, control, strangers = (
        everybody.iloc[start : start + people].reset_index(drop=True)
        for start in range(0, 3 * people, people)
    )
    members, others = (
        audit_release(
            original, kind(who, np.random.default_rng([seed, 1])), control, permutations=199
        )
        for who in (original, strangers)
    )
    return members, others


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each kind and seed, and how many are right."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kinds", type=Path, help="a Python file with kinds")
    parser.add_argument("--only", action="append", help="the name of a kind")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--people", type=int, default=PEOPLE)
    given = parser.parse_args(arguments)
    seen = alarms = total = 0
    print("| kind | seed | members | strangers | first reason (members) | CPU s |")
    print("|---|---|---|---|---|---|")
    for name, kind in kinds_of(given.kinds).items():
        if given.only and name not in given.only:
            continue
        for seed in range(given.seeds):
            start = time.process_time()
            members, others = audit_kind(kind, seed, given.people)
            seconds = time.process_time() - start
            verdicts = f"{members.verdict} | {others.verdict}"
            print(f"| {name} | {seed} | {verdicts} | {members.reasons[0][:120]} | {seconds:.0f} |")
            sys.stdout.flush()
            seen += members.verdict == "unsafe"
            alarms += others.verdict in ("unsafe", "some-leakage")
            total += 1
    for words, count in (("identities found", seen), ("alarms about strangers", alarms)):
        low, high = clopper_pearson(count, total)
        print(f"{words}: {count} of {total} ({low:.0%} to {high:.0%})")


if __name__ == "__main__":
    main()
