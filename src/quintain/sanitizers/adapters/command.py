"""Command: a program that reads a file of private records and writes a file of released ones."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
from abc import abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

import pyarrow as pa
from pydantic import Field, ValidationError, ValidationInfo, field_validator

from quintain.data import Table
from quintain.data.sources.database_address import hide, secrets_of, without_secrets
from quintain.data.written_table import WrittenTable
from quintain.errors import PartError
from quintain.jobs.scratch import ScratchFolder
from quintain.jobs.supervised import CannotStart, Supervised
from quintain.registry import fault_of
from quintain.sanitizers.adapters.adapter import Adapter, short_seed, written_arrow

SEED = "QUINTAIN_SEED"
"""The environment variable with the seed of a run."""
MOST_BYTES = 2_000_000_000
"""A larger file is not read: it would fill the memory."""
MOST_TIMES = 100
"""A release of more than so many times the private records is taken for a mistake."""

_SHOWN = 2000
_LIMITS = ("timeout", "format")
"""Parameters that are about the run; all others are for the program."""


@dataclass(frozen=True, slots=True)
class ExchangedFiles:
    """The files of one run, in a folder that only its owner can enter.

    Parameters
    ----------
    input : the private records.
    output : where the program writes the release.
    schema : the columns and their domains, as JSON.
    """

    input: Path
    output: Path
    schema: Path

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self.input.parent


class CommandAdapter(Adapter):
    """What commands have in common: files are exchanged with a program of another maker.

    Parameters
    ----------
    text : the command. No shell reads it: write ``sh -c '...'`` for pipes.
    timeout : how many seconds a run may take.
    format : the format of both files: "parquet" or "csv".
    settings : parameters for the program, such as ``epsilon``.
    """

    reads_cells: ClassVar[bool] = True

    text: str
    timeout: Annotated[float, Field(gt=0)] = 3600.0
    format: Literal["parquet", "csv"] = "parquet"
    settings: dict[str, Any] = Field(default={})

    @field_validator("text")
    @classmethod
    def _can_be_split(cls, text: str) -> str:
        try:
            shlex.split(text)
        except ValueError as error:
            raise ValueError(f"the command cannot be split into words: {error}") from None
        return text

    def run(self, table: Table, *, seed: int) -> pa.Table:
        """Write the input, let the program work, read the output."""
        with ScratchFolder() as name:
            folder = Path(name)
            files = ExchangedFiles(
                folder / f"input.{self.format}",
                folder / f"output.{self.format}",
                folder / "schema.json",
            )
            files.schema.write_text(table.schema.model_dump_json())
            _write(table, files.input)
            self.work(files, seed=short_seed(seed))
            return self._read(files.output, MOST_TIMES * max(1, len(table)))

    def has_short_seed(self) -> bool:
        """Yes: programs in all languages can read it, and most need no more."""
        return True

    @abstractmethod
    def work(self, files: ExchangedFiles, *, seed: int) -> None:
        """Let the program turn the input into the output; raises if it fails."""

    def describe(self) -> str:
        """The command as it was given, but for passwords: reports have it."""
        return f"{self.label}: {without_secrets(self.text)}"

    def parameters(self) -> dict[str, Any]:
        """The command, its hash, its limits and the parameters of the program."""
        digest = hashlib.sha256(self.text.encode()).hexdigest()
        limits = {"timeout": self.timeout, "format": self.format}
        settings = {name: _shown_setting(name, value) for name, value in self.settings.items()}
        return {**super().parameters(), "sha256": digest, **limits, **settings}

    def with_parameter(self, name: str, value: Any) -> Self:
        """The same command with another limit, or with another parameter for the program."""
        change = {name: value} if name in _LIMITS else {"settings": {**self.settings, name: value}}
        return checked_command(type(self), {**self.model_dump(), **change})

    def failure(self, what: str, messages: Path) -> PartError:
        """An error that quotes the last messages of the program."""
        try:
            with messages.open("rb") as file:
                file.seek(max(0, messages.stat().st_size - 4 * _SHOWN))
                shown = file.read().decode(errors="replace")[-_SHOWN:].strip()
        except OSError:
            shown = ""
        shown = hide(shown, secrets_of(self.text))
        return PartError(f"{self.describe()} {what}" + (f":\n{shown}" if shown else ""))

    def _read(self, path: Path, most_rows: int) -> pa.Table:
        if not path.is_file():
            raise PartError(f"{self.describe()} wrote no file to {{output}} ({path.name})")
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise PartError(
                f"{self.describe()} wrote {size / 1e9:,.1f} GB; the limit is {MOST_BYTES / 1e9:g}"
            )
        try:
            return _read_csv(path) if self.format == "csv" else _read_parquet(path, most_rows)
        except _TooMany as error:
            raise PartError(f"{self.describe()} {error}") from None
        except (pa.ArrowException, OSError) as error:
            first = str(error).split("\n")[0]
            raise PartError(f"{self.describe()} wrote no {self.format} file: {first}") from None


class Command(CommandAdapter):
    """A program that reads private records from a file and writes a release to another.

    The program starts once per run, in a temporary folder that only you can read, and that is
    deleted afterwards. It is your own program: nothing contains it. It gets a seed of 32
    bits in the environment variable ``QUINTAIN_SEED``, from which no noise that protects people may
    come. Arguments that name files of the current folder work as
    they are.

    Parameters
    ----------
    text : the command with {input} and {output}, and {schema} for the columns as JSON, if needed.
        No shell reads it: write ``sh -c '...'`` for pipes.
    timeout : how many seconds a run may take.
    format : the format of both files: "parquet" or "csv".
    settings : parameters for the program; {epsilon} in the command is the place of ``epsilon``.

    >>> part = command("python tool.py {input} {output}")
    >>> sorted(part.spec())
    ['adapts', 'format', 'sha256', 'timeout', 'use']
    """

    id: ClassVar[str] = "sanitizer/command-v0"
    label: ClassVar[str] = "command"

    @field_validator("text")
    @classmethod
    def _has_both_files(cls, text: str) -> str:
        for place in ("{input}", "{output}"):
            if place not in text:
                raise ValueError(f"the command must contain {place}: tool {{input}} {{output}}")
        return text

    @field_validator("settings")
    @classmethod
    def _have_places(cls, settings: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        text = info.data.get("text", "")
        lost = [name for name in settings if f"{{{name}}}" not in text]
        if lost:
            places = " ".join(f"{{{name}}}" for name in lost)
            raise ValueError(f"the command has no place for {', '.join(lost)}: add {places}")
        return settings

    def work(self, files: ExchangedFiles, *, seed: int) -> None:
        """Start the program, and wait until it ends."""
        places = {
            "{input}": str(files.input),
            "{output}": str(files.output),
            "{schema}": str(files.schema),
            **{f"{{{name}}}": str(value) for name, value in self.settings.items()},
        }
        messages = files.folder / "messages.txt"
        with messages.open("wb") as file:
            program = Supervised(
                fill_words(self.text, places),
                folder=files.folder,
                environment={**os.environ, SEED: str(seed)},
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        with program:
            try:
                code = program.wait(self.timeout)
            except CannotStart as error:
                raise PartError(f"{self.describe()} cannot start: {error}") from None
        if code is None:
            raise PartError(
                f"{self.describe()} took longer than {self.timeout:g} s, the limit (timeout)"
            )
        if code:
            raise self.failure(f"ended with exit code {code}", messages)


C = TypeVar("C", bound=CommandAdapter)


def _shown_setting(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return hide(value, secrets_of(f"{name}={value}"))


def command(
    text: str,
    timeout: float = 3600.0,
    format: Literal["parquet", "csv", ""] = "",
    **settings: Any,
) -> Command:
    """A command line as a sanitizer; files are Parquet unless the command names .csv files."""
    return make_command(Command, text, timeout, format, settings)


def make_command(
    kind: type[C], text: str, timeout: float, format: str, settings: dict[str, Any]
) -> C:
    """A command of a kind; faults in its text or its limits are told in one error."""
    chosen = format or ("csv" if ".csv" in text else "parquet")
    fields = {"text": text, "timeout": timeout, "format": chosen, "settings": settings}
    return checked_command(kind, fields)


def checked_command(kind: type[C], fields: dict[str, Any]) -> C:
    """A command from its fields; raises with every fault."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        faults = (fault_of(item, ()) for item in error.errors())
        raise PartError("; ".join(map(str, faults))) from None


