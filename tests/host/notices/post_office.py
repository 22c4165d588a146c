"""Post office: a local mail server that keeps what it gets, and can be away or refuse."""

import email
import email.policy
from contextlib import contextmanager

from aiosmtpd.controller import Controller


class PostOffice:
    """A mail server on this machine.

    Parameters
    ----------
    refuse : addresses that do not exist there.
    """

    def __init__(self, refuse=()):
        self.raw, self.refuse = [], set(refuse)

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802 -- aiosmtpd calls it
        """Take mail for everybody but those who do not exist."""
        if address in self.refuse:
            return "550 nobody has this address"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 -- aiosmtpd calls it
        """Keep a mail."""
        self.raw.append((envelope.mail_from, envelope.rcpt_tos, envelope.content))
        return "250 OK"

    @property
    def mails(self):
        """The mails that came, as a mail program reads them."""
        return [email.message_from_bytes(one[2], policy=email.policy.default) for one in self.raw]

    def of(self, address):
        """The mails that came for an address."""
        return [mail for mail in self.mails if mail["To"] == address]


class FreePort(Controller):
    """A server at whichever port is free."""

    def _trigger_server(self):
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


@contextmanager
def open_office(**options):
    """A post office that is open, and the table ``[mail]`` of a site that uses it."""
    office = PostOffice(**options)
    controller = FreePort(office, hostname="127.0.0.1", port=0)
    controller.start()
    try:
        yield office, mail_settings(controller.port)
    finally:
        controller.stop()


def mail_settings(port):
    """The table ``[mail]`` for a server on this machine."""
    return {"host": "127.0.0.1", "port": port, "tls": "none", "sender": "site@example.org"}
