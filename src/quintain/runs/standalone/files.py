"""Loose files: the measures and rankings of an edition, without a folder."""

from __future__ import annotations

from pathlib import Path

from quintain.contests import Track
from quintain.data import Data, Schema, as_table
from quintain.data.files import read
from quintain.errors import DataError, Faults, Rejected
from quintain.measures import Case, Reading
from quintain.runs.scores.cells import measure_release


def measure_files(
    track: Track,
    *,
    original: Path | None = None,
    release: Path | None = None,
    test: Path | None = None,
    truth: Path | None = None,
    guess: Path | None = None,
) -> dict[str, Reading]:
    """Every reading the given files allow, under the names of the edition."""
    schema = track.files.spelled(track.dataset.data_schema())
    attributes = schema.select([c.name for c in schema.attributes])
    if schema.shape != "table":
        attributes = schema
    faults = Faults()
    loaded = {
        name: _load(path, wanted, track, faults)
        for name, path, wanted in (
            ("original", original, attributes),
            ("release", release, attributes),
            ("test", test, attributes),
            ("truth", truth, track.goal.truth_schema(schema)),
            ("guess", guess, track.goal.guess_schema(schema)),
        )
        if path is not None
    }
    for one, other in (("original", "release"), ("truth", "guess")):
        if (one in loaded) != (other in loaded):
            faults.add(f"--{one} and --{other} belong together")
    if not loaded:
        faults.add("give --original and --release, or --truth and --guess")
    data = {name: found for name, found in loaded.items() if found is not None}
    if release is not None and {"original", "release"} <= set(data):
        found = Faults(release.name, first_line=1 + track.files.header)
        for rule in track.rule:
            if rule.essential:
                rule.check(data["original"], data["release"], found)
        faults.extend(found)
    faults.raise_if_any(Rejected)
    return _readings(track, data)


def _load(path: Path, schema: Schema, track: Track, faults: Faults) -> Data | None:
    try:
        return read(path, schema, header=track.files.header, strict=track.files.strict)
    except DataError as error:
        faults.extend(error.faults)
        faults.count(error.total - len(error.faults))
        return None


def _readings(track: Track, data: dict[str, Data]) -> dict[str, Reading]:
    out: dict[str, Reading] = {}
    if "release" in data:
        out |= measure_release(track, data["original"], data["release"], data.get("test"))
    if "guess" in data:
        goal = track.goal
        case = Case(goal.truth(as_table(data["truth"])), goal.guess(as_table(data["guess"])))
        for measured in track.guess_measures:
            out |= measured.of_guesses([case])
    return out
