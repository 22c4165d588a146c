"""State the SHA-256 of everything that quintain makes from fixed seeds, to see what a change moves.

    python -m benchmarks.manifest write before.json [NAME ...]
    python -m benchmarks.manifest compare before.json after.json

``write`` plays every built-in edition and the examples with ``--quick --seed 7``, verifies them,
exports kits and CodaBench bundles, audits releases of three kinds and a sanitizer, learns schemas,
and reads the digests of the example data; all through the command line, except for the digests.
Two runs of the same code agree. Where a file moved, ``compare`` names it, and says of a played
edition whether its figures (every cell and every board) moved, too: a part that only got another
name moves the rules and all commitments, but no figure.

Use it before and after a change that should move nothing, and list each line that moved with its
reason.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
SEED = "7"
NOT_COMPARED = (".cache", ".lock")
"""Caches and locks say when a thing was made, or that somebody works on it."""

FIGURES = ("results/cells.parquet", "results/standings.json")
NOT_FIGURES = {"commitments", "journal", "format"}
"""Keys of the standings that hash the rules."""


def main() -> None:
    """Write a manifest, or compare two."""
    match sys.argv[1:]:
        case ["write", target, *names]:
            Path(target).write_text(json.dumps(manifest(names), indent=1, sort_keys=True) + "\n")
        case ["compare", before, after]:
            lines = compare(*(json.loads(Path(name).read_text()) for name in (before, after)))
            print("\n".join(lines) or "nothing moved")
            sys.exit(bool(lines))
        case _:
            sys.exit(__doc__)


def manifest(names: list[str]) -> dict[str, str]:
    """Name and SHA-256 of everything made, or of the steps that are named."""
    entries = {}
    chosen = {name: step for name, step in steps().items() if not names or name in names}
    for name, step in chosen.items():
        with tempfile.TemporaryDirectory() as folder:
            print(name, file=sys.stderr, flush=True)
            for entry, digest in step(Path(folder)):
                entries[f"{name}: {entry}"] = digest
    return entries


def steps() -> dict:
    """Every step by name: a function from an empty folder to pairs of an entry and its hash."""
    editions = sorted(path.stem for path in (ROOT / "src").rglob("editions/*.toml"))
    examples = sorted((ROOT / "examples/pwscup").glob("*.toml"))
    plays = {f"play {name}": lambda folder, name=name: play(folder, name) for name in editions}
    plays |= {
        f"play pwscup {path.stem}": lambda folder, path=path: play(folder, str(path))
        for path in examples
    }
    return plays | {
        "audit table": audit_table,
        "audit transactions": audit_transactions,
        "audit series": audit_series,
        "audit sanitizer": audit_sanitizer,
        "schema learn": learn_schemas,
        "digests": digests,
    }


def quintain(*arguments: str | Path, check: bool = True) -> subprocess.CompletedProcess:
    """Run the command line of this checkout."""
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "quintain", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if check and done.returncode:
        sys.exit(f"quintain {' '.join(map(str, arguments))}: {done.stderr or done.stdout}")
    return done


def play(folder: Path, edition: str) -> Iterator[tuple[str, str]]:
    """A played edition with its figures, what ``verify`` prints, its kit and its bundle."""
    run = folder / "run"
    quick = quintain("play", edition, "--quick", "--seed", SEED, "--out", run, check=False)
    if quick.returncode:  # an edition without a quick version is small as it is
        quintain("play", edition, "--seed", SEED, "--out", run)
    yield from files_below(run)
    yield "figures", sha(json.dumps(figures(run), sort_keys=True).encode())
    yield "verify", sha(quintain("verify", run).stdout.replace(str(run), "run").encode())
    for what in ("kit", "codabench"):
        made = quintain("export", run, what, folder / f"{what}.zip", "--rehearsal", check=False)
        if made.returncode:
            yield f"{what}.zip refused", sha(made.stderr.replace(str(folder), "").encode())
        else:
            yield from members(folder / f"{what}.zip")


def figures(run: Path) -> dict:
    """Every cell, and every board without the hashes of the rules."""
    import pyarrow.parquet as pq

    cells, standings = (run / name for name in FIGURES)
    boards = json.loads(standings.read_text()) if standings.exists() else {}
    return {
        "cells": str(pq.read_table(cells).to_pylist()) if cells.exists() else "",
        "boards": {key: value for key, value in boards.items() if key not in NOT_FIGURES},
    }


def people(rows: int, seed: int) -> list[list[str]]:
    """A table of invented people, as text: a header, then numbers, categories and blanks."""
    rng = np.random.default_rng(seed)
    age, town = rng.integers(18, 90, rows), rng.integers(0, 12, rows)
    pay = (200 * age * rng.lognormal(0, 0.4, rows)).round(2)
    ill = rng.random(rows) < age / 200
    cells = [["age", "town", "pay", "ill"]]
    for row in zip(age, town, pay, ill, strict=True):
        years, place, money, sick = row
        cells.append([f"{years}", f"town {place}", f"{money}", "yes" if sick else "no"])
    return cells


def visits(customers: int, seed: int, first: int = 0) -> list[list[str]]:
    """Purchases of invented customers: who, when, what, price and quantity."""
    rng = np.random.default_rng(seed)
    cells = [["customer", "day", "item", "price", "quantity"]]
    for who in range(first, first + customers):
        liked = rng.integers(0, 30, 4)
        for _ in range(int(rng.integers(3, 9))):
            item = int(rng.choice(liked))
            day = np.datetime64("2011-01-01") + int(rng.integers(0, 364))
            cells.append(
                [f"c{who}", f"{day}", f"i{item}", f"{1 + item / 4}", f"{rng.integers(1, 6)}"]
            )
    return cells


def stays(persons: int, seed: int, first: int = 0) -> list[list[str]]:
    """Two measured series per invented stay."""
    rng = np.random.default_rng(seed)
    cells = [["stay", "hour", "pulse", "fever"]]
    for who in range(first, first + persons):
        level = rng.normal([80, 37], [12, 0.6])
        for hour in range(8):
            pulse, fever = level + rng.normal(0, [4, 0.2])
            cells.append([f"s{who}", f"{hour}", f"{pulse:.2f}", f"{fever:.2f}"])
    return cells


def write_csv(path: Path, cells: list[list[str]]) -> Path:
    path.write_text("".join(",".join(row) + "\n" for row in cells))
    return path


def audit_table(folder: Path) -> Iterator[tuple[str, str]]:
    """Three releases of one table: coarser numbers, other people, and one without a control."""
    cells, other = people(600, 1), people(300, 2)
    original = write_csv(folder / "original.csv", cells[:301])
    control = write_csv(folder / "control.csv", [cells[0], *cells[301:]])
    rounded = [cells[0]] + [
        [row[0], row[1], f"{round(float(row[2]), -2)}", row[3]] for row in cells[1:301]
    ]
    releases = {
        "rounded": write_csv(folder / "rounded.csv", rounded),
        "strangers": write_csv(folder / "strangers.csv", other),
    }
    for name, release in releases.items():
        yield from audit(folder, name, original, release, "--control", control)
    yield from audit(folder, "no control", original, releases["rounded"])


def audit_transactions(folder: Path) -> Iterator[tuple[str, str]]:
    """Customers under other names, with half of their prices changed."""
    schema = folder / "schema.json"
    original = write_csv(folder / "original.csv", visits(60, 3))
    roles = ("--shape", "transactions", "--role", "customer=customer", "--role", "day=time")
    learned = quintain("schema", "learn", original, *roles, "--role", "item=item")
    schema.write_text(learned.stdout)
    cells = visits(60, 3)
    rng = np.random.default_rng(4)
    names = rng.permutation(60)
    shown = [cells[0]] + [[f"p{names[int(row[0][1:])]}", *row[1:]] for row in cells[1:]]
    release = write_csv(folder / "release.csv", shown)
    yield from audit(folder, "pseudonyms", original, release, "--schema", schema)


def audit_series(folder: Path) -> Iterator[tuple[str, str]]:
    """Stays with noise, beside stays that are not in the release."""
    header, *inside = stays(60, 5)
    outside = stays(60, 6, first=60)[1:]
    rng = np.random.default_rng(7)
    noisy = [
        [*row[:2], *(f"{float(cell) + rng.normal(0, 0.1):.2f}" for cell in row[2:])]
        for row in inside
    ]
    rows = {
        "original": inside,
        "control": outside,
        "release": noisy,
        "all": inside + outside + noisy,
    }
    paths = {name: write_csv(folder / f"{name}.csv", [header, *r]) for name, r in rows.items()}
    roles = ("--shape", "series", "--role", "stay=person", "--role", "hour=time")
    schema = folder / "schema.json"
    schema.write_text(quintain("schema", "learn", paths["all"], *roles).stdout)
    arguments = ("--control", paths["control"], "--schema", schema)
    yield from audit(folder, "noisy", paths["original"], paths["release"], *arguments)


def audit(folder: Path, name: str, original: Path, release: Path, *more: str | Path) -> Iterator:
    """The files of one audit, or the hash of why it was refused."""
    out = folder / f"audited {name}"
    arguments = ("--original", original, "--release", release, *more, "--out", out)
    done = quintain("audit", "release", *arguments, check=False)
    if done.returncode:
        yield f"{name} refused", sha(done.stderr.replace(str(folder), "").encode())
        return
    for entry, digest in files_below(out):
        yield f"{name}/{entry}", digest


def audit_sanitizer(folder: Path) -> Iterator[tuple[str, str]]:
    """Randomized response and MST, few runs each."""
    data = write_csv(folder / "people.csv", people(200, 8))
    for name, parameter in (("rr", "keep=0.5"), ("mst", "epsilon=1")):
        out = folder / name
        arguments = ("--data", data, "--set", parameter, "--runs", "20", "--targets", "10")
        quintain("audit", "sanitizer", name, *arguments, "--out", out)
        for entry, digest in files_below(out):
            yield f"{name}/{entry}", digest


def learn_schemas(folder: Path) -> Iterator[tuple[str, str]]:
    """The schema and the reasons that ``schema learn`` prints for three tables."""
    numbered = [[*row, f"{i}"] for i, row in enumerate(people(100, 9))]
    numbered[0][-1] = "pid"
    tables = {"people": people(100, 9), "numbered": numbered, "purchases": visits(30, 10)}
    for name, cells in tables.items():
        done = quintain("schema", "learn", write_csv(folder / f"{name}.csv", cells))
        yield name, sha(done.stdout.encode())
        yield f"{name}, reasons", sha(done.stderr.replace(str(folder), "").encode())


def digests(folder: Path) -> Iterator[tuple[str, str]]:
    """The digests of the example data of every kind."""
    sys.path.insert(0, str(ROOT / "src"))
    from quintain.testing.examples import example

    for shape in ("table", "transactions", "series"):
        for seed in (0, 1):
            yield f"{shape} {seed}", example(shape, seed=seed).digest()


def files_below(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file that is compared, with its hash."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not any(word in name for word in NOT_COMPARED):
            yield name, sha(path.read_bytes())


def members(archive: Path) -> Iterator[tuple[str, str]]:
    """Every member of a zip, with its hash."""
    with zipfile.ZipFile(archive) as opened:
        for name in sorted(opened.namelist()):
            yield f"{archive.name}/{name}", sha(opened.read(name))


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def compare(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """A line per entry that moved, came or went, the figures of each step first."""
    lines = []
    for step in sorted({entry.split(": ")[0] for entry in {**before, **after}}):
        mine, other = (
            {name: digest for name, digest in side.items() if name.split(": ")[0] == step}
            for side in (before, after)
        )
        moved = sorted(name for name in mine.keys() & other.keys() if mine[name] != other[name])
        gone, new = sorted(mine.keys() - other.keys()), sorted(other.keys() - mine.keys())
        if not (moved or gone or new):
            continue
        counts = f"{len(moved)} of {len(mine)} moved, {len(gone)} gone, {len(new)} new"
        figure = f"{step}: figures"
        said = (
            ""
            if figure not in mine
            else ", figures moved"
            if figure in moved
            else ", figures equal"
        )
        lines.append(f"{step}: {counts}{said}")
        lines += [f"  moved {name}" for name in moved]
        lines += [f"  gone {name}" for name in gone] + [f"  new {name}" for name in new]
    return lines


if __name__ == "__main__":
    main()
