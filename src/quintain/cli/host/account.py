"""The commands ``host account add``, ``list``, ``reset``, ``disable`` and so on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintain.cli.display import print_columns
from quintain.cli.examples import examples
from quintain.cli.host import options

if TYPE_CHECKING:
    from quintain.host.site import Site

_email = click.argument("email")


@click.group(epilog=examples("quintain host account list my-site"))
def account() -> None:
    """Make accounts, let people set passwords, keep people out."""


@contextmanager
def _opened(site: Path, database: str) -> Iterator[Site]:
    from quintain.host.serving.opening import bring_up_to_date, open_site

    opened = open_site(site, database)
    try:
        bring_up_to_date(opened.database)
        yield opened
    finally:
        opened.close()


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
    from quintain.host.accounts.administration import add_account
    from quintain.host.accounts.links import set_password_url

    with _opened(site, database) as opened:
        added = add_account(opened, None, email, name, operator=operator)
        click.echo(f"account {added.number} is made; its owner sets the password here:", err=True)
        click.echo(set_password_url(opened, added.secret))


@account.command("list", epilog=examples("quintain host account list my-site"))
@options.site
@options.database
def list_accounts(site: Path, database: str) -> None:
    """List all accounts."""
    from quintain.host.accounts.administration import accounts

    with _opened(site, database) as opened:
        everybody = accounts(opened, None)
    columns = {
        "account": [str(one.id) for one in everybody],
        "e-mail address": [one.email for one in everybody],
        "name": [one.name for one in everybody],
        "operator": ["yes" if one.operator else "" for one in everybody],
        "second factor": ["yes" if one.totp else "" for one in everybody],
        "disabled": ["yes" if one.disabled else "" for one in everybody],
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
    from quintain.host.accounts import administration
    from quintain.host.accounts.links import set_password_url

    with _opened(site, database) as opened:
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
    from quintain.host.accounts import administration

    with _opened(site, database) as opened:
        administration.disable(opened, None, administration.account_with(opened, email))


@account.command("forget", epilog=examples("quintain host account forget my-site ada@example.org"))
@options.site
@_email
@options.database
def forget(site: Path, email: str, database: str) -> None:
    """Remove the name, the address and the password of a person for good.

    What the person's teams submitted stays: others can verify a contest only as a whole.
    """
    from quintain.host.accounts import administration

    with _opened(site, database) as opened:
        administration.forget(opened, administration.account_with(opened, email))


@account.command("enable", epilog=examples("quintain host account enable my-site ada@example.org"))
@options.site
@_email
@options.database
def enable(site: Path, email: str, database: str) -> None:
    """Let a person in again."""
    from quintain.host.accounts import administration

    with _opened(site, database) as opened:
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
    from quintain.host.accounts import administration

    with _opened(site, database) as opened:
        number = administration.account_with(opened, email)
        administration.set_operator(opened, None, number, operator=not ends)
