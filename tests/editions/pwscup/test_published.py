"""Published rankings of the PWS Cup, computed again by its editions and nothing else.

The figures of 2023 are from the results page of the contest (iwsec.org/pws/2023/cup23.html): the
utility and the safety of every table, and the value of every attack. Those of 2024 are the scores
after the anonymization phase of the national preliminary round and of the international contest
(iwsec.org/pws/2024, iwsec.org/pws/ipws2024).
"""

import csv
from pathlib import Path

import pytest

from quintain.contests import load
from quintain.runs.play import play
from quintain.runs.standalone.matrix import rank_matrix
from quintain.runs.verification.verify import verify

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples/pwscup"


def published(name):
    with (HERE / name).open() as file:
        return list(csv.DictReader(file))


def utilities(path, rows, *names):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["entry", *names])
        writer.writerows([row["team"], *(row[name] for name in names)] for row in rows)
    return path


def ranked_2023(round, tmp_path):
    edition, rows = load(EXAMPLES / "2023.toml"), published(f"2023_{round}_published.csv")
    return rows, rank_matrix(
        edition,
        edition.track_by_id(round),
        HERE / f"2023_{round}_attacks.csv",
        utility=utilities(tmp_path / "utility.csv", rows, "utility"),
    )


@pytest.mark.parametrize("round", ["pre", "main"])
@pytest.mark.parametrize("board", ["anonymizer", "attacker"])
def test_the_boards_of_2023(round, board, tmp_path):
    rows, done = ranked_2023(round, tmp_path)
    found = next(one for one in done.boards if one.id == f"{board}s")
    for row in rows:
        place = found.place_of(row["team"])
        # The published scores are cut or rounded to five digits, like the figures behind them.
        assert place.score.value == pytest.approx(float(row[board]), abs=1.1e-5), row
        assert place.rank == int(row[f"{board}_rank"]), row


def test_the_overall_winners_of_2023(tmp_path):
    _, done = ranked_2023("main", tmp_path)
    first = [place.team for place in done.overall[0].places if place.rank <= 3]
    assert first == ["04", "05", "02"]


@pytest.mark.parametrize("name", ["2024_published.csv", "2024_international_published.csv"])
def test_the_scores_of_2024_before_the_attacks(name, tmp_path):
    edition, rows = load(EXAMPLES / "2024.toml"), published(name)
    marks = utilities(tmp_path / "marks.csv", rows, "U", "sample_anonymity")
    board = rank_matrix(edition, edition.track[0], None, utility=marks).boards[0]
    for row in rows:
        assert board.score_of(row["team"]).value == pytest.approx(float(row["score"]), abs=1e-9)
    order = sorted(rows, key=lambda row: (-float(row["score"]), row["team"]))
    assert [place.team for place in board.places] == [row["team"] for row in order]


SMALL = {
    "2021": {},
    "2023": {"sample": {"rows": 60}},
    "2024": {"sample": {"targets": 20, "background": 40}},
}


@pytest.mark.slow
@pytest.mark.parametrize("year", SMALL)
def test_an_edition_is_played_and_verified(year, tmp_path):
    edition = load(EXAMPLES / f"{year}.toml", overrides=SMALL[year])
    folder = play(edition, tmp_path / "run", seed=7)
    assert not verify(folder).problems
