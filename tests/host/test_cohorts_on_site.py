"""Cohorts on a site: a team sees its own, and everybody those of the teams on the boards."""

import re

from quintain_host.intake.intake import take
from tests.host import contest_on_site as contest
from tests.host.teams.browsers import browser

TEXT = (
    """format = "quintain.edition/1"
id = "apart"
title = "Two cohorts"
cohorts = { names = ["east", "west"] }
goal = { use = "membership" }
dataset = { use = "adult", rows = 400 }
sample = { use = "targets", targets = 16, background = 40 }
knowledge = { gives = ["methods"] }
rule = [{ use = "rows", least = 10, most = 100 }]
privacy = [{ use = "auc" }]
utility = [{ use = "marginals", ways = 1 }]
board = [{ id = "defenders", title = "Defenders", use = "defence", measure = "auc" }]
baseline = [{ id = "nearest", attack = "nearest" }]

"""
    + contest.PHASES
)


def test_a_cohort_stands_on_the_page_of_its_team_in_the_list_and_on_the_boards(one_site):
    site = one_site
    edition = contest.prepared(site, TEXT)
    teams = {name: contest.team(site, edition, name) for name in ("red", "blue")}
    cohorts = {one.id: one.cohort for one in site.folder(edition).state().roster.entrants}
    assert set(cohorts) == set(teams) and set(cohorts.values()) <= {"east", "west"}
    red, root = browser(site, "red"), f"/contests/{edition}"
    assert f"<strong>{cohorts['red']}</strong>" in red.get(f"{root}/team").text
    assert red.get(f"/api/editions/{edition}/team").json()["cohort"] == cohorts["red"]
    listed = red.get(f"{root}/teams").text
    assert "Cohort" in listed
    assert [cohorts[name] for name in teams] == re.findall(
        r'<td data-label="Cohort">(east|west)</td>', listed
    )
    for name, captain in teams.items():
        take(site, captain, edition, contest.release(site, edition, name, rows=45))
    contest.drain(site)
    for day, step in ((10, "hand-over"), (21, "reveal")):
        site.clock.set(contest.at(day))
        contest.request(site, edition, "scoring", step)
        contest.drain(site)
    shown = re.findall(r'<span class="tag">(east|west)</span>', red.get(f"{root}/standings").text)
    assert sorted(shown) == sorted(cohorts.values())
