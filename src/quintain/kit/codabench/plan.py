"""Plan: what the scoring program has to know about a contest; none of it is secret."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from quintain.commitment import sha256
from quintain.contests import Track
from quintain.contests.submitting import Artefact
from quintain.data import Column, Limits, Schema, as_transactions
from quintain.data.arrays import distinct
from quintain.data.shape import find_shape
from quintain.data.transactions import PERSON_ROLES
from quintain.errors import QuintainError
from quintain.kernels.purchases import column_of, encode_values
from quintain.kit.codabench.exported import board_measure, exported_goal, parameters, site_average
from quintain.releases import DistinctRows, KeptRows, RowsRule
from quintain.releases.kept_rows import month_numbers
from quintain.releases.numbered import PRIVATE_ROW
from quintain.runs.folder.folder import Folder
from quintain.runs.score import measure_releases
from quintain.runs.submissions.checking import MOST_BYTES
from quintain.samples import Whole

Where = Literal["bundle", "worker"]
"""Where the truth is: in the bundle's reference data, or half there and half on the worker."""

LONGEST = 36
SITE_TEAM = "TEAM"
"""The name of every team in the file names of the site, which does not know teams."""
AVERAGE = "average"
"""The key of the column by which CodaBench orders teams."""
FORMAT = "quintain.codabench-plan/4"
_KEPT = "kept-rows"


def column_key(measure: str, entry: str) -> str:
    """The key of an entry's column; a long name is cut and ends with a part of its hash.

    >>> column_key("adv", "rr-keep0.9")
    'adv_rr-keep0.9'
    >>> len(column_key("adv", "e" * 64))
    36
    """
    return cut(f"{measure}_{entry}")


