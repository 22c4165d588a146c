"""ORGANISERS.md: what organisers do themselves because CodaBench has no setting for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quintain.contests import Edition, Phase, Track
from quintain.contests.redaction import withheld
from quintain.kit.codabench.competition import hides_scores
from quintain.kit.codabench.exported import scored
from quintain.kit.codabench.plan import Where, column_key, site_rules
from quintain.runs.folder.paths import Task

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


def guess_note(edition: Edition, track: Track, tasks: list[Task], truth: Where) -> bytes:
    """The note about the phases in which teams submit guesses."""
    entries = list(dict.fromkeys(task.entry for task in tasks))
    key = scored(track).key
    columns = ", ".join(f"`{column_key(key, entry)}`" for entry in entries[:3])
    notes = [
        "The board here is a plain mean over the entries. For the official ranking, "
        f"{_IMPORT}. Then run `quintain score FOLDER`.",
        _ACCOUNTS,
        _CODE,
        *_guess_notes(edition, track, truth),
    ]
    return _note(f"The score columns are {columns} ..., one per entry.", notes)


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
        "another private way: `quintain export FOLDER kit kit-TEAM.zip --team TEAM`. No private "
        "data are in this bundle, so none can leak from the site.",
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


def _site_rules(track: Track) -> str:
    names = [f"`{rule['use']}`" for rule in site_rules(track)]
    return f" and these rules: {', '.join(names)}" if names else ""


def _note(first: str, notes: Sequence[str]) -> bytes:
    listed = "\n".join(f"- {note}" for note in notes)
    return f"""# For the organisers

Made by `quintain export`. {first}

{listed}
""".encode()
