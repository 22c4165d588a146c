"""Teams join late, are disqualified and reinstated; everybody can read why."""

import json

import pytest

from quintain.contests.roster import Quota
from quintain.errors import FolderError, NoSuchTeam, QuotaUsed, Refused
from quintain.runs.folder import paths
from quintain.runs.folder.record import roots
from quintain.runs.organising.decide import Subject, decide, missing_releases
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.join import Joining, join, team_rows
from quintain.runs.organising.prepare import prepare
from quintain.runs.score import score
from quintain.runs.submissions.counting import submissions
from tests.runs.organising.live_cases import at, everything, guess, release

ON_RELEASE = Subject("red", "pre")
WHY = "its rows are copies"


def standings(folder, day=3):
    """The standings without the facts about the journal."""
    score(folder, report=False, now=at(day))
    content = json.loads(folder.at(paths.STANDINGS).read_bytes())
    del content["journal"]
    return content


def board(content, name):
    (found,) = (one for one in content["tracks"]["pre"]["boards"] if one["id"] == name)
    return {place["team"]: place["rank"] for place in found["places"]}


def entries(content):
    return {one["id"]: one["faults"] for one in content["tracks"]["pre"]["entries"]}


def test_a_late_team_gets_a_sample_and_a_commitment_of_its_own(contest):
    release(contest, "red", 1)
    join(contest, [Joining("green", "The green team")], now=at(1, 13))
    sample = contest.at(paths.team_sample("green", "pre"))
    others = [contest.at(paths.team_sample(team, "pre")) for team in ("red", "blue")]
    assert len(sample.read_text().splitlines()) == 41
    assert sample.read_bytes() not in [other.read_bytes() for other in others]
    leaves = json.loads(contest.at(paths.commitment("join-green")).read_bytes())["leaves"]
    assert set(leaves) == {
        "teams/green/pre/private.csv",
        "secret/pre/tasks/green/private.parquet",
    }
    assert roots(contest.state())["join-green"] == contest.state().joined["green"].commitment
    assert [team.id for team in contest.edition().team] == ["red", "blue", "green"]
    assert release(contest, "green", 1).submission.number == 7


def test_a_late_team_gets_a_sample_of_every_later_round(contest):
    join(contest, [Joining("green")], now=at(1, 13))
    prepare(contest, now=at(5, 0))
    assert contest.at(paths.team_sample("green", "main")).is_file()


@pytest.mark.parametrize(
    ("team", "problem"),
    [
        ("red", "team red takes part already"),
        ("nearest", "'nearest' is the name of a baseline or an entry; choose another id"),
        ("Red Team", "'Red Team' cannot be the id of a team: use up to 64 lower-case letters"),
        ("../red", "cannot be the id of a team"),
    ],
)
def test_a_team_that_cannot_join_changes_nothing(contest, team, problem):
    before = everything(contest.root)
    with pytest.raises(Refused, match=problem):
        join(contest, [Joining("green"), Joining(team)], now=at(1))
    assert everything(contest.root) == before


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("half \udcff", "team green cannot have this name: the name has a character"),
        ("two\nlines", "a character that cannot be printed"),
        ("g" * 201, "the name has 201 characters; the limit is 200"),
    ],
)
def test_a_team_whose_name_nobody_can_read_changes_nothing(contest, name, problem):
    before = everything(contest.root)
    with pytest.raises(Refused, match=problem):
        join(contest, [Joining("green", name)], now=at(1))
    assert everything(contest.root) == before


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        (None, "signing.key is missing"),
        ("no key", "signing.key: missing or damaged"),
        ("ab" * 31, "signing.key: missing or damaged"),
        ("ab" * 32, "signing.key is the key of another contest"),
    ],
)
def test_without_the_key_of_the_signatures_nobody_joins(contest, key, problem):
    path = contest.at(paths.SIGNING_KEY)
    path.unlink() if key is None else path.write_text(key)
    before = everything(contest.root)
    with pytest.raises(FolderError, match=problem):
        join(contest, [Joining("green")], now=at(1))
    assert everything(contest.root) == before


def test_a_team_may_have_limits_of_its_own(contest):
    join(contest, [Joining("green", limits=Quota(total=1))], now=at(1, 1))
    release(contest, "green", 1)
    with pytest.raises(QuotaUsed, match="team green has used its 1 submission of phase anonymize"):
        release(contest, "green", 1)
    release(contest, "red", 1)
    release(contest, "red", 1)


