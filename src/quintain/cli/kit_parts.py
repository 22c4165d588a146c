"""Commands that run a part on a kit: ``attack`` and ``sanitize``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quintain.cli import options
from quintain.cli.display import progress
from quintain.cli.examples import examples

if TYPE_CHECKING:
    from quintain.jobs.executor import Executor

kit = click.argument("kit", type=click.Path(exists=True, path_type=Path))
out = click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="The folder to write to; files of the same name are replaced.",
)


@click.command(
    epilog=examples(
        "quintain attack kit --use nearest --out answers",
        "quintain attack kit.zip --use nearest --set distance=manhattan --out answers",
    )
)
@kit
@click.option("--use", required=True, help="The attack: see quintain parts attack --goal GOAL.")
@options.parameters
@out
@options.track
@click.option("--task", "tasks", multiple=True, help="Only this task or entry; may be repeated.")
@click.option("--team", help="Your team, if the names of answers contain it.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of the attack.")
@options.executor
def attack(
    kit: Path,
    use: str,
    parameters: dict[str, Any],
    out: Path,
    track: str | None,
    tasks: tuple[str, ...],
    team: str | None,
    seed: int,
    executor: Executor,
) -> None:
    """Answer the tasks of KIT with an attack, and write files that you can submit.

    KIT is an unpacked kit or its zip. The attack sees only what is in the kit.
    """
    from quintain.figures.counts import count
    from quintain.runs.folder.zipped import opened
    from quintain.runs.submissions.admission import choose_track
    from quintain.runs.taking_part import ANYBODY, answer

    with opened(kit) as folder, progress():
        chosen = choose_track(folder.edition(), track)
        files = answer(
            folder,
            chosen,
            {"use": use, **parameters},
            team=team or ANYBODY,
            tasks=tasks,
            seed=seed,
            executor=executor,
        )
    _write(out, files)
    click.echo(f"{out}: {count(len(files), 'answer')} by {use}")
    _say_what_is_next(kit, out, team, track)


@click.command(
    epilog=examples("quintain sanitize kit --use rr --set keep=0.9 --team red --out release")
)
@kit
@click.option("--use", required=True, help="The sanitizer: see quintain parts sanitizer.")
@options.parameters
@out
@options.track
@click.option("--team", required=True, help="Your team; the kit must have its private sample.")
@options.sample
@click.option(
    "--seed",
    type=int,
    show_default="noise of the operating system",
    help="For rehearsals only: with a seed the noise protects nobody.",
)
def sanitize(
    kit: Path,
    use: str,
    parameters: dict[str, Any],
    out: Path,
    track: str | None,
    team: str,
    sample: int | None,
    seed: int | None,
) -> None:
    """Make a release of the private sample in KIT, and write files that you can submit."""
    from quintain.runs.folder.zipped import opened
    from quintain.runs.submissions.admission import choose_track
    from quintain.runs.taking_part import release

    with opened(kit) as folder:
        chosen = choose_track(folder.edition(), track)
        spec = {"use": use, **parameters}
        files = release(folder, chosen, spec, team=team, sample=sample, seed=seed)
    _write(out, files)
    click.echo(f"{out}: {', '.join(files)}, made by {use}")
    which = "" if sample is None else f" --sample {sample}"
    _say_what_is_next(kit, out, team, track, f"--kind release{which}")


def _write(out: Path, files: dict[str, bytes]) -> None:
    from quintain.jobs.files import write_file

    for name, content in files.items():
        write_file(out / name, content)


def _say_what_is_next(
    kit: Path, out: Path, team: str | None, track: str | None, kind: str = ""
) -> None:
    where = f" --track {track}" if track else ""
    words = " ".join(["--team", team or "YOUR-TEAM", kind]).strip()
    place = kit if kit.is_dir() else "UNPACKED-KIT"
    click.echo(f"next: quintain check {place} {out} {words}{where}")
