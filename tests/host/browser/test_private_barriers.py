"""Teams, organisers and operators meet no barrier either: axe looks at their pages, too."""

import pytest

from tests.figures.browser import NEEDED
from tests.host.browser.barriers import barriers, needs_axe

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
        "/notices",
        "/account/notices",
    ],
    "zoe": ["/contests/rounds/register"],
    "olga": [
        "/organise",
        ORGANISE,
        *(
            f"{ORGANISE}/{page}"
            for page in (
                "dashboard",
                "questions",
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
        "/organise/autumn/draft",
    ],
    "opal": ["/accounts", "/organise/new"],
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "path"), [(name, path) for name, paths in PAGES.items() for path in paths]
)
def test_no_barrier(shown, name, path):
    assert barriers(shown.page(name), path) == []