def test_the_list_of_teams_says_who_takes_part_and_how(played_round):
    join(played_round, [Joining("green", "Green", False, Quota(3, 9))], now=at(3))
    decide(played_round, "disqualified", ON_RELEASE, WHY, now=at(3))
    decide(played_round, "disqualified", Subject("blue"), "two teams are one", now=at(3))
    red, blue, green = team_rows(played_round.state(), submissions(played_round))
    assert (red.id, red.joined, red.submissions) == ("red", "2026-05-01 01:00 UTC", 2)
    assert red.status == "release red of pre disqualified: its rows are copies"
    assert blue.status == "disqualified: two teams are one"
    assert (green.name, green.competing) == ("Green", False)
    assert green.limits == "3 per day (UTC) and 9 in total"
    assert (green.submissions, green.status) == (0, "takes part")


def test_a_disqualified_release_is_shown_with_the_reason_and_counts_for_nobody(played_round):
    fair = standings(played_round)
    assert entries(fair) == {"blue": [], "red": []}
    decide(played_round, "disqualified", ON_RELEASE, WHY, now=at(3))
    content = standings(played_round)
    assert entries(content) == {
        "blue": [],
        "red": ["disqualified by the organisers: its rows are copies"],
    }
    assert board(fair, "anonymizers")["red"] is not None
    assert board(content, "anonymizers").get("red") is None
    # The team still takes part as an attacker.
    assert board(content, "attackers")["red"] is not None


def test_a_disqualified_team_gets_no_rank_but_its_attacks_stay_visible(played_round):
    decide(played_round, "disqualified", Subject("red"), "two teams are one", now=at(3))
    content = standings(played_round)
    assert entries(content)["red"] == ["disqualified by the organisers: two teams are one"]
    assert board(content, "attackers")["red"] is None
    assert "red" in played_round.at(paths.MATRIX).read_text()
    with pytest.raises(Refused, match="team red is disqualified: two teams are one"):
        guess(played_round, "red", 3)


def test_reinstating_restores_every_figure(played_round):
    before = standings(played_round), played_round.at(paths.CELLS).read_bytes()
    for subject in (ON_RELEASE, Subject("red")):
        decide(played_round, "disqualified", subject, WHY, now=at(3))
        assert standings(played_round) != before[0]
        decide(played_round, "reinstated", subject, "they could explain it", now=at(3))
        assert (standings(played_round), played_round.at(paths.CELLS).read_bytes()) == before


def test_a_release_that_is_disqualified_before_the_hand_over_is_not_handed_over(contest):
    release(contest, "red", 1)
    release(contest, "blue", 1)
    decide(contest, "disqualified", ON_RELEASE, WHY, now=at(1))
    hand_over(contest, now=at(2))
    assert contest.owners(contest.edition().track[0]) == {"blue": "blue"}
    # It can be reinstated, but no attacker got it.
    decide(contest, "reinstated", ON_RELEASE, "they could explain it", now=at(2))
    assert missing_releases(contest, "red") == [Subject("red", "pre", "red")]
    assert missing_releases(contest, "blue") == []


@pytest.mark.parametrize(
    ("decision", "subject", "problem"),
    [
        ("disqualified", Subject("red", "main"), "team red has made no release in track main"),
        ("disqualified", Subject("red", "pre", "blue"), "unknown release 'blue'; choose one with"),
        ("reinstated", Subject("red"), "team red is not disqualified"),
        ("reinstated", ON_RELEASE, "release red of team red in track pre is not disqualified"),
    ],
)
def test_a_decision_that_makes_no_sense_is_refused(played_round, decision, subject, problem):
    before = everything(played_round.root)
    with pytest.raises(Refused, match=problem):
        decide(played_round, decision, subject, WHY, now=at(3))
    assert everything(played_round.root) == before


def test_nobody_is_disqualified_twice_or_without_a_reason(contest):
    with pytest.raises(Refused, match="say why"):
        decide(contest, "disqualified", Subject("red"), " \n", now=at(1))
    with pytest.raises(NoSuchTeam, match="unknown team 'green'; available: red, blue"):
        decide(contest, "disqualified", Subject("green"), WHY, now=at(1))
    decide(contest, "disqualified", Subject("red"), WHY, now=at(1))
    with pytest.raises(Refused, match="team red is disqualified already: its rows are copies"):
        decide(contest, "disqualified", Subject("red"), "again", now=at(1))
