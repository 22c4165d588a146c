"""Large matrices: one picture of all cells, and the extremes in figures."""

from __future__ import annotations

import re

from quintain.figures.heat_map import (
    SHOWN,
    colours_of,
    heat_map,
    is_large,
    light_heat_map,
    overview,
)
from quintain.rankings import Contestant, Entry, Results
from tests.figures import report_cases as cases


def test_a_matrix_is_large_above_1200_cells() -> None:
    assert not is_large(cases.first_matrix(cases.matrix(30, 40)))
    assert is_large(cases.first_matrix(cases.matrix(30, 41)))


def test_the_picture_has_every_cell_once() -> None:
    matrix = cases.first_matrix(cases.matrix(30, 41))
    drawn = overview(matrix, colours_of(matrix), "big").drawn
    widths = [int(width) for width in re.findall(r"M\d+ \d+h(\d+)v1h", drawn)]
    assert sum(widths) == 30 * 41
    # 41 columns on 900 points would be wider than the largest square: each square has 12 points.
    assert f'width="{41 * 12}" height="{30 * 12}"' in drawn
    assert len(re.findall("<path", drawn)) <= 11  # one per colour


def test_the_part_in_figures_holds_the_worst_entries_and_the_strongest_attackers() -> None:
    entries = tuple(Entry(f"e{i:02}") for i in range(40))
    teams = tuple(Contestant(f"t{j:02}") for j in range(40))
    # The later the entry and the later the attacker, the more was found out.
    cells = {
        (entry.id, team.id): cases.attack(0.01 * i + 0.001 * j)
        for i, entry in enumerate(entries)
        for j, team in enumerate(teams)
    }
    matrix = cases.first_matrix(Results(entries, teams, cells))
    shown = overview(matrix, colours_of(matrix), "big").shown
    assert [entry.id for entry in shown.entries] == [f"e{i:02}" for i in range(39, 39 - SHOWN, -1)]
    assert [team.id for team in shown.attackers] == [f"t{j:02}" for j in range(39, 39 - SHOWN, -1)]


def test_a_light_table_of_thirty_teams_leaves_room_for_its_page() -> None:
    matrix = cases.first_matrix(cases.matrix(30, 30))
    colours = colours_of(matrix)
    light, full = light_heat_map(matrix, colours), heat_map(matrix, colours)
    assert len(light.encode()) < 70_000 < len(full.encode()) / 2
    assert 'data-measure="membership advantage"' in light
    assert 'data-usual="95\xa0% interval (by hand); 400 observations"' in light


def test_a_light_table_says_what_the_other_one_says() -> None:
    matrix = cases.first_matrix(cases.awkward())
    colours = colours_of(matrix)
    light, full = (draw(matrix, colours) for draw in (light_heat_map, heat_map))
    without_titles = [re.sub(r' (title|data-[a-z]+)="[^"]*"', "", html) for html in (light, full)]
    assert without_titles[0] == without_titles[1]


def test_a_cell_that_rests_on_less_says_so() -> None:
    cells = {
        (f"e{i}", "t"): {"membership_advantage": cases.advantage(0.1 * i, n=400 - 100 * (i == 2))}
        for i in range(3)
    }
    entries = tuple(Entry(f"e{i}") for i in range(3))
    matrix = cases.first_matrix(Results(entries, (Contestant("t"),), cells))
    light = light_heat_map(matrix, colours_of(matrix))
    titles = re.findall(r'<td class="[^"]*" title="([^"]*)"', light)
    assert titles[0] == "0 (−0.100 to 0.100)"
    assert titles[2] == "0.200 (0.100 to 0.300)&#10;95\xa0% interval (by hand); 300 observations"