def fill_words(text: str, places: dict[str, str]) -> list[str]:
    """The words of a command with what stands in its places."""
    return [_fill(word, places) for word in shlex.split(text)]


def _fill(word: str, places: dict[str, str]) -> str:
    filled = word
    for name, value in places.items():
        filled = filled.replace(name, value)
    # The program runs elsewhere, so a file of the current folder needs its whole path.
    with suppress(OSError):  # a long script in quotes does not name a file
        if filled == word and not word.startswith("-") and Path(word).is_file():
            return str(Path(word).absolute())
    return filled


def _write(table: Table, path: Path) -> None:
    if path.suffix == ".csv":
        written = table.cells if isinstance(table, WrittenTable) else table
        path.write_bytes(written.csv_bytes())
        return
    import pyarrow.parquet as pq

    pq.write_table(written_arrow(table), path)


class _TooMany(Exception):
    """A release with more rows than anybody means."""


def _read_parquet(path: Path, most_rows: int) -> pa.Table:
    import pyarrow.parquet as pq

    # A few bytes can stand for billions of equal rows.
    rows = pq.read_metadata(path).num_rows
    if rows > most_rows:
        raise _TooMany(f"wrote {rows:,} records; the limit is {most_rows:,}")
    return pq.read_table(path)


def _read_csv(path: Path) -> pa.Table:
    from pyarrow import csv

    header = csv.open_csv(path).schema.names
    types = csv.ConvertOptions(
        column_types=dict.fromkeys(header, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
    )
    return csv.read_csv(path, convert_options=types)
