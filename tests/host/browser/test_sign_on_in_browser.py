"""Sign-on in a browser: from the button to the provider and back, with the policy of the pages."""

import pytest

from tests.figures.browser import NEEDED
from tests.host.clocks import RunningClock
from tests.host.sign_on.issuer import open_issuer, sign_on_table

pytestmark = NEEDED


@pytest.fixture
def issuer():
    """A provider that asks who you are."""
    pytest.importorskip("authlib", reason="Authlib is not installed: quintain[oidc]")
    with open_issuer(RunningClock()) as opened:
        opened.asks = True
        yield opened


@pytest.mark.slow
def test_somebody_signs_in_by_a_provider(new_stage, issuer):
    stage = new_stage(sign_on=(sign_on_table(issuer),))
    issuer.clock = stage.site.clock
    ada = stage.person("Ada")
    ada.go("/sign-in?next=/audit-log")
    ada.page.get_by_role("button", name="Sign in by Campus").click()
    ada.sees("I am Ada Lovelace")
    ada.click("I am Ada Lovelace")
    ada.sees("You are new here", "ada@campus.example")
    ada.click("Make the account")
    ada.sees("The audit log of this site")
    ada.go("/account")
    ada.sees("Your sign-ons", "Campus", "You have no password here")
    ada.click("Sign out")
    ada.sees("At Campus you may still be signed in.")

    ada.go("/sign-in")
    ada.page.get_by_role("button", name="Sign in by Campus").click()
    ada.click("I am Ada Lovelace")
    ada.go("/account")
    ada.sees("ada@campus.example")
    ada.click("Sign out")

    bob = stage.person("Bob")
    bob.go("/")
    bob.sign_up()
    bob.go("/account")
    bob.page.get_by_role("button", name="Add Campus").click()
    bob.click("I am Ada Lovelace")
    bob.sees("The sign-on did not work", "belongs to another account")
    bob.click("Back to your account")
    issuer.person = {**issuer.person, "sub": "bob", "name": "Bob"}
    bob.page.get_by_role("button", name="Add Campus").click()
    bob.click("I am Bob")
    bob.sees("You can sign in by Campus now.")
    bob.page.on("dialog", lambda dialog: dialog.accept())
    bob.click("Remove")
    bob.sees("The sign-on is removed.")
    bob.page.get_by_role("button", name="Add Campus").click()
    bob.click("Stop")
    bob.sees("you stopped there. Nothing changed.")
    meant = ("status of 400",)  # the page that says why a sign-on did not work
    assert [text for text in stage.complaints() if not any(one in text for one in meant)] == []
