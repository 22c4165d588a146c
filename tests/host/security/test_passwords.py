"""Passwords: hashed with argon2id, a few at a time, as slowly for accounts that do not exist."""

import threading
import time

import pytest
from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from sqlalchemy import update

from quintain_host.accounts import passwords
from quintain_host.accounts.passwords import BadPassword, Busy, hash_password, matches, require_good
from quintain_host.accounts.sessions import WrongPassword, sign_in
from quintain_host.database.people import Account
from tests.host.security.people import PASSWORD, account


@pytest.fixture(autouse=True)
def real_hashes(monkeypatch):
    """The parameters of the product, which other tests replace."""
    hasher = PasswordHasher(**passwords.PARAMETERS)
    monkeypatch.setattr(passwords, "_HASHER", hasher)
    monkeypatch.setattr(passwords, "_UNKNOWN", hasher.hash("the password of nobody"))


def stored(site, number=1):
    with site.database.reading() as session:
        return session.get_one(Account, number).password


def test_the_parameters_are_those_that_we_state():
    assert hash_password(PASSWORD).startswith("$argon2id$v=19$m=19456,t=2,p=1$")


def test_a_password_matches_itself_alone():
    value = hash_password(PASSWORD)
    assert matches(value, PASSWORD)
    assert not matches(value, PASSWORD + " ")
    assert not matches(value, "")
    assert not matches(None, "the password of nobody")
    assert not matches(passwords.UNUSABLE, "the password of nobody")


@pytest.mark.parametrize("text", ["short", "x" * 1001, "ababababababab", "ada@example.org"])
def test_a_weak_password_is_refused(text):
    with pytest.raises(BadPassword):
        require_good(text, "ada@example.org", "Ada")


def test_an_unknown_account_takes_as_long(one_site, monkeypatch):
    account(one_site)
    verified = []

    class Noting:
        def verify(self, value, _password):
            verified.append(value.split("$")[1:4])
            raise VerificationError

    monkeypatch.setattr(passwords, "_HASHER", Noting())
    for email in ("ada@example.org", "nobody@example.org", "no address"):
        with pytest.raises(WrongPassword, match="the e-mail address or the password is wrong"):
            sign_in(one_site, email, "some other password")
    assert len(verified) == 3
    assert verified[0] == verified[1] == verified[2]


def test_an_old_hash_is_made_again_at_the_next_sign_in(one_site):
    account(one_site)
    weak = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1).hash(PASSWORD)
    with one_site.database.writing("accounts") as session:
        session.execute(update(Account).values(password=weak))
    sign_in(one_site, "ada@example.org", PASSWORD)
    assert "m=19456,t=2,p=1" in stored(one_site)
    sign_in(one_site, "ada@example.org", PASSWORD)


def test_few_hash_at_the_same_time(monkeypatch):
    running, most, lock = 0, 0, threading.Lock()
    both_run = threading.Barrier(2)

    class Slow:
        def hash(self, _password):
            nonlocal running, most
            with lock:
                running += 1
                most = max(most, running)
            both_run.wait(300)
            time.sleep(0.01)  # a third would come now
            with lock:
                running -= 1
            return "$"

    monkeypatch.setattr(passwords, "_HASHER", Slow())
    monkeypatch.setattr(passwords, "_AT_ONCE", threading.BoundedSemaphore(2))
    threads = [threading.Thread(target=hash_password, args=("x",)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2


def test_nobody_waits_for_ever(monkeypatch):
    monkeypatch.setattr(passwords, "_AT_ONCE", threading.BoundedSemaphore(1))
    monkeypatch.setattr(passwords, "_PATIENCE", 0.01)
    assert passwords._AT_ONCE.acquire()
    with pytest.raises(Busy):
        hash_password("x")
