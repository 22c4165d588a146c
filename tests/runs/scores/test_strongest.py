"""The strongest attack on each release."""

import pyarrow as pa
import pyarrow.parquet as pq

from quintain.contests import load
from quintain.runs.folder import paths
from quintain.runs.scores.scores import strongest_attacks

MEASURE = "membership_advantage"


class Cells:
    """A folder that has nothing but cells."""

    def __init__(self, root, rows):
        self.root = root
        names = ("track", "entry", "attacker", "measure", "value", "low", "high")
        path = self.at(paths.CELLS)
        path.parent.mkdir(parents=True)
        pq.write_table(pa.table(dict(zip(names, zip(*rows, strict=True), strict=True))), path)

    def at(self, path):
        return self.root / path


def test_the_most_telling_reading_of_each_release_comes_first(tmp_path):
    nan = float("nan")
    folder = Cells(
        tmp_path,
        [
            ("main", "a", "red", MEASURE, 0.1, 0.0, 0.2),
            ("main", "a", "blue", MEASURE, 0.3, 0.2, 0.4),
            ("main", "b", "red", MEASURE, 0.9, 0.8, 1.0),
            ("main", "b", "blue", MEASURE, nan, nan, nan),
            ("main", "c", "blue", MEASURE, nan, nan, nan),
            ("main", "a", "red", "auc", 0.99, 0.9, 1.0),
            ("other", "a", "red", MEASURE, 0.95, 0.9, 1.0),
        ],
    )
    attacks = strongest_attacks(folder, load("tiny").track[0])
    assert [(one.entry, one.attacker, one.value) for one in attacks] == [
        ("b", "red", 0.9),
        ("a", "blue", 0.3),
    ]
    assert (attacks[1].low, attacks[1].high) == (0.2, 0.4)
