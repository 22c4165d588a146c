"""Questions: a team asks, the organisers answer, and only those read it who should."""

import pytest

from quintain.errors import Refused
from quintain_host.access import BadInput, Conflict, NotAllowed, NotThere
from quintain_host.notices.inbox import notices_of
from quintain_host.notices.questions import MOST_OPEN, STANDARD, answer, ask, questions_for
from quintain_host.organising.overview import overview_of
from tests.host import contest_on_site as contest
from tests.host.notices.people import titles
from tests.host.teams.browsers import browser


@pytest.fixture
def playing(one_site):
    """A contest with two teams, and its organiser."""
    edition = contest.prepared(one_site)
    people = [contest.team(one_site, edition, name) for name in ("red", "blue")]
    return one_site, edition, *people, contest.visitor(one_site, "olga")


@pytest.mark.slow
def test_an_answer_to_one_team_stays_there(playing):
    site, edition, red, blue, olga = playing
    number = ask(site, red, edition, "May we sleep?\r\nAt night?")
    assert titles(site, "olga") == ["Team Red has a question"]
    steps = [step.sentence for step in overview_of(site, olga, edition).steps]
    assert "1 question waits for your answer." in steps
    answer(site, olga, edition, number, STANDARD[3], to_all=False)
    assert titles(site, "red")[-1] == "Your question was answered"
    assert "May we sleep?\nAt night?" in notices_of(site, red)[0].notice.text
    assert titles(site, "blue") == ["Your team takes part"]
    assert questions_for(site, blue, edition) == []
    assert [one.team for one in questions_for(site, red, edition)] == ["Red"]
    assert not [s for s in overview_of(site, olga, edition).steps if "question" in s.sentence]


@pytest.mark.slow
def test_an_answer_to_all_names_no_team(playing):
    site, edition, red, blue, olga = playing
    number = ask(site, red, edition, "May we sleep?")
    client = browser(site)
    assert "May we sleep?" not in client.get(f"/contests/{edition}/questions").text
    answer(site, olga, edition, number, "Yes.", to_all=True)
    assert titles(site, "blue")[-1] == "The organisers answered a question"
    assert titles(site, "red")[-1] == "Your question was answered"
    shown = client.get(f"/contests/{edition}/questions").text
    assert "May we sleep?" in shown and "Red" not in shown.partition("<main")[2]
    assert [one.team for one in questions_for(site, blue, edition)] == [""]
    feed = client.get(f"/contests/{edition}/feed.atom").text
    assert "May we sleep?" in feed and f"questions#question-{number}" in feed


@pytest.mark.slow
def test_a_question_is_answered_once_and_by_organisers(playing):
    site, edition, red, _blue, olga = playing
    number = ask(site, red, edition, "Why?")
    with pytest.raises(NotAllowed):
        answer(site, red, edition, number, "Because.", to_all=True)
    answer(site, olga, edition, number, "Because.", to_all=True)
    with pytest.raises(Conflict):
        answer(site, olga, edition, number, "No.", to_all=True)
    with pytest.raises(NotThere):
        answer(site, olga, edition, number + 1, "No.", to_all=True)


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 2001, "a\x00b", "a\u202eb"])
def test_odd_questions_are_refused(playing, text):
    site, edition, red, *_ = playing
    with pytest.raises(BadInput):
        ask(site, red, edition, text)


@pytest.mark.slow
def test_a_team_cannot_flood_the_organisers(playing):
    site, edition, red, blue, olga = playing
    numbers = [ask(site, red, edition, f"Question {n}") for n in range(MOST_OPEN)]
    with pytest.raises(Refused, match="wait for one"):
        ask(site, red, edition, "One more")
    ask(site, blue, edition, "Others can ask")
    answer(site, olga, edition, numbers[0], "Yes.", to_all=False)
    ask(site, red, edition, "One more")


def test_hostile_texts_are_only_text(playing):
    site, edition, red, _blue, olga = playing
    number = ask(site, red, edition, "<script>alert(1)</script>")
    answer(site, olga, edition, number, "<img src=x onerror=alert(1)>", to_all=True)
    for name, path in (("olga", f"/organise/{edition}/questions"), ("blue", "/notices")):
        text = browser(site, name).get(path).text
        assert "<script>alert" not in text and "<img" not in text
        assert "&lt;script&gt;" in text


def test_strangers_cannot_ask(playing):
    site, edition, *_ = playing
    with pytest.raises(NotAllowed):
        ask(site, contest.visitor(site, "sam"), edition, "Hello?")
    with pytest.raises(NotAllowed):
        ask(site, contest.visitor(site, "olga"), edition, "Hello?")


@pytest.mark.slow
def test_forms_and_programs_do_the_same(playing):
    site, edition, *_ = playing
    red, olga, blue = (browser(site, name) for name in ("red", "olga", "blue"))
    place = f"/contests/{edition}/questions"
    assert red.post(place, data={"text": "By a form?"}).status_code == 303
    api = f"/api/editions/{edition}/questions"
    number = red.post(api, json={"text": "By a program?"}).json()["question"]
    page = olga.get(f"/organise/{edition}/questions").text
    assert "2 questions to answer" in page
    form = {"standard": STANDARD[0], "text": "", "to_all": "yes"}
    answered = olga.post(f"/organise/{edition}/questions/{number}/answer", data=form)
    assert answered.status_code == 303
    (shown,) = blue.get(api).json()
    assert (shown["answer"], shown["to_all"], shown["team"]) == (STANDARD[0], True, "")
    assert [one["team"] for one in red.get(api).json()] == ["Red", "Red"]
    empty = olga.post(f"/organise/{edition}/questions/{number - 1}/answer", data={"to_all": "no"})
    assert empty.status_code == 422
