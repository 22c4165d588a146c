"""Delivery: a letter is sent once, a server that is down loses none, and no name is a header."""

import email
import email.policy
import threading
from datetime import UTC, datetime, timedelta
from email.header import decode_header, make_header

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain_host.notices import mail as mail_module
from quintain_host.notices import outbox
from quintain_host.notices.contacts import choose_mails
from quintain_host.notices.inbox import notify
from quintain_host.notices.mail import Mail, _name, write_mail
from quintain_host.notices.outbox import deliver_next, forget_letters
from quintain_host.notices.words import KINDS, Message
from quintain_host.settings import Settings
from tests.host import contest_on_site as contest
from tests.host.notices.people import deliver, letters, link_in, reachable
from tests.host.security.people import browser

HEADERS = {
    *("From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted"),
    *("List-Unsubscribe", "List-Unsubscribe-Post"),
    *("Content-Type", "Content-Transfer-Encoding", "MIME-Version"),
}


def tell(site, *names, kind="news", title="We begin", text="on Monday"):
    """Write a notice for some people of a contest."""
    with site.database.reading() as session:
        from quintain_host.database.contests import HostedEdition

        known = session.get(HostedEdition, "rounds")
    edition = contest.edition(site) if known is None else known.id
    numbers = [contest.account_of(site, name) for name in names]
    with site.database.writing(edition) as session:
        message = Message(kind, title, text, "Be there.", "/news")
        notify(session, site, edition, numbers, lambda: message)


def test_a_notice_comes_as_a_mail_that_says_what_and_where(posting):
    site, office = posting
    contest.account(site, "red")
    reachable(site, "red")
    tell(site, "red")
    assert deliver(site) == 1
    (mail,) = office.mails
    assert mail["Subject"] == "Everybody sanitizes, everybody attacks: We begin"
    assert mail["To"] == "red@example.org"
    assert mail["From"] == "Quintain <site@example.org>"
    body = mail.get_content().replace("\r\n", "\n")
    assert body.startswith("on Monday\n\nBe there.\n\nhttp://127.0.0.1:8000/contests/rounds/news\n")
    assert set(mail.keys()) - {"X-Peer"} <= HEADERS
    assert [letter.state for letter in letters(site)] == ["sent"]


def test_only_a_checked_address_gets_mail(one_posting):
    site, _ = one_posting
    contest.account(site, "red")
    tell(site, "red")
    assert letters(site) == []


def test_a_server_that_is_down_delays_and_loses_none(posting):
    site, office = posting
    for name in ("red", "blue", "ada"):
        contest.account(site, name)
    reachable(site, "red", "blue", "ada")
    working = site.settings
    away = working.mail.model_copy(update={"port": 1})
    site.settings = working.model_copy(update={"mail": away})
    tell(site, "red", "blue", "ada")
    assert deliver(site) == 1  # the others need not find out one by one
    assert {letter.state for letter in letters(site)} == {"waiting"}
    assert "the mail server is away" in letters(site)[0].reason
    for _ in range(6):
        site.clock.wait(hours=6)
        deliver(site)
    assert {letter.state for letter in letters(site)} == {"waiting"}
    site.settings = working
    site.clock.wait(hours=6)
    assert deliver(site) == 3
    assert sorted(mail["To"] for mail in office.mails) == [
        *("ada@example.org", "blue@example.org", "red@example.org")
    ]
    site.clock.wait(days=1)
    assert deliver(site) == 0


def test_waits_grow():
    waits = [outbox.wait_after(attempt) for attempt in range(1, 15)]
    assert waits == sorted(waits)
    assert waits[0] == timedelta(minutes=1) and waits[-1] == timedelta(hours=6)


def test_after_five_days_a_letter_is_given_up(one_posting):
    site, _ = one_posting
    contest.account(site, "red")
    reachable(site, "red")
    away = site.settings.mail.model_copy(update={"port": 1})
    site.settings = site.settings.model_copy(update={"mail": away})
    tell(site, "red")
    site.clock.wait(days=6)
    deliver(site)
    assert [letter.state for letter in letters(site)] == ["failed"]
    site.clock.wait(days=31)
    forget_letters(site)
    assert letters(site) == []


def test_an_address_that_does_not_exist_is_not_tried_again(one_posting):
    site, office = one_posting
    contest.account(site, "nobody")
    reachable(site, "nobody")
    tell(site, "nobody")
    deliver(site)
    (letter,) = letters(site)
    assert letter.state == "failed" and "550" in letter.reason
    assert office.mails == []


