"""Teams, organisers and operators meet no barrier either: axe looks at their pages, too."""

import socket

import pytest

from tests.figures.browser import NEEDED
from tests.host import contest_on_site as contest
from tests.host import played
from tests.host.browser.barriers import barriers, needs_axe
from tests.host.browser.stage import Stage

pytestmark = [*NEEDED, needs_axe]

TEAM = "/contests/rounds/team"
ORGANISE = "/organise/rounds"
PAGES = {
    "": ["/sign-in", "/sign-up", "/check-receipt"],
    "red": [
        "/account",
        "/account/tokens",
        "/account/second-factor",
        TEAM,
        f"{TEAM}/submit",
        f"{TEAM}/uploads",
        f"{TEAM}/uploads/1",
        f"{TEAM}/history",
        f"{TEAM}/description",
    ],
    "zoe": ["/contests/rounds/register"],
    "olga": [
        "/organise",
        ORGANISE,
        *(
            f"{ORGANISE}/{page}"
            for page in (
                "steps",
                "teams",
                "teams/red",
                "rules",
                "rejudging",
                "news",
                "settings",
                "jobs",
                "log",
            )
        ),
    ],
    "opal": ["/accounts", "/organise/new"],
}


@pytest.fixture(scope="module")
def people(new_site, chromium, tmp_path_factory):
    """Windows of people who are signed in, by name; the contest is in its second phase."""
    door = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{door.getsockname()[1]}"
    site = new_site(tmp_path_factory.mktemp("site"), "sqlite", url=url)
    contest.account(site, "opal", operator=True)
    played.attacking(site, played.running(site))
    stage = Stage(site, door, chromium, lanes=())
    windows = {name: stage.person(name or "Nobody") for name in PAGES}
    for name, person in windows.items():
        if name:
            secret = contest.cookie(site, contest.account_of(site, name))
            person.page.context.add_cookies([{"name": "quintain", "value": secret, "url": url}])
    yield windows
    stage.close()


@pytest.mark.parametrize(
    ("name", "path"), [(name, path) for name, paths in PAGES.items() for path in paths]
)
def test_no_barrier(people, name, path):
    assert barriers(people[name].page, path) == []
