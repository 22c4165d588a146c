"""Play every attack against every sanitizer: ``python -m benchmarks.tournament``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from benchmarks.tournament.arena import Size
from benchmarks.tournament.claims import read_claims
from benchmarks.tournament.results import TournamentResults
from benchmarks.tournament.tournament import Outcome, play_tournament
from quintain.cli import options
from quintain.cli.display import progress
from quintain.cli.groups import examples
from quintain.errors import QuintainError
from quintain.figures.format import count
from quintain.jobs.executor import Executor
from quintain.jobs.files import write_file
from quintain.registry import load_file

CLAIMS = Path("docs/claims.toml")
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(
    epilog=examples(
        "python -m benchmarks.tournament",
        "python -m benchmarks.tournament snake --size quick",
        "python -m benchmarks.tournament --only mst --against docs/tournament.json",
        "python -m benchmarks.tournament snake --plugin rare.py --only rare-values",
        "python -m benchmarks.tournament --save docs/tournament.json --check",
    )
)
@click.argument("arenas", nargs=-1, metavar="[ARENA]...")
@click.option(
    "--size",
    type=click.Choice(["default", "quick"]),
    default="default",
    show_default=True,
    help="The default size takes less than half an hour on two cores; the quick one shows only "
    "that everything plays.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("tournament"),
    show_default=True,
    help="The folder for the page, the figures and the runs.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="A public seed.")
@click.option(
    "--only",
    multiple=True,
    metavar="PART",
    help="Play only the pairs of this sanitizer or attack; may be repeated. With --against, all "
    "other figures come from there.",
)
@click.option("--against", type=_FILE, help="Earlier results; the page shows what changed.")
@click.option(
    "--claims",
    "claims_file",
    type=_FILE,
    show_default=f"{CLAIMS}, if it is there",
    help="The claims to compare with the figures.",
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the figures to this file.",
)
@click.option(
    "--plugin", "plugins", type=_FILE, multiple=True, help="A file with parts of your own."
)
@click.option("--check", is_flag=True, help="Fail if the figures refute a claim.")
@options.executor
def tournament(
    arenas: tuple[str, ...],
    size: Size,
    out: Path,
    seed: int,
    only: tuple[str, ...],
    against: Path | None,
    claims_file: Path | None,
    save: Path | None,
    plugins: tuple[Path, ...],
    check: bool,
    executor: Executor,
) -> None:
    """Play every attack against every sanitizer, and show the result on one page.

    ARENA is the name of a built-in arena (amic, darc, hide-and-seek, snake) or the path of an arena
    file; by default, all built-in arenas are played. Run the command again to continue a
    tournament that was stopped.

    Every registered part takes part where it can, plugins included. The page says which parts
    cannot play, and why.
    """
    for plugin in plugins:
        load_file(plugin)
    path = claims_file or (CLAIMS if CLAIMS.is_file() else None)
    with progress():
        outcome = play_tournament(
            arenas,
            out,
            size=size,
            seed=seed,
            only=only,
            earlier=None if against is None else TournamentResults.read(against),
            claims=() if path is None else read_claims(path),
            executor=executor,
        )
    if save is not None:
        write_file(save, outcome.results.to_bytes(), public=True)
    _print(outcome)
    if check and outcome.refuted:
        raise QuintainError(f"the figures refute {len(outcome.refuted)} of our claims")


def _print(outcome: Outcome) -> None:
    for name, arena in outcome.results.arenas.items():
        sizes = arena.sizes
        click.echo(
            f"{name}: {count(len(arena.cells), 'entry', 'entries')}, "
            f"{count(len(arena.attacks), 'attack')}, {count(sizes.repeats, 'repetition')}, "
            f"{sizes.cpu_seconds:.0f} processor seconds"
        )
    for refuted in outcome.refuted:
        click.echo(f"REFUTED {refuted}")
    click.echo(f"figures: {outcome.figures}")
    click.echo(f"page:    {outcome.page.resolve()}")


def main(arguments: list[str] | None = None) -> None:
    """Run the command; print an error that the user can fix as a sentence."""
    try:
        tournament.main(arguments, prog_name="python -m benchmarks.tournament")
    except QuintainError as error:
        click.echo(f"tournament: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
