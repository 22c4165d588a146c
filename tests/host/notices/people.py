"""People of the tests of notices: who has an address that is checked, and what letters wait."""

import re

from sqlalchemy import select

from quintain_host.database.notices import Letter, Notice
from quintain_host.notices.contacts import mark_checked
from quintain_host.notices.outbox import deliver_next
from tests.host import contest_on_site as contest


def reachable(site, *names):
    """Let the addresses of people be checked."""
    with site.database.writing("accounts") as session:
        for name in names:
            mark_checked(session, site, known_account(session, name))


def known_account(session, name):
    from quintain_host.database.people import Account

    address = f"{name}@example.org"
    return session.scalars(select(Account.id).where(Account.email == address)).one()


def deliver(site, channel="mail"):
    """Try every letter that is due; returns how many."""
    number = 0
    while deliver_next(site, channel):
        number += 1
        assert number < 500
    return number


def letters(site):
    """All letters, in the order in which they were written."""
    with site.database.reading() as session:
        return session.scalars(select(Letter).order_by(Letter.id)).all()


def titles(site, name):
    """The titles of a person's notices, the oldest first."""
    number = contest.account_of(site, name)
    with site.database.reading() as session:
        own = select(Notice.title).where(Notice.account == number).order_by(Notice.id)
        return session.scalars(own).all()


def link_in(mail, page):
    """The path of the link to a page in a mail."""
    return re.search(rf"http://[^/\s]+(/{page}[^\s]*)", mail.get_content())[1]
