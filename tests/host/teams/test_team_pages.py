"""The pages of teams as a browser without scripts sees them, and what they hide."""

import re

import pytest

from quintain_host.accounts.links import make_link
from quintain_host.intake.intake import take
from quintain_host.teams.registration import make_team_link
from tests.host import contest_on_site as contest
from tests.host.teams.browsers import browser, parts


@pytest.fixture(scope="module")
def played(new_site, tmp_path_factory):
    """Two teams; red has two accepted releases and one that was refused."""
    site = new_site(tmp_path_factory.mktemp("pages"))
    text = contest.ROUNDS.replace('gives = ["base"]', 'gives = ["base", "methods"]')
    edition = contest.prepared(site, f'feedback = {{ releases = "utility" }}\n{text}')
    captains = {name: contest.team(site, edition, name) for name in ("red", "blue")}
    for rows in (20, 25):
        take(site, captains["red"], edition, contest.release(site, edition, "red", rows))
    bad = {"release.csv": b"<script>alert(1)</script>\n1\n"}
    take(site, captains["red"], edition, bad)
    contest.drain(site)
    yield site, edition, captains
    site.close()


def text_of(page):
    assert page.status_code == 200, page.text
    return page.text


@pytest.mark.slow
def test_a_new_team_registers_on_pages(played):
    site, edition, _ = played
    ann = browser(site, "ann")
    root = f"/contests/{edition}"
    assert 'name="affiliation"' in text_of(ann.get(f"{root}/register"))
    again = ann.post(f"{root}/register", data={"name": "R\u0435d"})
    assert again.status_code == 409 and "looks like" in again.text and "R\u0435d" in again.text
    done = ann.post(f"{root}/register", data={"name": "Green Ones"})
    assert (done.status_code, done.headers["location"]) == (303, f"{root}/team")
    assert "Joining" in text_of(ann.get(f"{root}/team"))
    contest.drain(site)
    page = text_of(ann.get(f"{root}/team"))
    assert "Download the kit" in page and "main/private.csv" in page
    assert ann.get(f"{root}/register").status_code == 303
    assert "Sign in" in text_of(browser(site).get(f"{root}/register"))


def test_the_team_page_shows_phases_people_and_the_deadline(played):
    site, edition, _ = played
    page = text_of(browser(site, "red").get(f"/contests/{edition}/team"))
    assert (
        "anonymize closes" in page and "track main" not in page and "10 May 2026, 00:00 UTC" in page
    )
    assert 'data-until="2026-05-10T00:00:00+00:00"' in page
    assert "Red" in page and "captain" in page and "example.org" not in page


def test_rounds_have_their_names(one_site):
    head, first, rest = contest.ROUNDS.partition("[[baseline]]")
    rules = f'{head}\n[[track]]\nid = "pre"\ntitle = "Preliminary round"\n\n{first}{rest}'
    for part in ("baseline", "board", "phase"):
        rules = rules.replace(f"[[{part}]]", f"[[track.{part}]]")
    site, named = one_site, contest.prepared(one_site, rules)
    contest.team(site, named, "red")
    for place in ("team", "team/submit"):
        page = text_of(browser(site, "red").get(f"/contests/{named}/{place}"))
        assert "Preliminary round" in page and "track pre" not in page


def test_a_link_is_shown_once_and_brings_people_in(played):
    site, edition, _ = played
    red, root = browser(site, "red"), f"/contests/{edition}"
    made = text_of(red.post(f"{root}/team/links", data={"uses": "1"}))
    (address,) = re.findall(rf"/contests/{edition}/join\?link=[\w-]+", made)
    assert address not in text_of(red.get(f"{root}/team"))
    assert browser(site).get(address).status_code == 401
    bob = browser(site, "bob")
    assert "Join team" in text_of(bob.get(address))
    joined = bob.post(f"{root}/join", data={"link": address.partition("link=")[2]})
    assert joined.status_code == 303
    page = text_of(bob.get(f"{root}/team"))
    assert "Bob" in page and "Make a link" not in page
    number = contest.account_of(site, "bob")
    assert red.post(f"{root}/team/captain", data={"account": number}).status_code == 303
    assert bob.post(f"{root}/team/captain", data={"account": contest.account_of(site, "red")})
    removed = red.post(f"{root}/team/members/{number}/remove")
    assert removed.status_code == 303
    assert bob.get(f"{root}/team").status_code == 403


