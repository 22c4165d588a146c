"""The command ``attack``: one attack, on the tasks of a kit or on a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from quintain.cli import options
from quintain.cli.display import progress
from quintain.cli.examples import examples
from quintain.cli.one_part import shared


@click.command(
    epilog=examples(
        "quintain attack kit --use nearest --out answers",
        "quintain attack kit.zip --use nearest --set distance=manhattan --out answers",
        "quintain attack release.csv --with nearest --targets people.csv --out guess.csv",
        "quintain attack release.csv --with mama-mia --targets people.csv --population all.csv "
        "--code mst --code-set epsilon=1 --out guess.csv",
        "quintain attack release.csv --with nearest --population all.csv --edition amic "
        "--out inference_03_07.index",
    )
)
@shared.source
@click.option(
    "--use", "--with", "use", required=True, help="The attack: see quintain parts attack."
)
@options.parameters
@shared.out
@click.option(
    "--targets",
    type=shared.File,
    help="For a release: one record per target; with --edition, a question file of the contest.",
)
@click.option(
    "--population",
    type=shared.File,
    help="For a release: the people its data came from; without --targets, they are the targets.",
)
@click.option("--code", help="For a release: the sanitizer that made it, if the attack may run it.")
@options.code_parameters
@click.option(
    "--right",
    type=shared.File,
    help="For --goal linkability: the right halves of the targets; --targets has the left ones.",
)
@click.option(
    "--goal",
    show_default="what --secret and the attack suggest",
    help="For a release: what to guess; see quintain parts goal.",
)
@options.goal_parameters
@click.option("--secret", help="For a release: the column to guess, or several with commas.")
@click.option("--knows", help="For a release: the columns known of the targets, with commas.")
@shared.edition
@shared.schema
@options.header
@options.track
@click.option("--task", "tasks", multiple=True, help="For a kit: only this task; may be repeated.")
@click.option("--team", help="For a kit: your team, if the names of answers contain it.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of the attack.")
@options.executor
def attack(source: Path, out: Path, edition: str | None, **given: Any) -> None:
    """Answer the tasks of a kit with an attack, or attack a release of your own.

    SOURCE is a kit, unpacked or as a zip, or a file with a release. From a kit come files that you
    can submit, and the attack sees only what is in the kit. For a release, the attack sees the
    files that you give, and nothing else.

    By default it guesses for each target how likely its record was in the data; with --secret it
    guesses a column, and --goal asks for something else. The answer numbers the targets from 0, in
    the order of their file. With --edition it answers the question of the contest, in the format of
    its files.
    """
    spec = {"use": given.pop("use"), **given.pop("parameters")}
    if shared.is_kit(source):
        names = (
            "targets",
            "right",
            "population",
            "code",
            "goal",
            "secret",
            "knows",
            "schema",
            "header",
        )
        only = {f"--{name}": given[name] for name in names} | {"--edition": edition}
        more = {"--code-set": given["code_parameters"], "--goal-set": given["goal_parameters"]}
        shared.refuse(only | more, "a release in a file")
        _kit(source, spec, out, given)
        return
    shared.refuse({"--team": given["team"], "--task": given["tasks"]}, "a kit")
    if given["code"] is None:
        shared.refuse({"--code-set": given["code_parameters"]}, "a sanitizer: add --code")
    if edition is not None:
        by_rules = ("schema", "right", "goal", "secret", "knows", "header")
        only = {f"--{name}": given[name] for name in by_rules}
        shared.refuse(only, "releases without --edition, which says what is asked")
    with progress():
        content, people = _answer(source, spec, edition, given)
    shared.write_file(out, content)
    click.echo(f"{out}: {people} by {spec['use']}")


def _answer(
    release: Path, spec: dict[str, Any], edition: str | None, given: dict[str, Any]
) -> tuple[bytes, str]:
    """The content of the answer, and what is in it."""
    from quintain.figures.format import count
    from quintain.runs.folder.folder import csv_bytes
    from quintain.runs.standalone.attacking import Files, attack_by_rules, attack_own

    files = Files(release, given["targets"], given["population"], given["right"])
    code = {"use": given["code"], **given["code_parameters"]} if given["code"] else None
    track = shared.track_of(edition, given["track"])
    if track is not None:
        content = attack_by_rules(track, files, spec, code=code, seed=given["seed"])
        return content, f"an answer about {track.goal.asks.about()}"
    secret, knows = (
        [name.strip() for name in (given[option] or "").split(",") if name.strip()]
        for option in ("secret", "knows")
    )
    guess, cautions = attack_own(
        files,
        spec,
        schema=given["schema"],
        header=given["header"],
        code=code,
        goal=_goal(given["goal"], given["goal_parameters"]),
        secret=secret,
        known=knows or None,
        seed=given["seed"],
    )
    for caution in cautions:
        click.echo(f"warning: {caution}", err=True)
    return csv_bytes(guess.table), count(len(guess.table), "guess", "guesses")


def _goal(name: str | None, parameters: dict[str, Any]) -> Any:
    """The name of a goal, or the goal if it has parameters."""
    if not parameters:
        return name
    if name is None:
        shared.refuse({"--goal-set": parameters}, "a goal: add --goal")
    from quintain.registry import build

    return build("goal", {"use": name, **parameters})


def _kit(kit: Path, spec: dict[str, Any], out: Path, given: dict[str, Any]) -> None:
    from quintain.figures.format import count
    from quintain.runs.folder.zipped import open_packed
    from quintain.runs.submissions.admission import choose_track
    from quintain.runs.taking_part import ANYBODY, answer

    team, executor = given["team"], given["executor"]
    with open_packed(kit) as folder, progress():
        chosen = choose_track(folder.edition(), given["track"])
        files = answer(
            folder,
            chosen,
            spec,
            team=team or ANYBODY,
            tasks=given["tasks"],
            seed=given["seed"],
            executor=executor,
        )
    shared.write_folder(out, files)
    click.echo(f"{out}: {count(len(files), 'answer')} by {spec['use']}")
    shared.say_what_is_next(kit, out, team, given["track"])
