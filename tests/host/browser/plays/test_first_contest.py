"""Somebody without a second factor makes a first contest, which teams with synthetic data play."""

import pytest

from tests.figures.browser import NEEDED
from tests.host.browser.organiser import Organiser
from tests.host.browser.plays.dates import day
from tests.host.organising.student_table import STUDENTS, students

pytestmark = NEEDED

SIZES = {"sample.rows": "120", "sample.targets": "40"}
SYNTHETIC = {
    f"use.{name}": name in ("mst", "privbayes", "k-anonymity")
    for name in ("identity", "rr", "rank-swapping", "microaggregation", "k-anonymity")
} | {"use.mst": True, "use.privbayes": True}


@pytest.mark.slow
def test_from_the_first_page_to_an_open_contest(new_stage):
    stage = new_stage(creators="accounts")
    stage.at(day(0.5))
    olga = stage.person("Olga", Organiser)
    olga.go("/")
    olga.sign_up()
    olga.click("Make a contest")
    olga.sees("Before you make or organise a contest")
    olga.show_code_of_new_phone()
    olga.click("I have stored them")
    olga.click("Make a contest with your table")
    first = {"title": "Who was in the register?", "id": "students"}
    olga.send("Store, then: Columns", **first, file={STUDENTS: students(400)})
    olga.sees("Your table is stored.")
    olga.sees_not("Error")
    olga.send("Store, then: What attackers want")
    olga.send("Store, then: Releases", **SIZES)
    olga.page.locator("[name=who][value=everybody]").check()
    olga.send("Store, then: Utility and gates", **SYNTHETIC)

    # A gate that built-in teams miss is the first finding, and it leads to what can be done.
    olga.send("Store and try the gates", **{"use.two-way": True, "bound.two-way": "0.01"})
    olga.awaits("Rules and gates", "✕ out")
    olga.go("/organise/students/guide/rehearsal")
    olga.send("Let built-in teams play")
    olga.awaits("Synthetic data (MST)", "does not count")
    findings = olga.page.locator(".guide-finding")
    assert "does not count" in findings.first.inner_text()
    olga.sees_not("no findings")
    olga.click("Next: Check and open")
    olga.sees("must be mended")
    olga.go("/organise/students/guide/rehearsal")
    olga.click("Change the gates", within=findings.first)
    olga.send("Store and try the gates", **{"use.two-way": True, "bound.two-way": "0.9"})
    olga.awaits("✓ passes")
    olga.sees_not("✕ out")

    olga.click("Next: Dates and teams")
    dates = {
        "phase.0.opens": f"{day(1):%Y-%m-%dT%H:%M}",
        "phase.0.closes": f"{day(8):%Y-%m-%dT%H:%M}",
        "phase.1.opens": f"{day(9):%Y-%m-%dT%H:%M}",
        "phase.1.closes": f"{day(16):%Y-%m-%dT%H:%M}",
    }
    olga.page.locator("[name=registration][value=open]").check()
    olga.send("Store, then: Ranking rule", **dates)
    olga.send("Store, then: Rehearsal")
    olga.send("Play again")
    olga.awaits("Before you open", "Replace the ranges")
    olga.sees_not("does not count", "Releases that do not count", "Change the ranking rule")
    board = olga.page.get_by_role("table", name="Anonymizers").inner_text()
    for team in ("MST", "PrivBayes", "k-anonymity"):
        assert team in board
    olga.click("Next: Check and open")
    olga.send("Fix the rules and open", publish_data=True, learned=True)
    olga.sees_not("Public seed", "Fix the rules and prepare")
    olga.awaits("Your contest is open", f"{stage.site.settings.url}/contests/students")
    steps = olga.page.get_by_role("list", name="Where the contest is").get_by_role("listitem")
    assert [step.inner_text().split() for step in steps.all()] == [
        ["Prepare", "done"],
        ["Hand", "over", "next"],
        ["Freeze", "later"],
        ["Reveal", "later"],
    ]
    assert stage.complaints() == []
