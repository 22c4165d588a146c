"""Every mail, once: its reader can tell what happened, what to do, where, and how to stop it."""

import inspect
from functools import partial

import pytest

from quintain_host.database.people import Account
from quintain_host.languages.catalogue import LANGUAGES
from quintain_host.notices import account_letters, words
from quintain_host.notices.inbox import notify
from quintain_host.notices.words import message_of
from tests.host import contest_on_site as contest
from tests.host import played
from tests.host.contest_on_site import at
from tests.host.notices.conftest import Posting
from tests.host.notices.people import deliver, reachable
from tests.host.notices.post_office import open_office
from tests.host.notices.test_words import EXAMPLES

WHERE = "Final round"
HAPPENINGS = {
    "upload_refused": (WHERE, "attack", 7, 3),
    "upload_failed": (WHERE, "attack", 7),
    "team_refused": ("Red", "the same people have a team already"),
    "team_approved": ("Red",),
    "team_waits": ("Red",),
    "phase_opens": (WHERE, "attack", "Attack the releases", at(19)),
    "phase_closes_soon": (WHERE, "attack", "Attack the releases", at(19)),
    "phase_closed": (WHERE, "attack"),
    "news_published": ("A talk on Friday", "Come to room 12."),
    "question_arrived": ("Red", "May we use other data?"),
    "question_answered": ("May we use other data?", "Yes, if everybody can get them."),
    "answer_for_all": ("May we use other data?", "Yes, if everybody can get them."),
}
"""What is told that is no event of the journal, by the function that has its words."""

LETTERS = ("send_address_check", "send_sign_up_again", "send_reset")
INVITATION = {"sender": "Olga", "contest": "Rounds", "edition": "rounds"}


def wordings():
    """What writes each notice, by its name."""
    for kind, fields in EXAMPLES.items():
        yield kind.__name__, partial(message_of, kind(**fields), WHERE)
    for name, facts in HAPPENINGS.items():
        yield name, partial(getattr(words, name), *facts)


def sent(posting, write):
    """The mail that comes of what somebody writes in a transaction."""
    before = len(posting.office.raw)
    with posting.site.database.writing("rounds") as session:
        write(session)
    deliver(posting.site)
    (mail,) = posting.office.mails[before:]
    return mail


@pytest.fixture(scope="module")
def posting(new_site, tmp_path_factory):
    """A site with a contest, and the office that gets its mail."""
    with open_office() as (office, mail):
        site = new_site(tmp_path_factory.mktemp("site"), mail=mail)
        played.running(site)
        reachable(site, "red")
        deliver(site)
        yield Posting(site, office)
        site.close()


@pytest.fixture(scope="module")
def mails(posting):
    """Every mail that a person can get, by the name of what wrote it; in every language."""
    site = posting.site
    red = contest.account_of(site, "red")
    found = {}
    for language in LANGUAGES:
        with site.database.writing("accounts") as session:
            session.get_one(Account, red).language = language
        for name, wording in wordings():
            write = partial(notify, site=site, edition="rounds", accounts=[red], wording=wording)
            found[language, name] = sent(posting, write)
        for name in LETTERS:
            write = partial(getattr(account_letters, name), site=site, account=red)
            found[language, name] = sent(posting, write)
    invite = partial(account_letters.send_invitation, site=site, inviter=red, **INVITATION)
    for team in (None, "red"):
        write = partial(invite, address="new@example.org", team=team, team_name="Red")
        found["en", f"invitation {team}"] = sent(posting, write)
    return found


def test_the_list_of_happenings_is_complete():
    own = [
        name
        for name, made in inspect.getmembers(words, inspect.isfunction)
        if made.__module__ == words.__name__
        and inspect.signature(made).return_annotation == "Message"
    ]
    assert {name for name in own if not name.startswith("_")} == set(HAPPENINGS)


@pytest.mark.slow
def test_a_team_can_tell_from_a_mail_what_to_do(mails, tmp_path):
    for (language, name), mail in mails.items():
        text = mail.get_content()
        (tmp_path / f"{language}-{name}.txt").write_text(f"{mail['Subject']}\n\n{text}")
        assert 10 < len(mail["Subject"].strip()) < 110, name
        assert "  " not in mail["Subject"], name
        assert "http://" in text and 60 < len(text) < 1_500, name
        assert "%(" not in text + mail["Subject"] and "None" not in text, name
    assert len(mails) == len(LANGUAGES) * (len(EXAMPLES) + len(HAPPENINGS) + len(LETTERS)) + 2


def test_notices_name_their_contest_and_can_be_stopped(mails):
    title = contest.ROUNDS.split('title = "')[1].partition('"')[0]
    for (_, name), mail in mails.items():
        stops = name not in LETTERS and not name.startswith("invitation")
        assert (mail["List-Unsubscribe"] is not None) == stops, name
        if stops:
            assert mail["Subject"].strip().startswith(title), name
            assert mail["List-Unsubscribe"].strip("<>") in mail.get_content()


def test_mails_are_in_the_language_of_their_reader(mails):
    given = {"news_published"}  # its words are the organisers'
    for (language, name), mail in mails.items():
        if language == "ja" and name not in given:
            assert any("ぁ" <= sign <= "ヿ" for sign in mail["Subject"]), name
        if language != "en":
            assert mail.get_content() != mails["en", name].get_content(), name
