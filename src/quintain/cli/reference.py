"""Commands that tell what there is: ``parts``, ``editions``, ``schema``."""

from __future__ import annotations

import click

from quintain.cli.examples import examples


@click.command(epilog=examples("quintain parts", "quintain parts attack"))
@click.argument("family", required=False)
def parts(family: str | None) -> None:
    """List the parts an edition can name, plugins too."""
    from quintain import registry
    from quintain.errors import PartError

    known = registry.families()
    if family is not None and family not in known:
        raise PartError(f"no family {family!r}; there is {', '.join(known)}")
    for name in [family] if family else known:
        for part in registry.parts(name):
            click.echo(f"{part.id:<36} {part.summary()}")


@click.command(epilog=examples("quintain editions"))
def editions() -> None:
    """List the editions that come with quintain."""
    from quintain.contests import builtin_names, load

    for name in builtin_names():
        click.echo(f"{name:<20} {load(name).title}")


@click.command(epilog=examples("quintain schema > edition.schema.json"))
def schema() -> None:
    """Print the JSON Schema of edition files, with every part's parameters."""
    from quintain.commitment import canonical_json
    from quintain.contests.json_schema import edition_schema

    click.echo(canonical_json(edition_schema()).decode(), nl=False)
