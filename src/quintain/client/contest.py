"""Contest: one contest on a site, as a team sees it from its own machine."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from quintain.client.connection import Connection, NoAnswer, SiteRefused
from quintain.errors import Fault, FolderError, SubmissionError
from quintain.runs.submissions.upload import zip_bytes

_OPEN = ("waiting", "trying")
_PAUSE = 1.0
_PATIENCE = 60
"""How many times in a row a site may be away while we wait for it."""


class RemoteContest:
    """A contest on a site.

    Parameters
    ----------
    contest : its id.
    wait : called between two questions, with the seconds to wait.
    """

    def __init__(
        self, connection: Connection, contest: str, wait: Callable[[float], None] = time.sleep
    ) -> None:
        self._connection = connection
        self._place = f"editions/{quote(contest, safe='')}"
        self._wait = wait

    def submit(self, upload: Path, fields: Mapping[str, str]) -> dict[str, Any]:
        """Send files; returns the upload as soon as the site has taken them."""
        files = read_files(upload)
        parts = [("file", (name, content)) for name, content in files.items()]
        try:
            waiting: dict[str, Any] = self._connection.json(
                "POST", f"{self._place}/uploads", data=dict(fields), files=parts
            )
        except NoAnswer as problem:
            hint = "it may have arrived: look at the page of your team before you send it again"
            raise NoAnswer(f"{problem}; {hint}") from None
        own = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        if any(waiting["files"].get(name) != digest for name, digest in own.items()):
            raise SiteRefused("the site got other bytes than those that were sent; send them again")
        return waiting

    def outcome(self, upload: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The upload whenever it is asked about, until it is accepted, refused or failed."""
        current, away = dict(upload), 0
        while current["state"] in _OPEN:
            yield current
            self._wait(_PAUSE)
            try:
                path = f"{self._place}/uploads/{current['id']}"
                current, away = self._connection.json("GET", path), 0
            except NoAnswer:  # the site may be restarted while we wait
                away += 1
                if away > _PATIENCE:
                    raise
        yield current

    def receipt(self, upload: int) -> bytes:
        """The signed receipt of an upload that was accepted."""
        return self._connection.get(f"{self._place}/uploads/{upload}/receipt").content

    def kit(self) -> bytes:
        """The kit of the team; it waits while a worker makes it."""
        while True:
            answer = self._connection.get(f"{self._place}/team/kit")
            if answer.status_code != 202:
                return answer.content
            if answer.json().get("state") == "failed":
                raise SiteRefused("the site could not make your kit; tell the organisers")
            self._wait(2 * _PAUSE)

    def standings(self) -> dict[str, Any]:
        """What everybody may see of the standings."""
        table: dict[str, Any] = self._connection.json("GET", f"{self._place}/standings")
        return table

    def history(self) -> dict[str, Any]:
        """What the own team submitted, with the scores that it may see."""
        table: dict[str, Any] = self._connection.json("GET", f"{self._place}/team/history")
        return table


def read_files(upload: Path) -> dict[str, bytes]:
    """What is sent: one file as it is, or a folder as a zip."""
    try:
        if not upload.is_dir():
            return {upload.name: upload.read_bytes()}
        members = [path for path in sorted(upload.rglob("*")) if path.is_file()]
        files = {path.relative_to(upload).as_posix(): path.read_bytes() for path in members}
    except OSError as problem:
        raise FolderError(f"{upload} cannot be read: {problem.strerror}") from None
    return {f"{upload.resolve().name}.zip": zip_bytes(files)}


def require_accepted(upload: Mapping[str, Any]) -> None:
    """Raise with every fault of an upload that was not accepted."""
    if upload["state"] in ("accepted", "valid"):
        return
    faults = [
        Fault(fault["text"], fault["file"], fault["line"], fault["column"], fault["got"])
        for fault in upload["faults"]
    ]
    raise SubmissionError(faults or [Fault(f"the upload is {upload['state']}")])
