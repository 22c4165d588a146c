"""What people read about a contest on CodaBench: pages, READMEs and a note for organisers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from quintain.contests import Edition, Phase, Track
from quintain.contests.redaction import withheld
from quintain.contests.words import artefact_lines, gate_lines, quota_words, release_rule_lines
from quintain.figures.format import count
from quintain.kit.codabench.competition import Timed, hides_scores, schedule
from quintain.kit.codabench.exported import board_measure, exported_goal, parameters, site_average
from quintain.kit.codabench.plan import (
    Where,
    column_key,
    original_is_known,
    sample_file,
    site_artefacts,
    site_rules,
)
from quintain.runs.folder import paths
from quintain.runs.folder.paths import CARD, Task

OFFICIAL = (
    "**The ranking on this site is not the official one.** Quintain computes the official ranking "
    "from the submissions to this site. The organisers committed to the rules, samples and "
    "releases before the contest, and anybody can verify the ranking afterwards."
)
_GUESS_FAIR_PLAY = """- A submission is complete: it answers every task.
- Infer the labels from the public data only. It is not allowed to compute them from scores, guess
  seeds or invert hashes."""
_RELEASE_FAIR_PLAY = """- Show your private data to nobody: the attackers must not have them.
- The releases that count are given to all teams in the guess phase."""
_ACCOUNTS = "Limits are per account and UTC day; CodaBench has no teams."
_CODE = (
    "CodaBench cannot fully forbid code: it may run a zip with a metadata.yaml and a command on "
    "the worker. Such code sees neither the reference data nor the scoring program."
)
_IMPORT = (
    "download the submissions (Submissions, select all, download selected) and run `quintain "
    "import-codabench FOLDER bulk.zip --accounts accounts.csv`, where accounts.csv has the lines "
    "`account,team`"
)


# --- in every phase -------------------------------------------------------------------------------


def page_files(edition: Edition, texts: Mapping[str, str]) -> dict[str, bytes]:
    """The pages by their path in the bundle, with the terms."""
    pages = {**texts, "terms": _terms(edition)}
    return {f"pages/{name}.md": f"{text.strip()}\n".encode() for name, text in pages.items()}


def artefacts_text(track: Track, submit: str) -> str:
    """What the evaluation page says about further files of a submission, if there are any."""
    artefacts = site_artefacts(track, submit)
    if not artefacts:
        return ""
    return "\n\nPut these files beside it:\n\n" + "\n".join(artefact_lines(artefacts))


def rules_page(track: Track, submit: str, fair_play: str, roots: Mapping[str, str]) -> str:
    """Phases, limits, fair play, and what the organisers committed to."""
    phases = "\n".join(_limits(timed) for timed in schedule(track, submit))
    committed = "\n".join(f"- {stage}: `{root}`" for stage, root in roots.items())
    return f"""# Rules

Phases, in UTC:

{phases}

Fair play:

- Each team has one account, and the last submission of a phase counts.
- Files only: a submission that contains a program, or reads files of the worker, is disqualified.
{fair_play}

The organisers are bound by these commitments:

{committed or "- none"}
"""


def _limits(timed: Timed) -> str:
    phase = timed.phase
    until = "" if timed.end is None else f" to {timed.end:%Y-%m-%d %H:%M:%S}"
    since = f" from {timed.start:%Y-%m-%d %H:%M:%S}" if phase.opens else ""
    quota = quota_words(phase) or "any number"
    return f"- {phase.id}: open{since}{until}; submissions: {quota}."


def _terms(edition: Edition) -> str:
    return f"""# Terms

By taking part in "{edition.title}" you agree to its rules, to the publication of your submissions
together with the truth after the contest, so that anybody can verify the results, and not to use
what you learn against the people whose records are in the data.
"""


# --- the phases in which teams submit guesses -----------------------------------------------------


def guess_pages(
    edition: Edition, track: Track, tasks: list[Task], roots: dict[str, str], example: bytes
) -> dict[str, bytes]:
    """Every page of the site, by its path in the bundle; ``example`` is a valid answer."""
    texts = {
        "overview": _guess_overview(edition, track),
        "data": _guess_data(track, tasks),
        "evaluation": _guess_evaluation(track, tasks, example),
        "rules": rules_page(track, "guess", _GUESS_FAIR_PLAY, roots),
    }
    return page_files(edition, texts)


def _guess_overview(edition: Edition, track: Track) -> str:
    entries = "\n".join(
        f"- `{name}`" if withheld(track) else f"- `{name}`: {part.summary()}"
        for name, part in track.entries.items()
    )
    cite = f"\n\nReference: {edition.cite}" if edition.cite else ""
    return f"""# {edition.title}

{edition.description.strip()}

