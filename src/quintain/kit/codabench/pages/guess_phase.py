"""The pages of the phases in which teams submit guesses, and the README of the starting kit."""

from __future__ import annotations

from quintain.contests import Edition, Track
from quintain.contests.redaction import withheld
from quintain.figures.format import count
from quintain.kit.codabench.exported import exported, parameters, scored
from quintain.kit.codabench.pages.shared import OFFICIAL, artefacts_text, page_files, rules_page
from quintain.runs.folder import paths
from quintain.runs.folder.paths import Task

_FAIR_PLAY = """- A submission is complete: it answers every task.
- Infer the labels from the public data only. It is not allowed to compute them from scores, guess
  seeds or invert hashes."""


def pages(
    edition: Edition, track: Track, tasks: list[Task], roots: dict[str, str], example: bytes
) -> dict[str, bytes]:
    """Every page of the site, by its path in the bundle; ``example`` is a valid answer."""
    texts = {
        "overview": _overview(edition, track),
        "data": _data(track, tasks),
        "evaluation": _evaluation(track, tasks, example),
        "rules": rules_page(track, "guess", _FAIR_PLAY, roots),
    }
    return page_files(edition, texts)


def _overview(edition: Edition, track: Track) -> str:
    entries = "\n".join(
        f"- `{name}`" if withheld(track) else f"- `{name}`: {part.summary()}"
        for name, part in track.entries.items()
    )
    cite = f"\n\nReference: {edition.cite}" if edition.cite else ""
    return f"""# {edition.title}

{edition.description.strip()}

{track.title or track.goal.summary()}

Releases under attack:

{entries or "- the releases that the teams submitted"}

Start with the starting kit: it has a valid example, a checker and a baseline that runs with one
command. {OFFICIAL}{cite}
"""


def _data(track: Track, tasks: list[Task]) -> str:
    threat = "\n".join(f"- {aspect}: {sentence}" for aspect, sentence in track.threat.rows())
    base = "\n- `base.parquet`: the population." if track.threat.data.base else ""
    number = f"{'is' if len(tasks) == 1 else 'are'} {count(len(tasks), 'task')}"
    return f"""# Data

What attackers want and know:

{threat}

Public data, below `{paths.places(track.id)[0]}/`:

- `schema.json`: the columns.{base}
- `tasks/TASK/release.csv`: what was published about the private data.
- `tasks/TASK/question.csv`: the records of the targets.
- `tasks/TASK/card.json`: facts about the release.

`{paths.RULES}` has the rules with every default spelled out; `{paths.COMMITMENTS}/` has the
hashes that bind the organisers to their secret files. There {number}: {_names(tasks)}.
"""


def _evaluation(track: Track, tasks: list[Task], example: bytes) -> str:
    lines = "\n".join(example.decode().splitlines()[: 2 + track.files.header])
    boards = "\n".join(f"- {b.title or b.id}: {b.rule.summary()}" for b in track.board)
    measure = scored(track)
    text = measure.text.format(**parameters(track))
    repetitions = (
        "Repetitions of one entry are counted together."
        if measure.pooled
        else "Each repetition of an entry is measured, and the column is their mean."
    )
    return f"""# Evaluation

Submit one zip with one file per task in its root, {len(tasks)} in all, called {_names(tasks)}:

```
{lines}
```

{exported(track).answer}{_own(track)}{artefacts_text(track, "guess")}

Check the zip before you submit it: `python3 score.py --check answers.zip`, from the starting kit.

{text}

A column `{measure.key}_...` is the score on one entry. {repetitions}
The last column is the mean of the columns `{measure.key}_...`.

{_visible(track)}

{OFFICIAL} The official boards are:

{boards}
"""


def _own(track: Track) -> str:
    """What a team does about the entries that are its own releases."""
    if not track.teams_release:
        return ""
    return (
        " A team does not attack its own releases: leave out all answers about them. Their columns "
        "stay empty, and the mean is over the others."
    )


def _visible(track: Track) -> str:
    feedback = track.feedback
    if feedback.show == "rounded":
        return f"Scores are rounded to {feedback.digits} digits, because exact scores leak labels."
    if feedback.show == "full":
        return "Scores are shown in full."
    return (
        "This contest shows scores only at its end, because every score leaks labels. If this site "
        "shows you a score before the end, do not use it."
    )


def starting_readme(edition: Edition, tasks: list[Task]) -> bytes:
    """The README of the starting kit."""
    return f"""# {edition.title}: starting kit

    python3 baseline.py                       blind guesses: writes answers.zip
    python3 score.py --check answers.zip      checks that it is complete and valid

Then submit answers.zip. You need Python 3.7 or later and no packages.

- `example/`: valid answers, made blindly, to {count(len(tasks), "task")}.
- `plan.json`: what each answer must contain.
- `score.py`: the scoring program of the contest itself. Without the truth it can only check.
- `baseline.py`: replace its function `guess` with an attack.

{OFFICIAL}
""".encode()


def _names(tasks: list[Task]) -> str:
    names = ", ".join(f"`{task.name}.csv`" for task in tasks[:3])
    return names + (" and so on" if len(tasks) > 3 else "")
