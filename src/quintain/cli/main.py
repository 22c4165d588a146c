"""The command line: ``quintain COMMAND``. A command is imported only when it runs."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import click

from quintain import __version__
from quintain.cli.groups import LazyGroup, examples
from quintain.cli.terminal import guard
from quintain.errors import JobFailed, QuintainError
from quintain.jobs.scratch import remove_leftovers
from quintain.jobs.termination import tidy_termination

COMMANDS = {
    "audit": "groups",
    "compare": "compare",
    "play": "play",
    "new": "organise",
    "lint": "organise",
    "prepare": "organise",
    "team": "team",
    "extend": "live",
    "amend": "live",
    "hand-over": "organise",
    "submit-round": "live",
    "import-codabench": "live",
    "score": "organise",
    "freeze": "live",
    "reveal": "live",
    "verify": "verify",
    "log": "live",
    "checkpoint": "live",
    "receipt": "live",
    "export": "organise",
    "attack": "one_part",
    "sanitize": "one_part",
    "check": "take_part",
    "submit": "take_part",
    "choose": "take_part",
    "board": "take_part",
    "login": "remote",
    "logout": "remote",
    "kit": "remote",
    "measure": "standalone",
    "rank": "standalone",
    "parts": "reference",
    "editions": "reference",
    "schema": "reference",
    "doctor": "doctor",
}
"""Each command and the module it lives in, in the order of the help page."""


ELSEWHERE = dict.fromkeys(("serve", "worker", "host"), "quintain-host")
"""The commands that are in another distribution, and its name."""


SUMMARIES = {
    "audit": "Find out what a release, or a sanitizer, gives away about people.",
    "compare": "Compare sanitizers and releases under the same attacks, repeatedly.",
    "play": "Play a whole contest with built-in teams, and rank them.",
    "new": "Start an edition folder.",
    "lint": "Find what would go wrong before the launch.",
    "prepare": "Draw samples, make releases, publish commitments.",
    "team": "Add teams, list, disqualify or reinstate them.",
    "extend": "Let a phase close later.",
    "amend": "Put a new version of the rules in force.",
    "hand-over": "Give the teams' releases to the attackers.",
    "submit-round": "Submit a whole round by file names.",
    "import-codabench": "Submit what teams submitted on CodaBench.",
    "score": "Attack with the baselines, measure, rank.",
    "freeze": "End a contest: nothing that counts changes any more.",
    "reveal": "Score for the last time and write the archive with every secret.",
    "verify": "Replay a contest that is over, and compare every byte.",
    "log": "Print what happened, one line per event.",
    "checkpoint": "Print the signed root of everything that happened.",
    "receipt": "Give the receipt of a submission again.",
    "export": "Write a kit, a CodaBench bundle, a round or the revealed archive.",
    "attack": "Run an attack on the tasks of a kit, or on a release of your own.",
    "sanitize": "Run a sanitizer on the private sample in a kit, or on a file of your own.",
    "check": "Check a submission the way the judge does.",
    "submit": "Submit a release or guesses.",
    "choose": "Choose which submissions of a team count.",
    "board": "Show the standings.",
    "login": "Get a token from a site, for submit, board and kit.",
    "logout": "Forget the token of a site.",
    "kit": "Download the kit of your team from a site.",
    "measure": "Measure single files by the rules of a contest.",
    "rank": "Rank a matrix that was measured elsewhere.",
    "parts": "List sanitizers, attacks, measures and all other parts, or explain one.",
    "editions": "List the built-in editions, or print one.",
    "schema": "Print the schema of edition files, or learn that of a table.",
    "doctor": "Test whether this machine can contain programs of strangers.",
    "serve": "Host contests on the web.",
    "worker": "Do the jobs of a site: check uploads, score, run programs.",
    "host": "Run a site: its accounts, its backups and its upgrades.",
}


@click.group(
    cls=LazyGroup,
    modules=COMMANDS,
    summaries=SUMMARIES,
    elsewhere=ELSEWHERE,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "quintain play tiny", "quintain play tiny --seed 7 --out run", "quintain parts attack"
    ),
)
@click.version_option(__version__)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.option(
    "--plugin",
    "plugins",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Load parts from a Python file; may be repeated.",
)
@click.pass_context
def cli(ctx: click.Context, debug: bool, plugins: tuple[Path, ...]) -> None:
    """Run privacy contests and audits of sanitized data."""
    # Whatever a command writes is private, unless it is made public on purpose.
    ctx.call_on_close(partial(os.umask, os.umask(0o077)))
    del debug  # main() reads it from the arguments, because errors can come before this function
    if plugins:
        from quintain.registry import load_file

        for plugin in plugins:
            load_file(plugin)


def main(arguments: list[str] | None = None) -> Any:
    """Run a command; print an error that the user can fix as a sentence, not as a traceback."""
    given = sys.argv[1:] if arguments is None else arguments
    with guard(given), tidy_termination():
        return _run(given)


def _run(given: list[str]) -> Any:
    try:
        return cli.main(given, prog_name="quintain", standalone_mode=True)
    except QuintainError as error:
        if "--debug" in given:
            if isinstance(error, JobFailed):
                click.echo(error.traceback, err=True)
            raise
        click.echo(f"quintain: {error}", err=True)
        if isinstance(error, JobFailed):
            click.echo("quintain --debug COMMAND shows the whole traceback", err=True)
        sys.exit(1)
    except (OSError, MemoryError) as error:
        sentence = _about_machine(error)
        if sentence is None or "--debug" in given:
            raise
        click.echo(f"quintain: {sentence}", err=True)
        sys.exit(1)


_REFUSALS = {
    errno.ENOSPC: "the disk is full; make room",
    errno.EDQUOT: "the disk quota is used up; make room",
    errno.EROFS: "the disk is read-only; make it writable",
    errno.EACCES: "permission denied; change the permissions or the user",
    errno.EPERM: "permission denied; change the permissions or the user",
    errno.EIO: "the disk does not work; repair it",
}


def _about_machine(error: OSError | MemoryError) -> str | None:
    """What the machine refuses, and what to do; None for errors that point to a fault of ours."""
    if isinstance(error, MemoryError):
        return "there is not enough memory; use fewer --workers or a machine with more memory"
    refusal = _REFUSALS.get(error.errno or 0)
    if refusal is None:
        return None
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{refusal}, then run the command again; what was stored before is unchanged"


def run() -> None:
    """Run the command of this process, and end the process.

    Some libraries keep threads running. A thread that is busy while the interpreter shuts down can
    crash the process after its work is done. So the process ends before that, once the exit
    handlers have run and all output is written.
    """
    code: object = 0
    # Our models need no plugin, and looking for one reads the metadata of every installed package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    remove_leftovers()
    try:
        main()
    except SystemExit as end:
        code = end.code
    # Workers stop at the end of threading; exit handlers would wait minutes for idle ones.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    if code:
        remove_leftovers()  # of workers that were ended in the middle of their work
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # the reader has closed the pipe
            stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))
