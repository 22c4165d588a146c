"""Numbers and times that no database and no calendar has are refused, and break nothing."""

import re

import pytest

from quintain.errors import Refused
from quintain_host.organising.steps import utc_time
from tests.host import contest_on_site as contest
from tests.host.attacks.sender import Sender
from tests.host.matrix.route_table import ROUTES

LARGE = (2**31, 2**63, 10**30, -1, -(10**30))
REFUSED = (303, 400, 401, 403, 404, 409, 422)
NUMBERS = {"number", "account", "link", "job"}


def requests():
    """Every route with a number in its address."""
    for method, path in ROUTES:
        if any(f"{{{name}}}" in path for name in NUMBERS):
            yield method, path


def test_no_route_breaks_on_a_large_number(postgres_site):
    site = postgres_site
    edition = contest.prepared(site)
    contest.team(site, edition, "red")
    contest.account(site, "pat", operator=True)
    answers = {}
    for name in ("red", "olga", "pat"):
        client = Sender(site, edition, name).client
        for method, pattern in requests():
            for number in LARGE:
                path = pattern.replace("{edition}", edition)
                path = re.sub(r"\{\w+(:path)?\}", str(number), path)
                body = {} if method == "GET" else {"json": {}}
                answers[name, method, path] = client.request(method, path, **body).status_code
    red = Sender(site, edition, "red").client
    for number in (*LARGE, "\x00"):
        for path, field in (("captain", "account"), ("register", "name"), ("join", "link")):
            place = f"/contests/{edition}/{path if field != 'account' else f'team/{path}'}"
            answer = red.post(place, data={field: number})
            answers["red", "POST", place, number] = answer.status_code
    assert len(answers) > 100
    assert not [one for one, status in answers.items() if status not in REFUSED]


@pytest.mark.parametrize(
    "text", ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "٢٠٢٦-05-01", "x" * 9999]
)
def test_times_that_no_calendar_has_are_refused(text):
    with pytest.raises(Refused, match="is not a time"):
        utc_time(text)
