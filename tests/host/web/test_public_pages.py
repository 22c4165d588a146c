"""What everybody sees of a contest before the end, and after it."""

import csv
import io
import json
import re
import zipfile

import pytest
from starlette.testclient import TestClient

from quintain.runs.verification.verify import verify
from quintain_host.database.contests import HostedEdition
from quintain_host.web.app import make_app
from tests.host import contest_on_site as contest
from tests.host import played

PAGES = ("", "/rules", "/standings", "/matrix", "/teams", "/news", "/trust", "/checkpoints")
TWINS = ("", "/rules", "/standings", "/teams", "/news", "/files", "/events", "/trust", *PAGES[-1:])


@pytest.fixture(scope="module")
def stages(new_site, tmp_path_factory):
    """Every page and every twin in three stages of one contest: running, attacking, revealed."""
    site = new_site(tmp_path_factory.mktemp("site"))
    shots = {}
    with TestClient(make_app(site), "http://127.0.0.1:8000") as client:
        for stage in ("running", "attacking", "revealed"):
            if stage == "running":
                edition = played.running(site)
            else:
                getattr(played, stage)(site, edition)
            shots[stage] = {
                **{page: client.get(f"/contests/{edition}{page}") for page in PAGES},
                **{f"/api{twin}": client.get(f"/api/editions/{edition}{twin}") for twin in TWINS},
                "/home": client.get("/"),
            }
        yield site, client, edition, shots
    site.close()


@pytest.mark.slow
def test_every_page_and_twin_is_there_in_every_stage(stages):
    _, _, _, shots = stages
    wrong = [
        (stage, name, answer.status_code)
        for stage, answers in shots.items()
        for name, answer in answers.items()
        if answer.status_code != 200
    ]
    assert not wrong


def test_the_overview_has_the_call_the_dates_and_the_news(stages):
    _, _, _, shots = stages
    html = shots["running"][""].text
    assert "Come and play." in html
    assert "Register a team" in html
    assert "open now" in html and "not yet open" in html
    assert "It &lt;begins&gt;." in html
    assert re.search(r'data-until="2026-05-10[^"]+">in 8 days and 12 hours<', html)
    assert "Register a team" not in shots["revealed"][""].text
    assert "results are out" in shots["revealed"]["/home"].text


def test_rules_are_written_from_the_edition(stages):
    _, _, _, shots = stages
    html = shots["running"]["/rules"].text
    assert "Teams see no scores of their attacks before the end." in html
    assert "hit rate (privacy; lower is better)" in html.lower()
    assert "from 2026-05-01 00:00 UTC until 2026-05-10 00:00 UTC" in html


@pytest.mark.parametrize("stage", ["running", "attacking"])
def test_no_score_is_public_before_the_end(stages, stage):
    _, _, _, shots = stages
    view = shots[stage]["/api/standings"].json()
    assert view["final"] is False and view["overall"] == []
    assert all(track["boards"] == [] for track in view["tracks"])
    assert "noise floor" in shots[stage]["/standings"].text
    assert "comes out when the contest is over" in shots[stage]["/matrix"].text
    assert shots[stage]["/api/files"].json()["published"] == []
    assert "We dropped rows." not in shots[stage]["/teams"].text
    assert "submitted" not in {event["event"] for event in shots[stage]["/api/events"].json()}


def test_the_boards_have_their_intervals_after_the_end(stages):
    _, _, _, shots = stages
    view = shots["revealed"]["/api/standings"].json()
    (track,) = view["tracks"]
    places = track["boards"][0]["places"]
    first = next(place for place in places if place["rank"] == 1)
    assert first["score"]["low"] <= first["score"]["value"] <= first["score"]["high"]
    html = shots["revealed"]["/standings"].text
    assert "Anonymizers" in html and '<svg class="bar"' in html and "Noise floor" in html
    assert "style=" not in html


def test_the_matrix_is_that_of_the_results(stages):
    site, client, edition, shots = stages
    view = client.get(f"/api/editions/{edition}/matrix/main").json()
    assert view["measure"] == "hit_rate"
    assert set(view["entries"]) == {"Red", "Blue"}
    text = (site.edition_root(edition) / "results" / "matrix.csv").read_text()
    rows = csv.DictReader(text.splitlines())
    expected = sorted(float(row["value"]) for row in rows if row["measure"] == "hit_rate")
    assert sorted(cell[2] for cell in view["cells"]) == pytest.approx(expected)
    html = shots["revealed"]["/matrix"].text
    assert '<table class="heat" ' in html and "data-matrix=" not in html
    assert client.get(f"/api/editions/{edition}/matrix/other").status_code == 404


