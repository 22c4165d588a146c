"""Kits and single files: who gets what, when they are made again, and what nobody gets."""

import io
import zipfile

import pytest

from quintain_host.access import NOBODY, NotAllowed, NotSignedIn, NotThere
from quintain_host.intake.intake import take
from quintain_host.teams.kits import kit_for, own_file, own_files
from quintain_host.teams.registration import register
from tests.host import contest_on_site as contest


def names(kit):
    with zipfile.ZipFile(io.BytesIO(kit.path.read_bytes())) as archive:
        return archive.namelist()


def readme_of(kit):
    with zipfile.ZipFile(io.BytesIO(kit.path.read_bytes())) as archive:
        return archive.read("README.md").decode()


def test_a_kit_has_the_own_data_and_no_secret(site):
    edition = contest.prepared(site)
    red, blue = (contest.team(site, edition, name) for name in ("red", "blue"))
    kit = kit_for(site, red, edition)
    assert kit.state == "ready" and kit.size == kit.path.stat().st_size
    assert "teams/red/main/private.csv" in names(kit)
    assert not [name for name in names(kit) if name.startswith(("secret", "teams/blue"))]
    assert kit_for(site, blue, edition).digest != kit.digest


@pytest.mark.slow
def test_a_kit_is_made_again_after_the_hand_over(one_site):
    edition = contest.prepared(one_site)
    red = contest.team(one_site, edition, "red")
    before = kit_for(one_site, red, edition)
    take(one_site, red, edition, contest.release(one_site, edition, "red"))
    contest.drain(one_site)
    assert kit_for(one_site, red, edition).digest == before.digest  # a submission changes none
    one_site.clock.set(contest.at(10))
    contest.request(one_site, edition, "scoring", "hand-over")
    contest.drain(one_site)
    after = kit_for(one_site, red, edition)
    assert after.state == "ready" and after.digest != before.digest
    assert "public/main/tasks/red/release.csv" in names(after)


def test_a_kit_that_is_missing_is_queued_once(one_site):
    edition = contest.prepared(one_site)
    red = contest.team(one_site, edition, "red")
    one_site.kit(edition, "red").unlink()
    assert kit_for(one_site, red, edition).state == "waiting"
    assert kit_for(one_site, red, edition).state == "waiting"
    assert [job.state for job in contest.jobs(one_site, "kit")] == ["done", "waiting"]
    contest.drain(one_site)
    assert kit_for(one_site, red, edition).state == "ready"


def test_kits_are_for_teams_that_take_part(one_site):
    edition = contest.edition(one_site, registration="approval")
    register(one_site, contest.visitor(one_site, "ann"), edition, "red")
    with pytest.raises(NotThere, match="does not take part yet"):
        kit_for(one_site, contest.visitor(one_site, "ann"), edition)
    with pytest.raises(NotAllowed):
        kit_for(one_site, contest.visitor(one_site, "eve"), edition)
    with pytest.raises(NotSignedIn):
        kit_for(one_site, NOBODY, edition)


@pytest.fixture(scope="module")
def played(new_site, tmp_path_factory):
    site = new_site(tmp_path_factory.mktemp("files"))
    edition = contest.prepared(site)
    teams = {name: contest.team(site, edition, name) for name in ("red", "blue")}
    yield site, edition, teams
    site.close()


@pytest.mark.slow
def test_files_are_read_by_their_own_team(played):
    site, edition, teams = played
    listed = own_files(site, teams["red"], edition)
    assert "main/private.csv" in [one.name for one in listed]
    texts = [
        own_file(site, teams[name], edition, "main/private.csv").read_text()
        for name in ("red", "blue")
    ]
    assert texts[0] != texts[1] and listed[-1].size == len(texts[0])
    for stranger, error in ((NOBODY, NotSignedIn), (contest.visitor(site, "olga"), NotAllowed)):
        with pytest.raises(error):
            own_file(site, stranger, edition, "main/private.csv")


@pytest.mark.parametrize(
    "name",
    [
        "../../secret/seeds.json",
        "main/../../../secret/seeds.json",
        "../blue/main/private.csv",
        "main//private.csv",
        "./main/private.csv",
        "main",
        "",
        "/etc/passwd",
        "%2e%2e/%2e%2e/secret/seeds.json",
        ".hidden",
        "main/\x00",
    ],
)
def test_other_paths_lead_nowhere(played, name):
    site, edition, teams = played
    with pytest.raises(NotThere):
        own_file(site, teams["red"], edition, name)


def test_a_link_in_the_folder_leads_nowhere(played):
    site, edition, teams = played
    link = site.edition_root(edition) / "teams" / "red" / "trick.json"
    link.symlink_to(site.edition_root(edition) / "secret" / "seeds.json")
    try:
        with pytest.raises(NotThere):
            own_file(site, teams["red"], edition, "trick.json")
    finally:
        link.unlink()


def test_nothing_of_a_round_is_shown_before_it_begins(one_site):
    dates = contest.ROUNDS.replace("2026-05-01T00", "2026-05-02T00")
    edition = contest.prepared(one_site, dates)
    red = contest.team(one_site, edition, "red")
    assert own_files(one_site, red, edition) == []
    with pytest.raises(NotThere):
        own_file(one_site, red, edition, "main/private.csv")
    early = kit_for(one_site, red, edition)
    assert "teams/red/main/private.csv" not in names(early)
    one_site.clock.set(contest.at(2))
    assert kit_for(one_site, red, edition).state == "waiting"
    contest.drain(one_site)
    assert "teams/red/main/private.csv" in names(kit_for(one_site, red, edition))
    assert own_file(one_site, red, edition, "main/private.csv").is_file()


def test_a_kit_names_its_site_and_the_deadline_of_its_team(one_site):
    edition = contest.prepared(one_site)
    red, blue = (contest.team(one_site, edition, name) for name in ("red", "blue"))
    text = readme_of(kit_for(one_site, red, edition))
    url = one_site.settings.url
    assert f"<{url}/contests/{edition}>" in text
    assert f"quintain submit --server {url} --contest {edition} example/" in text
    assert "submit FOLDER" not in text and "until 2026-05-10 00:00 UTC" in text
    given = {"track": "main", "phase": "anonymize", "until": "2026-05-12T00:00:00Z"}
    arguments = {**given, "reason": "it was ill"}
    contest.request(one_site, edition, "intake", "extend", team="red", arguments=arguments)
    contest.drain(one_site)
    assert kit_for(one_site, red, edition).state == "waiting"
    contest.drain(one_site)
    assert "until 2026-05-12 00:00 UTC" in readme_of(kit_for(one_site, red, edition))
    assert "until 2026-05-10 00:00 UTC" in readme_of(kit_for(one_site, blue, edition))
