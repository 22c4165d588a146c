"""The built-in contests about rows, hidden values, halves and descriptions."""

import pyarrow.parquet as pq
import pytest

from quintain.contests import load
from quintain.contests.loading.load import builtin_text
from quintain.runs.play import play
from quintain.runs.verification.verify import verify

SMALL = {"dataset": {"rows": 1200}, "repeats": 1, "utility": []}
SIZES = {
    "rows": {
        "sample": {"rows": 100},
        "sanitizer": [{"use": "identity"}, {"use": "swapping", "window": 1.0}],
    },
    "hidden-value": {
        "sample": {"targets": 100, "background": 100},
        "sanitizer": [{"use": "identity"}, {"use": "swapping", "window": 1.0}],
    },
    "reconstruction": {
        "sample": {"targets": 100, "background": 100},
        "sanitizer": [{"use": "identity"}, {"use": "swapping", "window": 1.0}],
        "baseline": [
            {"id": "neighbours", "attack": {"use": "neighbour-vote", "k": 1}},
            {"id": "random", "attack": {"use": "random"}},
        ],
    },
    "linkability": {
        "sample": {"targets": 100, "background": 100},
        "sanitizer": [{"use": "identity"}, {"use": "swapping", "window": 1.0}],
    },
    "singling-out": {
        "goal": {"predicates": 40},
        "sample": {"rows": 100},
        "sanitizer": [{"use": "identity"}, {"use": "swapping", "window": 1.0}],
    },
}
BEST = {
    "rows": ("row-linkage", "rows_found", 0.9),
    "hidden-value": ("nearest", "excess_accuracy", 0.5),
    "reconstruction": ("neighbours", "rarity_memorised", 0.2),
    "linkability": ("half-linkage", "linked_excess", 0.2),
    "singling-out": ("rows", "isolation_excess", 0.9),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_a_contest_is_played_and_verified_and_true_records_give_people_away(name, tmp_path):
    folder = play(load(name, overrides={**SMALL, **SIZES[name]}), tmp_path / "run", seed=7)
    table = pq.read_table(folder.root / "results/cells.parquet").to_pylist()
    attacker, reading, least = BEST[name]
    cells = {(c["entry"], c["attacker"]): c for c in table if c["measure"] == reading}
    assert cells["identity", attacker]["value"] > least
    assert cells["swapping", attacker]["low"] <= 0.03  # nothing, or chance
    assert cells["identity", "random"]["low"] <= 0.03
    assert verify(folder).problems == ()


@pytest.mark.parametrize("name", SIZES)
def test_an_edition_has_fewer_than_forty_lines(name):
    assert len(builtin_text(name).splitlines()) < 40
