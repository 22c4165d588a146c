"""A table of the organisers' own on a site: what becomes public of it, and what never does."""

import base64

import pytest

from quintain.runs.verification.verify import verify
from quintain_host.web.app import make_app
from tests.host.contest_on_site import account, at, drain, team
from tests.host.organising.organiser_browser import Browser
from tests.runs.organiser_data_cases import (
    SECRET_DISCLOSURES,
    assert_no_secret_word,
    opened_zip,
    write_secret_contest,
    zip_contents,
)

PLACE = "/organise/mine"
PHASES = """
[[phase]]
id = "attack"
submit = "guess"
opens = 2026-05-01T00:00:00Z
closes = 2026-05-10T00:00:00Z
"""


@pytest.fixture
def olga(one_site):
    account(one_site, "olga", operator=True)
    one_site.clock.set(at(2))
    return Browser(one_site, "olga", make_app(one_site))


def create(olga, folder):
    """A draft on a table with households, row numbers and remarks."""
    text = write_secret_contest(folder).read_text() + PHASES
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".toml"}
    encoded = {name: base64.b64encode(content).decode() for name, content in files.items()}
    made = olga.api("POST", "/editions", json={"toml": text, "files": encoded})
    assert made.status_code == 201, made.text


def download_everything(visitor):
    """The content of every file that the contest offers to a visitor, zips unpacked."""
    shown = visitor.client.get("/api/editions/mine/files").json()
    contents = []
    for name in [*shown["public"], *(file["name"] for file in shown["published"])]:
        answer = visitor.get(f"/contests/mine/files/{name}")
        assert answer.status_code == 200, name
        contents += zip_contents(answer.content) if name.endswith(".zip") else [answer.content]
    return contents


def test_ids_and_left_out_columns_never_become_public(one_site, olga, tmp_path):
    create(olga, tmp_path / "given")
    draft = olga.page(f"{PLACE}/draft")
    assert "never see" not in draft
    for sentences in SECRET_DISCLOSURES:
        assert sentences in draft
        assert sentences in olga.page(f"{PLACE}/steps")
    shown = olga.api("GET", "/editions/mine/organise/draft").json()
    assert shown["disclosures"] == SECRET_DISCLOSURES

    olga.sent(f"{PLACE}/steps/prepare")
    drain(one_site)
    olga.sent(f"{PLACE}/settings", registration="open", visible="yes", call="")
    team(one_site, "mine", "red")
    member = Browser(one_site, "red", olga.client.app)
    drain(one_site)
    kit = member.get("/contests/mine/team/kit")
    assert kit.status_code == 200, kit.headers
    everybody = Browser(one_site, "", olga.client.app)
    assert_no_secret_word([*zip_contents(kit.content), *download_everything(everybody)])

    one_site.clock.set(at(12))
    olga.sent(f"{PLACE}/steps/freeze")
    drain(one_site)
    page = olga.page(f"{PLACE}/steps")
    assert "people.csv: all rows become public with the reveal" in page
    assert 'name="publish_data"' in page
    refused = olga.post(f"{PLACE}/steps/reveal", confirmed="mine")
    assert refused.status_code == 403 and "he reveal publishes your data" in refused.text
    answer = olga.api("POST", "/editions/mine/organise/reveal", json={"confirmed": "mine"})
    assert answer.status_code == 403 and "sex, age, town" in answer.text
    olga.sent(f"{PLACE}/steps/reveal", confirmed="mine", publish_data="true")
    drain(one_site)

    contents = download_everything(everybody)
    assert_no_secret_word(contents)
    assert any(content.startswith(b"home,sex,age,town\n") for content in contents)
    archive = tmp_path / "archive.zip"
    archive.write_bytes(everybody.get("/contests/mine/files/archive.zip").content)
    assert verify(opened_zip(archive, tmp_path / "again")).problems == ()
