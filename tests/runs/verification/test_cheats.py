"""The table of cheats in the guide is what the benchmark makes."""

from pathlib import Path

import pytest
from benchmarks.live.cheats import HEADER, evidence_of, row

from tests.runs.verification import cheats

GUIDE = Path(__file__).resolve().parents[3] / "docs/how-to/verify-a-contest.md"


def test_the_guide_has_every_cheat():
    lines = GUIDE.read_text().split(HEADER)[1].split("\n\n")[0].strip().splitlines()
    titles = [line.split(" | ")[0].removeprefix("| ") for line in lines]
    assert titles[1:] == [cheat.__doc__.strip().rstrip(".") for cheat in cheats.CHEATS]
    assert all(line.endswith("| NOT verified (1) |") for line in lines[1:])


@pytest.mark.slow
@pytest.mark.parametrize("cheat", [cheats.added_at_the_end, cheats.left_out_release])
def test_a_row_of_the_guide_is_made_again(kept, cheat, tmp_path):
    assert row(cheat, kept, evidence_of(kept, tmp_path), tmp_path) in GUIDE.read_text()
