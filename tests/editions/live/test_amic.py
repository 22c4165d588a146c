"""AMIC live: two rounds, a team that joins late, an extension, a release out and in again."""

import json

import pytest

from quintain.errors import PhaseClosed
from quintain.runs.folder import paths
from quintain.runs.organising.amend import extend
from quintain.runs.organising.decide import Subject, decide
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.join import Joining, join
from quintain.runs.organising.prepare import prepare
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from tests.editions.live.live_contest import dates, day, files_of, kit, revealed, shown, started

SMALL = {
    "dataset": {"rows": 600},
    "population": {"generator": {"rows": 3000}, "take": 1000},
    "sample": {"rows": 300},
    "goal": {"guesses": 10},
    "rule": [{"use": "rows", "least": 100, "most": 1000}],
}

GATES = """
[[track.utility]]
use = "histogram"
at_least = 0.9
"""

ROUNDS = f"""
[[baseline]]
id = "attack.py"
attack = {{ use = "nearest", distance = "euclidean" }}

[[team]]
id = "01"

[[team]]
id = "02"

[[track]]
id = "pre"
title = "Preliminary round"
{GATES}
[[track.phase]]
id = "anonymization"
submit = "release"
{dates(1, 2)}
[[track.phase]]
id = "attack"
submit = "guess"
{dates(4, 5)}
[[track]]
id = "main"
title = "Final round"
{GATES}
[[track.phase]]
id = "anonymization"
submit = "release"
{dates(6, 7)}
[[track.phase]]
id = "attack"
submit = "guess"
{dates(8, 9)}
"""


def release(folder, team, track, now):
    """A team submits its sample as it got it in its kit: it passes the gates, and hides nobody."""
    private = kit(folder, team, now)[f"teams/{team}/{track}/private.csv"]
    name = f"{track}_anonymizeddata_{team}.csv"
    return submit(folder, team, {name: private}, track=track, now=now)


def attack(folder, team, track, now):
    """A team submits the blind answers of its kit."""
    start = f"example/{track}/attack/"
    files = {
        name.removeprefix(start): content
        for name, content in kit(folder, team, now).items()
        if name.startswith(start)
    }
    return submit(folder, team, files, track=track, now=now)


def standings(folder, now):
    score(folder, now=now, report=False)
    content = json.loads(folder.at(paths.STANDINGS).read_bytes())
    del content["journal"]
    return content


def board(content, name):
    """A board over all tracks."""
    (wanted,) = (one for one in content["overall"] if one["id"] == name)
    return wanted


@pytest.mark.slow
def test_two_rounds_from_new_to_reveal(tmp_path):
    folder = started(tmp_path / "amic-2026", "amic", SMALL, ROUNDS)
    first = kit(folder, "01", day(1.2))
    assert "files/pre/pre_samplingdata_01.csv" in first
    assert not files_of(first, "main")
    release(folder, "01", "pre", day(1.2))
    join(folder, [Joining("23", "Team 23")], now=day(1.5))
    with pytest.raises(PhaseClosed):
        release(folder, "02", "pre", day(2.2))
    extend(folder, "anonymization", day(3), "the lab lost its power", track="pre", now=day(2.3))
    release(folder, "02", "pre", day(2.4))
    release(folder, "23", "pre", day(2.5))
    with pytest.raises(PhaseClosed, match="hand over after that"):
        hand_over(folder, "pre", now=day(2.6))
    assert not [name for name in shown(folder, day(2.6)) if name.endswith("base.parquet")]
    hand_over(folder, "pre", now=day(3))
    assert paths.base("pre") in shown(folder, day(3))
    for team in ("01", "02", "23"):
        attack(folder, team, "pre", day(4.5))

    fair = standings(folder, day(5))
    assert {place["team"] for place in board(fair, "preliminary")["places"]} == {"01", "02", "23"}
    decide(folder, "disqualified", Subject("02", "pre"), "its rows are copies", now=day(5))
    unfair = standings(folder, day(5))
    assert unfair != fair
    decide(folder, "reinstated", Subject("02", "pre"), "the rules allow copies", now=day(5.1))
    assert standings(folder, day(5.1)) == fair

    assert files_of([path.as_posix() for path in folder.root.rglob("*")], "main") == []
    with pytest.raises(PhaseClosed, match="track main is not prepared yet"):
        submit(folder, "01", {}, track="main", kind="release", now=day(5.5))
    prepare(folder, tracks=["main"], now=day(5.5))  # half a day before the round begins
    assert not any(files_of(kit(folder, team, day(5.9)), "main") for team in ("01", "02", "23"))
    for team in ("01", "02", "23"):
        release(folder, team, "main", day(6.5))
    assert paths.base("main") not in shown(folder, day(7))
    hand_over(folder, now=day(7))
    for team in ("01", "02", "23"):
        attack(folder, team, "main", day(8.5))

    verification = revealed(folder, day(9), tmp_path / "archive")
    assert verification.problems == ()
    page = (tmp_path / "archive" / paths.REPORT).read_text()
    for sentence in (
        "Team 23 (Team 23) joined.",
        "from 2026-05-02 00:00 UTC to 2026-05-03 00:00 UTC: the lab lost its power",
        "The organisers disqualified release 02 of team 02 in track pre: its rows are copies",
        "The organisers reinstated release 02 of team 02 in track pre: the rules allow copies",
        "The attackers got the releases of track main.",
    ):
        assert sentence in page
    last = json.loads((tmp_path / "archive" / paths.STANDINGS).read_bytes())
    ranks = {place["team"]: place["rank"] for place in board(last, "overall")["places"]}
    assert None not in (ranks["01"], ranks["02"], ranks["23"])
