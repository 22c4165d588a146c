"""The story: what happened in a contest, as the report and the log tell it."""

import subprocess
import sys
from datetime import UTC, datetime

from quintain.contests import load
from quintain.journal.events import (
    Amended,
    Decided,
    Frozen,
    HandedOver,
    Joined,
    Prepared,
    Revealed,
    Rules,
    Submitted,
)
from quintain.runs.story import changes_rules, log_lines, story

PHASE = {"id": "attack", "submit": "guess", "closes": datetime(2026, 5, 2, tzinfo=UTC)}
TEAM = [{"id": "red"}]
VERSIONS = {
    1: load("tiny", overrides={"team": TEAM, "phase": [PHASE]}),
    2: load("tiny", overrides={"team": TEAM, "phase": [{**PHASE, "per_day": 3}]}),
}


def numbered(*events):
    """Events as a journal has them, one per minute."""
    return [
        event.model_copy(update={"number": n, "time": f"2026-05-01T12:{n:02d}:00Z"})
        for n, event in enumerate(events, 1)
    ]


RULES = Rules(version=1, rules="", commitment="", key="")
PREPARED = Prepared(track="main", commitment="")
RED = Joined(team="red")
GUESS = Submitted(team="red", track="main", phase="attack", kind="guess", files={"a": "", "b": ""})
HANDED = HandedOver(track="main", size=3, commitment="")
AS_ANNOUNCED = (RULES, PREPARED, RED, GUESS, HANDED, GUESS, Frozen(), Revealed(standings=""))


def test_there_is_no_story_if_everything_went_as_announced():
    assert story(numbered(*AS_ANNOUNCED), VERSIONS) == []


def test_the_story_names_every_surprise_and_what_followed():
    later = "2026-05-03T00:00:00Z"
    decided = Decided(
        decision="disqualified", team="red", track="main", entry="red", reason="its rows are copies"
    )
    events = numbered(
        RULES,
        PREPARED,
        RED,
        Joined(team="green", name="The green team", competing=False),
        GUESS,
        Amended(track="main", phase="attack", closes=later, reason="the site was down"),
        Amended(track="main", phase="attack", closes="2026-05-04T00:00:00Z", reason="again"),
        Rules(version=2, rules="", commitment="", key="", reason="a limit was missing"),
        decided,
        Decided(decision="reinstated", team="red", reason="they could explain it"),
        HANDED,
        Frozen(reason="all is said"),
        Revealed(standings=""),
    )
    passages = story(events, VERSIONS)
    assert [passage.time for passage in passages][:2] == [
        "2026-05-01 12:04 UTC",
        "2026-05-01 12:06 UTC",
    ]
    assert [passage.sentence for passage in passages] == [
        "Team green (The green team) joined, without a rank.",
        "The organisers extended phase attack of track main, from 2026-05-02 00:00 UTC to "
        "2026-05-03 00:00 UTC: the site was down",
        "The organisers extended phase attack of track main, from 2026-05-03 00:00 UTC to "
        "2026-05-04 00:00 UTC: again",
        "The organisers changed the rules (version 2: phase.attack.per_day): a limit was missing",
        "The organisers disqualified release red of team red in track main: its rows are copies",
        "The organisers reinstated team red: they could explain it",
        "The attackers got the releases of track main.",
        "The contest ended: all is said",
    ]


def test_the_log_counts_submissions_or_lists_them():
    events = numbered(*AS_ANNOUNCED)
    assert list(log_lines(events, VERSIONS, every=False)) == [
        "     1  2026-05-01 12:01 UTC  The rules were fixed.",
        "     2  2026-05-01 12:02 UTC  The data of track main were drawn.",
        "     3  2026-05-01 12:03 UTC  Team red joined.",
        "        1 submission",
        "     5  2026-05-01 12:05 UTC  The attackers got the releases of track main.",
        "        1 submission",
        "     7  2026-05-01 12:07 UTC  The contest ended.",
        "     8  2026-05-01 12:08 UTC  The organisers published their secrets.",
    ]
    every = list(log_lines(events, VERSIONS, every=True))
    assert len(every) == len(events)
    assert every[3].endswith("Team red submitted a guess of 2 files to phase attack of track main.")
    made = GUESS.model_copy(update={"made_by": 4})
    assert "made by the program of 4" in next(log_lines(numbered(made), VERSIONS, every=True))
    assert list(log_lines(numbered(RED, GUESS, GUESS), VERSIONS, every=False))[-1].endswith(
        "2 submissions"
    )


def test_only_changed_rules_are_quoted():
    assert not changes_rules(numbered(RED, GUESS))
    assert changes_rules(numbered(RED, RULES.model_copy(update={"version": 2})))


def test_a_log_is_told_without_loading_rules_or_numpy():
    modules = "quintain.runs.folder.journal_folder, quintain.runs.story, sys"
    heavy = "{'numpy', 'pyarrow', 'quintain.contests.edition'}"
    code = f"import {modules}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"
