"""The benchmark of a crowd works, with a crowd of three."""

from argparse import Namespace
from collections import Counter

import pytest
from benchmarks.host.crowd.visits import PAGES, UPLOAD, form, plan
from benchmarks.host.load import measure


@pytest.mark.slow
def test_a_small_crowd(tmp_path, capsys):
    given = Namespace(seconds=3.0, teams=3, first=1, rate=4.0, workers=1, database="")
    tally = measure(tmp_path / "site", given)
    assert tally.errors == []
    assert len(tally.seconds[UPLOAD]) == 3
    output = capsys.readouterr().out
    assert "not offered" not in output
    assert "upload to board" in output


def test_one_visit_per_second_is_an_upload():
    kinds = list(PAGES)
    planned = list(plan(kinds, 10, 20))
    counts = Counter(kind for _, kind in planned)
    assert len(planned) == 200
    assert counts[UPLOAD] == 10
    assert planned == list(plan(kinds, 10, 20))
    assert set(counts) == {*kinds, UPLOAD}


def test_the_body_of_an_upload():
    body, kind = form(b"content")
    edge = kind.partition("boundary=")[2].encode()
    assert body.startswith(b"--" + edge)
    assert body.endswith(b"content\r\n--" + edge + b"--\r\n")
