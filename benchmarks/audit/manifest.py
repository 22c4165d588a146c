"""State the SHA-256 of whole audits from fixed seeds, to see what a change moves.

    QUINTAIN_DATA=folder python -m benchmarks.audit.manifest write before.json [GROUP ...]
    python -m benchmarks.audit.manifest compare before.json after.json

One audit of every kind of ``known_truth.py`` and of ``blind_kinds``, each with few people, so that
all take about six CPU minutes; audits of tables with each option, of people with several rows and
with several tables, of series, transactions and other shapes; of everybody, and of sanitizers. An
audit that is refused has the hash of its message. Two runs of the same code agree: audits have no
times in them. ``benchmarks.manifest`` does the same for everything that the command line writes.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit import folders, known_truth
from benchmarks.audit.adult_people import People, people, population
from benchmarks.audit.blind_kinds import KINDS as BLIND
from benchmarks.audit.histories import put
from benchmarks.manifest import compare, sha
from quintain.audits.everybody import audit_everybody
from quintain.audits.release import audit_release
from quintain.audits.sanitizer import audit_sanitizer
from quintain.data import Data, as_series, as_transactions
from quintain.data.people_files import read_people, write_people
from quintain.data.trees import Trees
from quintain.errors import QuintainError
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.identity import Identity
from quintain.sanitizers.masking.randomized_response import RandomizedResponse
from quintain.sanitizers.synthetic.independent import Independent
from quintain.testing.examples import example

ROWS = 120
"""Of each table of a kind so many rows are audited: the proof is that the bytes stay."""
PEOPLE = 24
QUICK: dict[str, Any] = {"permutations": 99}

Entries = Iterator[tuple[str, str]]


def main() -> None:
    """Write the digests, or compare two files of them."""
    match sys.argv[1:]:
        case ["write", target, *groups]:
            Path(target).write_text(json.dumps(manifest(groups), indent=1, sort_keys=True) + "\n")
        case ["compare", before, after]:
            lines = compare(*(json.loads(Path(name).read_text()) for name in (before, after)))
            print("\n".join(lines) or "nothing moved")
            sys.exit(bool(lines))
        case _:
            sys.exit(__doc__)


def manifest(groups: list[str]) -> dict[str, str]:
    """Name and SHA-256 of every audit, or of those of the groups that are named."""
    entries = {}
    for name, group in GROUPS.items():
        if not groups or name in groups:
            print(name, file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory() as folder:
                entries |= {f"{name}: {entry}": digest for entry, digest in group(Path(folder))}
    return entries


def digest(audit: Callable[..., Any], *given: Any, **options: Any) -> str:
    """The hash of an audit, or of the words that refuse it."""
    try:
        return sha(audit(*given, **options).model_dump_json().encode())
    except QuintainError as refusal:
        return sha(re.sub(r"/\S*/", "", str(refusal)).encode())


def release(*given: Any, **options: Any) -> str:
    """The hash of an audit of a release."""
    return digest(audit_release, *given, **{**QUICK, **options})


@cache
def adults() -> People:
    """A few people of Adult."""
    return people(population(), ROWS, rng=np.random.default_rng([0, 1]))


def written(folder: Path, **tables: pa.Table) -> list[Path]:
    """The tables as CSV files with their first rows."""
    paths = []
    for name, table in tables.items():
        paths.append(folder / f"{name}.csv")
        pyarrow.csv.write_csv(table.slice(0, ROWS), paths[-1])
    return paths


# --- one table ---


def known_kinds(folder: Path) -> Entries:
    """Every kind that a stranger would try, beside a control."""
    dealt = adults()
    sides = [known_truth.written(side) for side in (dealt.original, dealt.control)]
    for number, (name, kind) in enumerate(known_truth.KINDS.items()):
        made = kind.make(dealt, np.random.default_rng([0, 2, number]))
        paths = written(folder, original=sides[0], release=made, control=sides[1])
        yield name, release(*paths)


def blind_kinds(folder: Path) -> Entries:
    """Every kind that was chosen without a view of the audit; one in eight also without control."""
    for number, (name, kind) in enumerate(BLIND.items()):
        case = kind.make(np.random.default_rng([0, 7]))
        roles = ("original", "release", "control")
        paths = written(folder, **{role: pa.table(getattr(case, role)) for role in roles})
        yield name, release(*paths)
        if number % 8 == 0:
            yield f"{name}, no control", release(*paths[:2])


def tables(folder: Path) -> Entries:
    """Each option of an audit of a table, and what it refuses."""
    dealt = adults()
    noisy = known_truth.noisy(dealt, np.random.default_rng(3))
    data = (dealt.original, noisy, dealt.control)
    cells = [known_truth.written(table) for table in data]
    yield "data", release(*data)
    yield "frames", release(*cells)
    yield "no control", release(*data[:2], known=["age"], show_exposed=3)
    yield "the same as the control", release(*cells[:2], cells[0])
    yield "schema", release(*cells, schema=dealt.original.schema)
    options: dict[str, dict[str, Any]] = {
        "known": {"known": ["age", "sex"], "secrets": ["income"]},
        "exposed": {"show_exposed": 3, "population": 40_000},
        "as written": {"as_written": True},
        "attacks": {"attacks": ["value-tracing"]},
        "other attacks": {"attacks": ["row-distance"]},
        "recipient": {"recipient": "public", "command": "quintain audit release"},
        "unknown column": {"known": ["agee"]},
        "small population": {"population": 3},
        "key without unit": {"key": cells[0]},
        "equal rows": {"unit": "equal-rows"},
    }
    for name, option in options.items():
        yield name, release(*cells, **option)


def notes(folder: Path) -> Entries:
    """Tables with a free text, of which the release repeats half, and nothing else."""
    draws = np.random.default_rng(11)
    words = [f"word{number}" for number in range(400)]
    texts = [[" ".join(draws.choice(words, 30)) for _ in range(ROWS)] for _ in range(3)]
    texts[1][::2] = texts[0][::2]
    sides = [pa.table({"note": side}) for side in texts]
    with_age = [
        side.append_column("age", pa.array(draws.integers(90, size=ROWS))) for side in sides
    ]
    yield "alone", release(*sides)
    yield "alone, strangers", release(sides[0], sides[2], sides[0])
    yield "beside numbers", release(*with_age, show_exposed=2)
    yield "no control", release(*with_age[:2])


def several_rows(folder: Path) -> Entries:
    """Visits: people with several rows in one table, with and without pseudonyms."""
    sides = [
        folders.hospital(PEOPLE, group * 10**6, rng=np.random.default_rng(group))["visits"]
        for group in range(2)
    ]
    original, control = (side.drop_columns(["visit_id"]) for side in sides)
    people_of = original["patient_id"].to_pylist()
    new = {who: f"x{number}" for number, who in enumerate(sorted(set(people_of), reverse=True))}
    shown = put(original, patient_id=pa.array([new[who] for who in people_of]))
    shown = folders.redraw(shown, "code", 0.2, rng=np.random.default_rng(5))
    key = pa.table({"patient_id": [*new], "pseudonym": [*new.values()]})
    unit = {"unit": "patient_id"}
    yield "pseudonyms", release(original, shown, control, **unit)
    yield "key", release(original, shown, control, key=key, **unit)
    yield "no control", release(original, shown, key=key, **unit)
    yield "no pseudonyms", release(original, shown.drop_columns(["patient_id"]), control, **unit)
    yield "no unit", release(original, shown, control)
    yield "exposed", release(original, shown, control, show_exposed=2, known=["code"], **unit)
    yield "unknown unit", release(original, shown, control, unit="patient")


# --- several tables ---


def several_tables(folder: Path) -> Entries:
    """Folders, archives, databases, frames and data of people."""
    made = folders.patients(PEOPLE, rng=np.random.default_rng(0))
    sides = {"original": made.original, "release": made.release, "control": made.control}
    for role, of_role in sides.items():
        (folder / role).mkdir()
        for name, table in of_role.items():
            pyarrow.csv.write_csv(table, folder / role / f"{name}.csv")
    places = [folder / role for role in sides]
    yield "frames", release(*sides.values(), key=made.key)
    yield "folders", release(*places, show_exposed=2)
    yield "no control", release(*places[:2], key=made.key)
    yield "person", release(*places, unit="patient_id", as_written=["visits.code"])
    yield "unknown column", release(*places, known=["visits.cod"])
    yield "a schema of a table", release(*places, schema=adults().original.schema)
    (folder / "release" / "notes.txt").write_text("no table")
    yield "files beside", release(*places)
    yield "archives", release(*(packed(place) for place in places[:2]))
    yield "databases", release(*(database(place, sides[place.name]) for place in places))
    yield (
        "one table less",
        release(
            made.original, {n: t for n, t in made.release.items() if n != "drugs"}, made.control
        ),
    )
    whole = Trees.of(read_people(folders.hospital(2 * PEOPLE, 0, rng=np.random.default_rng(1))))
    inside, outside = (whole.take(rows) for rows in np.split(np.arange(2 * PEOPLE), 2))
    shown = inside.with_keys([f"x{number}" for number in range(PEOPLE)])
    yield "data of people", release(inside, shown, outside)
    write_people(inside, folder / "with schema")
    yield "a folder with its schema", release(folder / "with schema", shown)
    yield "the same people", release(inside, shown, inside)


def packed(folder: Path) -> Path:
    """A folder as an archive."""
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.iterdir()):
            archive.write(file, file.name)
    return path


def database(folder: Path, of_side: folders.Tables) -> str:
    """A folder as a database."""
    path = folder.with_suffix(".db")
    with sqlite3.connect(path) as opened:
        for name, table in of_side.items():
            rows = zip(*(map(str, column.to_pylist()) for column in table.columns), strict=True)
            columns = ", ".join(f'"{column}" text' for column in table.column_names)
            opened.execute(f'create table "{name}" ({columns})')
            marks = ", ".join("?" * len(table.column_names))
            opened.executemany(f'insert into "{name}" values ({marks})', rows)
    opened.close()
    return f"sqlite:///{path}"


# --- other shapes ---


def series(folder: Path) -> Entries:
    """Time series: copies, noise and strangers, as data and as files."""
    whole = as_series(example("series", rows=1200, seed=3))
    first, second, third = np.array_split(np.arange(len(whole)), 3)
    original, control, others = (whole.take(rows) for rows in (first, second, third))
    draws = np.random.default_rng(0)
    noisy = replace(original, values=original.values + draws.normal(0, 0.1, original.values.shape))
    yield "copies", release(original, original, control)
    yield "noise", release(original, noisy, control)
    yield "strangers", release(original, others, control)
    yield "of everybody", release(original, whole, control)
    yield "no control", release(original, original)
    yield "no control, strangers", release(original, others)
    yield "attacks", release(original, noisy, control, attacks=["series-length"])
    yield "attacks, no control", release(original, noisy, attacks=["series-length"])
    yield "refused option", release(original, noisy, control, known=["pulse"], unit="stay")
    yield "a table beside", release(original, example("table"), control)
    yield "other data beside", release(original, example("transactions"), control)
    paths = files_of(folder, original=original, release=noisy, control=control)
    yield "files", release(*paths, schema=whole.schema, seed=5)
    yield "files without a schema", release(original, *paths[1:])
    yield "frames", release(*(pyarrow.csv.read_csv(p) for p in paths), schema=whole.schema)
    yield "a missing file", release(original, folder / "none.csv", schema=whole.schema)


def transactions(folder: Path) -> Entries:
    """Purchases: names alone, changed rows, deleted rows, and other purchases."""
    shop = as_transactions(example("transactions", rows=300, seed=4))
    draws = np.random.default_rng(0)
    months = shop.columns["day"].astype("datetime64[s]").astype("datetime64[M]")
    who = shop.columns["customer"]
    monthly = np.array([f"{person}-{month}" for person, month in zip(who, months, strict=True)])
    some = draws.random(len(shop)) < 0.4
    deleted = shop.replace({"customer": np.where(some, "", monthly)})
    mixed = shop.replace({"customer": monthly, "item": draws.permutation(shop.columns["item"])})
    everybody = np.array([f"n{row}" for row in range(len(shop))])
    yield "names", release(shop, shop.replace({"customer": monthly}))
    yield "mixed", release(shop, mixed)
    yield "deleted", release(shop, deleted)
    yield "all deleted", release(shop, shop.replace({"customer": np.full(len(shop), "")}))
    yield "each row alone", release(shop, shop.replace({"customer": everybody}))
    yield "with a control", release(shop, mixed, shop)
    yield "attacks", release(shop, mixed, attacks=["profile-assignment"])
    yield "fewer rows", release(shop, shop.take(range(9)))
    paths = files_of(folder, original=shop, release=mixed)
    yield "files", release(*paths, schema=shop.schema)


def other_shapes(folder: Path) -> Entries:
    """Trajectories and models, as they are."""
    trips = example("trajectories", rows=300)
    half = np.array_split(np.arange(len(trips)), 2)
    yield "trajectories", release(trips.take(half[0]), trips.take(half[0]), trips.take(half[1]))
    yield "trajectories, no control", release(trips, trips)
    yield "models", release(example("model"), example("model"))
    yield "a model of a table", release(example("table"), example("model"))
    yield "people in a table", release(example("people"), example("table"))


def files_of(folder: Path, **sides: Data) -> list[Path]:
    """Data as CSV files."""
    for name, side in sides.items():
        side.to_csv(folder / f"{name}.csv", replace=True)
    return [folder / f"{name}.csv" for name in sides]


# --- everybody, and sanitizers ---


def everybody(folder: Path) -> Entries:
    """A table and several tables, by sanitizers that keep nearly everything or nothing."""
    table = adults().original
    cells = known_truth.written(table)
    keep, alone = RandomizedResponse(keep=0.9), Independent(epsilon=1.0)
    options: dict[str, Any] = {**QUICK, "folds": 3}

    def of(part: Any, data: Any, shown: Any, **more: Any) -> str:
        return digest(audit_everybody, part, data, shown, **{**options, **more})

    made = [sanitized(part, table) for part in (keep, alone)]
    yield "kept", of(keep, table, made[0])
    yield "independent", of(alone, table, made[1], domain="public")
    yield "frames", of(keep, cells, known_truth.written(made[0]), attacks=["value-tracing"])
    paths = files_of(folder, original=table, release=made[0])
    yield "files", of(keep, *paths)
    visits = folders.hospital(PEOPLE, 0, rng=np.random.default_rng(0))
    one = visits["visits"].drop_columns(["visit_id"])
    yield "unit", of(keep, one, one.drop_columns(["patient_id"]), unit="patient_id")
    trees = Trees.of(read_people(visits))
    yield "people", of(Identity(), trees, trees, folds=2)
    yield "folder of people", of(Identity(), visits, visits, folds=2)
    yield "other attacks", of(keep, table, made[0], attacks=["row-distance", "profile-assignment"])
    yield "series", of(Identity(), example("series"), example("series"))
    yield "too many folds", of(keep, table, made[0], folds=ROWS)


def sanitizers(folder: Path) -> Entries:
    """The two games on a table, on people and on series."""
    table, quick = adults().original, {"runs": 20, "targets": 10}

    def of(part: Any, data: Data, **more: Any) -> str:
        return digest(audit_sanitizer, part, data, **{**quick, **more})

    yield "table", of(RandomizedResponse(keep=0.5), table)
    yield "sweep", of(Independent(), table, sweep={"epsilon": [0.5, 5.0]}, attacks=False)
    yield "people", of(Identity(), example("people", rows=200))
    yield "series", of(Identity(), example("series", rows=600))
    yield "transactions", of(Identity(), example("transactions"))
    yield "few runs", of(RandomizedResponse(), table, runs=2)


def sanitized(part: Any, table: Any) -> Any:
    """A release of a table."""
    made = sanitize(part, table, rng=np.random.default_rng(5), noise=Noise.for_test(5))
    return made.release.data


GROUPS: dict[str, Callable[[Path], Entries]] = {
    "known kinds": known_kinds,
    "blind kinds": blind_kinds,
    "tables": tables,
    "notes": notes,
    "several rows": several_rows,
    "several tables": several_tables,
    "series": series,
    "transactions": transactions,
    "other shapes": other_shapes,
    "everybody": everybody,
    "sanitizers": sanitizers,
}
"""Every group by name: a function from an empty folder to pairs of an audit and its hash."""

if __name__ == "__main__":
    main()
