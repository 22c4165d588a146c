"""People reach each other in a browser: a password by mail, and a question with its answer."""

import re
from time import monotonic, sleep

import pytest

from tests.figures.browser import NEEDED
from tests.host.browser.person import PASSWORD, SOON
from tests.host.browser.plays.dates import day
from tests.host.contest_on_site import ROUNDS
from tests.host.notices.post_office import open_office

pytestmark = NEEDED


def await_mail(office, address, subject):
    """The mail with a subject, which the worker of the site sends in a moment."""
    end = monotonic() + SOON
    while monotonic() < end:
        for mail in office.of(address):
            if subject in mail["Subject"]:
                return mail
        sleep(0.05)
    raise AssertionError(f"no mail {subject!r} came for {address}")


def link_of(mail):
    """The first address in a mail."""
    return re.search(r"http://\S+", mail.get_content())[0]


@pytest.mark.slow
def test_a_forgotten_password_is_set_with_a_mail(new_stage):
    with open_office() as (office, mail):
        stage = new_stage(mail=mail)
        ada = stage.person("Ada")
        ada.go("/")
        ada.sign_up()
        ada.go(link_of(await_mail(office, ada.email, "Is this your address?")))
        ada.click("Yes, it is my address")
        ada.sees("Your address is checked.")
        elsewhere = stage.person("Ada")
        elsewhere.go("/sign-in")
        elsewhere.click("Get a link by mail")
        elsewhere.send("Send me a link", email=ada.email)
        elsewhere.sees("If this address has an account here")
        elsewhere.go(link_of(await_mail(office, ada.email, "A new password")))
        new = PASSWORD[::-1]
        elsewhere.send("Set the password", password=new)
        elsewhere.sees("Your password is set.")
        elsewhere.send("Sign in", email=ada.email, password=new)
        elsewhere.go("/account/notices")
        elsewhere.sees("How the site reaches you", ada.email, "checked")
        ada.go("/account")
        ada.sees("Sign in")  # the earlier session has ended
        assert stage.complaints() == []


@pytest.mark.slow
def test_a_question_is_put_and_answered(new_stage):
    stage = new_stage()
    stage.at(day(0.5))
    olga = stage.organiser("Olga")
    olga.create(ROUNDS, "rounds")
    olga.step("Fix the rules and prepare", "Prepared: main.")
    olga.publish()
    ada, bob = stage.captain("Ada"), stage.captain("Bob")
    ada.register("rounds", "red")
    bob.register("rounds", "blue")
    ada.go("/contests/rounds/questions")
    ada.send("Ask", text="May we use other data, too?")
    ada.sees("The organisers have it.", "waits for an answer")

    olga.open_page("Overview")
    olga.sees("1 question waits for your answer.")
    olga.open_page("Questions")
    olga.sees("1 question to answer", "Team red", "May we use other data, too?")
    olga.page.get_by_label("Everybody, with the question").check()
    olga.send("Answer", text="Yes, if everybody can get them.")
    olga.sees("All questions are answered")

    ada.go("/notices")
    ada.sees("Your question was answered", "Yes, if everybody can get them.")
    ada.click("Mark all as read")
    ada.sees("You have read everything")
    bob.go("/notices")
    bob.sees("The organisers answered a question", "May we use other data, too?")
    nobody = stage.person("Nobody")
    nobody.go("/contests/rounds/questions")
    nobody.sees("Yes, if everybody can get them.")
    nobody.sees_not("Team red")
    assert stage.complaints() == []
