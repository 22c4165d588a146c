"""The commands of ``host``: accounts, upgrades, backups, the store, and tokens of workers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintain.cli.display import print_columns
from quintain.cli.groups import examples
from quintain_host.commands import options

if TYPE_CHECKING:
    from quintain_host.backups import Manifest
    from quintain_host.site import Site


_email = click.argument("email")


@click.group(epilog=examples("quintain host account list my-site"))
def account() -> None:
    """Make accounts, let people set passwords, keep people out."""


@contextmanager
def _open(site: Path, database: str) -> Iterator[Site]:
    from quintain_host.claiming import require_own_database

    with _open_unclaimed(site, database) as opened:
        require_own_database(opened)
        yield opened


@contextmanager
def _open_unclaimed(site: Path, database: str) -> Iterator[Site]:
    """A site whose database may belong to another one so far."""
    from quintain_host.serving.opening import bring_up_to_date, open_site

    with closing(open_site(site, database)) as opened:
        bring_up_to_date(opened.database)
        yield opened


@account.command(
    "add",
    epilog=examples(
        "quintain host account add my-site ada@example.org --name 'Ada Lovelace' --operator"
    ),
)
@options.site
@_email
@click.option("--name", required=True, help="The name that others see.")
@click.option("--operator", is_flag=True, help="The person runs the site and can make contests.")
@options.database
def add(site: Path, email: str, name: str, operator: bool, database: str) -> None:
    """Make an account, and print the link with which its owner sets a password."""
    from quintain_host.accounts.administration import add_account
    from quintain_host.accounts.links import set_password_url

    with _open(site, database) as opened:
        added = add_account(opened, None, email, name, operator=operator)
        click.echo(f"account {added.number} is made; its owner sets the password here:", err=True)
        click.echo(set_password_url(opened, added.secret))


@account.command("list", epilog=examples("quintain host account list my-site"))
@options.site
@options.database
def list_accounts(site: Path, database: str) -> None:
    """List all accounts."""
    from quintain_host.accounts.administration import accounts

    with _open(site, database) as opened:
        everybody = accounts(opened, None)
    columns = {
        "account": [str(person.id) for person in everybody],
        "e-mail address": [person.email for person in everybody],
        "name": [person.name for person in everybody],
        "operator": ["yes" if person.operator else "" for person in everybody],
        "second factor": ["yes" if person.totp else "" for person in everybody],
        "disabled": ["yes" if person.disabled else "" for person in everybody],
    }
    print_columns("accounts", columns, caption=None)


@account.command("reset", epilog=examples("quintain host account reset my-site ada@example.org"))
@options.site
@_email
@click.option(
    "--second-factor", is_flag=True, help="Also turn off the second factor; the phone is lost."
)
@options.database
def reset(site: Path, email: str, second_factor: bool, database: str) -> None:
    """Print a link with which the owner of an account sets a new password."""
    from quintain_host.accounts import administration
    from quintain_host.accounts.links import set_password_url

    with _open(site, database) as opened:
        number = administration.account_with(opened, email)
        if second_factor:
            administration.remove_second_factor(opened, None, number)
        secret = administration.password_link(opened, None, number)
        click.echo(set_password_url(opened, secret))


@account.command(
    "disable", epilog=examples("quintain host account disable my-site ada@example.org")
)
@options.site
@_email
@options.database
def disable(site: Path, email: str, database: str) -> None:
    """Disable an account: its sessions and tokens end at once."""
    from quintain_host.accounts import administration

    with _open(site, database) as opened:
        administration.disable(opened, None, administration.account_with(opened, email))


@account.command("forget", epilog=examples("quintain host account forget my-site ada@example.org"))
@options.site
@_email
@options.database
def forget(site: Path, email: str, database: str) -> None:
    """Remove the name, the address and the password of a person for good.

    What the person's teams submitted stays: others can verify a contest only as a whole.
    """
    from quintain_host.accounts import administration

    with _open(site, database) as opened:
        administration.forget(opened, administration.account_with(opened, email))


@account.command("enable", epilog=examples("quintain host account enable my-site ada@example.org"))
@options.site
@_email
@options.database
def enable(site: Path, email: str, database: str) -> None:
    """Enable an account: its person can sign in again."""
    from quintain_host.accounts import administration

    with _open(site, database) as opened:
        administration.enable(opened, None, administration.account_with(opened, email))


@account.command(
    "operator",
    epilog=examples(
        "quintain host account operator my-site ada@example.org",
        "quintain host account operator my-site ada@example.org --no",
    ),
)
@options.site
@_email
@click.option("--no", "ends", is_flag=True, help="The person no longer runs the site.")
@options.database
def operator(site: Path, email: str, ends: bool, database: str) -> None:
    """Let a person run the site and make contests."""
    from quintain_host.accounts import administration

    with _open(site, database) as opened:
        number = administration.account_with(opened, email)
        administration.set_operator(opened, None, number, operator=not ends)


@click.command(epilog=examples("quintain host upgrade my-site"))
@options.site
@options.database
def upgrade(site: Path, database: str) -> None:
    """Bring the database to the version that this program needs.

    Make a backup first: there is no way back but that. quintain serve does this, too, when it
    starts. Run it by itself where several processes share one database.
    """
    from quintain_host.serving.opening import bring_up_to_date, open_site, version_of

    with closing(open_site(site, database)) as opened:
        note = bring_up_to_date(opened.database)
        click.echo(note or f"the database has version {version_of(opened.database)}, the newest")


@click.command(
    epilog=examples(
        "quintain host backup my-site backups/2026-05-01.zip",
        "quintain host backup my-site s3://bucket/backups/2026-05-01.zip",
    )
)
@options.site
@click.argument("file")
@options.database
def backup(site: Path, file: str, database: str) -> None:
    """Write a whole site into one file, while it runs.

    FILE may be in a store: s3://BUCKET/FOLDER/NAME.zip. It has every row of the database and every
    file, with their hashes. It has all secrets of all contests, too: only you can read it, and it
    must stay so. A backup never replaces a file.
    """
    from quintain_host.backups import back_up, back_up_to_store, is_url
    from quintain_host.site import Site

    with closing(Site(site, database=database)) as opened:
        written = back_up_to_store(opened, file) if is_url(file) else back_up(opened, Path(file))
        _print_size(file, written)


def _print_size(place: str | Path, manifest: Manifest) -> None:
    from quintain.figures.format import count

    rows = sum(part.rows for part in manifest.tables.values())
    click.echo(f"{place}: {count(rows, 'row')} and {count(len(manifest.files), 'file')}")


@click.command(
    epilog=examples(
        "quintain host restore backups/2026-05-01.zip my-site",
        "quintain host restore backup.zip my-site --database postgresql+psycopg://q@/quintain",
        "quintain host restore s3://bucket/backups/2026-05-01.zip my-site",
    )
)
@click.argument("file")
@options.site
@options.database
def restore(file: str, site: Path, database: str) -> None:
    """Make a site from a backup.

    DIR must be empty or missing, and so must be the database. It may be of another kind than the
    one that the backup was made of. The whole file is checked before anything is written. FILE may
    be in a store, as quintain host backup wrote it.
    """
    from quintain_host.backups import is_url, restore_from_store
    from quintain_host.backups import restore as restore_site

    if not is_url(file) and not Path(file).is_file():
        raise click.UsageError(f"there is no file {file}")
    if is_url(file):
        manifest = restore_from_store(file, site, database)
    else:
        manifest = restore_site(Path(file), site, database)
    _print_size(site, manifest)
    click.echo(f"as it was at {manifest.time}; check it: quintain serve {site} --check")


@click.command(epilog=examples("quintain host export my-site amic my-contest"))
@options.site
@click.argument("edition")
@click.argument("folder", type=click.Path(path_type=Path))
@options.database
def export(site: Path, edition: str, folder: Path, database: str) -> None:
    """Write the edition folder of a contest, with every secret, as the command line has it.

    EDITION is the contest in the addresses of the site. Every command works on the new FOLDER.
    """
    from quintain_host.editions.export_folder import export_folder
    from quintain_host.site import Site

    with closing(Site(site, database=database)) as opened:
        export_folder(opened, edition, folder)
    click.echo(f"{folder}: the whole contest, with every secret, as the command line has it")
    click.echo(f"check it: quintain verify {folder}")


@click.command(epilog=examples("quintain host share my-site"))
@options.site
@options.database
def share(site: Path, database: str) -> None:
    """Put the files of a site that was on one machine into its store.

    Stop the site first, and name the store in site.toml. Files that are in the store already stay.
    """
    from quintain.figures.format import count
    from quintain_host.claiming import claim_database
    from quintain_host.sharing.moments import share_folder

    with _open_unclaimed(site, database) as opened:
        if opened.contents is None:
            raise click.UsageError("site.toml names no store: store = 's3://BUCKET/PREFIX'")
        claim_database(opened)
        click.echo(f"put {count(share_folder(opened), 'file')} into {opened.settings.store}")


@click.command(epilog=examples("quintain host claim my-site"))
@options.site
@options.database
def claim(site: Path, database: str) -> None:
    """Say that a database belongs to this site, although another one has it.

    Every other command refuses the database of another site. A site that was moved is known by the
    files of its contests; only one without a contest needs this.
    """
    from quintain_host.claiming import claim_database

    with _open_unclaimed(site, database) as opened:
        claim_database(opened)
        click.echo(f"the database belongs to {site}")


@click.command(
    "worker-token",
    epilog=examples(
        "quintain host worker-token my-site sandbox-1 > token.txt",
        "quintain host worker-token my-site sandbox-1 --revoke",
    ),
)
@options.site
@click.argument("name")
@click.option("--revoke", is_flag=True, help="End the token of this worker.")
@options.database
def worker_token(site: Path, name: str, revoke: bool, database: str) -> None:
    """Print a token with which the worker NAME pulls programs to run, and nothing else.

    An earlier token of the same name ends. Give the token to that machine alone: with its second
    half, which is never sent, inputs and results of programs can be read.
    """
    from quintain_host.programs.workers import make_worker_token, revoke_worker_token
    from quintain_host.site import Site

    with closing(Site(site, database=database)) as opened:
        if revoke:
            ended = revoke_worker_token(opened, name)
            click.echo(f"{ended} tokens of {name} ended", err=True)
        else:
            click.echo(make_worker_token(opened, name))
