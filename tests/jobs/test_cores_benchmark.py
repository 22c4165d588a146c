"""The benchmarks of workers: sums that can be checked by hand, and a small edition."""

import pytest
from benchmarks.cores import HAND_OVER, Piece, Stage, longest_chain, main, makespan
from benchmarks.workers import Cost, digest, rows


def about(seconds):
    return pytest.approx(seconds, abs=20 * HAND_OVER)


def test_two_workers_share_equal_jobs():
    stage = Stage([Piece(str(i), 1.0) for i in range(4)], [0, 1, 2, 3])
    assert makespan(stage, 1) == about(4)
    assert makespan(stage, 2) == about(2)


def test_a_chain_takes_as_long_with_any_number_of_workers():
    stage = Stage([Piece("a", 1.0, [1]), Piece("b", 2.0, [2]), Piece("c", 3.0)], [0])
    assert makespan(stage, 64) == about(6)
    assert longest_chain([stage]) == 6


def test_what_follows_fills_the_time_of_a_slow_job():
    stage = Stage([Piece("slow", 3.0), Piece("quick", 1.0, [2]), Piece("next", 2.0)], [0, 1])
    assert makespan(stage, 2) == about(3)


@pytest.mark.slow
def test_a_small_edition_is_measured(capsys):
    main(["tiny", "--quick"])
    out = capsys.readouterr().out
    assert "tiny: " in out
    assert "in one process alone" in out
    assert " 64 workers: " in out


# --- real workers ---------------------------------------------------------------------------------


def test_the_table_compares_with_the_first_number_of_workers():
    costs = {1: Cost(wall=10.0, cpu=8.0), 2: Cost(wall=5.0, cpu=10.0)}
    assert list(rows(["tiny", "--quick"], costs)) == [
        "| `tiny --quick` | 1 | 10.0 | 1.00x | 8.0 | 1.00x |",
        "| `tiny --quick` | 2 | 5.0 | 2.00x | 10.0 | 1.25x |",
    ]


def test_two_runs_are_compared_without_what_only_saves_time(tmp_path):
    (tmp_path / ".cache").mkdir()
    (tmp_path / "results").write_text("a")
    first = digest(tmp_path)
    (tmp_path / ".cache/stamp").write_text("other")
    assert digest(tmp_path) == first
    (tmp_path / "results").write_text("b")
    assert digest(tmp_path) != first
