"""Options: arguments and options that several commands share."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quintain.cli.display import default_workers
from quintain.cli.outputs import NewFile

if TYPE_CHECKING:
    from quintain.programs.choice import Containment


def tables(
    context: click.Context, parameter: click.Parameter, given: str | None
) -> Path | str | None:
    """A file, a folder or an archive of tables, which must exist, or the address of a database."""
    from quintain.data.sources.database_address import is_address

    if given is None or is_address(given):
        return given
    path = click.Path(exists=True, path_type=Path)
    return Path(str(path.convert(given, parameter, context)))


folder = click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
edition = click.argument("edition")
header = click.option(
    "--header/--no-header",
    default=None,
    show_default="as the first row looks",
    help="Whether the first row of a CSV file or a workbook has the column names.",
)


def _state_mark(context: click.Context, _: click.Parameter, mark: str | None) -> None:
    """Keep to the mark until the command ends."""
    from quintain.data.own_files.number_marks import decimal_mark

    context.with_resource(decimal_mark(mark))


decimal_mark = click.option(
    "--decimal-mark",
    type=click.Choice([".", ","]),
    expose_value=False,
    callback=_state_mark,
    show_default="as the numbers of the file show",
    help="What stands before decimals, where 1.940 or 1,940 can be nearly two or nearly two "
    "thousand.",
)


def _allow_memory(context: click.Context, _: click.Parameter, gigabytes: float) -> None:
    from quintain.data.own_files.memory import reading_memory

    context.with_resource(reading_memory(gigabytes))


memory = click.option(
    "--memory",
    type=click.FloatRange(0.1),
    default=2.0,
    show_default=True,
    metavar="GB",
    expose_value=False,
    callback=_allow_memory,
    help="How much memory the reader of one file may use; a small file can stand for very much.",
)


def repeat_line(words: Sequence[str]) -> str:
    """The command that repeats a run, as a report may show it: without passwords."""
    from quintain.data.own_files.number_marks import stated_mark
    from quintain.data.sources.database_address import without_secrets

    mark = stated_mark()
    more = [] if mark is None else ["--decimal-mark", mark]
    return without_secrets(shlex.join([*words, *more]))


domain = click.option(
    "--domain",
    type=click.Choice(["public", "measured", "learned"]),
    show_default="public with a schema, else measured",
    help="Where smallest and largest numbers and categories come from: the schema; the data, with "
    "noise that the claim covers; or the data as they are, and then nothing is claimed.",
)
outside = click.option(
    "--outside",
    type=click.Choice(["clip", "refuse"]),
    show_default="clip with a claim of differential privacy, else refuse",
    help="What becomes of values that --schema does not allow: each is moved by a rule that "
    "depends on it and on the schema alone; or the data are refused, which tells of them.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
track = click.option("--track", show_default="the only one", help="Which of the tracks.")
first_track = click.option("--track", show_default="the first", help="The track with the rules.")
team = click.option("--team", required=True, help="The team that submits.")
sample = click.option(
    "--sample",
    type=click.IntRange(min=1),
    help="Which of your private samples, where a team chooses one to release.",
)
kind = click.option(
    "--kind",
    type=click.Choice(["release", "guess"]),
    show_default="what the open phase accepts",
    help="What the team submits.",
)
seed = click.option(
    "--seed",
    type=int,
    show_default="secret seeds",
    help="A public seed, for a rehearsal that anybody can repeat.",
)
profile = click.option(
    "--profile",
    show_default="none",
    help="A variant of the rules that the edition defines by name.",
)

SEVERITY = ("nothing-found", "cannot-say", "some-leakage", "unsafe")
"""The verdicts of an audit, the best one first."""
FAILED = 3
"""The exit code if the verdict is as bad as --fail-on, or worse."""
fail_on = click.option(
    "--fail-on",
    type=click.Choice(SEVERITY[:0:-1]),
    help=f"Exit with code {FAILED} if the verdict is this one or a worse one.",
)


dossier = click.option(
    "--dossier",
    type=NewFile(),
    metavar="FILE",
    help="Also write what regulators ask beside what was read: .html, .md, .txt or .json.",
)
recipient = click.option(
    "--recipient",
    default="",
    metavar="TEXT",
    help='Who gets the release, for the dossier: "researchers under contract".',
)
means = click.option(
    "--means",
    default="",
    metavar="TEXT",
    help="What they know and can do to identify people, for the dossier.",
)


def end_with(verdict: str, fail_on: str | None) -> None:
    """End with a code if the verdict of an audit is as bad as --fail-on, or worse."""
    if fail_on and SEVERITY.index(verdict) >= SEVERITY.index(fail_on):
        raise SystemExit(FAILED)


def _containment(_context: click.Context, _option: click.Parameter, trusted: bool) -> Containment:
    from quintain.programs.choice import STRANGERS, TRUSTED

    return TRUSTED if trusted else STRANGERS


trust_programs = click.option(
    "--trust-programs",
    "containment",
    is_flag=True,
    callback=_containment,
    help="Run the teams' programs even where nothing contains them: they could read and change "
    "whatever you can. Only for programs of people you trust; see quintain doctor.",
)
quick = click.option("--quick", is_flag=True, help="The small version that the edition defines.")


def executor(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--workers``, ``--cluster`` and its options: where the work runs."""

    @click.option(
        "--workers",
        type=click.IntRange(1),
        default=default_workers,
        show_default="all cores",
        help="How many processes work at a time; the result does not depend on it.",
    )
    @click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Work on a Dask cluster, e.g. tls://host:8786; its workers must see the folder.",
    )
    @click.option(
        "--cluster-tls",
        "tls",
        nargs=3,
        metavar="CA CERT KEY",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Three PEM files for tls://: the authority, your certificate and your key.",
    )
    @click.option(
        "--cluster-without-tls",
        "without_tls",
        is_flag=True,
        help="Use a cluster that others on the network could read or imitate.",
    )
    @wraps(command)
    def call(
        *args: Any,
        workers: int,
        cluster: str | None,
        tls: tuple[Path, Path, Path] | None,
        without_tls: bool,
        **options: Any,
    ) -> Any:
        from quintain.jobs.executor import Executor

        return command(*args, executor=Executor(workers, cluster, tls, without_tls), **options)

    return call


