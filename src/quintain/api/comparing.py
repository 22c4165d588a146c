"""Comparing: sanitizers and releases beside each other in repetitions, in a notebook."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from quintain.api.auditing import frame_of
from quintain.api.inputs import AnyData, library, unpack_release
from quintain.api.parts import choose_sanitizer
from quintain.attacks import Attack
from quintain.audits.comparison import REPETITIONS, EntryComparison, EntryDifference
from quintain.audits.comparison import compare as run
from quintain.data import Learned, Schema
from quintain.data.files.formats import table_endings
from quintain.data.frames import Library
from quintain.data.sources.database_address import without_secrets
from quintain.errors import QuintainError
from quintain.jobs.executor import Executor
from quintain.jobs.files import write_new
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.adapters import is_command

_NAMED = re.compile(r"(?P<name>[\w .+-]+): (?P<rest>.+)", re.DOTALL)
_PARAMETER = re.compile(r"\s+(?P<name>[A-Za-z_]\w*)=(?P<value>[^\s'\"]*)$")


@dataclass(frozen=True, slots=True, repr=False)
class ShownComparison:
    """A comparison in a notebook.

    Parameters
    ----------
    comparison : all of it, whose JSON ``quintain compare --json`` prints.
    library : the library of the data frames that come back.
    """

    comparison: EntryComparison
    library: Library = "pandas"

    @property
    def differences(self) -> tuple[EntryDifference, ...]:
        """All pairs for every attack, the least probable by luck first."""
        return self.comparison.differences

    def to_frame(self) -> Any:
        """One row per entry, attack and repetition."""
        return frame_of(list(self.comparison.rows()), self.library)

    def differences_frame(self) -> Any:
        """One row per difference, with its interval and its p-values."""
        rows = [
            {
                **difference.model_dump(exclude={"reading"}),
                "difference": difference.reading.value,
                "low": difference.reading.low,
                "high": difference.reading.high,
            }
            for difference in self.differences
        ]
        return frame_of(rows, self.library)

    def to_json(self) -> str:
        """The whole comparison as JSON."""
        return self.comparison.model_dump_json(indent=2)

    def to_csv(self) -> str:
        """One line per entry, attack and repetition."""
        text = io.StringIO()
        table = csv.DictWriter(text, ["entry", "attack", "repetition", "auc"], lineterminator="\n")
        table.writeheader()
        table.writerows(self.comparison.rows())
        return text.getvalue()

    def page(self) -> str:
        """The report as one HTML page."""
        from quintain.audits.report.comparison_view import comparison_page

        return comparison_page(self.comparison)

    def save(self, path: PathLike[str] | str, *, replace: bool = False) -> None:
        """Write the report as one HTML file, or the numbers if the name ends with .json or .csv.

        The file is readable for its owner alone. A file that is there stays, unless ``replace``.
        """
        target = Path(path)
        makers = {".json": lambda: self.to_json() + "\n", ".csv": self.to_csv}
        write_new(target, makers.get(target.suffix.lower(), self.page)().encode(), replace=replace)

    def _repr_html_(self) -> str:
        frame = self.differences_frame()
        return frame._repr_html_() if hasattr(frame, "_repr_html_") else f"<pre>{self!r}</pre>"

    def __repr__(self) -> str:
        from quintain.audits.report.comparison_view import headline

        names = ", ".join(entry.name for entry in self.comparison.entries)
        return f"<comparison of {names}: {headline(self.comparison)}>"


def compare(
    entries: Mapping[str, Any] | Sequence[str],
    data: AnyData,
    control: AnyData | None = None,
    *,
    schema: Schema | Learned | None = None,
    header: bool | None = None,
    attacks: Sequence[Attack | str] = (),
    repetitions: int = REPETITIONS,
    share: float = 0.5,
    seed: int = 0,
    workers: int = 1,
    out: PathLike[str] | str | None = None,
) -> ShownComparison:
    """Compare sanitizers and releases: under the same attacks, with the same people, repeatedly.

    Without a control, each repetition splits the people at random into an original, which all
    sanitizers get, and a control. With one, each repetition runs the sanitizers anew and asks about
    another part of the people; finished releases can take part.

    Parameters
    ----------
    entries : sanitizers by name: a part, an object, a function or a command; with a control also
        releases: a data frame, or the path of a file. A list of texts works as on the command line:
        ``["mst epsilon=1", "mst epsilon=10"]``.
    data : the people: a data frame of pandas, polars or pyarrow, a table with a schema, or the path
        of a file. With a control, they are the original.
    control : people of the same population who are not in the data.
    schema : the columns and their domains; by default they are learned.
    header : whether the first rows of files have the column names, if they look like the others.
    attacks : attacks on membership, by name or as parts; by default those of a release audit.
    repetitions : how many repetitions; more of them show smaller differences.
    share : the share of the people that each split makes the control.
    seed : the same seed gives the same comparison.
    workers : how many processes work at a time; the result does not depend on it.
    out : a folder in which a stopped comparison can be continued.

    >>> from quintain.testing import unique_people
    >>> compared = compare(
    ...     ["rr keep=0.99", "rr keep=0.01"],
    ...     unique_people(rows=200),
    ...     attacks=["nearest"],
    ...     repetitions=3,
    ... )
    >>> compared
    <comparison of rr keep=0.99, rr keep=0.01: Of 1 difference, 1 is more than luck.>
    """
    made = run(
        contenders(entries),
        unpack_release(data),
        unpack_release(control),
        schema=schema,
        header=header,
        attacks=attacks,
        repetitions=repetitions,
        share=share,
        seed=seed,
        executor=Executor(workers),
        out=None if out is None else Path(out),
    )
    return ShownComparison(made, library(unpack_release(data)))


def contenders(entries: Mapping[str, Any] | Sequence[str]) -> dict[str, Any]:
    """What is compared, by its names; raises if two have the same name."""
    if isinstance(entries, Mapping):
        return {name: _thing(given) for name, given in entries.items()}
    read = [read_entry(text) for text in entries]
    names = [name for name, _ in read]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise QuintainError(
            f"{', '.join(twice)}: several entries have this name; write 'OTHER NAME: ENTRY'"
        )
    return dict(read)


def read_entry(text: str) -> tuple[str, Any]:
    """A text of the command line as a name and a sanitizer, or the path of a release.

    >>> name, part = read_entry("mst epsilon=2")
    >>> name, part.epsilon
    ('mst epsilon=2', 2.0)
    >>> name, part = read_entry("mine: python tool.py {requests} epsilon=2")
    >>> name, part.settings
    ('mine', {'epsilon': 2})
    """
    named = None if Path(text).exists() else _NAMED.fullmatch(text)
    name, rest = (named["name"], named["rest"]) if named else ("", text)
    if Path(rest).is_file():
        return name or Path(rest).name, Path(rest)
    if Path(rest).suffix.lower() in table_endings() and not is_command(rest):
        raise QuintainError(f"{without_secrets(rest)}: there is no such file")
    settings: dict[str, Any] = {}
    plain = rest.strip()
    while parameter := _PARAMETER.search(plain):
        settings = {parameter["name"]: _value(parameter["value"]), **settings}
        plain = plain[: parameter.start()]
    return name or without_secrets(rest), choose_sanitizer(plain, settings)


def _thing(given: Any) -> Any:
    """A sanitizer, or a release as it was given."""
    if isinstance(given, str):
        return read_entry(given)[1]
    if isinstance(given, Sanitizer) or callable(given) or hasattr(given, "fit"):
        return choose_sanitizer(given, {})
    return unpack_release(given)


def _value(text: str) -> Any:
    """A value as JSON has it, or a plain text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
