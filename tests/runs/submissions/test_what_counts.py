"""What counts: programs, releases, guesses and attempts of tiny contests, written down by hand."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from quintain.commitment import sha256
from quintain.contests import load
from quintain.contests.submitting import Phase
from quintain.journal.events import Chosen, Decided, Submitted
from quintain.journal.state import State
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import Task
from quintain.runs.submissions.counting import (
    Answer,
    Answered,
    _not_offered,
    _not_selectable,
    answers_by_attacker,
    attempts,
    file_of,
    first_release,
    is_chosen,
    last_programs,
    most_chosen,
    program_noun,
    selectable,
    store,
    submitted_guesses,
)
from tests.runs.verification.forgery import EDITION

TRACK = load("tiny").track[0]
GUESS = TRACK.phase[0]
CALLED = load("hide-and-seek").track[0]
ELSEWHERE = TRACK.model_copy(update={"id": "elsewhere"})
PROGRAMS = CALLED.phase_for("release")


def submitted(number, team="red", kind="guess", files=(), track=TRACK, phase=None, made_by=None):
    names = files or (f"{team}.csv",)
    return Submitted(
        number=number,
        team=team,
        track=track.id,
        phase=phase or track.phase[0].id,
        kind=kind,
        files={name: sha256(f"{number} {name}".encode()) for name in names},
        made_by=made_by,
    )


def answer(submission, name):
    return Answer(file_of(submission, name), submission.files[name])


def chose(*numbers, team="red", phase=GUESS.id, track=TRACK):
    event = Chosen(team=team, track=track.id, phase=phase, submissions=numbers)
    return State().after(event)


def test_without_a_choice_all_count_and_with_one_the_chosen_and_what_they_made():
    one, made = submitted(4), submitted(9, made_by=4)
    other = submitted(5, made_by=7)
    assert all(is_chosen(State(), each) for each in (one, made, other))
    assert [is_chosen(chose(4), each) for each in (one, made, other)] == [True, True, False]
    for elsewhere in (chose(4, team="blue"), chose(4, phase="later"), chose()):
        assert is_chosen(elsewhere, other)


def test_the_last_program_of_each_team_counts_or_the_chosen_one():
    def program(number, team, **changes):
        return submitted(number, team, **{"kind": "program", "track": CALLED, **changes})

    phase = PROGRAMS.id
    order = ["zoe", "red", "mia", "ann", "bob", "kim"]
    sent = [program(number, team, phase=phase) for number, team in enumerate(order, 1)]
    sent += [
        program(10, "red", phase=phase),
        program(11, "red", phase="another"),
        program(12, "red", phase=phase, kind="release"),
        program(13, "red", phase=phase, track=ELSEWHERE),
    ]
    counted = last_programs(State(), sent, "release", CALLED)
    assert [(one.team, one.number) for one in counted] == [
        *(("ann", 4), ("bob", 5), ("kim", 6), ("mia", 3), ("red", 10), ("zoe", 1)),
    ]
    chosen = chose(2, phase=phase, track=CALLED)
    counted = last_programs(chosen, sent, "release", CALLED)
    assert [one.number for one in counted if one.team == "red"] == [2]
    assert last_programs(State(), sent, "release", TRACK) == []


@pytest.mark.parametrize(
    ("files", "noun"),
    [
        (["a.zip", "steps.toml"], "recipe"),
        ([paths.RECIPE_LOG, "a.csv"], "recipe"),
        (["a.zip", "a.csv"], "program"),
        ([], "program"),
    ],
)
def test_what_teams_call_a_program(files, noun):
    assert program_noun(files) == noun


def test_guesses_are_those_of_the_track_that_their_team_chose():
    best = TRACK.model_copy(update={"phase": (GUESS.model_copy(update={"counts": "best"}),)})
    sent = [
        submitted(1),
        submitted(2, "blue"),
        submitted(3),
        submitted(4, kind="release"),
        submitted(5, track=ELSEWHERE),
    ]
    found = submitted_guesses(TRACK, sent, State())
    assert {
        team: [one.number for one in counting.submitted] for team, counting in found.items()
    } == {
        "red": [1, 3],
        "blue": [2],
    }
    assert not found["red"].every and submitted_guesses(best, sent, State())["red"].every
    # One phase of guesses in which the best counts is enough, and one of releases is not.
    later = GUESS.model_copy(update={"id": "later", "counts": "best"})
    two = TRACK.model_copy(update={"phase": (GUESS, later)})
    assert submitted_guesses(two, sent, State())["red"].every
    released = later.model_copy(update={"submit": "release"})
    mixed = TRACK.model_copy(update={"phase": (GUESS, released)})
    assert not submitted_guesses(mixed, sent, State())["red"].every
    found = submitted_guesses(TRACK, sent, chose(1))
    assert [one.number for one in found["red"].submitted] == [1]
    assert submitted_guesses(TRACK, sent, chose(8)).keys() == {"blue"}


def test_the_last_answer_counts_or_every_one_and_what_was_made_besides():
    one = submitted(1, files=("a.csv", "b.csv"))
    two = submitted(2, files=("a.csv",))
    made = Answer("made/c", "digest")
    last = Answered([one, two], made={"c.csv": made})
    assert last.files() == {
        "a.csv": [answer(two, "a.csv")],
        "b.csv": [answer(one, "b.csv")],
        "c.csv": [made],
    }
    assert last.names() == {"a.csv", "b.csv"}
    every = replace(last, every=True)
    assert every.files()["a.csv"] == [answer(one, "a.csv"), answer(two, "a.csv")]
    assert every.files()["b.csv"] == [answer(one, "b.csv")]
    other = replace(last, made={"c.csv": Answer("elsewhere", "digest")})
    changed = replace(last, made={"c.csv": Answer("made/c", "another")})
    digests = {each.digest() for each in (last, every, changed, Answered([two, one]), Answered())}
    assert len(digests) == 5
    assert last.digest() == other.digest()


def test_a_baseline_answers_where_it_submitted_nothing(tmp_path):
    open_one, other = (Task(TRACK.id, entry) for entry in ("first", "second"))
    baselines = [
        SimpleNamespace(id="greedy", attack=object()),
        SimpleNamespace(id="quiet", attack=None),
    ]
    track = SimpleNamespace(id=TRACK.id, phase=TRACK.phase, files=TRACK.files, baseline=baselines)
    view = SimpleNamespace(track=track, tasks=[open_one, other, Task(TRACK.id, "third")])
    folder = SimpleNamespace(
        state=State, at=tmp_path.joinpath, digest=lambda name: f"digest of {name}"
    )
    for task in (open_one, other):
        path = tmp_path / paths.baseline_guess("greedy", task)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    sent = [submitted(1, "greedy", files=("first.csv",)), submitted(2, "red")]
    found = answers_by_attacker(folder, view, sent)
    place = paths.baseline_guess("greedy", other)
    assert found["greedy"] == Answered(
        sent[:1], made={"second.csv": Answer(place, f"digest of {place}")}
    )
    assert found["red"] == Answered(sent[1:]) and found.keys() == {"greedy", "red"}
    alone = answers_by_attacker(folder, view, [])
    assert alone["greedy"].made.keys() == {"first.csv", "second.csv"}


def test_an_attempt_answers_every_task_and_the_last_answer_stays():
    tasks = [Task(TRACK.id, "e", repeat, 2) for repeat in (0, 1)]
    names = [f"{task.name}.csv" for task in tasks]
    one, two, three = (Answer(f"p{n}", f"d{n}") for n in range(3))
    files = {names[0]: [one, two], names[1]: [three]}
    assert attempts(TRACK, tasks, "red", files) == [(one, three), (two, three)]
    assert attempts(TRACK, tasks, "red", {names[0]: [one]}) == []
    assert attempts(TRACK, tasks[:1], "red", files) == [(one,), (two,)]
    assert attempts(TRACK, tasks[:1], "red", {}) == []


def phase(**changes):
    return Phase(**{"id": "p", "submit": "guess", **changes})


def test_how_many_can_be_chosen():
    assert most_chosen(PROGRAMS) == 1
    assert most_chosen(PROGRAMS.model_copy(update={"keep": 3})) == 1
    assert most_chosen(phase(submit="release", keep=3)) == 3
    assert most_chosen(phase()) is None


def test_nothing_is_chosen_where_the_best_counts_or_every_score_is_shown():
    shown = TRACK.model_copy(
        update={"feedback": TRACK.feedback.model_copy(update={"show": "full"})}
    )
    hidden = TRACK.model_copy(
        update={"feedback": TRACK.feedback.model_copy(update={"show": "none"})}
    )

    def reasons(track, **changes):
        return [str(one)[:30] for one in _not_offered(track, phase(**changes))]

    assert reasons(hidden) == reasons(shown, submit="release") == []
    assert reasons(hidden, counts="best") == ["in phase p the best guess coun"]
    assert reasons(shown) == ["teams see every score here, an"]
    assert len(reasons(shown, counts="best")) == 2


def test_each_fault_of_a_choice_is_named():
    kept = phase(submit="release", keep=2)
    own = [
        submitted(n, kind="release", phase="p", made_by=made)
        for n, made in ((3, None), (5, None), (6, None), (8, 6))
    ]
    own.append(submitted(7, kind="release", phase="q"))
    assert [one.number for one in selectable(own, TRACK.id, "p")] == [3, 5, 6]
    assert selectable(own, "elsewhere", "p") == []

    def faults(*numbers):
        event = Chosen(team="red", track=TRACK.id, phase="p", submissions=numbers)
        return [str(one) for one in _not_selectable(event, own, kept)]

    assert faults() == faults(3) == faults(3, 5) == []
    assert faults(3, 5, 6) == ["at most 2 submissions of phase p can count"]
    once = "name every submission once, the earliest first"
    assert faults(5, 3) == [once]
    assert faults(3, 3) == [once]
    unknown = f"event %s is not a submission of team red to phase p of track {TRACK.id}"
    assert faults(3, 7, 8) == [
        unknown % 7,
        unknown % 8,
        "at most 2 submissions of phase p can count",
    ]


def test_files_are_stored_once_by_their_content(tmp_path):
    (tmp_path / paths.EDITION).write_text(EDITION)
    folder = Folder(tmp_path)
    assert store(folder, {}) == {}
    digests = store(folder, {"b.csv": b"two", "a.csv": b"one"})
    assert list(digests.items()) == [("a.csv", sha256(b"one")), ("b.csv", sha256(b"two"))]
    path = folder.at(paths.submitted_file(digests["a.csv"], "a.csv"))
    assert path.read_bytes() == b"one"
    path.write_bytes(b"damaged")
    store(folder, {"a.csv": b"one"})
    assert path.read_bytes() == b"one"


@pytest.mark.parametrize(("keep", "name"), [(1, "red"), (2, "red.1")])
def test_a_first_release_has_the_first_name(tmp_path, keep, name):
    text = EDITION.replace('submit = "release"', f'submit = "release"\nkeep = {keep}')
    (tmp_path / paths.EDITION).write_text(text)
    track = load(tmp_path / paths.EDITION).track[0]
    release = first_release(Folder(tmp_path), track, "red", {"any.csv": b"1,2\n"})
    assert (release.id, release.team, release.sample) == (name, "red", None)
    assert release.data == paths.submitted_file(sha256(b"1,2\n"), "any.csv")
    assert (release.card, release.artefacts) == (None, ())


def test_who_is_disqualified_stays_so_until_it_is_taken_back():
    def decided(decision, track=None, entry=None, reason="why"):
        return Decided(team="red", track=track, entry=entry, decision=decision, reason=reason)

    out = State().after(decided("disqualified", "main", "red.1"))
    assert out.excluded("red", "main", "red.1") == "why"
    assert out.excluded("red") == out.excluded("red", "main", "red.2") == ""
    assert out.excluded("blue", "main", "red.1") == ""
    back = out.after(decided("reinstated", "main", "red.1"))
    assert back.excluded("red", "main", "red.1") == ""
    whole = back.after(decided("disqualified", reason="all"))
    assert whole.excluded("red", "main", "red.1") == whole.excluded("red") == "all"
