"""The main pages look as they did; after a change that is meant, ``make pictures`` renews them."""

import os
from pathlib import Path

import numpy as np
import pytest

from tests.figures.browser import NEEDED
from tests.host.browser.pictures.camera import PAGES, SCHEMES, WIDTHS, Camera
from tests.host.browser.pictures.picture import (
    MOST,
    compare,
    differing_share,
    read_picture,
    write_picture,
)

pytestmark = NEEDED

KEPT = Path(__file__).parent / "kept"
RENEW = "QUINTAIN_RENEW_PICTURES"

FAULTS = {
    "the style sheet is lost": "document.querySelector('link[rel=stylesheet]').remove()",
    "the matrix has no colours": """
        for (const cell of document.querySelectorAll(".heat td")) cell.className = "";
        for (const box of document.querySelectorAll(".legend g")) box.removeAttribute("class")""",
    "the matrix is missing": "document.querySelector('table.heat').remove()",
    "the tabs are missing": "document.querySelector('.contest-bar').remove()",
    "the words are missing": "document.querySelector('main section > p').remove()",
    "the columns are in disorder": """
        for (const row of document.querySelectorAll(".heat tr"))
          row.append(...[...row.cells].reverse())""",
}
"""What a test of pictures must see, done to the page of the matrix."""

HARMLESS = {
    "another font": "* { font-family: monospace }",
    "fields of another browser": "input, button, select, textarea { margin-bottom: 1px }",
    "letters with other edges": "* { letter-spacing: .1px }",
    "lines of another machine": "section { border-width: 1.5px }",
}
"""What differs from machine to machine."""


def kept(name: str) -> Path:
    """The file with the kept picture."""
    return KEPT / f"{name}.png"


@pytest.fixture(scope="module")
def camera(shown, chromium):
    camera = Camera(shown, chromium)
    yield camera
    camera.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_page_looks_as_it_did(camera, name, tmp_path):
    pictures = dict(camera.pictures(name))
    if os.environ.get(RENEW):
        for each, picture in pictures.items():
            write_picture(kept(each), picture)
        return
    different = compare(pictures, kept)
    for each in different:
        write_picture(tmp_path / f"{each}.png", pictures[each])
    assert not different, (
        f"these pages look different (share of the picture): {different}. The new pictures are in "
        f"{tmp_path}, the kept ones in {KEPT}. If the change is meant, run: make pictures"
    )


@pytest.fixture(scope="module")
def shares(camera):
    """A function that does something to a page, and says which share of each picture differs."""

    def measure(name: str, script: str = "", css: str = "") -> dict[str, float]:
        page = camera.open(name)
        if css:
            page.add_style_tag(content=css)
        if script:
            page.evaluate(f"() => {{ {script} }}")
        found = {}
        for width, scheme in (("wide", "light"), ("narrow", "dark")):
            known = read_picture(kept(f"{name}-{width}-{scheme}"))
            found[f"{width} {scheme}"] = differing_share(known, camera.take(page, width, scheme))
        page.close()
        return found

    return measure


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(shares, fault):
    found = shares("matrix", FAULTS[fault])
    assert min(found.values()) > MOST, found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["draft", "steps"])
def test_a_missing_block_is_found(shares, name):
    found = shares(name, "[...document.querySelectorAll('main section')].at(-1).remove()")
    assert min(found.values()) > MOST, found


@pytest.mark.slow
def test_lost_dark_colours_are_found():
    for name in PAGES:
        for width in WIDTHS:
            light, dark = (read_picture(kept(f"{name}-{width}-{scheme}")) for scheme in SCHEMES)
            assert differing_share(dark, light) > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("difference", HARMLESS)
def test_what_differs_between_machines_is_not_a_fault(shares, difference):
    found = shares("submit", css=HARMLESS[difference])
    assert max(found.values()) <= MOST, found


@pytest.mark.slow
def test_a_picture_is_read_as_it_was_written(tmp_path):
    picture = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    write_picture(tmp_path / "small.png", picture)
    assert np.array_equal(read_picture(tmp_path / "small.png"), picture)


@pytest.mark.slow
def test_every_kept_picture_is_small_and_belongs_to_a_page():
    names = {f"{n}-{w}-{s}.png" for n in PAGES for w in WIDTHS for s in SCHEMES}
    assert {path.name for path in KEPT.iterdir()} == names
    assert max(path.stat().st_size for path in KEPT.iterdir()) < 5_000
