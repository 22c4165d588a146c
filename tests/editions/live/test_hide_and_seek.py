"""Hide-and-Seek live: teams submit programs, and the organisers run them."""

import json

import pytest

from quintain.errors import PhaseClosed
from quintain.programs.choice import TRUSTED
from quintain.runs.folder import paths
from quintain.runs.organising.amend import extend
from quintain.runs.organising.decide import Subject, decide
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.join import Joining, join
from quintain.runs.submissions.counting import submissions
from quintain.runs.submissions.submit import submit
from tests.editions.live.live_contest import dates, day, files_of, revealed, shown, started
from tests.runs.tasks.program_cases import SMALL, seeker, zipped

CONTRACT = 'contract = { use = "hide-and-seek", steps = 10, limits = { seconds = 20 } }'

PHASES = f"""
[[team]]
id = "red"

[[team]]
id = "grey"

[[phase]]
id = "hide"
submit = "release"
{CONTRACT}
{dates(1, 2)}
[[phase]]
id = "seek"
submit = "guess"
{CONTRACT}
{dates(3, 4)}
"""

HIDER = """
def hider(input_dict):
    return input_dict["data"], input_dict["padding_mask"]
"""


def test_programs_from_new_to_reveal(tmp_path):
    folder = started(tmp_path / "has-2026", "hide-and-seek", SMALL, PHASES)
    submit(folder, "red", {"hider.zip": zipped(hider=HIDER)}, now=day(1.5))
    submit(folder, "grey", {"hider.zip": zipped(hider=HIDER)}, now=day(1.5))
    join(folder, [Joining("blue")], now=day(1.6))
    extend(folder, "hide", day(2.5), "a new library", now=day(1.9))
    submit(folder, "blue", {"hider.zip": zipped(hider=HIDER)}, now=day(2.2))
    decide(folder, "disqualified", Subject("grey"), "red and grey are one team", now=day(2.3))
    # The private data are for programs only: no kit has them.
    assert not [name for name in shown(folder, day(2.3)) if "private" in name]
    assert files_of(shown(folder, day(2.3)), "tasks") == []
    hand_over(folder, now=day(2.6), containment=TRUSTED)
    assert folder.owners(folder.edition().track[0]) == {"blue": "blue", "red": "red"}
    made = [one for one in submissions(folder) if one.made_by is not None]
    assert [one.team for one in made] == ["blue", "red"]
    with pytest.raises(PhaseClosed, match="were handed over at"):
        submit(folder, "red", {"h.zip": zipped(hider=HIDER)}, kind="release", now=day(2.7))
    submit(folder, "blue", {"seeker.zip": seeker()}, now=day(3.5))
    verification = revealed(folder, day(4), tmp_path / "archive", containment=TRUSTED)
    assert verification.problems == ()
    last = json.loads((tmp_path / "archive" / paths.STANDINGS).read_bytes())
    (seekers,) = (b for b in last["tracks"]["main"]["boards"] if b["id"] == "seekers")
    ranks = {place["team"]: place["rank"] for place in seekers["places"]}
    (red,) = (entry for entry in last["tracks"]["main"]["entries"] if entry["owner"] == "red")
    # The keys of a live contest differ each time, so red's release may or may not pass the gates.
    assert ranks == {"blue": 1 if red["accepted"] else None}
    # What the program made is an event before the end.
    assert [event.event for event in folder.journal().events()][-3:] == [
        "submitted",
        "frozen",
        "revealed",
    ]
