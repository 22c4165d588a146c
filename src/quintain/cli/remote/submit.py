"""Submit and board on a site: the same output and exit codes as on a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from quintain.cli.display import print_columns


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
    from quintain.client.connection import Connection
    from quintain.client.contest import RemoteContest, require_accepted
    from quintain.client.tokens import token_for
    from quintain.jobs.files import write_file

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
        write_file(receipt, proof)
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
    from quintain.client.connection import Connection, SiteRefused
    from quintain.client.contest import RemoteContest
    from quintain.client.tokens import token_for

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
        "rank": ["-" if one["rank"] is None else str(one["rank"]) for one in places],
        "team": [one["name"] for one in places],
        board["unit"] or "score": [_number(one["score"]["value"]) for one in places],
        "95 % interval": [_interval(one["score"]) for one in places],
    }
    print_columns(board["title"], columns, caption=None)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _interval(score: Mapping[str, Any]) -> str:
    low, high = score["low"], score["high"]
    return "" if low == high else f"{_number(low)} to {_number(high)}"
