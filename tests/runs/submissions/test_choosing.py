"""A team chooses which of its submissions count, as long as their phase is open."""

import shutil
from datetime import UTC, datetime

import pytest

from quintain.errors import NoSuchTeam, PhaseClosed, Refused
from quintain.journal.events import Chosen
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.prepare import prepare
from quintain.runs.score import score
from quintain.runs.story import log_lines, rules_of
from quintain.runs.submissions.counting import all_answers, choose, counting_releases, submissions
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify
from tests.runs.verification.forgery import EDITION, Forger, day, guess


def release(folder, team, rows, number):
    content = folder.at(paths.team_sample(team, "main")).read_bytes()
    lines = b"".join(content.splitlines(keepends=True)[:rows])
    return submit(folder, team, {"release.csv": lines}, now=day(number)).submission.number


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A contest in which blue and green have made several releases."""
    root = tmp_path_factory.mktemp("choosing") / "contest"
    root.mkdir()
    edition = EDITION.replace('submit = "release"', 'submit = "release"\nkeep = 2')
    (root / paths.EDITION).write_text(edition.replace("commitment =", "# commitment ="))
    folder = Folder(root)
    prepare(folder, seed=11, now=day(29, 4))
    made = {"blue": [release(folder, "blue", 35 + n, 2) for n in range(4)]}
    return root, made | {"green": [release(folder, "green", 36, 3)]}


@pytest.fixture
def contest(begun, tmp_path):
    root, numbers = begun
    shutil.copytree(root, tmp_path / "contest")
    return Folder(tmp_path / "contest"), numbers


def counting(folder):
    track, size = folder.edition().track[0], folder.journal().size()
    return [one.id for one in counting_releases(folder, track, size)]


def test_the_chosen_releases_count_and_later_ones_do_not(contest):
    folder, made = contest
    assert counting(folder) == ["blue.3", "blue.4", "green.1"]
    event = choose(folder, "blue", [made["blue"][2], made["blue"][0]], now=day(4))
    assert event.submissions == (made["blue"][0], made["blue"][2])
    assert (event.track, event.phase) == ("main", "anonymize")
    assert counting(folder) == ["blue.1", "blue.3", "green.1"]
    release(folder, "blue", 39, 5)
    assert counting(folder) == ["blue.1", "blue.3", "green.1"]
    choose(folder, "blue", [], now=day(5))
    assert counting(folder) == ["blue.4", "blue.5", "green.1"]


def test_a_team_hears_that_a_new_release_does_not_count(contest):
    folder, made = contest
    choose(folder, "blue", made["blue"][:1], now=day(4))
    content = folder.at(paths.team_sample("blue", "main")).read_bytes()
    accepted = submit(folder, "blue", {"release.csv": content}, now=day(5))
    number = made["blue"][0]
    assert accepted.warnings() == [
        f"team blue chose what counts ({number}): choose again to change it"
    ]


def test_attackers_get_what_was_chosen_and_verify_plays_it_again(contest):
    folder, made = contest
    choose(folder, "blue", made["blue"][1:2], now=day(4))
    hand_over(folder, now=day(10))
    assert sorted({task.entry for task in folder.tasks(folder.edition().track[0])}) == [
        "blue.2",
        "green.1",
    ]
    with pytest.raises(PhaseClosed, match="were handed over at"):
        choose(folder, "blue", made["blue"][:1], now=day(10))
    first = submit(folder, "red", {"blue.2.csv": guess(1, 2, 3, 4, 5)}, now=day(12))
    submit(folder, "red", {"blue.2.csv": guess(5, 6, 7, 8, 9)}, now=day(13))
    score(folder, report=False, now=day(13))
    before = folder.at(paths.STANDINGS).read_bytes()
    choose(folder, "red", [first.submission.number], now=day(14))
    score(folder, report=False, now=day(14))
    answers = all_answers(folder, folder.read(folder.edition().track[0]), submissions(folder))
    (answer,) = answers["red"]["blue.2.csv"]
    assert answer.digest == first.submission.files["blue.2.csv"]
    assert folder.at(paths.STANDINGS).read_bytes() != before
    lines = list(log_lines(list(folder.journal().events()), rules_of(folder), every=False))
    assert any("Team blue chose what counts in phase anonymize of track" in one for one in lines)
    assert verify(folder).problems == ()


def test_what_cannot_be_chosen_is_refused_in_words(contest):
    folder, made = contest
    blue, green = made["blue"], made["green"]
    refusals = {
        (): "exactly these submissions count already",
        tuple(blue[:3]): "at most 2 submissions of phase anonymize can count",
        tuple(green): "is not a submission of team blue",
        (blue[0], *green): "is not a submission of team blue to phase anonymize",
        (1,): "event 1 is not a submission of team blue",
    }
    size = folder.journal().size()
    for numbers, sentence in refusals.items():
        with pytest.raises(Refused, match=sentence):
            choose(folder, "blue", numbers, now=day(4))
    with pytest.raises(NoSuchTeam):
        choose(folder, "white", blue, now=day(4))
    with pytest.raises(PhaseClosed, match="it closed at 2026-05-10"):
        choose(folder, "blue", blue[:1], now=datetime(2026, 5, 10, tzinfo=UTC))
    assert folder.journal().size() == size


def cheat(folder, index, event, time=""):
    forger = Forger(folder.root)
    forger.insert(index, event, time)
    return verify(forger.finish()).problems


def test_a_choice_that_the_organisers_invent_is_found(contest):
    folder, made = contest
    hand_over(folder, now=day(10))
    end = folder.journal().size()
    late = Chosen(team="blue", track="main", phase="anonymize", submissions=(made["blue"][0],))
    assert any(
        "(chosen): the releases of track main were handed over" in problem
        for problem in cheat(folder, end, late)
    )


def test_a_choice_of_another_teams_release_is_found(contest):
    folder, made = contest
    other = Chosen(team="blue", track="main", phase="anonymize", submissions=tuple(made["green"]))
    (problem,) = cheat(folder, folder.journal().size(), other)
    assert "(chosen): event" in problem
    assert "is not a submission of team blue" in problem


def test_a_choice_after_the_phase_is_found_even_before_the_hand_over(contest):
    folder, made = contest
    late = Chosen(team="blue", track="main", phase="anonymize", submissions=(made["blue"][0],))
    (problem,) = cheat(folder, folder.journal().size(), late, "2026-05-10T00:00:01Z")
    assert "(chosen): phase anonymize is not open at 2026-05-10 00:00:01 UTC" in problem