def _values(option: str, name: str, metavar: str, help: str) -> Callable[..., Any]:
    """An option that may be repeated, whose values become one table."""
    return click.option(
        option,
        name,
        multiple=True,
        metavar=metavar,
        callback=lambda _ctx, _parameter, given: _tables(given),
        help=help,
    )


parameters = _values(
    "--set",
    "parameters",
    "NAME=VALUE",
    "A parameter, see quintain parts NAME; may be repeated.",
)
"""``--set keep=0.9``: a parameter of the part that is run."""

overrides = _values(
    "--set",
    "changes",
    "KEY=VALUE",
    "Change a key of the edition, e.g. --set dataset.rows=2000; may be repeated.",
)
"""``--set dataset.rows=100``: change one key of the edition."""

code_parameters = _values(
    "--code-set",
    "code_parameters",
    "NAME=VALUE",
    "A parameter of --code; may be repeated.",
)
"""``--code-set epsilon=1``: a parameter of the sanitizer that an attacker may run."""

goal_parameters = _values(
    "--goal-set",
    "goal_parameters",
    "NAME=VALUE",
    "A parameter of --goal; may be repeated.",
)
"""``--goal-set guesses=50``: a parameter of what an attacker wants."""


def _tables(given: tuple[str, ...]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for item in given:
        key, sign, value = item.partition("=")
        if not sign:
            raise click.BadParameter(f"expected KEY=VALUE, got {item!r}")
        try:
            parsed = tomllib.loads(f"v = {value}")["v"]
        except tomllib.TOMLDecodeError:
            parsed = value
        table = out
        *path, last = key.split(".")
        for step in path:
            table = table.setdefault(step, {})
        table[last] = parsed
    return out
