"""The report of an audit in a browser: on a telephone, on paper, in the dark."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from quintain.audits.report import dossier_page, make_dossier, release_page, sanitizer_page
from tests.audits.report import audit_cases as cases
from tests.audits.report import sanitizer_cases
from tests.figures.browser import DARK, LIGHT, NEEDED, browse, height, overflow, printed_pages

pytestmark = NEEDED
WIDE = "A limit that is explained at some length, because readers have to understand it. "


@cache
def pages() -> dict[str, str]:
    return {
        "unsafe": release_page(cases.release("unsafe", 0.12)),
        "undecided": release_page(cases.undecided()),
        "hostile": release_page(cases.hostile()),
        "long": release_page(
            cases.release(
                "unsafe",
                0.02,
                reasons=(3 * WIDE,) * 6,
                limits=(3 * WIDE,) * 6,
                readings=(
                    *cases.membership(0.1),
                    *cases.others(0.1),
                    cases.finding(
                        "re-identification", "assignment", "reid", 0.2, control=cases.share(0.1)
                    ),
                ),
            )
        ),
        "dossier": dossier_page(make_dossier(cases.hostile())),
        "sanitizer": sanitizer_page(sanitizer_cases.sanitizer("unsafe", (0.1, 1.0, 10.0))),
    }


@pytest.mark.parametrize("name", ["undecided", "hostile", "long", "dossier", "sanitizer"])
def test_a_telephone_needs_no_sideways_scrolling(name: str, tmp_path: Path) -> None:
    assert overflow(pages()[name], tmp_path, 390) == 0


@pytest.mark.parametrize("name", ["unsafe", "long", "sanitizer"])
def test_a_telephone_shows_the_first_page_and_then_what_is_asked_for(
    name: str, tmp_path: Path
) -> None:
    assert height(pages()[name], tmp_path, 390) <= 12_000


def test_paper_shows_every_part(tmp_path: Path) -> None:
    path, sheets = tmp_path / "page.html", []
    for page in (pages()["unsafe"], pages()["unsafe"].replace("<details", "<details open")):
        path.write_text(page, "utf-8")
        sheets.append(printed_pages(path, tmp_path))
    assert sheets[0] == sheets[1] > 2


@pytest.mark.parametrize("name", ["long", "sanitizer"])
def test_the_first_page_is_one_sheet(name: str, tmp_path: Path) -> None:
    path = tmp_path / "front.html"
    front = re.sub(
        r"(?s)(<section class=\"front\".*?</section>).*</footer>", r"\1</main>", pages()[name]
    )
    path.write_text(front, "utf-8")
    assert printed_pages(path, tmp_path) == 1


def test_asks_for_nothing_and_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(pages()["hostile"], "utf-8")
    done = browse(path, tmp_path, "--dump-dom")
    assert "CONSOLE" not in done.stderr
    assert "<script" not in done.stdout
    assert "<img" not in done.stdout


def test_is_drawn_in_light_and_in_dark(tmp_path: Path) -> None:
    path, shots = tmp_path / "page.html", []
    path.write_text(pages()["unsafe"], "utf-8")
    for name, scheme in (("light", LIGHT), ("dark", DARK)):
        shot = tmp_path / f"{name}.png"
        browse(path, tmp_path, "--window-size=1280,2400", scheme, f"--screenshot={shot}")
        shots.append(shot.read_bytes())
        assert len(shots[-1]) > 50_000  # an empty page is far smaller
    assert shots[0] != shots[1]