def cut(text: str) -> str:
    """A text that is short enough for a column of CodaBench."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 9]}_{sha256(text.encode())[:8]}"


def guess_plan(folder: Folder, track: Track, truth: Where) -> dict[str, Any]:
    """The plan of a phase in which teams submit guesses."""
    feedback, view, goal, aim = (
        track.feedback,
        folder.read(track),
        exported_goal(track),
        track.aims[0],
    )
    schema, measure = folder.schema(track.id), board_measure(track)
    average = site_average(track)
    fields = aim.goal.model_dump(mode="json", include=set(goal.fields))
    fields |= {} if goal.luck is None else {"columns": written_columns(_attributes(schema))}
    truth_schema = aim.goal.truth_schema(schema)
    kinds = {column.name: column.kind for column in truth_schema.columns}
    own: dict[str, list[str]] = {}
    for entry, team in view.owners.items():
        names = (task.about(aim.id).name for task in view.by_entry[entry])
        own.setdefault(team, []).extend(names)
    return {
        "format": FORMAT,
        "judge": "guesses",
        "edition": folder.edition().id,
        "track": track.id,
        "form": written_form(track, folder.edition().limits),
        "artefacts": written_artefacts(track, "guess"),
        "data": written_columns(folder.private_schema(track)),
        "digits": feedback.digits if feedback.show == "rounded" else None,
        "step": feedback.step if feedback.show == "ladder" else None,
        "goal": f"goals.{goal.module}",
        "guess": written_columns(aim.goal.guess_schema(schema)),
        "truth": {
            "place": truth,
            "columns": written_columns(truth_schema),
            "about": goal.about,
        },
        "measure": {
            "key": measure.key,
            "kinds": kinds,
            "widths": _widths(truth_schema),
            **parameters(track),
            **_luck(folder, track, schema),
        },
        "columns": [
            [
                [task.about(aim.id).name for task in tasks],
                [column_key(key, entry) for key in measure.keys],
            ]
            for entry, tasks in view.by_entry.items()
        ],
        "average": {
            "key": AVERAGE,
            "trim": average.trim,
            "columns": [
                column_key(measure.key, entry)
                for entry in average.select(measure_releases(folder, track))
            ],
        },
        "questions": {
            task.name: {**goal.facts(folder.question(track, task)), **fields} for task in view.tasks
        },
        "own": [[], *own.values()],
    }


def _widths(schema: Schema) -> dict[str, float]:
    """How far the bounds of each number are apart, where it has both."""
    numbers = [column for column in schema.columns if column.numeric]
    return {
        column.name: float(column.high) - float(column.low)
        for column in numbers
        if column.low is not None and column.high is not None
    }


def _attributes(schema: Schema) -> Schema:
    return schema.select([column.name for column in schema.attributes])


def _luck(folder: Folder, track: Track, schema: Schema) -> dict[str, Any]:
    """What a measure of conditions needs: the columns of the data, and what luck explains."""
    luck = exported_goal(track).luck
    if luck is None:
        return {}
    chances: dict[str, list[float]] = {}
    for task in folder.tasks(track):
        chances |= luck(folder.truth(track, task))
    return {"columns": written_columns(_attributes(schema)), "luck": chances}


def release_plan(folder: Folder, track: Track) -> dict[str, Any]:
    """The plan of a phase in which teams submit releases."""
    schema, limits = folder.release_schema(track), folder.edition().limits
    person = next((c.name for c in schema.columns if c.role in PERSON_ROLES), None)
    return {
        "format": FORMAT,
        "judge": "releases",
        "edition": folder.edition().id,
        "track": track.id,
        "form": {
            **written_form(track, limits),
            "person": person if find_shape(schema.shape).deletes_in_place else None,
        },
        "artefacts": written_artefacts(track, "release"),
        "data": written_columns(folder.private_schema(track)),
        "samples": [sample_file(number) for number in track.choices if number is not None],
        "card_bytes": MOST_BYTES,
        "release": written_columns(schema),
        "rules": [
            {**rule, **(_original(folder, track) if rule["use"] == _KEPT else {})}
            for rule in site_rules(track)
        ],
    }


def _original(folder: Folder, track: Track) -> dict[str, Any]:
    """What the site compares the rows of a release with, if everybody knows the original."""
    original = as_transactions(folder.base(track.id))
    item = column_of(original, "item")
    person, names = encode_values(original.columns[original.person_column.name].astype(np.str_))
    return {
        "columns": written_columns(folder.release_schema(track)),
        "person": _column(original.person_column),
        "time": _column(original.time_column),
        "item": _column(item),
        "original": {
            "months": month_numbers(original).tolist(),
            "persons": person.tolist(),
            "names": names.tolist(),
            "items": distinct(original.columns[item.name]).tolist(),
        },
    }


def sample_file(number: int) -> str:
    """What the site calls a release of one of several samples."""
    return f"sample-{number}.csv"


def site_artefacts(track: Track, submit: str, team: str = SITE_TEAM) -> dict[str, Artefact]:
    """The artefacts of a submission by their names; the site does not know the names of teams."""
    phase = track.phase_for(submit)
    return {} if phase is None else phase.artefacts(track.id, team)


def written_artefacts(track: Track, submit: str) -> list[dict[str, Any]]:
    """The artefacts of a submission, as the scoring program checks them."""
    kept = {"name", "kind", "required", "max_bytes"}
    return [
        {"file": file, "words": artefact.words(), **artefact.model_dump(mode="json", include=kept)}
        for file, artefact in site_artefacts(track, submit).items()
    ]


def site_rules(track: Track) -> Iterator[dict[str, Any]]:
    """The rules for releases that need no private data, with their parameters.

    Where attackers know the whole original, rows can be compared with it.
    """
    population, numbers = track.population_size, track.numbers_rows
    size = None if population is None else track.sample.private_size(population)
    if numbers:
        yield {"use": "private-rows", "column": PRIVATE_ROW.name, "original": size}
    for rule in track.rule:
        if isinstance(rule, RowsRule) and not (rule.same and size is None):
            yield {"use": "rows", "original": size, **rule.model_dump(mode="json")}
        if isinstance(rule, DistinctRows):
            yield {"use": "distinct-rows", "without": PRIVATE_ROW.name if numbers else None}
        if isinstance(rule, KeptRows) and original_is_known(track):
            yield {"use": _KEPT, **rule.model_dump(mode="json")}


def original_is_known(track: Track) -> bool:
    """Whether the private data are the whole population, and attackers are given that."""
    return isinstance(track.sample, Whole) and "base" in track.gives


def written_form(track: Track, limits: Limits) -> dict[str, Any]:
    """How the files of a track are written, and how large they may be."""
    return {
        "header": track.files.header,
        "strict": track.files.strict,
        **limits.model_dump(include={"file_bytes", "rows", "columns", "header_bytes"}),
    }


def written_columns(schema: Schema) -> list[dict[str, Any]]:
    """The columns of a file, as the scoring program reads them."""
    return [_column(column) for column in schema.columns]


def _column(column: Column) -> dict[str, Any]:
    kept = {"name", "kind", "values", "ordered", "nullable", "missing", "time_format"}
    kept.add("aliases")  # left out of the plan while a column has none
    low, high = column.bounds
    _require_readable(column)
    written = column.model_dump(mode="json", include=kept)
    facts = {"low": low, "high": high, "discrete": column.discrete, "expected": column.expected}
    return {**written, **facts}


def _require_readable(column: Column) -> None:
    """Raise if the scoring program, which imports nothing of ours, does not know such cells."""
    known = column.listed or column.temporal or column.identifying or column.its_kind.in_digits
    if not known:
        raise QuintainError(
            f"the scoring program cannot read {column.its_kind.plural}, which {column.name!r} has; "
            "run this phase on a site, or leave the column out"
        )
