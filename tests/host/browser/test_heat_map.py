"""Heat maps of the site say what a cell says, to a pointer and to the arrow keys."""

import json
import re

import pytest

from quintain.figures.heat_map import colours_of, light_heat_map, overview
from quintain.figures.matrix import entry_name
from quintain_host.web.security.middleware import POLICY
from quintain_host.web.static_files import FOLDER, static
from tests.figures import report_cases as cases
from tests.figures.browser import NEEDED
from tests.host.browser.shown_site import OVER

pytestmark = NEEDED

LARGE = """<!doctype html><title>Large</title><link rel="stylesheet" href="{style}">
<script src="{script}" defer data-pair="{{attacker}} on {{entry}}" data-luck="could be luck"
data-span="interval: {{low}} to {{high}}" data-missing="not attacked or not measured"></script>
<div data-matrix="/large.json" data-rows="{rows}" data-columns="{columns}">{drawn}</div>{table}"""


@pytest.fixture
def matrix(shown):
    """The page of the matrix of a contest that is over, on a dark desk."""
    person = shown.person()
    person.complaints.clear()
    person.page.set_viewport_size({"width": 1280, "height": 800})
    person.page.emulate_media(color_scheme="dark")
    person.go(f"/contests/{OVER}/matrix")
    yield person.page
    assert person.complaints == []


def note(page):
    """What the box beside a cell says."""
    return page.locator(".cell-note").inner_text()


def spoken(page):
    """What the live region says."""
    return page.get_by_role("status").inner_text()


@pytest.mark.slow
def test_a_cell_says_its_row_its_column_and_its_figures(matrix):
    cell = matrix.locator(".heat td.luck").first
    reading = cell.get_attribute("data-title")
    assert matrix.locator(".cell-note").is_hidden()
    cell.hover()
    lines = note(matrix).splitlines()
    row = cell.locator("xpath=../th").inner_text()
    assert lines[0].endswith(f" on {row.removeprefix('✕ ')}")
    assert re.fullmatch(r"0\.\d+ \(0\.\d+ to 0\.\d+\)", reading)
    assert lines[1] == f"hit rate {reading}"
    assert re.fullmatch(r"95\s% interval( \(.*\))?; \d+ observations", lines[2])
    assert lines[3:] == ["could be luck"]
    heads = matrix.locator(".heat th.at").all_inner_texts()
    assert len(heads) == 2 and lines[0] == f"{heads[0]} on {heads[1].removeprefix('✕ ')}"
    matrix.mouse.move(2, 2)
    assert matrix.locator(".cell-note").is_hidden()
    assert matrix.locator(".heat th.at").count() == 0


@pytest.mark.slow
def test_the_note_can_be_read_and_stays_in_the_window(matrix):
    for cell in (matrix.locator(".heat td").first, matrix.locator(".heat td").last):
        cell.hover()
        box = matrix.locator(".cell-note").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 1280
        assert box["y"] >= 0 and box["y"] + box["height"] <= 800
    colours = matrix.locator(".cell-note").evaluate(
        "node => [getComputedStyle(node).backgroundColor, getComputedStyle(node).color]"
    )
    assert colours == ["rgb(25, 31, 39)", "rgb(230, 233, 238)"]


