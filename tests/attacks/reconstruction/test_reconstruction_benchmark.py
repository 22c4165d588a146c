"""The benchmark of reconstruction, in small: its tables, and that a stopped run goes on."""

import numpy as np
import pytest
from benchmarks.goals import reconstruction
from benchmarks.goals.paired_lead import paired_lead
from benchmarks.goals.published_rebuilding import PLAYERS
from benchmarks.goals.rebuilt_people import RebuiltPeople

from quintain.data.sources.adult import Adult
from quintain.measures import Case
from quintain.measures.privacy.cells_rebuilt import CellsByRarity, CellsExact


def small():
    """The stand-in of Adult, with two hidden columns."""
    table = Adult(rows=600).data(np.random.default_rng(0))
    known = ("age", "education", "sex", "hours-per-week")
    return RebuiltPeople(table, known, ("relationship", "income"))


@pytest.fixture
def grid(monkeypatch, tmp_path):
    monkeypatch.setenv("QUINTAIN_RESULTS", str(tmp_path))
    monkeypatch.setattr(reconstruction, "DATA", {"small": small})
    ends = {"identity": {"use": "identity"}, "independent": {"use": "independent"}}
    monkeypatch.setattr(reconstruction, "GENERATORS", ends)
    quick = {"mode": PLAYERS["mode"], "naive Bayes": PLAYERS["naive Bayes"]}
    monkeypatch.setattr(reconstruction, "PLAYERS", quick)
    ours = {"rebuilding-ensemble": {"use": "rebuilding-ensemble", "trees": 5}}
    monkeypatch.setattr(reconstruction, "OURS", ours)


@pytest.mark.slow
def test_copies_are_remembered_and_a_stopped_run_goes_on(grid, monkeypatch):
    every = ["small"], list(reconstruction.GENERATORS), list(reconstruction.OURS), [0], 200, 80
    lines = reconstruction.run(*every)
    assert len(lines) == 10
    copies = {line["attack"]: line for line in lines if line["generator"] == "identity"}
    assert copies["rebuilding-ensemble"]["memorised"][1] > 0
    noise = {line["attack"]: line for line in lines if line["generator"] == "independent"}
    assert noise["rebuilding-ensemble"]["memorised"][1] < 0
    monkeypatch.setattr(reconstruction, "cell", lambda *_: pytest.fail("it was played already"))
    assert reconstruction.run(*every) == lines
    head, _, *rows = reconstruction.table(lines)
    assert head.count("|") == rows[0].count("|") == 11
    assert len(rows) == 2
    assert all("of 2 cells" in line for line in reconstruction.wins(lines))
    assert len(list(reconstruction.means(lines))) == 2 + 5


def test_a_lead_is_the_difference_of_the_scores_of_members(grid):
    people, rng = small(), np.random.default_rng(3)
    _, question, truth = reconstruction.sample(people, 200, 80, rng)
    ours, theirs = (
        question.answer(
            {s.name: rng.permutation(truth.table.columns[s.name]) for s in question.secrets}
        )
        for _ in range(2)
    )
    for measure, score in ((CellsExact(), "exact"), (CellsByRarity(), "rarity")):
        lead = paired_lead(truth, ours, theirs, by_rarity=score == "rarity")
        one, other = (
            measure.measure([Case(truth, guess)], rng=rng)[f"{score}_members"].value
            for guess in (ours, theirs)
        )
        assert lead[0] == pytest.approx(one - other)
        assert lead[1] < lead[0] < lead[2]
    same = paired_lead(truth, ours, ours, by_rarity=True)
    assert same.tolist() == [0, 0, 0]
