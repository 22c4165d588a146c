"""Files without a folder: what is wrong with a guess or a matrix is said with its place."""

import pytest

from tests.cli.command_cases import refusal


@pytest.mark.parametrize(
    ("rows", "sentences"),
    [
        ("a,0.5\n", ["g.csv: has 1 row; expected 2"]),
        ("a,0.5\nz,0.5\n", ["g.csv:3 target='z': no such target", "(1 not answered: b)"]),
        ("a,0.5\na,0.5\nb,0.5\n", ["g.csv:3 target='a': answered before, on line 2"]),
    ],
)
def test_measure_refuses_a_guess_that_does_not_answer_the_truth(tmp_path, capsys, rows, sentences):
    truth, guess = tmp_path / "t.csv", tmp_path / "g.csv"
    truth.write_text("target,member\na,1\nb,0\n")
    guess.write_text("target,probability\n" + rows)
    error = refusal(capsys, "measure", "tiny", "--truth", truth, "--guess", guess)
    assert [sentence for sentence in sentences if sentence not in error] == []


def test_measure_names_wrong_targets_beside_a_cell_that_cannot_be_read(tmp_path, capsys):
    truth, guess = tmp_path / "t.csv", tmp_path / "g.csv"
    truth.write_text("target,member\na,1\nb,0\n")
    guess.write_text("target,probability\na,high\nz,0.5\n")
    error = refusal(capsys, "measure", "tiny", "--truth", truth, "--guess", guess)
    assert "g.csv:2 probability='high': expected a number" in error
    assert "g.csv:3 target='z': " in error


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff,a\nred,1\n", "m.csv: cannot be read as CSV"),
        (b",a,a\nred,1,2\n", "m.csv 'a': this entry appears twice"),
        (b",a\nred,1\nred,2\n", "m.csv 'red': this attacker appears twice"),
        (b",a\nred,nan\n", "m.csv:2 a='nan': expected a number"),
        (b",a\nred,inf\n", "m.csv:2 a='inf': expected a number"),
    ],
)
def test_rank_refuses_odd_matrices_in_words(tmp_path, capsys, content, sentence):
    (tmp_path / "m.csv").write_bytes(content)
    assert sentence in refusal(capsys, "rank", "tiny", "--cells", tmp_path / "m.csv")


def test_rank_names_entries_without_a_line_of_utility(tmp_path, capsys):
    matrix, utility = tmp_path / "cells.csv", tmp_path / "utility.csv"
    matrix.write_text(",a,b\nred,0.1,0.2\n")
    utility.write_text("entry\na\n")
    error = refusal(capsys, "rank", "tiny", "--cells", matrix, "--utility", utility)
    assert "utility.csv 'b': this entry of the matrix has no line here" in error
