"""The commands ``attack`` and ``sanitize``: one part, on a kit or on files of your own."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quintain.cli import options, outputs
from quintain.cli.display import progress
from quintain.cli.groups import examples

if TYPE_CHECKING:
    from quintain.contests import Track
    from quintain.data.outside import Outside
    from quintain.guesses import Guess
    from quintain.runs.standalone.attacking import Files
    from quintain.runs.standalone.sanitizing import SanitizedFiles
    from quintain.runs.taking_part import Spec
    from quintain.sanitizers.mechanism import DomainSource


File = click.Path(exists=True, dir_okay=False, path_type=Path)
source = click.argument("source", callback=options.tables)
out = click.option(
    "--out",
    type=outputs.NewPlace(),
    required=True,
    help="The folder for files from a kit or for several tables, or else the file to write.",
)
edition = click.option(
    "--edition", help="For a file: the built-in edition or edition file that says what is in it."
)
schema = click.option(
    "--schema",
    type=File,
    show_default="learned from the files",
    help="For a file without --edition: its columns; see quintain schema learn.",
)


def is_kit(source: Path | str) -> bool:
    """Whether the source is a kit, unpacked or as a zip, rather than data."""
    from zipfile import BadZipFile, ZipFile

    from quintain.runs.folder import paths

    names = (paths.EDITION, paths.RULES)
    if isinstance(source, str):  # the address of a database
        return False
    if source.is_dir():
        return any((source / name).is_file() for name in names)
    if source.suffix.lower() != ".zip":
        return False
    try:
        with ZipFile(source) as archive:
            return not set(names).isdisjoint(archive.namelist())
    except (OSError, BadZipFile):
        return True  # opening it as a kit says what is wrong with it


def refuse(options: Mapping[str, Any], reason: str) -> None:
    """Raise if any of these options is given; the message names all of them."""
    given = [option for option, value in options.items() if value not in (None, "", (), {})]
    if given:
        raise click.UsageError(f"{', '.join(given)}: only for {reason}")


def track_of(edition: str | None, track: str | None) -> Track | None:
    """The rules for files; the first track of an edition, or the one that is named."""
    if edition is None:
        refuse({"--track": track}, "a kit or an edition: add --edition")
        return None
    from quintain.contests import load
    from quintain.runs.submissions.admission import choose_track

    rules = load(edition)
    return choose_track(rules, track or rules.track[0].id)


def require_other_file(out: Path, sources: Iterable[Path | str | None], option: str) -> None:
    """Raise if a file would be written over what it is made from."""
    for given in sources:
        if isinstance(given, Path) and given.exists() and out.exists() and out.samefile(given):
            message = "is what the command reads, and it would be lost: name another file with"
            raise click.UsageError(f"{out} {message} {option}")


def require_ending(out: Path, *made: str) -> None:
    """Raise if a name promises a format that is not written; ``made`` are those beside CSV."""
    from quintain.data.files.formats import wrong_ending

    message = wrong_ending(out, *made)
    if message is not None:
        raise click.UsageError(f"{out}: {message}")


def say_what_is_next(
    kit: Path, out: Path, team: str | None, track: str | None, kind: str = ""
) -> None:
    """Print the command that checks what was made from a kit."""
    where = f" --track {track}" if track else ""
    words = " ".join(["--team", team or "YOUR-TEAM", kind]).strip()
    place = kit if kit.is_dir() else "UNPACKED-KIT"
    click.echo(f"next: quintain check {place} {out} {words}{where}")


@click.command(
    epilog=examples(
        "quintain attack kit --use nearest --out answers",
        "quintain attack kit.zip --use nearest --set distance=manhattan --out answers",
        "quintain attack release.csv --with nearest --targets people.csv --out guess.csv",
        "quintain attack release.csv --with mama-mia --targets people.csv --population all.csv "
        "--code mst --code-set epsilon=1 --out guess.csv",
        "quintain attack release/ --with histories --targets known/ --goal naming --out guess.csv",
        "quintain attack release.csv --with nearest --population all.csv --edition amic "
        "--out inference_03_07.index",
    )
)
@source
@click.option(
    "--use", "--with", "use", required=True, help="The attack: see quintain parts attack."
)
@options.parameters
@out
@outputs.replace
@click.option(
    "--targets",
    callback=options.tables,
    help="For a release: one record per target; with --edition, a question file of the contest; "
    "for several tables, the known rows of the targets in the same tables.",
)
@click.option(
    "--population",
    callback=options.tables,
    help="For a release: the people its data came from; without --targets, they are the targets.",
)
@click.option("--code", help="For a release: the sanitizer that made it, if the attack may run it.")
@options.code_parameters
@click.option(
    "--right",
    type=File,
    help="For --goal linkability: the right halves of the targets; --targets has the left ones.",
)
@click.option(
    "--goal",
    show_default="what --secret and the attack suggest",
    help="For a release: what to guess; see quintain parts goal. With --edition: the id of a goal.",
)
@options.goal_parameters
@click.option("--secret", help="For a release: the column to guess, or several with commas.")
@click.option("--knows", help="For a release: the columns known of the targets, with commas.")
@edition
@schema
@options.header
@options.memory
@options.decimal_mark
@options.track
@click.option("--task", "tasks", multiple=True, help="For a kit: only this task; may be repeated.")
@click.option("--team", help="For a kit: your team, if the names of answers contain it.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of the attack.")
@options.executor
def attack(source: Path | str, out: Path, edition: str | None, **given: Any) -> None:
    """Answer the tasks of a kit with an attack, or attack a release of your own.

    SOURCE is a kit, unpacked or as a zip, or a release: a file, or several tables about the same
    people in a folder, a zip archive or a database. From a kit come files that you can submit, and
    the attack sees only what is in the kit. For a release, the attack sees the files that you give,
    and nothing else.

    By default it guesses for each target how likely its record was in the data; with --secret it
    guesses a column, and --goal asks for something else. The answer numbers the targets from 0, in
    the order of their file. With --edition it answers the question of the contest, in the format of
    its files.
    """
    spec = {"use": given.pop("use"), **given.pop("parameters")}
    if is_kit(source):
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
        refuse(only | more, "a release of your own")
        _answer_kit(Path(source), spec, out, given)
        return
    refuse({"--team": given["team"], "--task": given["tasks"]}, "a kit")
    if given["code"] is None:
        refuse({"--code-set": given["code_parameters"]}, "a sanitizer: add --code")
    if edition is not None:
        by_rules = ("schema", "right", "secret", "knows", "header")
        only = {f"--{name}": given[name] for name in by_rules}
        refuse(only, "releases without --edition, which says what is asked")
    if _has_tables(source):
        per_file = ("right", "code", "secret", "knows", "header", "track")
        only = {f"--{name}": given[name] for name in per_file} | {"--edition": edition}
        refuse(only, "a release in a single file")
    if not _has_tables(source):
        require_ending(out)
        files = (source, given["targets"], given["population"], given["right"], given["schema"])
        require_other_file(out, files, "--out")
    with progress():
        content, people = _answer(source, spec, edition, given)
    outputs.write_file(out, content)
    click.echo(f"{out}: {people} by {spec['use']}")


def _answer(
    release: Path | str, spec: dict[str, Any], edition: str | None, given: dict[str, Any]
) -> tuple[bytes, str]:
    """The content of the answer, and what is in it."""
    from quintain.figures.format import count
    from quintain.runs.folder.folder import csv_bytes
    from quintain.runs.standalone.attacking import Files, attack_by_rules, attack_tables
    from quintain.runs.submissions.admission import choose_aim

    seed = given["seed"]
    if _has_tables(release):
        roles = {role: given[role] for role in ("targets", "population", "schema")}
        goal = _goal(given["goal"], given["goal_parameters"])
        guess, cautions = attack_tables(release, spec, **roles, goal=goal, seed=seed)
    else:
        files = Files(Path(release), given["targets"], given["population"], given["right"])
        code = {"use": given["code"], **given["code_parameters"]} if given["code"] else None
        track = track_of(edition, given["track"])
        if track is not None:
            aim = choose_aim(track, given["goal"])
            content = attack_by_rules(track, files, spec, goal=given["goal"], code=code, seed=seed)
            return content, f"an answer about {aim.goal.asks.about()}"
        guess, cautions = _attack_file(files, spec, code, given)
    for caution in cautions:
        click.echo(f"warning: {caution}", err=True)
    return csv_bytes(guess.table), count(len(guess.table), "guess", "guesses")


def _attack_file(
    files: Files, spec: dict[str, Any], code: dict[str, Any] | None, given: dict[str, Any]
) -> tuple[Guess, tuple[str, ...]]:
    """The guess about a release in a file, and what the attacker should know."""
    from quintain.runs.standalone.attacking import attack_own

    secret, knows = (
        [name.strip() for name in (given[option] or "").split(",") if name.strip()]
        for option in ("secret", "knows")
    )
    return attack_own(
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


def _goal(name: str | None, parameters: dict[str, Any]) -> Any:
    """The name of a goal, or the goal if it has parameters."""
    if not parameters:
        return name
    if name is None:
        refuse({"--goal-set": parameters}, "a goal: add --goal")
    from quintain.registry import build

    return build("goal", {"use": name, **parameters})


def _answer_kit(kit: Path, spec: dict[str, Any], out: Path, given: dict[str, Any]) -> None:
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
    outputs.write_folder(out, files)
    click.echo(f"{out}: {count(len(files), 'answer')} by {spec['use']}")
    say_what_is_next(kit, out, team, given["track"])


@click.command(
    epilog=examples(
        "quintain sanitize kit --use rr --set keep=0.9 --team red --out release",
        "quintain sanitize kit --recipe recipe.toml --team red --out release",
        "quintain sanitize mine.csv --with k-anonymity --set k=5 --out release.csv",
        "quintain sanitize mine.csv --with mst --set epsilon=1 --schema mine.json --out r.csv",
        "quintain sanitize clinic/ --with people-marginals --set epsilon=1 --out release",
        "quintain sanitize sample.csv --with rrp --set keep=0.9 --edition amic --out release.csv",
    )
)
@source
@click.option("--use", "--with", "use", help="The sanitizer: see quintain parts sanitizer.")
@click.option(
    "--recipe",
    type=File,
    help="For a kit of a contest with recipes: the TOML file to try, instead of --use.",
)
@options.parameters
@out
@outputs.replace
@edition
@schema
@options.header
@options.memory
@options.decimal_mark
@options.domain
@options.outside
@click.option(
    "--unit",
    metavar="COLUMN",
    help="For a file: the column that says whose row it is; it is not released. For several "
    "tables: the column that names people.",
)
@click.option(
    "--rows-per-unit",
    type=click.IntRange(1),
    metavar="ROWS",
    help="With --unit: the most rows of a person; of more rows, random ones are left out.",
)
@click.option(
    "--card",
    type=outputs.NewFile(),
    help="For your own data: write the card of the release there, with its methods and its claims.",
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
    source: Path | str,
    use: str | None,
    recipe: Path | None,
    parameters: dict[str, Any],
    out: Path,
    edition: str | None,
    schema: Path | None,
    header: bool | None,
    domain: DomainSource | None,
    outside: Outside | None,
    unit: str | None,
    rows_per_unit: int | None,
    card: Path | None,
    track: str | None,
    team: str | None,
    sample: int | None,
    seed: int | None,
) -> None:
    """Make a release of the private sample in a kit, or of data of your own.

    SOURCE is a kit, unpacked or as a zip, or a file. From a kit come files that you can submit. A
    file is read by the rules of --edition, or by --schema; without both, its columns are learned
    from its cells, and their domains are measured with noise if the sanitizer claims an epsilon.
    Plain tables are CSV, Parquet or Excel files; transactions and series need a schema that says
    so, or an edition.

    SOURCE may also be several tables about the same people: a folder or zip archive with one file
    per table, or the address of a database. The release is then a folder, in which people have
    pseudonyms.

    The rows of a release come in an order that tells nothing about the rows of the file; only in
    an edition whose releases keep every row in its place, the judge hides the order afterwards.
    """
    if (use is None) == (recipe is None):
        raise click.UsageError("name a sanitizer with --use, or a file with --recipe")
    if is_kit(source):
        refuse(
            {
                "--edition": edition,
                "--schema": schema,
                "--header": header,
                "--domain": domain,
                "--outside": outside,
                "--unit": unit,
                "--card": card,
            },
            "your own data",
        )
        if recipe is not None:
            refuse({"--set": parameters, "--sample": sample}, "a sanitizer: add --use")
        chosen: Spec | Path = recipe if recipe is not None else {"use": use, **parameters}
        _from_kit(Path(source), chosen, out, track, team, sample, seed)
        return
    refuse({"--team": team, "--sample": sample, "--recipe": recipe}, "a kit")
    assert use is not None  # only a kit has recipes
    spec = {"use": use, **parameters}
    if _has_tables(source):
        per_file = {"--edition": edition, "--track": track, "--rows-per-unit": rows_per_unit}
        refuse(per_file | {"--header": header}, "a single file")
        _from_tables(source, spec, out, schema, domain, outside, unit, card, seed)
        return
    if edition is not None:
        own = {"--schema": schema, "--header": header, "--domain": domain, "--unit": unit}
        refuse(own | {"--outside": outside}, "files without --edition")
    from quintain.data.files.formats import endings
    from quintain.runs.standalone.sanitizing import sanitize_file

    rules = track_of(edition, track)
    # By the rules of a contest a release is a CSV file, or a model.
    made_here = endings() if rules is None else endings(models=True) if rules.model else ()
    require_ending(out, *made_here)
    require_other_file(out, (source, schema), "--out")
    if card is not None:
        require_other_file(card, (source, schema), "--card")
        if card.absolute() == out.absolute():
            raise click.UsageError(f"{out} is the release: name another file with --card")
    with progress():
        made = sanitize_file(
            Path(source),
            spec,
            track=rules,
            schema=schema,
            domain=domain,
            unit=unit,
            rows_per_unit=rows_per_unit,
            header=header,
            outside=outside,
            suffix=out.suffix.lower(),
            seed=seed,
        )
    (content,) = made.contents.values()
    outputs.write_file(out, content)
    _show_release(made, use, out, card)
    if edition is not None:
        where = f" --track {track}" if track else ""
        click.echo(f"next: quintain measure {edition}{where} --original {source} --release {out}")


def _has_tables(source: Path | str) -> bool:
    from quintain.data.people_files import has_tables

    return has_tables(source)


def _from_tables(
    source: Path | str,
    spec: dict[str, Any],
    out: Path,
    schema: Path | None,
    domain: DomainSource | None,
    outside: Outside | None,
    unit: str | None,
    card: Path | None,
    seed: int | None,
) -> None:
    if out.is_dir() and any(out.iterdir()):  # a table that stays there would be published, too
        raise click.UsageError(f"{out} is not empty: name a new folder with --out")
    from quintain.data.people_files import source_name
    from quintain.runs.standalone.sanitizing import sanitize_tables

    with progress():
        made = sanitize_tables(
            source, spec, schema=schema, domain=domain, unit=unit, outside=outside, seed=seed
        )
    outputs.write_folder(out, made.contents)
    _show_release(made, spec["use"], out, card)
    original = source if isinstance(source, Path) else shlex.quote(source_name(source))
    given = (("--schema", schema), ("--unit", unit))
    options_again = [
        f" {name} {shlex.quote(str(value))}" for name, value in given if value is not None
    ]
    command = f"quintain audit release --original {original} --release {out}"
    click.echo(f"next: {command}{''.join(options_again)}")


def _show_release(made: SanitizedFiles, use: str, out: Path, card: Path | None) -> None:
    """Print what was made, and write its card if it is wanted."""
    if card is not None:
        outputs.write_file(card, made.card.to_bytes())
    click.echo(f"{out}: {made.size} by {use}")
    for method in made.card.methods:
        click.echo(f"  {method.name}: {method.detail}" if method.detail else f"  {method.name}")
    for words in made.card.claims():
        click.echo(f"  claimed: {words}")
    if made.card.no_claim:
        click.echo(f"  no claim: {made.card.no_claim}")
    if made.card.test:
        click.echo("  a test: with a seed, the noise protects nobody")
    for caution in made.cautions:
        click.echo(f"warning: {caution}", err=True)


def _from_kit(
    kit: Path,
    chosen: Spec | Path,
    out: Path,
    track: str | None,
    team: str | None,
    sample: int | None,
    seed: int | None,
) -> None:
    """Make a release of a kit's private sample, with a sanitizer or with a recipe."""
    if team is None:
        raise click.UsageError("Missing option '--team': a kit has the samples of teams.")
    from quintain.runs.folder.zipped import open_packed
    from quintain.runs.submissions.admission import choose_track
    from quintain.runs.taking_part import follow, release

    with open_packed(kit) as folder:
        rules = choose_track(folder.edition(), track)
        if isinstance(chosen, Path):
            files = follow(folder, rules, chosen, team=team, seed=seed)
        else:
            files = release(folder, rules, chosen, team=team, sample=sample, seed=seed)
    outputs.write_folder(out, files)
    if isinstance(chosen, Path):
        click.echo(f"{out}: {', '.join(files)}, made by the steps of {chosen}")
        say_what_is_next(kit, chosen, team, track, "--kind release")
        return
    click.echo(f"{out}: {', '.join(files)}, made by {chosen['use']}")
    which = "" if sample is None else f" --sample {sample}"
    say_what_is_next(kit, out, team, track, f"--kind release{which}")
