"""An organiser makes a contest on a table of their own in the browser, and sees no TOML."""

import pytest

from tests.figures.browser import NEEDED
from tests.host.browser.plays.dates import day
from tests.host.organising.student_table import STUDENTS, students

pytestmark = NEEDED

SIZES = {"sample.rows": "60", "sample.targets": "20"}


@pytest.mark.slow
def test_a_contest_on_an_own_table(new_stage):
    stage = new_stage()
    stage.at(day(0.5))
    olga = stage.organiser("Olga")
    olga.go("/organise")
    olga.click("Make a contest")
    olga.click("Make a contest with your table")
    first = {"title": "Who was in the register?", "id": "students"}
    olga.send("Store, then: Columns", **first, file={STUDENTS: students()})
    olga.sees("no text appears twice", "learned from your people", "What becomes public, and when")
    ages = {"column.1.low": "16", "column.1.high": "99"}
    olga.send("Store, then: What attackers want", **ages)
    olga.send("Store, then: Releases", **SIZES)
    olga.send("Store, then: Utility and gates", **{"use.microaggregation": False})
    olga.send("Store and try the gates", **{"use.one-way": True, "bound.one-way": "0.4"})
    olga.awaits("Rank swapping" if "Rank swapping" in olga.text else "rank-swapping", "passes")
    olga.click("Next: Dates and teams")
    dates = {
        "phase.0.opens": f"{day(1):%Y-%m-%dT%H:%M}",
        "phase.0.closes": f"{day(8):%Y-%m-%dT%H:%M}",
    }
    olga.page.locator("[name=registration][value=open]").check()
    olga.send("Store, then: Ranking rule", **dates)
    olga.send("Store, then: Rehearsal")
    olga.send("Let built-in teams play")
    olga.awaits("Before you open", "Replace the ranges", "Exact match")
    olga.click("Next: Check and open")
    olga.sees("everybody", "It was rehearsed as it is now.")
    olga.sees_not("[[", "use =", "TOML")
    olga.send("Fix the rules and open", publish_data=True, learned=True)
    olga.awaits("Prepared: main.")
    reader = stage.person("Rita")
    reader.go("/contests/students")
    reader.sees("Who was in the register?")
    assert stage.complaints() == []
