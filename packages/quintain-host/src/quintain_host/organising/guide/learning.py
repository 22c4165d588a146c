"""Learning: a process apart reads the table of an organiser and learns its schema.

The web process never reads such a file itself; see :mod:`quintain.jobs.subprocess_reader`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.errors import QuintainError, Rejected
from quintain.jobs.files import write_file
from quintain.jobs.scratch import ScratchFolder
from quintain.jobs.subprocess_reader import Allowance, Apart, NotRead
from quintain_host.organising.guide.typed import FieldFaults

FEWEST_ROWS = 40
"""A contest on fewer people measures nothing but luck."""
_READER = Apart("quintain_host.organising.guide.learning")
_ALLOWANCE = Allowance(memory=2_000_000_000, seconds=60)
_MOST = 50_000_000


@dataclass(frozen=True, slots=True)
class LearnedFile:
    """What the cells of a table say: its schema as JSON, and the number of its rows."""

    schema: str
    rows: int


def learn_table(
    name: str, content: bytes, *, header: bool = True, words: Collection[str] = ()
) -> LearnedFile:
    """Learn the schema of a file that somebody sent; raises with every fault of it.

    Parameters
    ----------
    header : whether the first row has the names of the columns.
    words : columns whose cells are words, also if they look like numbers.
    """
    with ScratchFolder() as place:
        write_file(Path(place) / name, content)
        arguments = {"folder": place, "name": name, "header": header, "words": sorted(words)}
        function = f"{__name__}:read_table"
        try:
            (answer,) = _READER.call(function, arguments, b"", _ALLOWANCE, most=_MOST)
        except NotRead as problem:
            raise FieldFaults({"file": f"{name} {problem}"}) from None
    assert isinstance(answer, dict)
    if answer["faults"]:
        first, *others = map(str, answer["faults"])
        raise FieldFaults({"file": first}, tuple(others))
    rows = int(answer["rows"])
    if rows < FEWEST_ROWS:
        raise FieldFaults({"file": f"{name} has {rows} rows; a contest needs {FEWEST_ROWS}"})
    return LearnedFile(str(answer["schema"]), rows)


def read_table(arguments: Mapping[str, Any], _content: BinaryIO) -> Iterator[Mapping[str, Any]]:
    """The schema of a table in a folder, or every fault of it; it runs in a process apart."""
    path = Path(arguments["folder"]) / arguments["name"]
    try:
        table = InputTable.of(path, header=arguments["header"])
        learned = learn(table, words=arguments["words"])
        yield {"faults": [], "schema": learned.to_json(), "rows": learned.tables[0].rows}
    except Rejected as problem:
        yield {"faults": [str(fault) for fault in problem.faults]}
    except QuintainError as problem:
        yield {"faults": [str(problem)]}
