"""Mail: write a letter as plain text, and give it to the mail server of the site."""

from __future__ import annotations

import os
import re
import smtplib
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.header import Header
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime
from urllib.parse import urlsplit

from quintain.figures.format import printable
from quintain.wording.languages import say
from quintain_host.notices.webhook import NotDelivered, Undeliverable
from quintain_host.settings import MailSettings, Settings

PASSWORD = "QUINTAIN_MAIL_PASSWORD"  # noqa: S105 -- the name of a variable
LONGEST_SUBJECT = 150
_SECONDS = 20.0
"""How long each step of a conversation with the server may take."""


class _WholeWords(EmailPolicy):
    """Encodes a subject and a name as a whole: Python 3.11 loses spaces between encoded words."""

    def fold(self, name: str, value: str) -> str:
        """The lines of a header."""
        if value.isascii() or name not in ("Subject", "From"):
            return str(super().fold(name, value))
        if name == "Subject":
            lines = self._encode(name, str(value))
        else:
            (sender,) = value.addresses  # type: ignore[attr-defined]
            whole = self._encode(name, sender.display_name)
            lines = f"{whole}{self.linesep} <{sender.addr_spec}>"
        return f"{name}: {lines}{self.linesep}"

    def fold_binary(self, name: str, value: str) -> bytes:
        """The lines of a header, as they are sent."""
        return self.fold(name, value).encode("ascii")

    def _encode(self, name: str, text: str) -> str:
        return Header(text, "utf-8", header_name=name).encode(linesep=self.linesep)


_POLICY = _WholeWords(linesep="\r\n")


class ServerAway(NotDelivered):
    """The mail server takes no mail from this site now, whatever the letter is."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail as a person reads it.

    Parameters
    ----------
    number, time : name the mail, so that a server that gets it twice can drop the copy.
    unsubscribe : the link with which its reader gets no more of its kind; empty for mail that the
        reader asked for.
    """

    number: int
    time: datetime
    to: str
    subject: str
    paragraphs: Sequence[str]
    unsubscribe: str = ""


def write_mail(settings: Settings, mail: Mail) -> EmailMessage:
    """The message; no text of a team or a contest can add a header or a recipient."""
    server = _server(settings)
    message = EmailMessage(policy=_POLICY)
    message["From"] = Address(display_name=_name(settings.title), addr_spec=server.sender)
    message["To"] = Address(addr_spec=mail.to)
    message["Subject"] = _line(mail.subject)[:LONGEST_SUBJECT]
    message["Date"] = format_datetime(mail.time)
    message["Message-ID"] = f"<{mail.number}.{int(mail.time.timestamp())}@{_domain(settings)}>"
    message["Auto-Submitted"] = "auto-generated"
    paragraphs = list(mail.paragraphs)
    if mail.unsubscribe:
        message["List-Unsubscribe"] = f"<{mail.unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        paragraphs.append(
            say("-- \nYou want no more mail like this? %(link)s", link=mail.unsubscribe)
        )
    message.set_content("\n\n".join(map(_lines, paragraphs)) + "\n")
    return message


def send_mail(settings: Settings, mail: Mail) -> None:
    """Give a mail to the server; raises ``Undeliverable`` or ``NotDelivered`` if it refuses."""
    server, message = _server(settings), write_mail(settings, mail)
    try:
        with _connect(server) as connection:
            connection.send_message(message, server.sender, [mail.to])
    except smtplib.SMTPRecipientsRefused as problem:
        code, text = next(iter(problem.recipients.values()))
        _refuse(code, text)
    except smtplib.SMTPSenderRefused as problem:  # the operator has to mend it
        raise ServerAway(_words(problem.smtp_code, problem.smtp_error)) from None
    except smtplib.SMTPDataError as problem:
        _refuse(problem.smtp_code, problem.smtp_error)
    except (OSError, smtplib.SMTPException) as problem:
        raise ServerAway(f"the mail server is away: {printable(str(problem))[:200]}") from None


def _connect(server: MailSettings) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if server.tls == "tls":
        connection: smtplib.SMTP = smtplib.SMTP_SSL(
            server.host, server.door, timeout=_SECONDS, context=context
        )
    else:
        connection = smtplib.SMTP(server.host, server.door, timeout=_SECONDS)
    try:
        if server.tls == "starttls":
            connection.starttls(context=context)
        if server.user:
            connection.login(server.user, os.environ.get(PASSWORD) or server.password)
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse(code: int, text: bytes | str) -> None:
    """A server says with 5 that it never takes a mail, and with 4 that it may take it later."""
    raise (Undeliverable if code >= 500 else NotDelivered)(_words(code, text))


def _words(code: int, text: bytes | str) -> str:
    plain = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return f"the mail server says {code} {printable(plain)[:200]}"


def _server(settings: Settings) -> MailSettings:
    if settings.mail is None:
        raise ServerAway("this site has no mail server: [mail] in site.toml")
    return settings.mail


def _domain(settings: Settings) -> str:
    return urlsplit(settings.url).hostname or "localhost"


def _line(text: str) -> str:
    """A text for a header: one line, without characters that nobody sees."""
    return printable(" ".join(text.split()))


def _name(text: str) -> str:
    """A name beside an address, without signs that mean something there, were the line folded."""
    return " ".join(re.sub(r"[^\w .&+-]", " ", _line(text)).split())[:60].strip()


def _lines(text: str) -> str:
    return "\n".join(map(printable, text.replace("\r\n", "\n").split("\n")))
