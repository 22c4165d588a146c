"""The audit in a notebook: frames in, a verdict and frames out."""

import json

import pandas as pd
import polars as pl
import pytest

import quintain as q
from quintain.data.frames import to_pandas, to_polars
from tests.audits.audit_tables import three


@pytest.fixture(scope="module")
def tables():
    original, strangers, control = three(120)
    return original, original.take(range(100)).concat(strangers.take(range(20))), control


@pytest.fixture(scope="module")
def audited(tables):
    frames = [to_pandas(table) for table in tables]
    frames[0].insert(0, "odd name; =1", range(len(frames[0])))
    return q.audit(*frames, seed=3, permutations=199)


@pytest.mark.slow
def test_the_verdict_and_its_numbers_are_at_hand(audited):
    assert audited.verdict == "unsafe"
    assert audited.p == 1 / 200
    assert audited.exposed_share.low > 0.2
    assert audited.nameable_records.low >= 10
    assert audited.reasons and audited.limits and audited.readings
    assert "unsafe" in repr(audited)
    assert any("odd name; =1" in one.what for one in audited.not_computed)


@pytest.mark.slow
def test_readings_become_a_frame_of_the_same_library(audited, tables):
    frame = audited.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert {"membership", "inference", "utility"} <= set(frame["about"])
    assert (frame["low"] <= frame["value"] + 1e-9).all()
    polars = q.audit(*map(to_polars, tables[:2]))
    assert isinstance(polars.to_frame(), pl.DataFrame)
    assert polars.p is None


@pytest.mark.slow
def test_the_report_and_the_numbers_are_saved(audited, tmp_path):
    audited.save(tmp_path / "report.html")
    audited.save(tmp_path / "audit.json")
    assert "<html" in (tmp_path / "report.html").read_text()
    assert json.loads((tmp_path / "audit.json").read_text()) == json.loads(audited.to_json())
    assert (tmp_path / "report.html").stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_a_notebook_shows_the_verdict(audited):
    shown = audited._repr_html_()
    assert audited.reasons[0].split()[0] in shown
    assert "<table" in shown
