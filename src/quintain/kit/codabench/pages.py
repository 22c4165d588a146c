"""The pages of a contest on CodaBench, and what its organisers should read before uploading."""

from __future__ import annotations

from quintain.contests import Edition, Track
from quintain.contests.redaction import withheld
from quintain.figures.counts import count
from quintain.kit.codabench.competition import Timed, hides_scores, schedule
from quintain.kit.codabench.exported import exported, parameters, scored
from quintain.kit.codabench.plan import Where, column_key
from quintain.runs.folder import paths
from quintain.runs.folder.task import Task

OFFICIAL = (
    "**The ranking on this site is not the official one.** Quintain computes the official ranking "
    "from the submissions to this site. The organisers committed to the rules, samples and "
    "releases before the contest, and anybody can verify the ranking afterwards."
)


def pages(
    edition: Edition, track: Track, tasks: list[Task], roots: dict[str, str], example: bytes
) -> dict[str, bytes]:
    """Every page of the site, by its path in the bundle; ``example`` is a valid answer."""
    texts = {
        "overview": _overview(edition, track),
        "data": _data(track, tasks),
        "evaluation": _evaluation(track, tasks, example),
        "rules": _rules(track, roots),
        "terms": _terms(edition),
    }
    return {f"pages/{name}.md": f"{text.strip()}\n".encode() for name, text in texts.items()}


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

{exported(track).answer}{_own(track)}
Check the zip before you submit it: `python3 score.py --check answers.zip`, from the starting kit.

{text}

A column `{measure.key}_...` is the score on one entry. {repetitions} The last column is the mean of
the columns `{measure.key}_...`.

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


def _rules(track: Track, roots: dict[str, str]) -> str:
    phases = "\n".join(_limits(timed) for timed in schedule(track))
    committed = "\n".join(f"- {stage}: `{root}`" for stage, root in roots.items())
    return f"""# Rules

Phases, in UTC:

{phases}

Fair play:

- Each team has one account, and the last submission of a phase counts.
- A submission is complete: it answers every task.
- Files only: a submission that contains a program, or reads files of the worker, is disqualified.
- Infer the labels from the public data only. It is not allowed to compute them from scores, guess
  seeds or invert hashes.

The organisers are bound by these commitments:

{committed or "- none"}
"""


def _limits(timed: Timed) -> str:
    phase = timed.phase
    until = "" if timed.end is None else f" to {timed.end:%Y-%m-%d %H:%M:%S}"
    since = f" from {timed.start:%Y-%m-%d %H:%M:%S}" if phase.opens else ""
    day = f"{count(phase.per_day, 'submission')} per day" if phase.per_day else "any number per day"
    total = f"{phase.total} in all" if phase.total else "any number in all"
    return f"- {phase.id}: open{since}{until}; {day}, {total}."


def _terms(edition: Edition) -> str:
    return f"""# Terms

By taking part in "{edition.title}" you agree to its rules, to the publication of your submissions
together with the truth after the contest, so that anybody can verify the results, and not to use
what you learn against the people whose records are in the data.
"""


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


def organisers_note(edition: Edition, track: Track, tasks: list[Task], truth: Where) -> bytes:
    """What organisers must know because the site has no setting for it; it is in ORGANISERS.md."""
    notes = [
        "The board here is a plain mean over the entries. Download the submissions and let "
        "quintain compute the official ranking: `quintain submit` for each, then `quintain score`.",
        "Limits are per account and UTC day; CodaBench has no teams.",
        "CodaBench cannot fully forbid code: it may run a zip with a metadata.yaml and a command "
        "on the worker. Such code sees neither the reference data nor the scoring program.",
    ]
    if hides_scores(track):
        notes.append(
            f'The rules say feedback = "{track.feedback.show}". The leaderboard and the score '
            "files are hidden, but CodaBench still shows every team its own score "
            "(its issue 2088). If that is too much, switch off auto_run_submissions."
        )
    if track.teams_release:
        notes.append("Run the phase in which teams make releases with quintain, not on CodaBench.")
    if truth == "worker":
        notes.append(
            "Unpack the worker's zip in the folder that the compute worker mounts as `/app/data`: "
            f"it has `{edition.id}/truth/{track.id}/TASK.half`. A submitted program could read "
            "that folder, and reference data have leaked before; so each has one half of the "
            "truth, and either half alone is random bytes. Attach the worker's queue to the "
            "competition."
        )
    entries = list(dict.fromkeys(task.entry for task in tasks))
    key = scored(track).key
    columns = ", ".join(f"`{column_key(key, entry)}`" for entry in entries[:3])
    listed = "\n".join(f"- {note}" for note in notes)
    return f"""# For the organisers

Made by `quintain export`. The score columns are {columns} ..., one per entry.

{listed}
""".encode()


def _names(tasks: list[Task]) -> str:
    names = ", ".join(f"`{task.name}.csv`" for task in tasks[:3])
    return names + (" and so on" if len(tasks) > 3 else "")
