"""Webhook: send a notice to a program of a person, as signed JSON.

The person chooses the address, so it may lie: it could name a machine inside the network of the
operators, directly, by a name that resolves to one, by a name that resolves differently the second
time, or by a redirect. So only https is allowed, every address of the name has to be public, the
connection goes to the very address that was checked, and no redirect is followed. What the server
answers is shown to nobody.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from quintain.errors import QuintainError
from quintain_host.access import BadInput

LONGEST_URL = 500
SECONDS = 10.0
"""How long a server may take for all of a request."""

_TRANSLATED = ip_network("64:ff9b::/96")
"""Addresses of NAT64, whose last 32 bits are an IPv4 address."""


class Undeliverable(QuintainError):
    """A letter that no later attempt can deliver."""


class NotDelivered(QuintainError):
    """A letter that was not delivered this time."""


def checked_url(url: str) -> None:
    """Refuse an address that can be no webhook; what its name means is seen when it is used."""
    try:
        parts = urlsplit(url)
        _ = parts.port
        fits = parts.scheme == "https" and bool(parts.hostname) and parts.username is None
    except ValueError:
        fits = False
    plain = url.isascii() and url.isprintable() and " " not in url and "\\" not in url
    if not fits or not plain or len(url) > LONGEST_URL:
        problem = "a webhook is an https:// address without a user and without spaces"
        raise BadInput(problem).about("url")


def is_public(address: str) -> bool:
    """Whether an address is one of the public network, whatever form hides another one.

    >>> is_public("93.184.215.14"), is_public("127.0.0.1"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        inner = _inner_address(ip)
        if inner is not None:
            return is_public(str(inner))
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def _inner_address(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address to which packets for an IPv6 address go in the end."""
    if ip in _TRANSLATED:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    teredo = ip.teredo
    return ip.ipv4_mapped or ip.sixtofour or (None if teredo is None else teredo[1])


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a name."""
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


@dataclass(frozen=True, slots=True)
class SignedBody:
    """What is sent, with the headers that show who sent it."""

    body: bytes
    headers: Mapping[str, str]


def sign_body(key: str, body: bytes, *, delivery: str, time: int) -> SignedBody:
    """Sign a body and the time, so that nobody can send it again later.

    The signature is HMAC-SHA256 of the time, a point and the body, in hexadecimal digits.
    """
    digest = hmac.new(key.encode(), f"{time}.".encode() + body, hashlib.sha256).hexdigest()
    return SignedBody(
        body,
        {
            "Content-Type": "application/json",
            "User-Agent": "quintain",
            "Quintain-Delivery": delivery,
            "Quintain-Time": str(time),
            "Quintain-Signature": f"sha256={digest}",
        },
    )


def post(
    url: str,
    signed: SignedBody,
    *,
    find: Callable[[str, int], list[str]] = resolve,
    context: ssl.SSLContext | None = None,
) -> None:
    """Send a signed body; raises ``Undeliverable`` or ``NotDelivered`` if that does not work.

    Parameters
    ----------
    find : how names become addresses.
    context : which certificates count; by default those of this machine.
    """
    try:
        checked_url(url)
    except BadInput as problem:
        raise Undeliverable(str(problem)) from None
    parts = urlsplit(url)
    host, port = str(parts.hostname), parts.port or 443
    try:
        addresses = find(host, port)
    except (OSError, UnicodeError) as problem:
        raise NotDelivered(f"the name of the webhook cannot be found: {problem}") from None
    if not addresses or not all(map(is_public, addresses)):
        raise Undeliverable("the webhook is not at a public address")
    path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    connection = _Pinned(host, port, addresses[0], context or ssl.create_default_context())
    watch = threading.Timer(SECONDS, connection.cut)
    watch.daemon = True
    watch.start()
    try:
        connection.request("POST", path, signed.body, dict(signed.headers))
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException, AttributeError) as problem:
        raise NotDelivered(f"the webhook does not answer: {type(problem).__name__}") from None
    finally:
        watch.cancel()
        connection.close()
    _require_taken(status)


def _require_taken(status: int) -> None:
    if 200 <= status < 300:
        return
    if 300 <= status < 400:
        raise Undeliverable(f"the webhook leads elsewhere (status {status}), which is refused")
    if status == http.client.GONE:
        raise Undeliverable("the webhook is gone (status 410)")
    raise NotDelivered(f"the webhook answered with status {status}")


class _Pinned(http.client.HTTPSConnection):
    """A connection to one address, with the certificate of a name."""

    def __init__(self, host: str, port: int, address: str, context: ssl.SSLContext) -> None:
        super().__init__(host, port, timeout=SECONDS, context=context)
        self._address, self._tls = address, context

    def connect(self) -> None:
        """Connect to the address that was checked, not to what the name means by now."""
        plain = socket.create_connection((self._address, self.port), self.timeout)
        self.sock = self._tls.wrap_socket(plain, server_hostname=self.host)

    def cut(self) -> None:
        """End a connection that takes too long, whatever it waits for."""
        if self.sock is not None:
            try:
                self.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                self.sock.close()