{track.headline}

Releases under attack:

{entries or "- the releases that the teams submitted"}

Start with the starting kit: it has a valid example, a checker and a baseline that runs with one
command. {OFFICIAL}{cite}
"""


def _guess_data(track: Track, tasks: list[Task]) -> str:
    threat = "\n".join(f"- {aspect}: {sentence}" for aspect, sentence in track.threat_rows())
    base = "\n- `base.parquet`: the population." if "base" in track.gives else ""
    goal = f".{track.aims[0].id}" if track.aims[0].id else ""
    number = f"{'is' if len(tasks) == 1 else 'are'} {count(len(tasks), 'task')}"
    return f"""# Data

What attackers want and know:

{threat}

Public data, below `{paths.places(track.id)[0]}/`:

- `schema.json`: the columns.{base}
- `tasks/TASK/release.csv`: what was published about the private data.
- `tasks/TASK/question{goal}.csv`: the records of the targets.
- `tasks/TASK/card.json`: facts about the release.

`{paths.RULES}` has the rules with every default spelled out; `{paths.COMMITMENTS}/` has the
hashes that bind the organisers to their secret files. There {number}: {_names(tasks)}.
"""


def _guess_evaluation(track: Track, tasks: list[Task], example: bytes) -> str:
    lines = "\n".join(example.decode().splitlines()[: 2 + track.files.header])
    average = f"the {site_average(track).name} of the columns `{board_measure(track).key}_...`"
    boards = "\n".join(f"- {b.title or b.id}: {b.rule.summary()}" for b in track.board)
    measure = board_measure(track)
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

{exported_goal(track).answer}{_own(track)}{artefacts_text(track, "guess")}

Check the zip before you submit it: `python3 score.py --check answers.zip`, from the starting kit.

{text}

A column `{measure.key}_...` is the score on one entry. {repetitions}
The last column is {average}.{_what_counts(track)}

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
        "stay empty, and the last column is about the others."
    )


def _what_counts(track: Track) -> str:
    """Whether an attack on a release without a rank counts, where teams release."""
    if not track.teams_release or site_average(track).unranked:
        return ""
    return " Releases that fail a gate, or are disqualified, are left out of it."


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


def guess_readme(edition: Edition, tasks: list[Task]) -> bytes:
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


# --- the phases in which teams submit releases ----------------------------------------------------


def release_pages(edition: Edition, track: Track, roots: Mapping[str, str]) -> dict[str, bytes]:
    """Every page of the site, by its path in the bundle."""
    texts = {
        "overview": _release_overview(edition, track),
        "data": _release_data(track),
        "evaluation": _release_evaluation(track),
        "rules": rules_page(track, "release", _RELEASE_FAIR_PLAY, roots),
    }
    return page_files(edition, texts)


def _release_overview(edition: Edition, track: Track) -> str:
    cite = f"\n\nReference: {edition.cite}" if edition.cite else ""
    return f"""# {edition.title}

{edition.description.strip()}

{track.headline}

In this phase every team sanitizes its own private data and submits the release. In the next phase
the teams attack the releases of the others.{cite}
"""


def _release_data(track: Track) -> str:
    threat = "\n".join(f"- {aspect}: {sentence}" for aspect, sentence in track.threat_rows())
    return f"""# Data

Your private data are not on this site. The organisers send each team a kit that only this team
gets, with its private data and these public data, which are below `{paths.places(track.id)[0]}/`:

- `schema.json`: the columns.

What attackers will want and know:

{threat}

`{paths.RULES}` has the rules with every default spelled out; `{paths.COMMITMENTS}/` has the
hashes that bind the organisers to their secret files.
"""


def _release_evaluation(track: Track) -> str:
    header = "with" if track.files.header else "without"
    further = _choice(track) + artefacts_text(track, "release")
    rules = "\n".join(f"- {line}" for line in release_rule_lines(track)) or "- none"
    gates = "\n".join(f"- {line}" for line in gate_lines(track)) or "- none"
    return f"""# Evaluation

Submit one zip with one CSV file in its root, {header} a header line. It has the columns of the
schema. A file `{CARD}` beside it may say what you did.{further}

Check the zip before you submit it: `python3 score.py --check release.zip`, from the starting kit.

A release must keep these rules:

{rules}

A release that fails one of these gates is disqualified:

{gates}

This site checks the format, and the rules that need no private data. Quintain checks everything
with the kit of your team, and measures the gates: `quintain check . release.csv --team YOUR-TEAM`.
The organisers do the same before they hand the releases to the attackers.

