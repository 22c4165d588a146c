"""The report: safe to open, the same every time, and right about luck, gates and gaps."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from dataclasses import replace
from importlib import resources

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quintain.contests.edition import Edition
from quintain.measures import Reading
from quintain.measures.privacy.roc_curve import Auc
from quintain.rankings import Contestant, Entry, Results
from quintain.runs.report import report_bytes
from tests.figures import report_cases as cases
from tests.figures.html_page import Page, check_page


def one_track(results: Results, edition: Edition | None = None) -> Page:
    return Page(report_bytes(edition or cases.edition(), {"main": results}, cases.FACTS))


SOME = cases.edition()
EVERY = {
    "nothing": (cases.edition(), {"main": Results((), (), {})}),
    "no utility": (cases.edition(utility=[]), {"main": Results((), (), {})}),
    "one": (cases.edition(), {"main": cases.matrix(1, 2)}),
    "small": (cases.edition(), {"main": cases.matrix(2, 2)}),
    "large": (cases.edition(), {"main": cases.matrix(20, 20)}),
    "awkward": (cases.edition(), {"main": cases.awkward()}),
    "two": (cases.edition(2), {"t0": cases.awkward(), "t1": cases.matrix(4, 3)}),
}


@pytest.mark.parametrize("name", EVERY)
def test_is_self_contained_and_balanced(name: str) -> None:
    edition, tracks = EVERY[name]
    content = report_bytes(edition, tracks, cases.FACTS)
    assert content == report_bytes(edition, tracks, cases.FACTS)
    check_page(content)


def test_policy_names_the_style() -> None:
    content = report_bytes(cases.edition(), {"main": cases.matrix(3, 3)}, cases.FACTS).decode()
    style = content.split("<style>")[1].split("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = next(
        attrs["content"]
        for _, attrs in Page(content.encode()).tags
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert policy.split("; ")[:2] == ["default-src 'none'", f"style-src 'sha256-{digest}'"]
    assert not re.search(r"url\(|@import|expression", style)


def test_hostile_names_are_only_text() -> None:
    edition = cases.edition(
        title="<script>alert(2)</script>",
        description='"><svg onload=alert(3)>',
        board=[{"id": "b", "title": "</table><script>", "use": "count-wins"}],
    )
    page = one_track(cases.awkward(), edition)
    for name in (*cases.HOSTILE[:4], "<script>alert(2)</script>", "</table><script>"):
        assert name.strip() in page.text()
    assert "turned \ufffd around \ufffd \ufffd" in page.text()
    assert "<i>bad</i>" in page.text()
    assert "no <b>records</b> left" in page.text()
    titles = Counter(tag for tag, _ in page.tags)
    assert titles["b"] == titles["i"] == 0


def test_cells_are_drawn_or_hatched() -> None:
    full = cases.matrix(3, 3)
    remaining = {key: value for key, value in full.cells.items() if key[1] != "team1"}
    remaining["sanitizer-epsilon0", "team1"] = cases.attack(0.5)
    page = one_track(replace(full, cells=remaining))
    # Two cells, and the sign in the legend.
    assert page.count("missing") == 3
    assert "2 of 9 pairs of entry and attacker were not attacked." in page.text()
    titles = {attrs.get("title") for _, attrs in page.tags}
    assert "Team number 1 on sanitizer-epsilon2\nnot attacked" in titles


def test_twenty_by_twenty_has_every_cell() -> None:
    page = one_track(cases.matrix(20, 20))
    filled = sum(
        bool(re.match(r"leak-\d|under-\d", attrs.get("class") or ""))
        for tag, attrs in page.tags
        if tag == "td"
    )
    assert filled == 400
    assert "Points carry the short labels of the tables below." in page.text()


def test_infinite_and_missing_figures_are_told() -> None:
    page = one_track(cases.awkward())
    assert "∞" in page.text()
    assert "−∞" in page.text()
    assert "not measured: all targets are of one class <b>" in page.text()
    # The worst attack on t0 is infinite, and so is that of the summary.
    assert "scored ∞ in membership advantage" in page.text()


def test_several_tracks_have_contents() -> None:
    tracks = {"t0": cases.matrix(2, 2), "t1": cases.matrix(3, 3)}
    page = Page(report_bytes(cases.edition(2), tracks, cases.FACTS))
    assert [a["href"] for t, a in page.tags if t == "a"][:2] == ["#track-1", "#track-2"]
    assert "nav" not in {tag for tag, _ in one_track(cases.matrix(2, 2)).tags}


def test_provenance_and_rehearsal() -> None:
    tracks = {"main": cases.matrix(2, 2)}
    real = Page(report_bytes(cases.edition(), tracks, cases.FACTS)).text()
    test = Page(report_bytes(cases.edition(), tracks, cases.FACTS | {"test": True})).text()
    for text in ("ab" * 32, "cd" * 32, "0" * 64, "quintain verify FOLDER"):
        assert text in real
    assert "nothing here protects anybody" in test
    assert "nothing here protects anybody" not in real


@pytest.mark.parametrize(("attackers", "folded"), [(30, 0), (31, 1)])
def test_a_board_with_more_than_30_teams_is_folded(attackers: int, folded: int) -> None:
    content = report_bytes(cases.edition(), {"main": cases.matrix(2, attackers)}, cases.FACTS)
    assert Page(content).open == []
    titles = re.findall(r"<summary><bdi>Attackers</bdi>: all (\d+) teams", content.decode())
    assert titles == ["31"] * folded
    standings = content.decode().split("<h3>Standings</h3>")[1].split("<h3>")[0]
    assert standings.count("<details>") == standings.count("</details>") == folded


def test_gates_are_shown_and_judged() -> None:
    # one_way is 0.3, 0.2 * ... with the gate at 0.2: by (1 - i/4)^3 * 0.3 = .3, .127, .0375, .005
    page = one_track(cases.matrix(4, 3))
    assert page.text().count("✕ fails") == 1
    assert page.text().count("✓ passes") == 3
    assert page.text().count("✓ yes") == 3
    assert page.count("gate") == 2  # the line and its text
    assert "is disqualified: one_way is 0.3, must be at most 0.2" in page.text()
    assert "1 entry was disqualified" in page.text()


def test_says_where_luck_is_known_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Auc, "chance", {})  # a measure that does not say what chance is
    edition = cases.edition(
        privacy=[{"use": "auc"}], board=[{"id": "b", "use": "mean", "measure": "auc"}]
    )
    full = cases.matrix(2, 3)
    assert (
        "do not differ clearly from the blind guesses of Blind" in one_track(full, edition).text()
    )
    alone = {key: cell for key, cell in full.cells.items() if key[1] != "blind"}
    seen = one_track(replace(full, cells=alone), edition).text()
    assert "What blind guessing would give is not known" in seen


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_everything_can_be_read_in_light_and_in_dark() -> None:
    """Every text has the contrast that WCAG 2 asks for at level AA."""
    style = (resources.files("quintain.figures.page") / "base.css").read_text("utf-8")
    light, dark = (
        dict(re.findall(r"--([a-z0-9-]+): (#\w{6});", b)) for b in style.split("@media")[:2]
    )
    assert light.keys() == dark.keys()
    for theme in (light, dark):
        on = {0: "on-pale", 1: "on-pale", 2: "on-pale", 4: "on-strong", 5: "on-strong"}
        for name, colour in theme.items():
            if name.startswith(("leak-", "under-")):
                step = int(name[-1])
                text = theme[on[step]] if step in on else "#14181f"
                assert _contrast(text, colour) >= 4.5, name
        for name in ("ink", "soft", "accent", "good", "bad"):
            assert _contrast(theme[name], theme["card"]) >= 4.5, name
            assert _contrast(theme[name], theme["page"]) >= 4.5, name
        assert _contrast(theme["warn-ink"], theme["warn-page"]) >= 4.5


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@example(0.0, 0.0, 5e-324, "higher")
@given(st.floats(), st.floats(), st.floats(), st.sampled_from(["higher", "lower"]))
def test_no_figure_breaks_the_page(value: float, low: float, high: float, better: str) -> None:
    reading = Reading.model_validate(
        {"value": value, "low": low, "high": high, "n": 1, "better": better}
    )
    entry = Entry("a", None, {"one_way": reading, "two_way": reading})
    cells = {("a", "x"): {"membership_advantage": reading, "auc": reading}}
    page = one_track(Results((entry,), (Contestant("x"),), cells), SOME)
    assert "nan" not in page.text().lower().split()
