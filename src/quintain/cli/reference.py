"""Commands that show what is available: ``parts``, ``editions``, ``schema``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quintain.cli.examples import examples

if TYPE_CHECKING:
    from quintain.registry import Part


@click.command(
    epilog=examples(
        "quintain parts",
        "quintain parts attack",
        "quintain parts attack --goal published-row",
        "quintain parts nearest",
    )
)
@click.argument("name", required=False)
@click.option("--goal", help="List only the attacks and measures about this goal.")
def parts(name: str | None, goal: str | None) -> None:
    """List the parts that an edition can name, plugins too, or explain one of them.

    NAME is a family, such as attack, or a part, such as nearest or attack/nearest-v1.
    """
    from quintain import registry
    from quintain.cli.part_card import card

    known = registry.families()
    if name is None or name in known:
        for family in [name] if name else known:
            for part in registry.parts(family):
                if goal is None or _is_about(part, goal):
                    click.echo(f"{part.id:<36} {part.summary()}")
        return
    click.echo("\n\n".join(card(part) for part in _named(name)))


def _is_about(part: type[Part], goal: str) -> bool:
    """Whether a part answers questions about a goal, or measures the answers."""
    from quintain import registry
    from quintain.attacks.attack import Attack
    from quintain.guesses import Goal
    from quintain.measures import GuessMeasure

    wanted = registry.find("goal", goal)
    assert issubclass(wanted, Goal)  # it is registered as one
    if issubclass(part, Attack):
        return issubclass(wanted.asks, part.answers)
    return issubclass(part, GuessMeasure) and issubclass(wanted, part.reads_goal)


def _named(name: str) -> list[type[Part]]:
    """The parts of that name, whatever their family."""
    from quintain import registry
    from quintain.errors import PartError
    from quintain.suggestion import suggestion

    family, slash, rest = name.partition("/")
    if slash and family in registry.families():
        return [registry.find(family, rest)]
    bare = name.rpartition("-v")[0] if name.rpartition("-v")[2].isdigit() else name
    by_family = {family: registry.names(family) for family in registry.families()}
    having = [family for family, names in by_family.items() if bare in names]
    if not having:
        every = [*by_family, *(one for names in by_family.values() for one in names)]
        raise PartError(f"unknown family or part {name!r}{suggestion(name, every)}")
    return [registry.find(family, name) for family in having]


@click.command(
    epilog=examples(
        "quintain editions", "quintain editions tiny", "quintain editions tiny > my.toml"
    )
)
@click.argument("name", required=False)
def editions(name: str | None) -> None:
    """List the editions that come with quintain, or print the file of one."""
    from quintain.contests import builtin_names, load
    from quintain.contests.load import builtin_text

    if name is not None:
        click.echo(builtin_text(name), nl=False)
        return
    for known in builtin_names():
        click.echo(f"{known:<20} {load(known).title}")
