"""The command ``sanitize``: one sanitizer, on the private sample of a kit or on a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quintain.cli import options
from quintain.cli.display import progress
from quintain.cli.examples import examples
from quintain.cli.one_part import shared

if TYPE_CHECKING:
    from quintain.runs.standalone.sanitizing import SanitizedFile


@click.command(
    epilog=examples(
        "quintain sanitize kit --use rr --set keep=0.9 --team red --out release",
        "quintain sanitize mine.csv --with k-anonymity --set k=5 --out release.csv",
        "quintain sanitize mine.csv --with mst --set epsilon=1 --schema mine.json --out r.csv",
        "quintain sanitize sample.csv --with rrp --set keep=0.9 --edition amic --out release.csv",
    )
)
@shared.source
@click.option(
    "--use", "--with", "use", required=True, help="The sanitizer: see quintain parts sanitizer."
)
@options.parameters
@shared.out
@shared.edition
@shared.schema
@options.header
@click.option(
    "--card",
    type=click.Path(dir_okay=False, path_type=Path),
    help="For a file: write the card of the release there, with its methods and its claims.",
)
@options.track
@click.option("--team", help="For a kit: your team, whose private sample the kit must have.")
@options.sample
@click.option(
    "--seed",
    type=int,
    show_default="noise of the operating system",
    help="For rehearsals only: with a seed the noise protects nobody.",
)
def sanitize(
    source: Path,
    use: str,
    parameters: dict[str, Any],
    out: Path,
    edition: str | None,
    schema: Path | None,
    header: bool | None,
    card: Path | None,
    track: str | None,
    team: str | None,
    sample: int | None,
    seed: int | None,
) -> None:
    """Make a release of the private sample in a kit, or of a file of your own.

    SOURCE is a kit, unpacked or as a zip, or a file. From a kit come files that you can submit. A
    file is read by the rules of --edition, or by --schema; without both, its columns are learned
    from its cells. Plain tables are CSV, Parquet or Excel files; transactions and series need a
    schema that says so, or an edition.

    The rows of a release come in an order that tells nothing about the rows of the file; only in
    an edition whose releases keep every row in its place, the judge hides the order afterwards.
    """
    spec = {"use": use, **parameters}
    if shared.is_kit(source):
        shared.refuse(
            {
                "--edition": edition,
                "--schema": schema,
                "--header": header,
                "--card": card,
            },
            "a file",
        )
        _from_kit(source, spec, out, track, team, sample, seed)
        return
    shared.refuse({"--team": team, "--sample": sample}, "a kit")
    if edition is not None:
        shared.refuse({"--schema": schema, "--header": header}, "files without --edition")
    from quintain.runs.standalone.sanitizing import sanitize_file

    rules = shared.track_of(edition, track)
    with progress():
        made = sanitize_file(
            source,
            spec,
            track=rules,
            schema=schema,
            header=header,
            suffix=out.suffix.lower(),
            seed=seed,
        )
    shared.write_file(out, made.content)
    if card is not None:
        shared.write_file(card, made.card.to_bytes())
    _show(made, use, out)
    if edition is not None:
        where = f" --track {track}" if track else ""
        click.echo(f"next: quintain measure {edition}{where} --original {source} --release {out}")


def _show(made: SanitizedFile, use: str, out: Path) -> None:
    from quintain.figures.claim import claim_words
    from quintain.figures.format import count

    size = f"{count(made.after, 'record')}, made from {made.before} by {use}"
    click.echo(f"{out}: {size}")
    for method in made.card.methods:
        click.echo(f"  {method.name}: {method.detail}" if method.detail else f"  {method.name}")
    if made.card.claim is not None:
        click.echo(f"  claimed: {claim_words(made.card.claim)}")
    for model in made.card.models:
        click.echo(f"  claimed: {model.words()}")
    if made.card.test:
        click.echo("  a test: with a seed, the noise protects nobody")
    for caution in made.cautions:
        click.echo(f"warning: {caution}", err=True)


def _from_kit(
    kit: Path,
    spec: dict[str, Any],
    out: Path,
    track: str | None,
    team: str | None,
    sample: int | None,
    seed: int | None,
) -> None:
    if team is None:
        raise click.UsageError("Missing option '--team': a kit has the samples of teams.")
    from quintain.runs.folder.zipped import open_packed
    from quintain.runs.submissions.admission import choose_track
    from quintain.runs.taking_part import release

    with open_packed(kit) as folder:
        chosen = choose_track(folder.edition(), track)
        files = release(folder, chosen, spec, team=team, sample=sample, seed=seed)
    shared.write_folder(out, files)
    click.echo(f"{out}: {', '.join(files)}, made by {spec['use']}")
    which = "" if sample is None else f" --sample {sample}"
    shared.say_what_is_next(kit, out, team, track, f"--kind release{which}")
