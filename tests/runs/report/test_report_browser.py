"""The report in a browser: it is drawn, asks for nothing and complains about nothing."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

import pytest

from quintain.runs.report import report_bytes
from tests.figures import report_cases as cases
from tests.figures.browser import DARK, LIGHT, NEEDED, browse

pytestmark = NEEDED


def requests_of_the_page(log: Path) -> list[str]:
    """Addresses that were asked for; what the browser asks for by itself has no origin."""
    findings = json.loads(log.read_text("utf-8"))
    start = findings["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    jobs = [event.get("params", {}) for event in findings["events"] if event["type"] == start]
    return [job["url"] for job in jobs if job.get("initiator", "not an origin") != "not an origin"]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    tracks = {"t0": cases.awkward(), "t1": cases.matrix(8, 6)}
    path = tmp_path / "report.html"
    path.write_bytes(report_bytes(cases.edition(2), tracks, cases.FACTS))
    return path


def test_asks_for_nothing_and_says_nothing(page: Path, tmp_path: Path) -> None:
    log = tmp_path / "net.json"
    done = browse(page, tmp_path, f"--log-net-log={log}", "--dump-dom")
    assert requests_of_the_page(log) == []
    assert "CONSOLE" not in done.stderr
    assert len(re.findall(r'<table class="heat"', done.stdout)) == 2
    assert len(re.findall(r'<svg class="plot"', done.stdout)) == 4
    assert "<script" not in done.stdout
    assert "<img" not in done.stdout


def test_the_log_would_have_shown_requests_and_complaints(page: Path, tmp_path: Path) -> None:
    log, style = tmp_path / "net.json", 'style="color: red"'
    text = page.read_text("utf-8").replace("<header>", f"<header {style}>")
    page.write_text(text, "utf-8")
    assert "CONSOLE" in browse(page, tmp_path, "--dump-dom").stderr
    page.write_text('<!DOCTYPE html><img src="http://127.0.0.1:9/x.png">', "utf-8")
    browse(page, tmp_path, f"--log-net-log={log}", "--dump-dom")
    assert requests_of_the_page(log) == ["http://127.0.0.1:9/x.png"]


def test_is_drawn_in_light_and_in_dark(page: Path, tmp_path: Path) -> None:
    shots = []
    for name, scheme in (("light", LIGHT), ("dark", DARK)):
        path = tmp_path / f"{name}.png"
        browse(page, tmp_path, "--window-size=1280,2400", scheme, f"--screenshot={path}")
        shots.append(path.read_bytes())
        assert struct.unpack(">II", shots[-1][16:24]) == (1280, 2400)
        assert len(shots[-1]) > 50_000  # an empty page is far smaller
    assert shots[0] != shots[1]
