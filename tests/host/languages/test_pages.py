"""Pages in a language that puts every text of the catalogue in brackets have no other words."""

import re
from gettext import NullTranslations
from html.parser import HTMLParser

import pytest
from starlette.testclient import TestClient

from quintain_host.intake.intake import take
from quintain_host.languages import catalogue
from quintain_host.web.app import make_app
from quintain_host.web.requests import cookie_name
from tests.host import contest_on_site as contest
from tests.host import played

PUBLIC = ("/", "/sign-in", "/sign-up", "/forgot-password", "/audit-log", "/check-receipt", "/none")
OF_CONTEST = ("", "/teams", "/news", "/questions", "/checkpoints", "/register", "/matrix")
OF_TEAM = ("/team", "/team/submit", "/team/history", "/team/uploads", "/team/description")
OF_ACCOUNT = ("/account", "/account/tokens", "/account/notices", "/notices")

OF_ORGANISERS = (
    *(
        "",
        "/dashboard",
        "/draft",
        "/steps",
        "/teams",
        "/teams/red",
        "/rules",
        "/rejudging",
        "/news",
    ),
    *("/pages", "/questions", "/settings", "/jobs", "/log", "/standings", "/guide"),
)
MAKING = ("/organise", "/organise/new", "/organise/new/guide")
OF_DRAFTS = ("", "/draft", "/steps", "/guide", "/settings")

LIMITED = contest.ROUNDS.replace('submit = "release"', 'submit = "release"\nper_day = 9')

NO_WORDS = frozenset({"bdi", "code", "pre", "script", "style", "svg", "textarea", "time", "title"})
SHOWN = frozenset({"alt", "aria-label", "data-confirm", "data-label", "placeholder"})


class Brackets(NullTranslations):
    """A language that is made while a test runs."""

    def gettext(self, message):
        return f"⟦{message}⟧"

    def pgettext(self, context, message):
        return self.gettext(message)

    def ngettext(self, msgid1, msgid2, n):
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


@pytest.fixture(scope="module")
def pages(new_site, tmp_path_factory):
    """Every page in that language, as a visitor, a captain and an organiser see it."""
    site = new_site(tmp_path_factory.mktemp("site"))
    pages = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "translations", lambda language: Brackets())
        edition = played.running(site, text=LIMITED)
        uploads = uploaded(site, edition)
        with TestClient(make_app(site), "http://127.0.0.1:8000") as client:
            for path in (*PUBLIC, *(f"/contests/{edition}{page}" for page in OF_CONTEST)):
                pages[path] = client.get(path).text
            own = (f"/contests/{edition}{page}" for page in OF_TEAM + uploads)
            pages |= seen_by(client, site, "red", (*OF_ACCOUNT, *own))
            draft = contest.edition(site, contest.TINY)
            own = (f"/organise/{edition}{page}" for page in OF_ORGANISERS)
            others = (f"/organise/{draft}{page}" for page in OF_DRAFTS)
            pages |= seen_by(client, site, "olga", (*MAKING, *own, *others))
    site.close()
    return pages


def seen_by(client, site, name, paths):
    """Pages as somebody sees them who signed in."""
    token = contest.cookie(site, contest.account_of(site, name))
    client.cookies.set(cookie_name(site.settings), token)
    return {path: client.get(path).text for path in paths}


def uploaded(site, edition):
    """The pages of uploads with faulty cells and a faulty file, and of one without faults."""
    captain, good = contest.visitor(site, "red"), contest.release(site, edition, "red")
    ((name, content),) = good.items()
    header, first, second, *rest = content.decode().splitlines()
    bad = [header, first.replace(first.split(",")[0], "x"), second + ",1", *rest, *rest]
    queued = [
        take(site, captain, edition, {name: "\n".join(bad).encode()}),
        take(site, captain, edition, {name: b"\x1f\x8b"}),
        take(site, captain, edition, good),
    ]
    contest.drain(site)
    return tuple(f"/team/uploads/{one.upload}" for one in queued)


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
    *("Welcome", "We dropped rows.", "red@example.org", "small"),
}
"""What people called something or wrote, and the languages in their own words."""


def words_outside(html):
    """The words of a page that came from no catalogue."""
    reader = Outside()
    reader.feed(html)
    return [text for text in reader.found if text not in NAMES]


@pytest.mark.slow
def test_a_page_has_no_words_outside_the_catalogue(pages):
    wrong = {path: words_outside(html) for path, html in pages.items() if words_outside(html)}
    assert wrong == {}


def test_organisers_see_their_pages(pages):
    paths = [path for path in pages if path.startswith("/organise") and path not in MAKING]
    own = [pages[path] for path in paths]
    assert len(own) == len(OF_ORGANISERS) + len(OF_DRAFTS)
    assert all("⟦How it goes⟧" in html for html in own)


def test_faults_and_what_is_left_are_said(pages):
    shown = "".join(html for path, html in pages.items() if "/uploads/" in path)
    assert "⟦expected ⟦an integer⟧⟦ in " in shown
    assert "⟦is ⟦a gzip file⟧; expected CSV or Parquet files" in shown
    assert re.search("⟦[0-9]+ submissions left today⟧", shown)


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
