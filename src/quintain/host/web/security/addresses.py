"""Addresses: from which network a request comes, also behind reverse proxies."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import Scope

UNKNOWN = "unknown"


def address_of(scope: Scope, proxies: int) -> str:
    """The address of the client; of IPv6 the network, because a client has a whole one.

    Parameters
    ----------
    proxies : how many proxies of ours add an address to ``X-Forwarded-For``. What stands before
        those can be invented by the client, and does not count.
    """
    client = scope.get("client")
    last = client[0] if client else UNKNOWN
    if proxies:
        given = ",".join(Headers(scope=scope).getlist("x-forwarded-for"))
        chain = [one.strip() for one in given.split(",") if one.strip()]
        last = chain[-proxies] if len(chain) >= proxies else last
    return _network(last)


def _network(text: str) -> str:
    try:
        address = ip_address(text.strip("[]"))
    except ValueError:
        return UNKNOWN
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ip_network((address, 64), strict=False))
