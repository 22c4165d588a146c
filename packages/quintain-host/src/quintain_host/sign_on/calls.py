"""Calls to a provider: few hosts, little time, few bytes, and no redirects.

Only hosts that the operators named are called, whatever a provider writes about itself. The calls
wait in the event loop, so a slow provider keeps no thread of the server busy.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx2

from quintain import __version__
from quintain.errors import QuintainError
from quintain_host.settings import SignOnProvider

SECONDS = 10.0
"""How long a provider may take for all of an answer."""

MOST_BYTES = 2**18
"""How long an answer of a provider may be."""


class SignOnFailed(QuintainError):
    """Somebody could not sign in by a provider; the sentence says what to do."""


class BadAnswer(Exception):
    """A provider answered with what cannot be used; the words are for the operators."""


def checked_address(provider: SignOnProvider, url: object) -> str:
    """An address that a provider names, if the site may call it; raises ``BadAnswer``."""
    if not isinstance(url, str):
        raise BadAnswer("an address is missing in what the provider says about itself")
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BadAnswer(f"{url[:200]!r} is not an address") from None
    if parts.scheme != urlsplit(provider.issuer).scheme or parts.netloc not in provider.netlocs:
        raise BadAnswer(
            f"the provider names {url[:200]!r}; only {', '.join(sorted(provider.netlocs))} may be "
            "called: if this is right, add the host to hosts of [[sign_on]]"
        )
    return url


async def call(
    provider: SignOnProvider,
    method: str,
    url: object,
    *,
    headers: Mapping[str, str] | None = None,
    content: str | None = None,
) -> tuple[int, dict[str, Any]]:
    """The status and the JSON object of an answer; raises ``BadAnswer``."""
    address = checked_address(provider, url)
    sent = {
        "Accept": "application/json",
        "User-Agent": f"quintain/{__version__}",
        **(headers or {}),
    }
    try:
        async with asyncio.timeout(SECONDS), _client() as client:
            request = client.build_request(method, address, headers=sent, content=content)
            answer = await client.send(request, stream=True)
            try:
                body = await _read(answer)
            finally:
                await answer.aclose()
    except TimeoutError:
        raise BadAnswer(f"{address} took more than {SECONDS:g} s") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as problem:
        raise BadAnswer(f"{address} does not answer: {type(problem).__name__}") from None
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise BadAnswer(f"{address} answered with status {answer.status_code} and no JSON object")
    return answer.status_code, value


def _client() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(verify=_certificates(), follow_redirects=False, timeout=SECONDS)


@cache
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context()  # reading the certificates of this machine takes long


async def _read(answer: httpx2.Response) -> bytes:
    body = bytearray()
    async for part in answer.aiter_bytes():  # counted after it is unpacked
        body += part
        if len(body) > MOST_BYTES:
            raise BadAnswer(f"{answer.url} answered with more than {MOST_BYTES} bytes")
    return bytes(body)
