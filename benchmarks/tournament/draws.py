"""Play what our claims speak about in many draws: ``python -m benchmarks.tournament.draws``.

A claim names few entries and often one attack, so twenty draws of them cost less than three draws
of a whole arena. Finished draws are kept in ``--out``: a run that is stopped goes on where it was.
Keep the figures with ``--save docs/draws/claims.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import reduce
from itertools import groupby
from pathlib import Path

import click

from benchmarks.tournament.arena import Size, read_arena
from benchmarks.tournament.changes import joined
from benchmarks.tournament.claims import BEST, DRAWS, Claim, read_claims, refuted
from benchmarks.tournament.play import Plan, plan_players, play_arena
from benchmarks.tournament.players import Players, players_of
from benchmarks.tournament.results import TournamentResults
from benchmarks.tournament.tournament import SEED
from quintain import __version__
from quintain.cli import options
from quintain.cli.display import progress
from quintain.contests.fields import SanitizerGrid
from quintain.jobs.executor import Executor
from quintain.jobs.files import write_file


def plan_draws(
    claims: Sequence[Claim], out: Path, *, draws: int = DRAWS, size: Size = "default"
) -> Iterator[Plan]:
    """One small contest for the claims about one attack in one arena."""

    def place(claim: Claim) -> tuple[str, str]:
        return claim.arena, claim.attack

    for (name, attack), group in groupby(sorted(claims, key=place), key=place):
        arena = read_arena(name).drawn(draws)
        patterns = [pattern for claim in group for pattern in claim.sanitizers]
        players = _spoken_of(players_of(arena, size), patterns, attack)
        yield plan_players(arena, players, size, out, seed=SEED)


def play_draws(plans: Sequence[Plan], *, size: Size, executor: Executor) -> TournamentResults:
    """Play all plans, or go on where they were stopped, and join their figures."""
    figures = [
        TournamentResults(
            version=__version__,
            size=size,
            seed=SEED,
            arenas={plan.arena.name: play_arena(plan, seed=SEED, executor=executor)},
        )
        for plan in plans
    ]
    return reduce(lambda earlier, now: joined(now, earlier), figures)


def _spoken_of(players: Players, patterns: Sequence[str], attack: str) -> Players:
    """The entries that a claim names, and its attack; all attacks if it speaks of the best."""
    sanitizers = tuple(
        (id, {"name": name, **part.spec()})
        for id, table in players.sanitizers
        for name, part in SanitizerGrid.model_validate(table).entries()
        if any(fnmatchcase(name, pattern) for pattern in patterns)
    )
    # A claim about a reading of the release needs no attack; a contest needs one.
    wanted = attack or "random"
    attacks = tuple(one for one in players.attacks if wanted in (BEST, one[1]["id"]))
    return Players(sanitizers, attacks, players.unable)


@click.command()
@click.option("--draws", type=click.IntRange(min=2), default=DRAWS, show_default=True)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("tournament/draws"),
    show_default=True,
    help="The folder of the draws.",
)
@click.option("--arena", "arenas", multiple=True, help="Only the claims about this arena.")
@click.option(
    "--claims",
    "claims_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=Path("docs/claims.toml"),
    show_default=True,
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the figures to this file.",
)
@options.executor
def main(
    draws: int,
    out: Path,
    arenas: tuple[str, ...],
    claims_file: Path,
    save: Path | None,
    executor: Executor,
) -> None:
    """Play the pairs that our claims speak about, and compare each claim with its figures."""
    claims = [
        claim
        for claim in read_claims(claims_file)
        if claim.draws >= DRAWS and (not arenas or claim.arena in arenas)
    ]
    plans = list(plan_draws(claims, out, draws=draws))
    with progress():
        results = play_draws(plans, size="default", executor=executor)
    if save is not None:
        write_file(save, results.to_bytes(), public=True)
    for claim in claims:
        for entry, attack, reading in claim.figures(results):
            click.echo(
                f"{claim.arena} {entry} {attack or '(release)'}: {claim.measure} "
                f"{reading.value:.4f} ({reading.low:.4f} to {reading.high:.4f})"
            )
    for one in refuted(claims, results):
        click.echo(f"REFUTED {one}")


if __name__ == "__main__":
    main()
