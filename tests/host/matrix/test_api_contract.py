"""The contract: whatever programs send, the API answers as OpenAPI says, never with a 500."""

import json

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from quintain_host.accounts.sessions import make_token
from quintain_host.database.contests import Organiser
from quintain_host.database.people import Account
from tests.host import contest_on_site as contest
from tests.host.matrix.personas import EDITION, staged
from tests.host.security.people import browser

EXAMPLES = 4
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
_SETTINGS = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def stage(new_site, tmp_path_factory):
    site = new_site(tmp_path_factory.mktemp("contract"), second_factor=False)
    yield staged(site)
    site.close()


def token_for_everything(site):
    """A token of a person who operates, organises, and is the captain of a team."""
    number = contest.account_of(site, "red")
    with site.database.writing("accounts") as session:
        session.get_one(Account, number).operator = True
        session.add(Organiser(edition=EDITION, account=number))
    scopes = ["read", "submit", "organise"]
    made = make_token(site, contest.visitor(site, "red"), "a program", scopes)
    return {"Authorization": f"Bearer {made.secret}"}


@pytest.mark.slow
def test_the_api_keeps_its_contract(stage):
    client = browser(stage.site, stage.app, raise_server_exceptions=False)
    headers = token_for_everything(stage.site)
    described = json.loads(json.dumps(stage.app.openapi()))
    schema = schemathesis.openapi.from_dict(described)
    sent = 0
    for result in schema.get_all_operations():
        operation = result.ok()

        @seed(1)
        @_SETTINGS
        @given(case=operation.as_strategy())
        def play(case):
            nonlocal sent
            if "edition" in (case.path_parameters or {}):
                case.path_parameters["edition"] = EDITION
            given_headers = {key: str(value) for key, value in (case.headers or {}).items()}
            case.headers = {**given_headers, **headers}
            arguments = case.as_transport_kwargs(base_url="http://127.0.0.1:8000")
            ready = requests.Request(**arguments).prepare()
            answer = client.request(
                ready.method, ready.url, content=ready.body, headers=dict(ready.headers)
            )
            sent += 1
            case.validate_response(answer, checks=CHECKS)

        play()
    assert sent > 100
