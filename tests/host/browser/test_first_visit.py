"""Somebody comes to a new site: the pages are there, and the browser has nothing to complain of."""

import base64

import pytest

from tests.figures.browser import NEEDED

pytestmark = NEEDED


@pytest.mark.slow
def test_a_visitor_makes_an_account_and_an_operator_a_second_factor(new_stage):
    stage = new_stage()
    ada, olga = stage.person("Ada"), stage.organiser("Olga")
    ada.go("/")
    ada.sees("There are no contests here yet")
    ada.sees_not("Organise")
    ada.go("/account")
    ada.sees("Please sign in")
    ada.sign_up()
    ada.sees("Your account")  # the page that asked for it
    olga.go("/")
    olga.sees("Organise")
    assert stage.complaints() == []


def test_who_may_make_a_contest_sees_it_and_sets_up_the_second_factor_on_the_way(new_stage):
    stage = new_stage(creators="accounts")
    nell = stage.person("Nell")
    nell.go("/")
    nell.sees_not("Make a contest")
    nell.sign_up()
    nell.click("Make a contest", within=nell.page.locator("header"))
    nell.sees("Before you make or organise a contest")
    nell.send("Turn it on", password="not the right one", code="000000")
    nell.sees("What is wrong", "Before you make or organise a contest")
    nell.show_code_of_new_phone()
    nell.click("I have stored them")
    nell.sees("With your own table, step by step")
    assert nell.page.url == f"{stage.site.settings.url}/organise/new"
    only_codes = "status of 403"  # what a browser says of the wrong password above
    assert [text for text in stage.complaints() if only_codes not in text] == []


def test_no_page_says_that_all_went_well_beside_an_error(new_stage):
    stage = new_stage()
    nell, sentence = stage.person("Nell"), "Your table is stored."
    nell.go("/")
    nell.sign_up()
    value = base64.urlsafe_b64encode(sentence.encode()).decode()
    cookie = {"name": "notice", "value": value, "url": stage.site.settings.url}
    nell.page.context.add_cookies([cookie])
    nell.go("/accounts")
    nell.sees("Error 403")
    nell.sees_not(sentence)
    nell.go("/account")
    nell.sees(sentence)
    nell.go("/account")
    nell.sees_not(sentence)