def test_uploads_show_every_fault_as_text(played):
    site, edition, _ = played
    red = browser(site, "red")
    page = text_of(red.get(f"/contests/{edition}/team/uploads/3"))
    assert "refused" in page and "release.csv" in page
    assert "<script>alert" not in page and "&lt;script&gt;" in page
    accepted = text_of(red.get(f"/contests/{edition}/team/uploads/1"))
    assert "Download the receipt" in accepted and "Readings" in accepted
    part = red.get(f"/contests/{edition}/team/uploads/1", headers={"HX-Request": "true"})
    assert "<html" not in part.text and 'id="upload"' in part.text
    receipt = red.get(f"/contests/{edition}/team/uploads/1/receipt")
    assert receipt.headers["content-disposition"].startswith("attachment")


def test_the_form_takes_files_and_the_next_page_waits(played):
    site, edition, _ = played
    blue, root = browser(site, "blue"), f"/contests/{edition}/team"
    form = text_of(blue.get(f"{root}/submit"))
    assert "Questionnaire" in form and 'enctype="multipart/form-data"' in form
    fields = {"track": "main", "kind": "release", "method-1-name": "none"}
    files = parts(contest.release(site, edition, "blue"))
    sent = blue.post(f"{root}/uploads", data=fields, files=files)
    assert sent.status_code == 303
    page = text_of(blue.get(sent.headers["location"]))
    assert 'hx-trigger="every 2s"' in page and "waiting" in page
    contest.drain(site)
    assert 'hx-trigger="every' not in text_of(blue.get(sent.headers["location"]))
    empty = blue.post(f"{root}/uploads", data=fields, files=[("file", ("", b""))])
    assert empty.status_code == 422 and "No file came" in empty.text
    nameless = {**fields, "method-2-detail": "sigma 3"}
    refused = blue.post(f"{root}/uploads", data=nameless, files=files)
    assert refused.status_code == 422 and "has no name" in refused.text


def test_history_has_charts_and_lets_the_team_choose(played):
    site, edition, _ = played
    red, place = browser(site, "red"), f"/contests/{edition}/team/history"
    page = text_of(red.get(place))
    assert "<svg" in page and "of your releases" in page and "You chose nothing" in page
    events = re.findall(r'name="submission" value="(\d+)"', page)
    assert len(events) == 2
    wish = {"track": "main", "phase": "anonymize", "submission": events[-1]}
    assert red.post(f"/contests/{edition}/team/choice", data=wish).status_code == 303
    contest.drain(site)
    assert f"You chose what counts: event {events[-1]}" in text_of(red.get(place))
    again = {"track": "main", "phase": "anonymize"}
    assert red.post(f"/contests/{edition}/team/choice", data=again).status_code == 303
    contest.drain(site)
    assert "You chose nothing" in text_of(red.get(place))


def test_descriptions_keep_their_lines(played):
    site, edition, _ = played
    red, place = browser(site, "red"), f"/contests/{edition}/team/description"
    wrong = red.post(place, data={"text": "one\r\n<two>", "code": "ftp://x", "shown-on": place})
    assert wrong.status_code == 422 and "one\n&lt;two&gt;" in wrong.text
    wish = {"text": "one\r\n<two>", "code": "https://example.org/code"}
    assert red.post(place, data=wish).status_code == 303
    assert "one\n&lt;two&gt;" in text_of(red.get(place))


def test_pages_of_a_team_are_for_its_members(played):
    site, edition, captains = played
    paths = ["", "/kit", "/kit/state", "/submit", "/uploads", "/history", "/description"]
    paths += ["/uploads/1", "/uploads/1/receipt", "/files/main/private.csv"]
    for name, status in ((None, 401), ("eve", 403), ("olga", 403)):
        stranger = browser(site, name)
        for path in paths:
            answer = stranger.get(f"/contests/{edition}/team{path}")
            assert answer.status_code == status, (name, path)
    blue = browser(site, "blue")
    for path in ("/uploads/1", "/uploads/1/receipt"):
        assert blue.get(f"/contests/{edition}/team{path}").status_code == 404
    assert make_team_link(site, captains["blue"], edition).secret


def test_a_hidden_contest_shows_itself_only_to_people_with_a_link(one_site):
    edition = contest.edition(one_site, visible=False)
    for page in ("register", "join"):
        for link in ("", "?link=", "?link=guess"):
            for name in (None, "eve"):
                answer = browser(one_site, name).get(f"/contests/{edition}/{page}{link}")
                assert answer.status_code == 404 and "sanitizes" not in answer.text
    with one_site.database.writing(edition) as session:
        made = make_link(session, one_site, "edition", edition=edition)
    page = text_of(browser(one_site, "eve").get(f"/contests/{edition}/register?link={made.secret}"))
    assert "Register the team" in page


def test_anybody_can_open_the_page_for_receipts(played):
    site, edition, _ = played
    page = text_of(browser(site).get(f"/check-receipt?contest={edition}"))
    assert site.folder(edition).state().key in page and "receipt.js" in page
