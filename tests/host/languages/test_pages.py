"""Pages in a language that puts every text of the catalogue in brackets have no other words."""

import re
from gettext import NullTranslations
from html.parser import HTMLParser

import pytest
from starlette.testclient import TestClient

from quintain.host.languages import catalogue
from quintain.host.web.app import make_app
from quintain.host.web.requests import cookie_name
from tests.host import contest_on_site as contest
from tests.host import played

PUBLIC = ("/", "/sign-in", "/sign-up", "/forgot-password", "/audit-log", "/check-receipt", "/none")
OF_CONTEST = ("", "/teams", "/news", "/questions", "/checkpoints", "/register", "/matrix")
OF_TEAM = ("/team", "/team/submit", "/team/history", "/team/uploads", "/team/description")
OF_ACCOUNT = ("/account", "/account/tokens", "/account/notices", "/notices")

NO_WORDS = frozenset({"bdi", "code", "pre", "script", "style", "svg", "title"})
SHOWN = frozenset({"alt", "aria-label", "data-confirm", "data-label", "placeholder"})


class Brackets(NullTranslations):
    """A language that is made while a test runs."""

    def gettext(self, message):
        return f"⟦{message}⟧"

    def ngettext(self, msgid1, msgid2, n):
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


@pytest.fixture(scope="module")
def pages(new_site, tmp_path_factory):
    """Every page in that language, as a visitor and as a captain see it."""
    site = new_site(tmp_path_factory.mktemp("site"))
    pages = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "translations", lambda language: Brackets())
        edition = played.running(site)
        with TestClient(make_app(site), "http://127.0.0.1:8000") as client:
            for path in (*PUBLIC, *(f"/contests/{edition}{page}" for page in OF_CONTEST)):
                pages[path] = client.get(path).text
            number = contest.account_of(site, "red")
            client.cookies.set(cookie_name(site.settings), contest.cookie(site, number))
            for path in (*OF_ACCOUNT, *(f"/contests/{edition}{page}" for page in OF_TEAM)):
                pages[path] = client.get(path).text
    site.close()
    return pages


class Outside(HTMLParser):
    """Collects words outside of brackets, of code and of what people called something."""

    def __init__(self):
        super().__init__()
        self.found, self._open, self._depth = [], [], 0

    def handle_starttag(self, tag, attrs):
        given = dict(attrs).get("class") in ("hash", "words", "prose")
        if tag in NO_WORDS or given or (self._open and tag == self._open[-1]):
            self._open.append(tag)
        for name, value in attrs:
            if name in SHOWN:
                self._note(value or "", 0)

    def handle_endtag(self, tag):
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data):
        outside = not self._open
        self._depth = self._note(data, self._depth, outside)

    def _note(self, text, depth, outside=True):
        bare = []
        for character in text:
            depth += {"⟦": 1, "⟧": -1}.get(character, 0)
            if depth == 0 and character != "⟧":
                bare.append(character)
        if outside and re.search(r"[A-Za-z]{2}", "".join(bare)):
            self.found.append("".join(bare).strip())
        return depth


NAMES = {
    *("Quintain", "English", "Français", "日本語"),
    *("Everybody sanitizes, everybody attacks", "Everybody sanitizes, everybody attacks,"),
    *("anonymize", "anonymize,", "attack", "anonymize (main)", "attack (main)", "main/private.csv"),
    *("Welcome", "We dropped rows.", "red@example.org"),
}
"""What people called something or wrote, and the languages in their own words."""

ENGINE = re.compile("no phase is open at ")
"""A sentence of the engine, which speaks English."""


def words_outside(html):
    """The words of a page that came from no catalogue."""
    reader = Outside()
    reader.feed(html)
    return [text for text in reader.found if text not in NAMES and not ENGINE.match(text)]


def test_a_page_has_no_words_outside_the_catalogue(pages):
    wrong = {path: words_outside(html) for path, html in pages.items() if words_outside(html)}
    assert wrong == {}


def test_the_pages_have_words_of_the_catalogue(pages):
    assert all(html.count("⟦") > 5 for html in pages.values())


@pytest.mark.parametrize(
    "html",
    [
        "<p>Hello</p>",
        "<p>⟦Hello⟧ there</p>",
        '<nav aria-label="Site"></nav>',
        "<p>⟦a <b>b⟧</b> cc</p>",
    ],
)
def test_words_outside_are_found(html):
    assert words_outside(html)