def test_the_archive_verifies_with_the_checkpoint_of_the_page(stages, tmp_path):
    _, client, edition, shots = stages
    archive = client.get(f"/contests/{edition}/files/archive.zip")
    assert archive.headers["content-disposition"].startswith("attachment")
    with zipfile.ZipFile(io.BytesIO(archive.content)) as opened:
        opened.extractall(tmp_path)
    from quintain.runs.folder.folder import Folder
    from quintain.runs.verification.chain import KeptEvidence

    trust = shots["revealed"]["/api/trust"].json()
    checkpoint = client.get(f"/contests/{edition}/files/public/checkpoint.txt").text
    assert checkpoint == trust["checkpoint"]
    evidence = KeptEvidence(
        [one["root"] for one in trust["commitments"]], {}, {"page": checkpoint.encode()}
    )
    verification = verify(Folder(tmp_path), evidence=evidence)
    assert verification.problems == ()
    sizes = [one["size"] for one in trust["checkpoints"]]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) > 2


def test_the_report_can_run_and_load_nothing(stages):
    _, client, edition, _ = stages
    answer = client.get(f"/contests/{edition}/files/report.html")
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "sandbox" in policy and "script" not in policy


def test_descriptions_are_text_after_the_end(stages):
    _, _, _, shots = stages
    assert "We dropped rows." in shots["revealed"]["/teams"].text
    described = {team["id"]: team for team in shots["revealed"]["/api/teams"].json()}
    assert described["red"]["licence"] == "MIT"


@pytest.mark.parametrize(
    "name",
    [
        "public/../secret/seeds.json",
        "public/%2e%2e/secret/seeds.json",
        "public//secret",
        "public/.hidden",
        "public/main",
        "seeds.json",
        "..%2fsite.db",
        "checkpoints.jsonl",
        "public/main/nothing.csv",
        "public/a%00b",
    ],
)
def test_nothing_else_can_be_downloaded(stages, name):
    _, client, edition, _ = stages
    assert client.get(f"/contests/{edition}/files/{name}").status_code in (404, 422)


def test_data_are_downloads_and_our_texts_open_in_the_browser(stages):
    _, client, edition, shots = stages
    paths = shots["attacking"]["/api/files"].json()["public"]
    table = next(path for path in paths if path.endswith("release.csv"))
    answer = client.get(f"/contests/{edition}/files/{table}")
    assert answer.headers["content-disposition"].startswith("attachment")
    rules = client.get(f"/contests/{edition}/files/public/edition.json")
    assert json.loads(rules.content)["id"] == edition
    assert "content-disposition" not in rules.headers


def test_drafts_and_hidden_contests(one_site):
    contest.edition(one_site, visible=False, call="Secret plans")
    with TestClient(make_app(one_site), "http://127.0.0.1:8000") as client:
        for page in PAGES:
            assert client.get(f"/contests/rounds{page}").status_code == 404
        with one_site.database.writing("rounds") as session:
            session.get_one(HostedEdition, "rounds").visible = True
        for page in PAGES:
            assert client.get(f"/contests/rounds{page}").status_code == 200
        assert "The rules are being written" in client.get("/contests/rounds").text
        assert client.get("/api/editions/rounds/rules").status_code == 404


def test_a_round_that_has_not_begun_shows_nothing_of_its_data(one_site):
    later = contest.ROUNDS.replace("2026-05-01", "2026-06-01").replace("2026-05-10", "2026-06-02")
    text = later.replace("2026-05-11", "2026-06-03").replace("2026-05-20", "2026-06-04")
    edition = contest.prepared(one_site, text)
    names = {path.name for path in (one_site.edition_root(edition) / "public/main").iterdir()}
    assert "schema.json" in names
    with TestClient(make_app(one_site), "http://127.0.0.1:8000") as client:
        files = client.get(f"/api/editions/{edition}/files").json()["public"]
        assert not [path for path in files if path.startswith("public/main/")]
        assert client.get(f"/contests/{edition}/files/public/main/schema.json").status_code == 404
        assert client.get(f"/contests/{edition}/files/public/edition.json").status_code == 200
        assert "announced" in client.get(f"/contests/{edition}").text
