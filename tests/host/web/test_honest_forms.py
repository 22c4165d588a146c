"""A mistake in a form shows the form again: filled in, with each fault beside its field."""

from html.parser import HTMLParser

import pytest

from quintain.journal.events import TeamDeadline
from quintain_host.access import BadInput, SeveralMistakes, check_each
from quintain_host.intake.intake import take
from tests.host.contest_on_site import at, drain, release, visitor
from tests.host.organising.organiser_browser import Browser
from tests.host.organising.played import EDITION, approved, begun, registered

PLACE = f"/organise/{EDITION}"
PAGES = ("/rules", "/teams", "/teams/red", "/teams/green", "/settings", "/news", "/steps")
OWN = f"/contests/{EDITION}/team"


@pytest.fixture(scope="module")
def site(new_site, tmp_path_factory):
    """A contest with two teams that take part, and one that waits."""
    made = new_site(tmp_path_factory.mktemp("forms"))
    begun(made)
    approved(made, "red", "blue")
    registered(made, "green")
    return made


@pytest.fixture
def olga(site):
    return Browser(site, "olga")


class Forms(HTMLParser):
    """The forms of a page: where each is sent, and its fields."""

    def __init__(self, page, text):
        super().__init__()
        self.page, self.forms = page, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        facts = dict(attrs)
        if tag == "form" and facts.get("method") == "post":
            self.forms.append((facts.get("action") or self.page, {}, []))
        elif self.forms and "name" in facts and tag in ("input", "textarea", "select"):
            _, hidden, typed = self.forms[-1]
            if facts.get("type") == "hidden" or "checked" in facts:
                hidden[facts["name"]] = facts["value"]
            elif facts.get("type") not in ("file", "checkbox", "radio") and tag != "select":
                typed.append(facts["name"])


@pytest.mark.slow
def test_an_organiser_who_writes_tomorrow_loses_nothing(site, olga):
    sent = {"track": "main", "phase": "attack", "until": "tomorrow", "shown-on": f"{PLACE}/rules"}
    answer = olga.post(f"{PLACE}/rules/extend", **sent, reason="the <site> was down")
    assert answer.status_code == 422 and "Error 4" not in answer.text
    fault = "&#x27;tomorrow&#x27; is not a time; write it in UTC as 2026-05-01 12:00."
    assert f'<span class="field-fault" id="fault-until">{fault}</span>' in answer.text
    assert 'value="tomorrow"' in answer.text and 'value="the &lt;site&gt; was down"' in answer.text
    assert answer.text.count("aria-invalid") == 1
    assert 'aria-current="page">Phases and rules' in answer.text
    assert f'name="shown-on" value="{PLACE}/rules"' in answer.text  # also the next mistake


def test_every_fault_of_a_form_is_shown_at_once(olga):
    sent = {"track": "main", "phase": "attack", "until": "2020-01-01", "reason": " "}
    answer = olga.post(f"{PLACE}/rules/extend", **sent, **{"shown-on": f"{PLACE}/rules"})
    assert answer.status_code == 422 and answer.text.count("field-fault") == 2
    numbers = olga.post(f"{PLACE}/settings", team_size="many", **{"shown-on": f"{PLACE}/settings"})
    assert "Write a whole number, such as 3." in numbers.text and 'value="many"' in numbers.text


@pytest.mark.slow
@pytest.mark.parametrize("nonsense", ["", "tomorrow", "-1", "x" * 1200])
def test_no_form_of_organisers_or_teams_ends_on_an_error_page(site, nonsense):
    people = [("olga", f"{PLACE}{page}") for page in PAGES]
    people += [("red", OWN), ("red", f"{OWN}/submit"), ("red", f"{OWN}/description")]
    people += [("red", f"/contests/{EDITION}/questions"), ("red", "/account/notices")]
    people += [(f"yves{len(nonsense)}", f"/contests/{EDITION}/register")]
    people += [("", "/sign-in"), ("", "/sign-up")]
    for name, page in people:
        browser = Browser(site, name)
        for action, hidden, typed in Forms(page, browser.page(page)).forms:
            if not typed or ("invitations" in action and not nonsense):
                continue
            sent = dict.fromkeys(typed, nonsense) | hidden
            answer = browser.client.post(action, data=sent)
            assert "Error 4" not in answer.text, (page, action, answer.text)
            assert answer.status_code < 500


def test_whoever_may_not_see_the_page_sees_no_form(site):
    sent = {"track": "main", "phase": "attack", "until": "tomorrow", "reason": "x"}
    answer = Browser(site, "red").post(
        f"{PLACE}/rules/extend", **sent, **{"shown-on": f"{PLACE}/rules"}
    )
    assert answer.status_code == 403 and "Error 403" in answer.text


@pytest.mark.parametrize("place", ["//evil.example/", "https://evil.example", "/api/", "x", "/no"])
def test_only_pages_of_this_site_are_shown_again(olga, place):
    sent = {"track": "main", "phase": "attack", "until": "tomorrow", "reason": "x"}
    answer = olga.post(f"{PLACE}/rules/extend", **sent, **{"shown-on": place})
    assert answer.status_code == 403 and "Error 403" in answer.text


@pytest.mark.slow
def test_one_team_gets_a_later_deadline(one_site):
    begun(one_site)
    approved(one_site, "red", "blue")
    browser, page = Browser(one_site, "olga"), f"{PLACE}/teams/red"
    assert "A later deadline" in browser.page(page)
    sent = {"phase": "main/anonymize", "reason": "two of three were ill"}
    wrong = browser.post(f"{page}/deadline", **sent, until="tomorrow", **{"shown-on": page})
    assert "two of three were ill" in wrong.text and "is not a time" in wrong.text
    assert '<option value="main/anonymize" selected>' in wrong.text
    browser.sent(f"{page}/deadline", **sent, until="2026-05-12 12:00")
    drain(one_site)
    state = one_site.folder(EDITION).state()
    assert [type(event) for event in state.deadlines.values()] == [TeamDeadline]
    assert "12 May 2026, 12:00 UTC" in browser.page(page)
    assert "for team red, to 2026-05-12 12:00 UTC: two of three were ill" in browser.page(
        f"/contests/{EDITION}/trust"
    )
    one_site.clock.set(at(11))
    files = release(one_site, EDITION, "red")
    take(one_site, visitor(one_site, "red"), EDITION, files, kind="release")
    drain(one_site)
    (event,) = one_site.folder(EDITION).journal().submissions("red")
    assert event.phase == "anonymize" and event.moment > at(11, 11)
    assert "12 May 2026, 12:00 UTC" in Browser(one_site, "red").page(OWN)
    assert "closed at" in Browser(one_site, "blue").page(OWN)


def test_checks_raise_one_refusal_as_it_is_and_several_together():
    def refuse(field):
        raise BadInput(f"bad {field}").about(field)

    assert check_each(lambda: 1, lambda: 2) == [1, 2]
    with pytest.raises(BadInput, match=r"^bad a$"):
        check_each(lambda: refuse("a"), lambda: 2)
    with pytest.raises(SeveralMistakes, match="bad a; bad b") as several:
        check_each(lambda: refuse("a"), lambda: refuse("b"))
    assert [problem.field for problem in several.value.problems] == ["a", "b"]
