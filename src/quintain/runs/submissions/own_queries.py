"""Own queries: what attackers ask models that nobody shows them, from the file to the budget.

Beside its answers, a team submits one file of queries per release, with the columns that models
read. Every line counts against the team's budget for that model, over all its submissions. The
judge answers later; see :mod:`quintain.runs.tasks.own_answers`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from quintain.contests import Track
from quintain.contests.edition import MODEL_FILE
from quintain.contests.submitting import QUERIES
from quintain.data import Schema, Table, TrainedModel, as_model, as_table
from quintain.data.files import to_bytes
from quintain.data.files.data_file import read_trusted
from quintain.data.files.subprocess_reader import each_apart, read_apart
from quintain.data.models import join_answers
from quintain.errors import Faults
from quintain.figures.format import count
from quintain.journal.events import Submitted
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, TrackView
from quintain.runs.folder.paths import Task
from quintain.runs.submissions.counting import file_of, submissions


def queries_file(release: Task) -> str:
    """The name of the file with an attacker's queries to a model.

    No id has capital letters, so no answer to a task has such a name.

    >>> queries_file(Task("main", "red"))
    'QUERIES-red.csv'
    """
    return f"{QUERIES}{release.release_name}.csv"


def answers_file(release: Task) -> str:
    """The name of the file with the answers."""
    return f"ANSWERS-{release.release_name}.{MODEL_FILE}"


def query_files(view: TrackView, team: str) -> dict[str, Task]:
    """The files of queries that a team may submit, each with the release that it asks."""
    rule = view.track.model
    if rule is None or rule.own_queries is None:
        return {}
    tasks = view.tasks_for(team)
    releases = (Task(task.track, task.entry, task.repeat, task.repeats) for task in tasks)
    return {queries_file(release): release for release in releases}


def is_asking(track: Track, event: Submitted) -> bool:
    """Whether an accepted submission to a track has queries."""
    takes = track.model is not None and track.model.own_queries is not None
    guessed = (event.track, event.kind, event.made_by) == (track.id, "guess", None)
    return takes and guessed and any(name.startswith(QUERIES) for name in event.files)


def query_schema(folder: Folder, track: Track) -> Schema:
    """The columns of a query: all that a model reads, and not the label."""
    assert track.model is not None  # only models are asked
    return Schema(columns=track.model.form(folder.private_schema(track)).inputs)


def read_queries(folder: Folder, track: Track, place: Path) -> Table:
    """The queries of an accepted file."""
    schema, limits = query_schema(folder, track), folder.edition().limits
    return as_table(read_apart(place, schema, header=track.files.header, limits=limits))


def count_queries(
    folder: Folder, track: Track, earlier: Collection[Submitted], team: str, name: str
) -> int:
    """How many queries a team has put to a model so far."""
    return sum(
        len(read_queries(folder, track, folder.at(file_of(event, name))))
        for event in earlier
        if (event.team, event.track, event.made_by) == (team, track.id, None)
        and name in event.files
    )


def own_answers(folder: Folder, track: Track, team: str) -> dict[str, bytes]:
    """What every model answered to a team so far, as files of its kit."""
    schema = track.published_schema(folder.private_schema(track))
    lists: dict[str, list[TrainedModel]] = {}
    releases = {answers_file(task): task for task in query_files(folder.read(track), team).values()}
    for event in submissions(folder):
        if (event.team, event.track, event.kind) == (team, track.id, "answers"):
            for name in event.files:
                place = paths.own_answers(releases[name], team)
                answers = read_trusted(folder.at(file_of(event, name)), schema)
                lists.setdefault(place, []).append(as_model(answers))
    return {
        place: to_bytes(join_answers(*several), f".{MODEL_FILE}")
        for place, several in lists.items()
    }


def check_queries(
    folder: Folder, track: Track, team: str, files: Mapping[str, bytes], faults: Faults
) -> None:
    """Note every fault of a team's queries, and every file that asks more than is left."""
    if not files:
        return
    rule, form = track.model, track.files
    assert rule is not None  # else no file has queries
    budget, earlier = rule.own_queries or 0, submissions(folder)
    by_file = {name: Faults(name) for name in files}
    read = each_apart(
        files,
        query_schema(folder, track),
        by_file,
        header=form.header,
        strict=form.strict,
        limits=folder.edition().limits,
    )
    for (name, queries), cells in zip(by_file.items(), read, strict=True):
        if cells is not None:
            cells.check_links(queries)
            already, more = count_queries(folder, track, earlier, team, name), len(cells.rows)
            if more == 0:
                queries.add("has no queries")
            if more > budget - already:
                before = f", and {already:,} are asked already" if already else ""
                queries.add(
                    f"{count(more, 'query', 'queries')}; a team may ask a model {budget:,}{before}"
                )
        faults.extend(queries)