The column "Valid" is 1 for a valid release; the board ranks nobody.
"""


def _choice(track: Track) -> str:
    """How a team says which of its samples it released."""
    names = [f"`{sample_file(number)}`" for number in track.choices if number is not None]
    if not names:
        return ""
    listed = ", ".join(names)
    return f" You have {len(names)} samples: call the file after the one you chose, {listed}."


def release_readme(edition: Edition) -> bytes:
    """The README of the starting kit."""
    return f"""# {edition.title}: starting kit

    python3 score.py --check release.zip      checks a release: a zip, or a folder with its files

You need Python 3.7 or later and no packages. Your private data are in the kit that the organisers
send to your team. With quintain installed, `quintain check` measures the release, too.
""".encode()


# --- ORGANISERS.md: what CodaBench has no setting for ---------------------------------------------


def guess_note(edition: Edition, track: Track, tasks: list[Task], truth: Where) -> bytes:
    """The note about the phases in which teams submit guesses."""
    entries = list(dict.fromkeys(task.entry for task in tasks))
    key = board_measure(track).key
    columns = ", ".join(f"`{column_key(key, entry)}`" for entry in entries[:3])
    notes = [
        f"{_order(track)} For the official ranking, {_IMPORT}. Then run `quintain score FOLDER`.",
        _ACCOUNTS,
        _CODE,
        *_guess_notes(edition, track, truth),
    ]
    return _note(f"The score columns are {columns} ..., one per entry.", notes)


def _order(track: Track) -> str:
    """How far the board of the site agrees with those of the edition."""
    average = site_average(track)
    says = f"The board here has the {average.name} over the entries"
    if not average.official:
        return f"{says}; the boards of the rules rank otherwise."
    if track.teams_release:
        says += ", without releases that have no rank at the export"
    return f"{says}, as a board of the rules has."


def _guess_notes(edition: Edition, track: Track, truth: Where) -> Iterator[str]:
    if hides_scores(track):
        yield (
            f'The rules say feedback = "{track.feedback.show}". The leaderboard and the score '
            "files are hidden, but CodaBench still shows every team its own score "
            "(its issue 2088). If that is too much, switch off auto_run_submissions."
        )
    if track.teams_release:
        yield (
            "The releases of the teams are the entries. A team leaves out the answers about its "
            "own release. CodaBench does not know which release is whose, so a team could leave "
            "out another one; in the official ranking it would have no score there."
        )
    phase = track.phase_for("guess")
    if phase is not None and _unknown_limits(phase):
        yield (
            f"CodaBench has no setting for {' and '.join(_unknown_limits(phase))} of phase "
            f"{phase.id}. They hold when the submissions are imported."
        )
    if truth == "worker":
        yield (
            "Unpack the worker's zip in the folder that the compute worker mounts as `/app/data`: "
            f"it has `{edition.id}/truth/{track.id}/TASK.half`. A submitted program could read "
            "that folder, and reference data have leaked before; so each has one half of the "
            "truth, and either half alone is random bytes. Attach the worker's queue to the "
            "competition."
        )


def _unknown_limits(phase: Phase) -> list[str]:
    words = {"per_file": phase.per_file is not None, 'counts = "best"': phase.counts == "best"}
    return [f"`{word}`" for word, used in words.items() if used]


def release_note(track: Track) -> bytes:
    """The note about the phases in which teams submit releases."""
    notes = [
        "This bundle is the release phase. Give each team its private data yourself, by mail or "
        "another private way: `quintain export FOLDER kit kit-TEAM.zip --team TEAM`. "
        f"{_leaks(track)}",
        f"The site checks the format of a release{_site_rules(track)}. Quintain checks everything "
        "when you import, and measures the gates. A team measures its own release with its kit: "
        "`quintain check`.",
        f"After the phase, {_IMPORT}. Run `quintain hand-over FOLDER`, and export again: that "
        "bundle is the guess phase, with all releases and one score column for each. Upload it as "
        "a second competition; CodaBench cannot add tasks to a competition from a bundle.",
        _ACCOUNTS,
        _CODE,
    ]
    if withheld(track):
        notes.append("The rules in the bundle leave out what attackers must not know.")
    return _note("The board says who submitted a valid release; it ranks nobody.", notes)


def _leaks(track: Track) -> str:
    if original_is_known(track):
        return (
            "Attackers know the whole original, so the bundle has its months, persons and items, "
            "and the site compares each row with them."
        )
    return "No private data are in this bundle, so none can leak from the site."


def _site_rules(track: Track) -> str:
    names = [f"`{rule['use']}`" for rule in site_rules(track)]
    return f" and these rules: {', '.join(names)}" if names else ""


def _note(first: str, notes: Sequence[str]) -> bytes:
    listed = "\n".join(f"- {note}" for note in notes)
    return f"""# For the organisers

Made by `quintain export`. {first}

{listed}
""".encode()
