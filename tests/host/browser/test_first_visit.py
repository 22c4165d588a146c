"""Somebody comes to a new site: the pages are there, and the browser has nothing to complain of."""

from tests.figures.browser import NEEDED

pytestmark = NEEDED


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
