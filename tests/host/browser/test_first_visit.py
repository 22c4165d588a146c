"""Somebody comes to a new site: the pages are there, and the browser has nothing to complain of."""

from tests.figures.browser import NEEDED

pytestmark = NEEDED


def test_a_new_site_says_that_it_has_no_contests(new_stage):
    ada = new_stage().person("Ada")
    ada.go("/")
    ada.sees("There are no contests here yet")
    assert ada.complaints == []
