"""Connection: requests to the API of a site, with every failure as a sentence.

The tokens that sites gave to this person are in a file that only this person can read.
"""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import httpx2

from quintain import __version__
from quintain.data.files.limits import Limits
from quintain.errors import Fault, QuintainError, SubmissionError
from quintain.jobs.files import write_file

_SECONDS = 60.0
_MOST, _MOST_UNPACKED = Limits().packed_bytes, 50_000_000
"""The largest answer in bytes: a kit, which is packed already; and what a site may pack itself."""
TOKEN_VARIABLE = "QUINTAIN_TOKEN"  # noqa: S105 -- the name of a variable
"""A token in the environment counts before those that are stored, e.g. in a pipeline."""


class NoAnswer(QuintainError):
    """A site cannot be reached, or it does not answer."""

    status = 503


class SiteRefused(QuintainError):
    """A site refused a request, and said why."""


class TokenNeeded(SiteRefused):
    """A site wants to know who asks; the token is missing, revoked or too old."""

    status = 401


class Connection:
    """A connection to one site.

    Parameters
    ----------
    server : the address of the site, e.g. ``https://contests.example.org``.
    token : says who asks; empty for what everybody may see.
    transport : of httpx, for tests.
    """

    def __init__(
        self, server: str, token: str = "", *, transport: httpx2.BaseTransport | None = None
    ) -> None:
        self.server = normalise(server)
        headers = {"User-Agent": f"quintain/{__version__}", "Accept": "application/json"}
        headers["Accept-Encoding"] = "identity"  # a packed answer may unpack to any size
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._client = httpx2.Client(
            base_url=f"{self.server}/api/", headers=headers, timeout=_SECONDS, transport=transport
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def get(self, path: str) -> httpx2.Response:
        """Ask for something; raises a sentence if the site does not give it."""
        return self.send("GET", path)

    def send(self, method: str, path: str, **content: Any) -> httpx2.Response:
        """Send a request; ``content`` is what httpx takes."""
        try:
            request = self._client.build_request(method, path, **content)
            answer = self._receive(self._client.send(request, stream=True))
        except httpx2.TimeoutException:
            raise NoAnswer(f"{self.server} does not answer; try again later") from None
        except httpx2.TransportError as problem:
            raise NoAnswer(self._sentence(problem)) from None
        if answer.is_success:
            return answer
        raise self._refusal(answer)

    def _receive(self, answer: httpx2.Response) -> httpx2.Response:
        """The whole answer; raises as soon as it is larger than an answer may be."""
        parts, size = bytearray(), 0
        packed = answer.headers.get("content-encoding", "identity") != "identity"
        most = _MOST_UNPACKED if packed else _MOST
        with closing(answer):
            for part in answer.iter_bytes():
                size += len(part)
                if size > most:
                    raise NoAnswer(
                        f"{self.server} sends more than {most / 1e6:,.0f} MB, which no answer of a "
                        "site has; nothing was stored"
                    )
                parts += part
        described = ("content-encoding", "content-length", "transfer-encoding")
        headers = [(k, v) for k, v in answer.headers.multi_items() if k.lower() not in described]
        return httpx2.Response(
            answer.status_code, headers=headers, content=bytes(parts), request=answer.request
        )

    def json(self, method: str, path: str, **content: Any) -> Any:
        """What the site answers, as JSON."""
        answer = self.send(method, path, **content)
        try:
            return answer.json(object_hook=partial(_Answered, self.server))
        except ValueError:
            raise NoAnswer(f"{self.server} is not a quintain site: it answers no JSON") from None

    def _sentence(self, problem: httpx2.TransportError) -> str:
        reason: BaseException | None = problem
        while reason is not None:
            if isinstance(reason, ssl.SSLCertVerificationError):
                return (
                    f"the certificate of {self.server} is not valid ({reason.verify_message}); "
                    "somebody may be in between, so nothing was sent"
                )
            reason = reason.__cause__ or reason.__context__
        return f"{self.server} cannot be reached: {problem}; is the address right?"

    def _refusal(self, answer: httpx2.Response) -> QuintainError:
        try:
            table = answer.json()
            detail, faults = str(table["detail"]), list(table.get("faults", ()))
        except (ValueError, TypeError, KeyError):
            detail, faults = "", []
        if answer.status_code == TokenNeeded.status:
            again = f"quintain login --server {self.server}"
            return TokenNeeded(f"{detail or 'your token is missing or too old'}; run: {again}")
        if faults:
            return SubmissionError([Fault(str(fault)) for fault in faults])
        if answer.status_code >= 500:
            number = answer.headers.get("x-request-id", "unknown")
            return NoAnswer(f"{self.server} has a problem; tell its operators: request {number}")
        if answer.is_redirect or not detail:
            return NoAnswer(
                f"{self.server} is not a quintain site: it answers {answer.status_code}"
            )
        return SiteRefused(detail)


class _Answered(dict[str, Any]):
    """A part of an answer; what is missing in it is a fault of the site."""

    def __init__(self, server: str, parts: Mapping[str, Any]) -> None:
        super().__init__(parts)
        self._server = server

    def __missing__(self, name: str) -> Any:
        raise NoAnswer(
            f"{self._server} answers without {name!r}; is it a quintain site, and of this version?"
        )


def normalise(server: str) -> str:
    """The address of a site as it is stored; raises if passwords could be read on the way.

    >>> normalise("https://Contests.example.org/")
    'https://contests.example.org'
    """
    parts = urlsplit(server if "://" in server else f"https://{server}")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise SiteRefused(f"{server!r} is not the address of a site: write https://HOST")
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise SiteRefused(f"{server}: without TLS, others could read your password: use https://")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


# --- tokens ---------------------------------------------------------------------------------------


def tokens_path() -> Path:
    """Where the tokens are: in the folder for settings of this person."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "quintain" / "tokens.json"


def token_for(server: str) -> str:
    """The token for a site; empty if there is none."""
    return os.environ.get(TOKEN_VARIABLE) or _read_tokens().get(normalise(server), "")


def keep_token(server: str, token: str) -> Path:
    """Store the token for a site, in place of an older one; returns where."""
    content = json.dumps({**_read_tokens(), normalise(server): token}, indent=1, sort_keys=True)
    write_file(tokens_path(), content.encode())
    return tokens_path()


def forget_token(server: str) -> bool:
    """Remove the token for a site; False if there is none."""
    tokens = _read_tokens()
    known = tokens.pop(normalise(server), None) is not None
    if known:
        write_file(tokens_path(), json.dumps(tokens, indent=1, sort_keys=True).encode())
    return known


def _read_tokens() -> dict[str, str]:
    if not tokens_path().is_file():
        return {}
    try:
        tokens = json.loads(tokens_path().read_bytes())
        return {str(server): str(token) for server, token in tokens.items()}
    except (ValueError, AttributeError):
        raise QuintainError(f"{tokens_path()} is damaged; remove it and sign in again") from None
