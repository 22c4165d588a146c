"""Editions of the demonstration: AMIC in small, in the past; an open contest; and a draft."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

PLAYED = "amic-demo"
OPEN = "open-demo"
DRAFT = "register-demo"

_ROUND = """
[[track]]
id = "{id}"
title = "{title}"

[[track.phase]]
id = "anonymization"
submit = "release"
opens = {0}
closes = {1}
total = 3

[[track.phase]]
id = "attack"
submit = "guess"
opens = {2}
closes = {3}
per_day = 5

[[track.utility]]
use = "histogram"
at_least = 0.9

[[track.utility]]
use = "decision-tree"
target = "income"
positive = "<=50K"
depth = 5
at_least = 0.6
"""

_PLAYED = """
include = "amic"
id = "amic-demo"
title = "AMIC in small: anonymize, then attack"
dataset = { rows = 3_000 }
population = { generator = { rows = 12_000 }, take = 4_000 }
sample = { rows = 1_000 }
goal = { guesses = 100 }

[[baseline]]
id = "random"
name = "Random guesses"
attack = { use = "random" }

[[baseline]]
id = "nearest"
name = "Nearest record"
attack = { use = "nearest" }

[[baseline]]
id = "record-linkage"
name = "Record linkage"
attack = { use = "record-linkage" }
"""

_OPEN = """
include = "tiny"
id = "open-demo"
title = "Spring contest: who was in the data?"
repeats = 1
dataset = {{ rows = 600 }}
sample = {{ targets = 40, background = 120 }}
feedback = {{ show = "ladder" }}

[[phase]]
id = "attack"
submit = "guess"
opens = {0}
closes = {1}
per_day = 4
total = 20
"""

CALL = """\
Two rounds, three months, one question: how much can you publish without giving people away?

Every team gets a private sample and publishes an anonymized version that must stay useful. \
Then everybody attacks everybody. Teams of companies, universities and hobbyists are welcome.

This contest is a demonstration: it was played by built-in sanitizers and attacks.\
"""

OPEN_CALL = """\
The organisers sanitized five samples. Find out who was in them. The contest is open now: \
sign in as one of the demo people, or make an account and register a team of your own.\
"""

PRIZES = """\
The team with the best overall score gives a **talk** at our workshop. Everybody whose attack \
beats the built-in ones is named in the report.

| place | prize |
|---|---|
| 1 | a talk of 30 minutes |
| 2, 3 | a poster |

## Who may take part

Everybody: students, companies, and people who do this at night.\
"""

DRAFT_FIELDS = {
    "id": DRAFT,
    "title": "Who was in the register?",
    "description": "Students of an invented university. Find out whose records were published.",
    "header": "yes",
}


def register_table(rows: int = 400) -> bytes:
    """Invented students, as an organiser would bring them."""
    draw = random.Random(5)  # noqa: S311 - nobody needs to keep invented students secret
    lines = ["record,age,sex,faculty,semester,grade"]
    for number in range(rows):
        semester = draw.randint(1, 12)
        faculty = draw.choice(["law", "medicine", "arts", "engineering"])
        age, grade = 18 + semester // 2 + draw.randint(0, 8), 1 + draw.randint(0, 30) / 10
        lines.append(f"r-{number:05d},{age},{draw.choice('fm')},{faculty},{semester},{grade}")
    return "\n".join([*lines, ""]).encode()


def played_text(start: datetime) -> tuple[str, list[datetime]]:
    """AMIC in small with two rounds from a day on, and the dates of its phases."""
    days = (0, 12, 13, 20, 24, 36, 37, 44)
    dates = [start + timedelta(days=day) for day in days]
    rounds = [
        _ROUND.format(*map(_toml, dates[:4]), id="pre", title="Preliminary round"),
        _ROUND.format(*map(_toml, dates[4:]), id="main", title="Final round"),
    ]
    return _PLAYED + "".join(rounds), dates


def open_text(now: datetime) -> str:
    """A contest that opened three days ago."""
    day = now.replace(hour=12, minute=0, second=0, microsecond=0)
    return _OPEN.format(_toml(day - timedelta(days=3)), _toml(day + timedelta(days=25)))


def _toml(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