def test_two_workers_send_a_letter_once(posting, monkeypatch):
    site, office = posting
    contest.account(site, "red")
    reachable(site, "red")
    tell(site, "red")
    barrier, claim = threading.Barrier(2, timeout=30), outbox._claim

    def together(*arguments):
        barrier.wait()  # both saw the same row
        return claim(*arguments)

    monkeypatch.setattr(outbox, "_claim", together)
    threads = [threading.Thread(target=deliver_next, args=(site, "mail")) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(office.mails) == 1


def test_a_worker_that_dies_leaves_the_letter_to_another(one_posting, monkeypatch):
    site, office = one_posting
    contest.account(site, "red")
    reachable(site, "red")
    tell(site, "red")

    def die(*_arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(outbox, "send_mail", die)
        with pytest.raises(KeyboardInterrupt):
            deliver_next(site, "mail")
    assert deliver(site) == 0  # its claim holds for a while
    site.clock.wait(minutes=16)
    assert deliver(site) == 1
    assert len(office.mails) == 1


def test_unsubscribing_by_one_click_of_a_mail_program(one_posting):
    site, office = one_posting
    contest.account(site, "red")
    reachable(site, "red")
    tell(site, "red")
    deliver(site)
    mail = office.mails[0]
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = mail["List-Unsubscribe"].strip("<>")
    path = link_in(mail, "unsubscribe")
    assert link.endswith(path)
    client = browser(site)
    assert "News of the organisers" in client.get(path).text
    answer = client.post(path, data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    tell(site, "red")
    tell(site, "red", kind="team")
    assert deliver(site) == 1
    client.post(path, data={"every": "yes"})
    for kind in KINDS:
        tell(site, "red", kind=kind)
    assert deliver(site) == 0


@pytest.mark.parametrize("change", ["account", "kind", "digest"])
def test_a_link_to_unsubscribe_cannot_be_invented(one_posting, change):
    site, office = one_posting
    for name in ("red", "blue"):
        contest.account(site, name)
    reachable(site, "red", "blue")
    tell(site, "red")
    deliver(site)
    account, kind, digest = link_in(office.mails[0], "unsubscribe").rpartition("/")[2].split(".")
    other = {
        "account": f"{int(account) + 1}.{kind}.{digest}",
        "kind": f"{account}.team.{digest}",
        "digest": f"{account}.{kind}.{'0' * 64}",
    }[change]
    assert browser(site).post(f"/unsubscribe/{other}").status_code == 404


def test_who_unsubscribes_meanwhile_gets_no_letter_that_waits(one_posting):
    site, office = one_posting
    red = contest.visitor(site, "red")
    reachable(site, "red")
    tell(site, "red")
    choose_mails(site, red, set(KINDS) - {"news"})
    deliver(site)
    assert office.mails == []
    assert [letter.state for letter in letters(site)] == ["dropped"]


MAIL = {"host": "localhost", "tls": "none", "sender": "site@example.org"}
NASTY = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from(
            ["\r\n", "\n", "\r", "Bcc: eve@evil.example", "\x00", "\u2028", "é", " ", ","]
        ),
        max_size=8,
    ).map("".join),
)


@pytest.mark.slow
@given(title=NASTY, subject=NASTY, text=NASTY)
def test_no_name_adds_a_header_or_a_recipient(title, subject, text):
    settings = Settings(title=title[:100], mail=MAIL)
    moment = datetime(2026, 5, 1, tzinfo=UTC)
    mail = Mail(7, moment, "red@example.org", subject, [text, "end"], "https://a.example/u/1")
    message = write_mail(settings, mail)
    read = email.message_from_bytes(message.as_bytes(), policy=email.policy.default)
    assert set(read.keys()) <= HEADERS
    assert len(read.keys()) == len(set(read.keys()))
    assert read["To"] == "red@example.org"
    assert [one.addr_spec for one in read["From"].addresses] == ["site@example.org"]
    assert "\n" not in read["Subject"]
    assert read.get_content().rstrip().endswith("https://a.example/u/1")


@pytest.mark.parametrize(
    "text",
    [
        "Plain English",
        "Qui l’a dit : Votre programme a été exécuté de nouveau, là où était déjà l’été",
        "Everybody sanitizes, everybody attacks: Plus de temps pour votre équipe : phase d’été",
        "誰が名簿にいたか：フェーズ「attack」（本戦）の締め切りがチームのために延長されました",
    ],
)
def test_subjects_and_names_arrive_as_they_were_written(text):
    settings = Settings(title=text[:50], mail=MAIL)
    moment = datetime(2026, 5, 1, tzinfo=UTC)
    written = write_mail(settings, Mail(7, moment, "red@example.org", text, ["Hello."]))
    raw = written.as_bytes()
    assert max(map(len, raw.splitlines())) <= 78
    assert email.message_from_bytes(raw, policy=email.policy.default)["Subject"] == text
    plain = email.message_from_bytes(raw, policy=email.policy.compat32)
    subject, sender = (str(make_header(decode_header(plain[name]))) for name in ("Subject", "From"))
    assert subject == text
    assert sender == f"{_name(text[:50])} <site@example.org>"


def test_names_of_contests_and_teams_stay_in_the_subject(one_posting):
    site, office = one_posting
    contest.account(site, "red")
    reachable(site, "red")
    tell(site, "red", title="x\r\nBcc: eve@evil.example\r\n\r\nBuy")
    deliver(site)
    ((_, recipients, _),) = office.raw
    assert recipients == ["red@example.org"]
    assert office.mails[0]["Bcc"] is None
    assert "Bcc: eve@evil.example" in office.mails[0]["Subject"]


def test_the_password_comes_from_the_environment(monkeypatch):
    seen = []

    class Server:
        def __init__(self, *_arguments, **_options): ...
        def starttls(self, *, context):
            seen.append(context.check_hostname)

        def login(self, user, password):
            seen.append((user, password))

        def close(self): ...

    monkeypatch.setattr(mail_module.smtplib, "SMTP", Server)
    monkeypatch.setenv(mail_module.PASSWORD, "from the environment")
    server = Settings(mail={**MAIL, "tls": "starttls", "user": "me", "password": "x"}).mail
    assert server.door == 587
    mail_module._connect(server)
    assert seen == [True, ("me", "from the environment")]
