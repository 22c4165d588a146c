"""Commands on a site that somebody else runs: ``login``, ``logout``, ``kit`` and ``--server``.

Submit and board have the same output and exit codes on a site as on a folder.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from quintain.cli import outputs
from quintain.cli.display import print_columns
from quintain.cli.groups import examples

server = click.option(
    "--server", metavar="URL", help="Work on this site instead of a folder; see quintain login."
)
needed_server = click.option("--server", metavar="URL", required=True, help="The site.")
contest = click.option("--contest", metavar="ID", help="Which contest of the site.")
needed_contest = click.option(
    "--contest", metavar="ID", required=True, help="Which contest of the site."
)


@click.command(
    epilog=examples(
        "quintain login --server https://contests.example.org",
        "quintain login --server https://contests.example.org --token",
    )
)
@needed_server
@click.option("--email", help="The address of your account; asked for if it is not given.")
@click.option("--token", "own", is_flag=True, help="Paste a token that you made on the site.")
def login(server: str, email: str | None, own: bool) -> None:
    """Get a token from a site, so that submit, board and kit know who you are.

    Your password is not stored. The token is, in a file that only you can read; it allows to read
    and to submit, and it ends by itself. You can revoke it on the site.
    """
    from quintain.client.connection import Connection, keep_token

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
@needed_server
def logout(server: str) -> None:
    """Forget the token of a site on this machine."""
    from quintain.client.connection import forget_token

    known = forget_token(server)
    click.echo(f"forgot the token for {server}" if known else f"there is no token for {server}")
    if known:
        click.echo("if somebody else may have it, revoke it on the page of your account, too")


@click.command(
    epilog=examples("quintain kit --server https://contests.example.org --contest amic kit.zip")
)
@needed_server
@needed_contest
@click.argument("target", type=outputs.NewFile())
@outputs.replace
def kit(server: str, contest: str, target: Path) -> None:
    """Download the kit of your team: rules, tasks and your own data, in one zip.

    Unpacked, it is a folder for quintain check, attack and sanitize.
    """
    from quintain.client.connection import Connection, token_for
    from quintain.client.contest import RemoteContest

    with Connection(server, token_for(server)) as connection:
        content = RemoteContest(connection, contest).kit()
    outputs.write_file(target, content)
    click.echo(f"{target}: {len(content)} bytes")


def submit_remote(
    server: str,
    contest: str,
    upload: Path,
    fields: Mapping[str, object],
    *,
    as_json: bool,
    receipt: Path | None,
) -> None:
    """Send an upload, wait for the intake worker, and print the receipt or every fault."""
    from quintain.client.connection import Connection, token_for
    from quintain.client.contest import RemoteContest, require_accepted

    form = {name: str(value) for name, value in fields.items() if value is not None}
    with Connection(server, token_for(server)) as connection:
        remote = RemoteContest(connection, contest)
        waiting = remote.submit(upload, form)
        for current in remote.outcome(waiting):
            if current["state"] in ("waiting", "trying") and not as_json:
                click.echo(f"{current['before']} uploads are checked before this one", err=True)
        require_accepted(current)
        proof = remote.receipt(current["id"])
    click.echo(json.dumps(json.loads(proof), sort_keys=True) if as_json else _sentence(current))
    if receipt is not None:  # after the sentence: nobody submits twice if this cannot be written
        outputs.write_file(receipt, proof)
        click.echo(f"keep {receipt}: it proves what you submitted and when", err=True)
    if not as_json:
        for label, reading in current["readings"].items():
            click.echo(f"{label:>24}  {reading['text']}   ({reading['better']} is better)")
    gates = [f"would be disqualified: {failure}" for failure in current["gate_failures"]]
    for warning in (*current["warnings"], *gates):
        click.echo(f"warning: {warning}", err=True)


def _sentence(upload: Mapping[str, Any]) -> str:
    facts = [f"event {upload['event']}: the site accepted a {upload['kind']}", upload["left"]]
    return ", ".join(filter(None, facts))


def board_remote(server: str, contest: str, *, as_json: bool) -> None:
    """Print the standings of a contest on a site, and the scores of the own team."""
    from quintain.client.connection import Connection, SiteRefused, token_for
    from quintain.client.contest import RemoteContest

    token = token_for(server)
    with Connection(server, token) as connection:
        remote = RemoteContest(connection, contest)
        table = remote.standings()
        try:
            scores = remote.history()["scores"] if token else []
        except SiteRefused:  # not in a team of this contest
            scores = []
    if as_json:
        click.echo(json.dumps({**table, "own_scores": scores}, sort_keys=True))
        return
    for board in table["overall"]:
        _print_board(board)
    for track in table["tracks"]:
        for line in track["feedback"]:
            click.echo(f"track {track['id']}: {line}")
        for board in track["boards"]:
            _print_board(board)
    for score in scores:
        click.echo(f"  {score['track']}: {score['entry']}: {score['name']} {score['value']:g}")


def _print_board(board: Mapping[str, Any]) -> None:
    places = board["places"]
    columns = {
        "rank": ["-" if place["rank"] is None else str(place["rank"]) for place in places],
        "team": [place["name"] for place in places],
        board["unit"] or "score": [_number(place["score"]["value"]) for place in places],
        "95 % interval": [_interval(place["score"]) for place in places],
    }
    print_columns(board["title"], columns, caption=None)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _interval(score: Mapping[str, Any]) -> str:
    low, high = score["low"], score["high"]
    return "" if low == high else f"{_number(low)} to {_number(high)}"
