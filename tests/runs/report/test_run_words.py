"""The report says what was run: data, sizes, entries, awards and chance."""

from __future__ import annotations

import csv
import io
import re

import pyarrow.parquet as pq
import pytest

from quintain.contests import load
from quintain.measures import BlindLaw, Reading
from quintain.rankings import Board, Contestant, Entry, Place, Results
from quintain.releases import Claim, ReleaseCard
from quintain.runs.folder.folder import Folder
from quintain.runs.play import play
from quintain.runs.report import RunFacts, report_bytes
from quintain.runs.report.section import board_view, winners
from quintain.runs.scores.scores import Prize
from tests.contest_folders import SMALL
from tests.figures import report_cases as cases
from tests.figures.html_page import Page

HIDDEN = {
    **SMALL,
    "repeats": 1,
    "knowledge": {"gives": ["base"]},
    "sanitizer": [{"use": "independent", "epsilon": 3.5}],
    "baseline": [{"id": "blind", "attack": "random"}],
}


def text_of(results: Results, run: RunFacts, **over: object) -> str:
    content = report_bytes(cases.edition(**over), {"main": results}, cases.FACTS, {"main": run})
    return Page(content).text()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A contest in which attackers are not given the parameters."""
    edition = load("tiny", quick=True, overrides=HIDDEN)
    return play(edition, tmp_path_factory.mktemp("report") / "run", seed=7)


def test_the_organisers_read_what_attackers_were_not_given(played: Folder) -> None:
    text = Page((played.root / "results/report.html").read_bytes()).text()
    assert "entry-1" in text
    assert "independent: epsilon 3.5" in text
    assert "epsilon 3.5, one row added or removed" in text
    assert "The attacker is given nothing about the sanitizer." in text
    public = [path for path in played.root.glob("public/**/*.json") if path.is_file()]
    assert not [path for path in public if b"3.5" in path.read_bytes()]


def test_the_page_says_that_data_are_simulated_and_how_the_run_was_made(played: Folder) -> None:
    text = Page((played.root / "results/report.html").read_bytes()).text()
    assert "Simulated data. The records were made by a generator" in text
    assert "This run is a variant of the edition: --quick --set" in text
    base = pq.read_metadata(played.root / "public/main/base.parquet").num_rows
    private = pq.read_metadata(played.root / "secret/main/tasks/entry-1/private.parquet").num_rows
    assert f"Population {base:,} records" in text
    assert f"Private sample {private:,} records behind each release" in text


def test_the_matrix_as_text_has_the_rows_of_the_parquet_file(played: Folder) -> None:
    rows = list(csv.DictReader(io.StringIO((played.root / "results/matrix.csv").read_text())))
    cells = pq.read_table(played.root / "results/cells.parquet").to_pylist()
    assert [list(row) for row in rows] == [list(cell) for cell in cells]
    assert [row["entry"] for row in rows] == [cell["entry"] for cell in cells]
    assert [float(row["value"]) for row in rows] == [cell["value"] for cell in cells]


def test_real_records_are_called_real() -> None:
    text = text_of(cases.matrix(2, 2), RunFacts(), dataset={"use": "adult", "real": True})
    assert "Real records." in text
    assert "Simulated" not in text


def test_the_claimed_epsilon_stands_beside_its_entry() -> None:
    card = ReleaseCard(claim=Claim(epsilon=10, delta=1e-5))
    text = text_of(cases.matrix(2, 2), RunFacts(cards={"sanitizer-epsilon1": card}))
    assert text.count("epsilon 10, delta 1e-05, one row added or removed") == 1


def test_an_advantage_is_explained_by_people() -> None:
    cells = {("a", "x"): cases.attack(0.3)}
    text = text_of(Results((Entry("a"),), (Contestant("x"),), cells), RunFacts())
    assert 'the attacker calls 30 more "members" than of 100 people who are not' in text


def test_the_strongest_attack_is_judged_like_the_board() -> None:
    # 19 hits of 100 where blind guessing has 10: rare for one attacker, and for the best of five
    # it happens in 2 to 3 of 100 cases.
    law = BlindLaw.of_hits(20_000, 2_000, 100)
    cells = {("a", f"t{i}"): {"membership_advantage": cases.advantage(v)} for i, v in HITS}
    teams = tuple(Contestant(f"t{i}") for i, _ in HITS)
    results = Results((Entry("a"),), teams, cells, {"membership_advantage": law})
    text = text_of(results, RunFacts())
    assert 0.02 < law.at_least(0.19, 5) < 0.03
    probability = f"{law.at_least(0.19, 5):.3f}"
    assert "in membership advantage; the best of as many blind attackers" in text
    assert f"blind attackers does as well with probability {probability}" in text
    assert "4 of 5 single attacks could be luck" in text
    assert "this could be luck" not in text


HITS = list(enumerate([0.19, 0.10, 0.11, 0.09, 0.12]))


def test_places_of_an_award_are_numbered() -> None:
    score = Reading.exact(1.0, 1, "higher")
    places = [
        Place(rank=1, team="a, b", score=score),
        Place(rank=2, team="c", score=score),
    ]
    board = Board(id="b", unit="points", places=places)
    prize = Prize("Award", ("a, b", "c"), "main/b")
    assert [(w.rank, w.team) for w in winners(prize, {"main/b": board})] == [(1, "a, b"), (2, "c")]
    jury = Prize("Jury", ("c",))
    assert [(w.rank, w.team) for w in winners(jury, {})] == [(None, "c")]


def test_a_disqualified_team_has_no_dot() -> None:
    score = Reading.exact(0.0, 1, "higher")
    places = [
        Place(rank=1, team="a", score=Reading.exact(5.0, 1, "higher")),
        Place(rank=None, team="b", score=score, disqualified=True),
    ]
    view = board_view(Board(id="b", unit="points", places=places))
    assert [len(re.findall("<circle", bar)) for bar in view.bars] == [1, 0]
