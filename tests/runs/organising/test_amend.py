"""A new version of the rules changes what it may, and is refused with all that it may not."""

from datetime import timedelta

import pytest

from quintain.contests import load
from quintain.errors import EditionError, Refused
from quintain.jobs.files import write_file
from quintain.runs.folder import paths
from quintain.runs.organising.amend import amend, extend
from quintain.runs.organising.decide import Subject, decide
from quintain.runs.organising.join import Joining, join
from quintain.runs.organising.prepare import prepare
from quintain.runs.score import score
from quintain.runs.verification.verify import verify
from tests.runs.organising.live_cases import TWO_ROUNDS, at, everything, release

WHY = "a limit was missing"
LIMITED = TWO_ROUNDS.replace('submit = "guess"', 'submit = "guess"\nper_day = 3')


def rules(tmp_path, text):
    write_file(tmp_path / "new.toml", text.encode())
    return load(tmp_path / "new.toml")


def refused(folder, tmp_path, text):
    """The faults with which a version is refused; nothing changes."""
    before = everything(folder.root)
    with pytest.raises(EditionError) as caught:
        amend(folder, rules(tmp_path, text), WHY, now=at(3))
    assert everything(folder.root) == before
    return [str(fault) for fault in caught.value.faults]


def test_a_new_version_is_in_force_at_once_and_the_old_one_stays(played_round, tmp_path):
    old = played_round.at(paths.rules(1)).read_bytes()
    done = amend(played_round, rules(tmp_path, LIMITED), WHY, now=at(3))
    assert (done.event.version, done.event.reason, done.other_teams) == (2, WHY, ())
    assert done.changes == ("track.main.phase.attack.per_day", "track.pre.phase.attack.per_day")
    assert played_round.edition().track[0].phase[1].per_day == 3
    assert played_round.at(paths.rules(1)).read_bytes() == old
    assert played_round.at(paths.RULES).read_bytes() == played_round.at(paths.rules(2)).read_bytes()
    assert played_round.rules(1).track[0].phase[1].per_day is None
    score(played_round, now=at(3))
    assert verify(played_round).problems == ()


def test_all_that_must_not_change_is_named_at_once(played_round, tmp_path):
    join(played_round, [Joining("green")], now=at(3))
    text = (
        TWO_ROUNDS.replace('id = "two-rounds"', 'id = "three-rounds"')
        .replace("guesses = 5", "guesses = 6")
        .replace("rows = 40", "rows = 50")
        .replace('id = "nearest"', 'id = "green"')
        .replace('id = "anonymize"', 'id = "sanitize"')
        .replace("closes = 2026-05-04", "closes = 2026-05-03T12:00:00Z # 2026-05-04")
    )
    assert refused(played_round, tmp_path, text) == [
        "id: must stay 'two-rounds'; the new rules say 'three-rounds'",
        "track.pre: 'green' is the id of a team; name the baseline differently",
        "track.main: 'green' is the id of a team; name the baseline differently",
        "track.pre.goal: must stay as it is; the data were drawn with it",
        "track.pre.sample: must stay as it is; the data were drawn with it",
        "track.pre.phase.anonymize: has submissions and cannot be removed",
        "track.pre.phase.attack.closes: a phase can become longer, never shorter; it closes at "
        "2026-05-04 00:00 UTC now",
    ]


def test_a_prepared_round_cannot_vanish_but_a_later_one_may_change(contest, tmp_path):
    head, pre, main = TWO_ROUNDS.split("[[track]]")
    assert refused(contest, tmp_path, f"{head}[[track]]{main}") == [
        "track.pre: is prepared and cannot be removed"
    ]
    later = main.replace('id = "main"', 'id = "main"\nsample.rows = 60')
    amend(contest, rules(tmp_path, f"{head}[[track]]{pre}[[track]]{later}"), WHY, now=at(3))
    prepare(contest, now=at(5, 0))
    sample = contest.at(paths.team_sample("red", "main")).read_text()
    assert len(sample.splitlines()) == 61
    score(contest, now=at(5))
    assert verify(contest).problems == ()


def test_an_extended_phase_stays_extended(contest, tmp_path):
    extend(contest, "anonymize", at(3, 0), "the site was down", track="pre", now=at(1))
    (fault,) = refused(contest, tmp_path, LIMITED)
    assert fault.startswith("track.pre.phase.anonymize.closes: a phase can become longer")
    kept = LIMITED.replace("closes = 2026-05-02", "closes = 2026-05-03", 1)
    amend(contest, rules(tmp_path, kept), WHY, now=at(1))
    release(contest, "red", 2)


def test_teams_join_by_their_own_command_only(contest, tmp_path):
    more = TWO_ROUNDS.replace('id = "blue"', 'id = "green"')
    with pytest.raises(Refused, match=r"nothing changes; .* use quintain team: blue, green"):
        amend(contest, rules(tmp_path, more), WHY, now=at(1))
    with pytest.raises(Refused, match=r"nothing changes$"):
        amend(contest, rules(tmp_path, TWO_ROUNDS), WHY, now=at(1))
    join(contest, [Joining("white")], now=at(1))
    more = LIMITED.replace('id = "blue"', 'id = "green"')
    assert amend(contest, rules(tmp_path, more), WHY, now=at(1)).other_teams == ("blue", "green")
    prepare(contest, now=at(5))
    assert contest.state().roster.ids == ("red", "blue", "white")


def test_a_jury_cannot_choose_who_takes_no_part_or_is_disqualified(contest, tmp_path):
    jury = '[[award]]\ntitle = "Jury"\nwinners = ["purple", "red"]\n'
    decide(contest, "disqualified", Subject("red"), "red and blue are one team", now=at(1))
    first, second = refused(contest, tmp_path, f"{TWO_ROUNDS}{jury}")
    assert first == "award 'Jury': purple takes no part; the teams are red, blue"
    assert second.startswith("award 'Jury': team red is disqualified: red and blue are one team")
    decide(contest, "reinstated", Subject("red"), "two teams after all", now=at(2))
    amend(contest, rules(tmp_path, TWO_ROUNDS + jury.replace('"purple", ', "")), WHY, now=at(3))
    join(contest, [Joining("guest", competing=False)], now=at(4))
    jury = jury.replace("Jury", "Second").replace('"purple", "red"', '"guest"')
    (fault,) = refused(contest, tmp_path, f"{TWO_ROUNDS}{jury}")
    assert fault == "award 'Second': team guest takes part without competing, so it gets no award"


def test_the_end_of_a_phase_is_told_to_the_second(contest, tmp_path):
    extend(contest, "anonymize", at(3, 0) + timedelta(seconds=48), WHY, track="pre", now=at(1))
    (fault,) = refused(contest, tmp_path, LIMITED)
    assert fault.endswith("it closes at 2026-05-03 00:00:48 UTC now")


def test_a_version_without_a_reason_is_refused(contest, tmp_path):
    with pytest.raises(Refused, match="say why"):
        amend(contest, rules(tmp_path, LIMITED), "", now=at(1))
