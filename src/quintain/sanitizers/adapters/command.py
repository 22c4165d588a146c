"""Command: a program that reads a file of private records and writes a file of released ones."""

from __future__ import annotations

import hashlib
import os
import shlex
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pyarrow as pa
from pydantic import Field, ValidationError, field_validator

from quintain.data import Table
from quintain.errors import PartError
from quintain.sanitizers.adapters.adapter import Adapter, plain_arrow

SEED = "QUINTAIN_SEED"
"""The environment variable with the seed of a run."""

_SHOWN = 2000


class Command(Adapter):
    """A program that reads private records from a file and writes a release to another.

    The program runs in a temporary folder that only you can read, and that is deleted afterwards.
    It is your own program: nothing contains it. It gets a seed in the environment variable
    ``QUINTAIN_SEED``. Arguments that name files of the current folder work as they are.

    Parameters
    ----------
    text : the command with {input} and {output}, and {schema} for the columns as JSON, if needed.
        No shell reads it: write ``sh -c '...'`` for pipes.
    timeout : how many seconds a run may take.
    format : the format of both files: "parquet" or "csv".

    >>> part = command("python tool.py {input} {output}")
    >>> sorted(part.spec())
    ['adapts', 'format', 'sha256', 'timeout', 'use']
    """

    id: ClassVar[str] = "sanitizer/command-v0"
    label: ClassVar[str] = "command"

    text: str
    timeout: Annotated[float, Field(gt=0)] = 3600.0
    format: Literal["parquet", "csv"] = "parquet"

    @field_validator("text")
    @classmethod
    def _has_both_files(cls, text: str) -> str:
        for place in ("{input}", "{output}"):
            if place not in text:
                raise ValueError(f"the command must contain {place}: tool {{input}} {{output}}")
        try:
            shlex.split(text)
        except ValueError as error:
            raise ValueError(f"the command cannot be split into words: {error}") from None
        return text

    def run(self, table: Table, *, seed: int) -> pa.Table:
        """Write the input, run the program, read the output."""
        # Only the owner can enter a folder that mkdtemp makes.
        with tempfile.TemporaryDirectory(prefix="quintain-") as name:
            folder = Path(name)
            places = {
                "{input}": folder / f"input.{self.format}",
                "{output}": folder / f"output.{self.format}",
                "{schema}": folder / "schema.json",
            }
            places["{schema}"].write_text(table.schema.model_dump_json())
            _write(table, places["{input}"])
            self._start(places, folder, seed)
            return self._read(places["{output}"])

    def describe(self) -> str:
        """The command as it was given."""
        return f"command: {self.text}"

    def parameters(self) -> dict[str, Any]:
        """The command, its hash, and its limits."""
        digest = hashlib.sha256(self.text.encode()).hexdigest()
        limits = {"timeout": self.timeout, "format": self.format}
        return {**super().parameters(), "sha256": digest, **limits}

    def _start(self, places: dict[str, Path], folder: Path, seed: int) -> None:
        words = [_fill(word, places) for word in shlex.split(self.text)]
        with (folder / "messages.txt").open("w+b") as messages:
            try:
                process = subprocess.Popen(  # noqa: S603 - the user wrote this command
                    words,
                    cwd=folder,
                    env={**os.environ, SEED: str(seed)},
                    stdin=subprocess.DEVNULL,
                    stdout=messages,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                raise PartError(f"{self.describe()} cannot start: {error}") from None
            code = self._wait(process)
            if code:
                messages.seek(0)
                shown = messages.read().decode(errors="replace")[-_SHOWN:].strip()
                raise PartError(f"{self.describe()} ended with exit code {code}:\n{shown}")

    def _wait(self, process: subprocess.Popen[bytes]) -> int:
        try:
            return process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            raise PartError(
                f"{self.describe()} took longer than {self.timeout:g} s, the limit (timeout)"
            ) from None
        finally:
            # With everything that it started: its children have read the private records, too.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _read(self, path: Path) -> pa.Table:
        if not path.is_file():
            raise PartError(f"{self.describe()} wrote no file to {{output}} ({path.name})")
        try:
            return _read_csv(path) if self.format == "csv" else _read_parquet(path)
        except (pa.ArrowException, OSError) as error:
            first = str(error).split("\n")[0]
            raise PartError(f"{self.describe()} wrote no {self.format} file: {first}") from None


def command(
    text: str, timeout: float = 3600.0, format: Literal["parquet", "csv", ""] = ""
) -> Command:
    """A command line as a sanitizer; files are Parquet unless the command names .csv files."""
    if not format:
        format = "csv" if ".csv" in text else "parquet"
    try:
        return Command(text=text, timeout=timeout, format=format)
    except ValidationError as error:
        raise PartError("; ".join(str(fault["msg"]) for fault in error.errors())) from None


def _fill(word: str, places: dict[str, Path]) -> str:
    filled = word
    for name, path in places.items():
        filled = filled.replace(name, str(path))
    # The program runs elsewhere, so a file of the current folder needs its whole path.
    with suppress(OSError):  # a long script in quotes does not name a file
        if filled == word and not word.startswith("-") and Path(word).is_file():
            return str(Path(word).absolute())
    return filled


def _write(table: Table, path: Path) -> None:
    if path.suffix == ".csv":
        table.to_csv(path)
        return
    import pyarrow.parquet as pq

    pq.write_table(plain_arrow(table), path)


def _read_parquet(path: Path) -> pa.Table:
    import pyarrow.parquet as pq

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
