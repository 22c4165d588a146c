"""Organisers who rewrite, number, chain and sign the journal: what the rules refuse is found."""

import pytest

from quintain.contests.roster import Quota
from quintain.jobs.executor import Executor
from quintain.journal.events import (
    Amended,
    Decided,
    Frozen,
    Joined,
    Revealed,
    Rules,
    Submitted,
    TeamDeadline,
)
from quintain.runs.folder import paths
from quintain.runs.folder.record import commit
from quintain.runs.verification import replay
from quintain.runs.verification.verify import verify
from tests.runs.verification.forgery import guess


def answer(forger, team, name="blue.csv", content=None, kind="guess", phase="attack"):
    """An event with a new file of a team."""
    files = forger.store({name: guess(9, 8, 7, 6, 5) if content is None else content})
    return Submitted(team=team, track="main", phase=phase, kind=kind, files=files)


def problems_of(forger):
    return verify(forger.finish()).problems


def test_a_line_that_is_dated_before_the_contest_is_found(forger):
    forger.insert(len(forger.events), answer(forger, "red"), "1999-01-01T00:00:00Z")
    assert problems_of(forger) == (
        "journal.jsonl: line 13: its time is before that of the line before",
    )


def test_a_clock_that_was_set_back_each_day_is_found(forger):
    last = forger.find("submitted", team="red", kind="guess")
    for day in (13, 12, 11):
        forger.insert(last + 1, answer(forger, "red"), f"2026-05-{day}T12:00:00Z")
    assert any("its time is before that of the line before" in p for p in problems_of(forger))


def late_submission(forger):
    forger.insert(13, answer(forger, "red"), "2026-05-20T00:00:01Z")


def exceeded_quota(forger):
    forger.insert(12, answer(forger, "red"))
    forger.insert(13, answer(forger, "red"))


def disqualified_team(forger):
    decided = Decided(decision="disqualified", team="red", reason="shared its data")
    forger.insert(9, decided)


def stranger(forger):
    forger.insert(12, answer(forger, "white"))


def second_hand_over(forger):
    event = forger.events[forger.find("handed-over")]
    forger.insert(12, event)


def hand_over_too_early(forger):
    forger.change(forger.find("handed-over"), time="2026-05-05T12:00:00Z")


def release_after_the_hand_over(forger):
    forger.insert(10, answer(forger, "red", "r.csv", kind="release", phase="anonymize"))


def wrong_phase(forger):
    forger.change(forger.find("submitted", team="red", kind="guess"), phase="anonymize")


def submission_after_the_end(forger):
    forger.insert(12, Frozen(), "2026-05-20T12:00:00Z")
    forger.insert(13, answer(forger, "red"))


def end_without_a_reason(forger):
    forger.insert(12, Frozen(), "2026-05-15T12:00:00Z")


def revealed_before_the_end(forger):
    forger.insert(12, Revealed(standings="0" * 64))


def team_that_does_not_compete(forger):
    forger.change(forger.find("joined", team="blue"), competing=False)


def team_without_a_trace(forger):
    forger.events = [e for e in forger.events if getattr(e, "team", "") != "blue"]
    forger.change(forger.find("handed-over"), size=0)
    forger.at(paths.commitment("join-blue")).unlink()


def team_that_joins_twice(forger):
    forger.insert(6, Joined(team="blue", limits=Quota(per_day=99)))


def extension_without_a_reason(forger):
    amended = Amended(track="main", phase="attack", closes="2026-05-22T00:00:00Z", reason="")
    forger.insert(12, amended)


def shorter_phase(forger):
    amended = Amended(track="main", phase="attack", closes="2026-05-13T00:00:00Z", reason="haste")
    forger.insert(11, amended)


def new_version(forger, version, **fields):
    """Rules that were in force, under another number."""
    first = forger.events[0]
    for number in range(2, version + 1):
        content = forger.at("public/rules/1.json").read_bytes()
        forger.at(f"public/rules/{number}.json").write_bytes(content)
    root = commit(forger.folder, f"rules-{version}", [f"public/rules/{version}.json"])
    fields = {"key": first.key, "reason": "typing error", **fields}
    forger.insert(12, Rules(version=version, rules=first.rules, commitment=root, **fields))


def hidden_version(forger):
    new_version(forger, 3)


def other_key(forger):
    new_version(forger, 2, key="a" * 64)


def version_without_a_reason(forger):
    new_version(forger, 2, reason="")


def chosen_spelling_of_the_beacon(forger):
    forger.change(forger.find("prepared"), beacon=f"{forger.folder.beacon()} ")


def name_that_no_table_shows(forger):
    forger.insert(6, Joined(team="white", name="w" * 201))


def decision_about_nothing(forger):
    index = len(forger.events)
    for track, entry in (("main", "red"), ("other", "blue"), (None, "blue")):
        event = Decided(
            decision="disqualified", team="blue", track=track, entry=entry, reason="shared"
        )
        forger.insert(index, event)


