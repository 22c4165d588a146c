"""The strongest attack on each release, as one line per release."""

from __future__ import annotations

from dataclasses import dataclass

from quintain.contests import Track
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder


@dataclass(frozen=True, slots=True)
class Strongest:
    """The reading of the attacker that found out most about one release."""

    entry: str
    attacker: str
    value: float
    low: float
    high: float


def strongest_attacks(folder: Folder, track: Track) -> list[Strongest]:
    """For each release of a track, the attacker that found out most; the worst release first.

    The first privacy measure decides. Releases that nobody attacked are left out.
    """
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    measure, better = next(iter(track.privacy[0].reads.items()))
    cells = pq.read_table(folder.at(paths.CELLS))
    wanted = pc.and_(pc.equal(cells["track"], track.id), pc.equal(cells["measure"], measure))
    sign = 1 if better == "lower" else -1
    best: dict[str, Strongest] = {}
    for row in cells.filter(wanted).to_pylist():
        known = best.get(row["entry"])
        measured = row["value"] is not None and row["value"] == row["value"]
        if measured and (known is None or sign * row["value"] > sign * known.value):
            best[row["entry"]] = Strongest(
                **{key: row[key] for key in ("entry", "attacker", "value", "low", "high")}
            )
    return sorted(best.values(), key=lambda one: (-sign * one.value, one.entry))
