"""The commands ``login`` and ``logout``: a token of a site for the commands of a team."""

from __future__ import annotations

import socket

import click

from quintain.cli.examples import examples
from quintain.cli.remote import options


@click.command(
    epilog=examples(
        "quintain login --server https://contests.example.org",
        "quintain login --server https://contests.example.org --token",
    )
)
@options.needed_server
@click.option("--email", help="The address of your account; asked for if it is not given.")
@click.option("--token", "own", is_flag=True, help="Paste a token that you made on the site.")
def login(server: str, email: str | None, own: bool) -> None:
    """Get a token from a site, so that submit, board and kit know who you are.

    Your password is not stored. The token is, in a file that only you can read; it allows to read
    and to submit, and it ends by itself. You can revoke it on the site.
    """
    from quintain.client.connection import Connection
    from quintain.client.tokens import keep_token

    if own:
        token = click.prompt("Token", hide_input=True)
    else:
        address = email or click.prompt("E-mail")
        password = click.prompt("Password", hide_input=True)
        code = click.prompt("Code of your second factor, if you have one", default="")
        form = {
            "email": address,
            "password": password,
            "code": code,
            "label": f"quintain on {socket.gethostname()}"[:200],
            "scopes": ["read", "submit"],
        }
        with Connection(server) as connection:
            token = connection.json("POST", "sign-in", json=form)["token"]
    with Connection(server, token) as connection:
        account = connection.json("GET", "account")
    place = keep_token(server, token)
    click.echo(f"signed in as {account['name']}; the token is in {place}")


@click.command(epilog=examples("quintain logout --server https://contests.example.org"))
@options.needed_server
def logout(server: str) -> None:
    """Forget the token of a site on this machine."""
    from quintain.client.tokens import forget_token

    known = forget_token(server)
    click.echo(f"forgot the token for {server}" if known else f"there is no token for {server}")
    if known:
        click.echo("if somebody else may have it, revoke it on the page of your account, too")