CHEATS = {
    decision_about_nothing: "(decided): team blue has no release 'red' in track 'main'",
    chosen_spelling_of_the_beacon: "(prepared): the beacon has spaces that nobody can see",
    name_that_no_table_shows: "'white' cannot be a team: the name has 201 characters",
    late_submission: "event 13 (submitted): phase attack is not open at 2026-05-20 00:00:01 UTC",
    exceeded_quota: "event 14 (submitted): team red has used its 2 submissions of today (UTC)",
    disqualified_team: "(submitted): team red is disqualified: shared its data",
    stranger: "event 13 (submitted): unknown team 'white'; available: blue, green, red",
    second_hand_over: "event 13 (handed-over): the releases of track main were handed over before",
    hand_over_too_early: "(handed-over): phase anonymize was open until 2026-05-10 00:00 UTC",
    release_after_the_hand_over: "the releases of track main were handed over at 2026-05-10",
    wrong_phase: "(submitted): the releases of track main were handed over at",
    submission_after_the_end: "event 14 (submitted): the contest was over before",
    end_without_a_reason: "(frozen): phases were not over yet, and no reason is given",
    revealed_before_the_end: "event 13 (revealed): the contest was not over",
    team_that_does_not_compete: "the rules give team blue another name, or say otherwise",
    team_without_a_trace: "team blue of the rules never joined",
    team_that_joins_twice: "(joined): team blue takes part already",
    extension_without_a_reason: "(amended): say why",
    shorter_phase: "(amended): phase attack closes at 2026-05-20 00:00 UTC, and teams rely on it",
    hidden_version: "(rules): version 3 of the rules does not follow version 1",
    version_without_a_reason: "(rules): say why",
    other_key: "(rules): the public key is another one than before",
}


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.__name__)
def test_what_the_rules_of_its_time_refuse_is_found(forger, cheat):
    cheat(forger)
    problems = problems_of(forger)
    assert any(CHEATS[cheat] in problem for problem in problems), problems


@pytest.mark.parametrize("closes", ["tomorrow", "2026-05-22", "2026-05-22T00:00:00", "", "0"])
@pytest.mark.parametrize(
    ("kind", "whose"), [(Amended, {}), (TeamDeadline, {"team": "red"})], ids=["amended", "deadline"]
)
def test_an_end_that_is_not_a_time_is_named_with_its_line(forger, kind, whose, closes):
    facts = {"track": "main", "phase": "attack", "reason": "a storm"}
    forger.insert(11, kind(closes="2026-05-22T00:00:00Z", **whose, **facts))
    folder = forger.finish()
    lines = folder.at(paths.JOURNAL).read_bytes().replace(b"2026-05-22T00:00:00Z", closes.encode())
    folder.at(paths.JOURNAL).write_bytes(lines)
    (problem, *_) = verify(folder).problems
    assert problem.startswith("journal.jsonl: line 12: a line of the journal cannot be read: ")
    assert f"{closes!r} is not a time in UTC" in problem


def test_a_release_that_was_in_time_and_is_not_handed_over_is_found(forger):
    index = forger.find("handed-over")
    before = forger.events[forger.find("submitted", team="red")].number - 1
    forger.change(index, size=before)
    assert any(
        "the last release of red, from before the hand-over, is left out" in problem
        for problem in problems_of(forger)
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("blue.csv", b"1\n1\n2\n3\n4\n", "named before, on line 1"),
        (".blue.csv", b"1\n2\n3\n4\n5\n", "a name has only the letters A to Z"),
        ("blue.csv", b"1\n2\n3\n4\n999\n", "the population has rows 0..149"),
    ],
)
def test_a_file_that_the_judge_would_have_refused_is_found(forger, name, content, message):
    forger.insert(12, answer(forger, "red", name, content))
    (problem,) = problems_of(forger)
    assert problem.startswith("journal.jsonl: event 13: the rules of its time refuse it: ")
    assert message in problem


def with_refused_answers(forger):
    """An answer of each team that no judge would take, as events 13 to 15."""
    forger.insert(12, answer(forger, "red", "blue.csv", b"1\n1\n2\n3\n4\n"))
    forger.insert(13, answer(forger, "green", "blue.csv", b"1\n2\n3\n4\n999\n"))
    forger.insert(14, answer(forger, "blue", "green.csv", b"a\n"))
    return forger.finish()


@pytest.mark.slow
def test_workers_find_the_same_in_the_same_order(forger):
    folder = with_refused_answers(forger)
    alone = verify(folder).problems
    refused = [problem for problem in alone if "the rules of its time refuse it" in problem]
    assert len(refused) == 3
    assert verify(folder, executor=Executor(2)).problems == alone


def test_a_check_that_breaks_ends_the_replay_after_what_was_found_before(forger, monkeypatch):
    folder = with_refused_answers(forger)
    real = replay.check_submission

    def breaks(copy, event):
        if event.number == 15:
            raise ValueError("broken")
        real(copy, event)

    monkeypatch.setattr(replay, "check_submission", breaks)
    *found, last = verify(folder).problems
    assert [problem.partition(": the")[0] for problem in found] == [
        "journal.jsonl: event 13",
        "journal.jsonl: event 14",
    ]
    assert last == "journal.jsonl: cannot be checked any further: broken"


def test_salts_that_the_keys_do_not_give_are_found(forger):
    # Free salts would let the organisers try many hashes for one event.
    forger.finish()
    path = forger.at(paths.JOURNAL)
    lines = path.read_bytes().splitlines(keepends=True)
    salt = forger.folder.journal().state().rules[0].salt
    lines[-1] = lines[-1].replace(b'"salt": "', b'"salt": "0')
    assert salt.encode() not in lines[-1]
    path.write_bytes(b"".join(lines))
    assert any(
        "its salt is not the one that the keys give" in p for p in verify(forger.folder).problems
    )


def test_a_reveal_of_other_standings_is_found(forger):
    forger.insert(12, Frozen(), "2026-05-20T12:00:00Z")
    forger.insert(13, Revealed(standings="0" * 64))
    assert any(
        "are not the standings that the journal names at the end" in problem
        for problem in verify(forger.finish(rescore=True)).problems
    )