@pytest.mark.slow
def test_the_arrow_keys_walk_through_the_cells(matrix):
    rows = matrix.locator(".heat tbody tr").count()
    columns = matrix.locator(".heat thead th").count() - 1
    cells = [
        [matrix.locator(".heat tbody tr").nth(i).locator("td").nth(j) for j in range(columns)]
        for i in range(rows)
    ]
    names = matrix.locator(".heat thead bdi").all_inner_texts()
    entries = matrix.locator(".heat tbody bdi").all_inner_texts()
    matrix.get_by_role("region", name="Table of hit rate").focus()
    matrix.keyboard.press("Tab")
    steps = [
        ("", 0, 0),
        ("ArrowRight", 0, 1),
        ("ArrowDown", 1, 1),
        ("ArrowDown", rows - 1, 1),
        ("ArrowLeft", rows - 1, 0),
        ("ArrowLeft", rows - 1, 0),
        ("End", rows - 1, columns - 1),
        ("Control+Home", 0, 0),
        ("ArrowUp", 0, 0),
    ]
    for key, row, column in steps:
        if key:
            matrix.keyboard.press(key)
        assert cells[row][column].evaluate("node => node === document.activeElement"), key
        assert note(matrix).splitlines()[0] == f"{names[column]} on {entries[row]}", key
        assert spoken(matrix) == note(matrix).replace("\n", "; ")
    matrix.keyboard.press("Escape")
    assert matrix.locator(".cell-note").is_hidden()
    matrix.keyboard.press("ArrowRight")
    matrix.keyboard.press("Tab")  # one stop of the tab key for the whole table
    assert not matrix.locator(".heat td:focus").count()
    matrix.keyboard.press("Shift+Tab")
    assert spoken(matrix).startswith(f"{names[1]} on {entries[0]}; ")


@pytest.mark.slow
def test_a_large_matrix_is_pointed_at_in_its_picture(shown):
    person = shown.person()
    person.complaints.clear()
    page = person.page
    large = cases.first_matrix(cases.matrix(60, 30))
    colours = colours_of(large)
    drawn = overview(large, colours, "large")
    attackers = [large.names[attacker.id] for attacker in large.attackers]
    entries = [entry_name(entry, large.names) for entry in large.entries]
    grid = large.grid
    cells = [
        (j, i, grid.value[i, j], grid.low[i, j], grid.high[i, j])
        for i in range(len(entries))
        for j in range(len(attackers))
    ]
    html = LARGE.format(
        style=static("style.css"),
        script=static("heat_map.js"),
        rows=" ".join(map(str, drawn.rows)),
        columns=" ".join(map(str, drawn.columns)),
        drawn=drawn.drawn,
        table=light_heat_map(drawn.shown, colours),
    )
    figures = {
        "measure": large.name,
        "attackers": attackers,
        "entries": entries,
        "cells": cells,
        "luck": [],
    }
    policy = {"Content-Security-Policy": POLICY}
    page.route(
        "**/large.json",
        lambda route: route.fulfill(body=json.dumps(figures), content_type="application/json"),
    )
    page.route(
        "**/large",
        lambda route: route.fulfill(body=html, content_type="text/html", headers=policy),
    )
    page.goto("/large")
    box = page.locator("svg.overview").bounding_box()
    width, height = box["width"] / len(attackers), box["height"] / len(entries)
    page.mouse.move(box["x"] + 2.5 * width, box["y"] + 1.5 * height)
    page.locator(".cell-note").wait_for()
    row, column = drawn.rows[1], drawn.columns[2]
    lines = note(page).splitlines()
    assert lines[0] == f"{attackers[column]} on {entries[row]}"
    assert lines[1].startswith(f"membership advantage {grid.value[row, column]:.3f}".rstrip("0"))
    assert lines[2].startswith("interval: ")
    page.locator("svg.overview").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("ArrowDown")
    first = f"{attackers[drawn.columns[0]]} on {entries[drawn.rows[1]]}"
    page.get_by_role("status").filter(has_text=first).wait_for(state="attached")
    page.locator(".heat tbody tr").first.locator("td").first.hover()
    assert note(page).startswith(f"{attackers[drawn.columns[0]]} on {entries[drawn.rows[0]]}\n")
    page.unroute("**/large.json")
    page.unroute("**/large")
    assert person.complaints == []


@pytest.mark.slow
def test_the_script_is_small():
    assert (FOLDER / "heat_map.js").stat().st_size < 10_000
    assert sum(file.stat().st_size for file in FOLDER.rglob("*.js")) < 70_000
