"""Mistakes cost nothing in a browser: a wrong date, a later deadline, a check before submitting."""

import pytest

from tests.figures.browser import NEEDED
from tests.host.browser.plays.dates import day
from tests.host.contest_on_site import ROUNDS

pytestmark = NEEDED


@pytest.mark.slow
def test_a_wrong_date_a_later_deadline_and_one_button(new_stage):
    stage = new_stage()
    stage.at(day(0.5))
    olga = stage.organiser("Olga")
    olga.create(ROUNDS, "rounds")
    olga.step("Fix the rules and prepare", "Prepared: main.")
    olga.publish()
    ada = stage.captain("Ada")
    ada.register("rounds", "red")

    olga.open_page("Teams")
    olga.click("red")
    reason = "two of three were ill"
    olga.send("Give this team more time", until="tomorrow", reason=reason)
    olga.sees("'tomorrow' is not a time; write it in UTC as 2026-05-01 12:00.")
    form = olga.page.locator("#deadline")
    assert form.locator("[name=until]").input_value() == "tomorrow"
    assert form.locator("[name=reason]").input_value() == reason
    assert form.locator("[name=until]").get_attribute("aria-invalid") == "true"
    olga.send("Give this team more time", until="2026-05-12 12:00")
    olga.sees("The deadline is being recorded.")
    olga.awaits("12 May 2026, 12:00 UTC", reason)

    stage.at(day(10.5))  # the phase has closed for the others
    ada.open_page()
    place = ada.page.locator("a[href*='/team/files/'][href$='private.csv']").get_attribute("href")
    private = ada.page.request.get(place).body()
    ada.go("/contests/rounds/team/submit?phase=main/anonymize")
    ada.send("Only check", file={"release.csv": b"nonsense\n"})
    ada.awaits("faults (only checked)")
    ada.sees_not("Submit these files")
    ada.click("Send other files")
    ada.send("Only check", file={"release.csv": private})
    ada.awaits("no faults (only checked)")
    ada.click("Submit these files")
    ada.awaits("accepted", "Download the receipt")
    assert stage.complaints() == []
