"""Settings: what an operator can set for a whole site, in ``site.toml`` of its folder."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from quintain.errors import Faults, Rejected
from quintain_host.accounts.names import BadName, email_address


class SettingsError(Rejected):
    """The file with the settings of a site has faults."""


class MailSettings(BaseModel):
    """How a site sends mail, in the table ``[mail]``; without one it sends none.

    Parameters
    ----------
    host, port : the server that takes the mail; by default the usual port of its ``tls``.
    tls : "starttls", "tls" from the first byte, or "none" for a server on this machine.
    user, password : how the site signs in there; empty signs in nowhere. The password is better in
        the variable ``QUINTAIN_MAIL_PASSWORD`` of the workers, which alone send mail.
    sender : the address that mails come from.
    reset_hours : how long a link to set a new password is valid.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(min_length=1, pattern=r"^[A-Za-z0-9.:-]+$")
    port: int | None = Field(default=None, ge=1, le=65535)
    tls: Literal["starttls", "tls", "none"] = "starttls"
    user: str = ""
    password: str = Field(default="", repr=False)
    sender: str
    reset_hours: float = Field(default=2.0, gt=0)

    @field_validator("sender")
    @classmethod
    def _is_address(cls, text: str) -> str:
        try:
            return email_address(text)
        except BadName as problem:
            raise ValueError(str(problem)) from problem

    @property
    def door(self) -> int:
        """The port of the server."""
        return self.port or {"starttls": 587, "tls": 465, "none": 25}[self.tls]


_ISSUER = re.compile(
    r"https://[^/?#@\s]+(/[^?#\s]*)?|http://(127\.0\.0\.1|localhost)(:\d+)?(/[^?#\s]*)?"
)
"""An address of a provider; on another machine it is reached over TLS alone."""


class SignOnProvider(BaseModel):
    """A provider of OpenID Connect by which people sign in, one table ``[[sign_on]]`` for each.

    Parameters
    ----------
    id : part of addresses of this site. The provider has to know the address
        ``URL/sign-on/ID/back``, to which it sends people back.
    title : what people read on the button: "Sign in by TITLE".
    issuer : the address of the provider, exactly as it writes it in its tokens.
    client_id, client_secret : what the provider gave to this site. The secret is better in the
        variable ``QUINTAIN_SIGN_ON_ID`` of the web processes, with the id in capital letters.
        Without one, this site is a public client, which PKCE alone protects.
    hosts : further hosts that the site may call for this provider, if not all its addresses are at
        the host of the issuer. No other host is ever called.
    vouches : whether its e-mail addresses count as checked even where it does not say so; only for
        a provider that gives out the addresses itself.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9-]{0,29}$")
    title: str = Field(min_length=1, max_length=60)
    issuer: str = Field(max_length=500)
    client_id: str = Field(min_length=1, max_length=500)
    client_secret: str = Field(default="", repr=False)
    hosts: tuple[str, ...] = ()
    vouches: bool = False

    @field_validator("issuer")
    @classmethod
    def _is_issuer(cls, url: str) -> str:
        if not _ISSUER.fullmatch(url):
            raise ValueError("write https:// and a host; http:// is for 127.0.0.1 alone")
        return url

    @property
    def netlocs(self) -> frozenset[str]:
        """The hosts that may be called for this provider, with their ports."""
        return frozenset({urlsplit(self.issuer).netloc, *self.hosts})


class Settings(BaseModel):
    """The settings of a site; every one has a default that works on one machine.

    Parameters
    ----------
    title : the name of the site.
    url : the address under which people reach the site, for links and for the Host header; by
        default where the server listens. No header of a request changes it: anybody can write
        ``Host``, and a link to set a password must not lead to somebody else.
    database : the URL of the database; empty means a file of SQLite in the folder of the site.
    store : where several machines share the files of a site, ``s3://BUCKET/PREFIX`` or
        ``file:///FOLDER``; empty means that all processes see the folder of the site.
    creators : who can create contests: "operators", or everybody with an account
        ("accounts").
    accounts : whether anybody can make an account ("open"), or only who has a link ("invitation").
    lease : after how many seconds without a sign of life a job goes to another worker.
    intake_minutes, scoring_hours : how long a job of the intake, or of another lane, may take; one
        that hangs is given up, so that the others go on.
    upload_bytes : the largest upload.
    pending : how many uploads of one team may wait at the same time.
    leftover_days : after how many days the files of refused uploads and trials are removed.
    session_hours, token_days, link_days : how long sign-ins, tokens and links are valid.
    proxies : how many reverse proxies add the address of the client to a request.
    connections, address_connections : how many connections a web process has at most, and how many
        of them one address; behind a proxy, how many requests of one address at the same time.
    header_seconds : how long a client may take for the header of a request.
    body_seconds, body_rate : how long for its body, and the bytes that buy one second more; both
        are what ``mod_reqtimeout`` of Apache has.
    page_seconds : for how long a page is kept for visitors who are not signed in; 0 keeps none.
    second_factor : whether organisers and operators need one.
    trust_programs : let workers run programs of teams even where nothing contains them. Only for
        contests in which you trust every team.
    cluster : the address of a Dask cluster for the heavy work of the scoring worker, such as
        "tls://host:8786"; empty means this machine. Its workers see the folder of the site.
    cluster_tls : three PEM files for it: the authority, our certificate and our key.
    timestamps : the address of a timestamp authority (RFC 3161), such as
        "https://tsa.example.org/tsr", that is asked when a phase has closed; empty asks none. It
        gets a hash and nothing else.
    timestamp_certificates : its certificates (PEM); an answer that they do not sign is not kept.
    mail : how the site sends mail; without it, it sends none.
    webhooks : whether people may let the site send their notices to addresses of their own.
    sign_on : providers of OpenID Connect by which people sign in beside passwords.
    metrics_token : programs on other machines may read /metrics with it; empty lets none of them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(default="Quintain", max_length=100)
    url: str = "http://127.0.0.1:8000"
    database: str = ""
    store: str = Field(default="", pattern="^((s3|file)://.+)?$")
    accounts: str = Field(default="open", pattern="^(open|invitation)$")
    creators: str = Field(default="operators", pattern="^(operators|accounts)$")
    lease: float = Field(default=15.0, gt=0)
    intake_minutes: float = Field(default=10.0, gt=0)
    scoring_hours: float = Field(default=24.0, gt=0)
    upload_bytes: int = Field(default=64 * 2**20, gt=0)
    pending: int = Field(default=5, ge=1)
    leftover_days: int = Field(default=14, ge=1)
    session_hours: int = Field(default=24 * 7, ge=1)
    token_days: int = Field(default=90, ge=1)
    link_days: int = Field(default=7, ge=1)
    proxies: int = Field(default=0, ge=0)
    connections: int = Field(default=2000, ge=10)
    address_connections: int = Field(default=100, ge=1)
    header_seconds: float = Field(default=10.0, gt=0)
    body_seconds: float = Field(default=20.0, gt=0)
    body_rate: float = Field(default=500.0, gt=0)
    page_seconds: float = Field(default=1.0, ge=0, le=60)
    second_factor: bool = True
    trust_programs: bool = False
    cluster: str = ""
    cluster_tls: tuple[Path, Path, Path] | None = None
    timestamps: str = Field(default="", pattern="^(https?://.+)?$")
    timestamp_certificates: Path | None = None
    mail: MailSettings | None = None
    webhooks: bool = True
    sign_on: tuple[SignOnProvider, ...] = ()
    metrics_token: str = Field(default="", pattern="^(.{20,})?$")

    @field_validator("url")
    @classmethod
    def _has_no_path(cls, url: str) -> str:
        if not re.fullmatch(r"https?://[^/?#@\s]+/?", url):
            raise ValueError(
                "write http:// or https:// and a host, without a path: a site has a host of its own"
            )
        return url.rstrip("/")

    @field_validator("sign_on")
    @classmethod
    def _differ(cls, providers: tuple[SignOnProvider, ...]) -> tuple[SignOnProvider, ...]:
        for values in zip(*((entry.id, entry.issuer) for entry in providers), strict=True):
            if len(set(values)) < len(values):
                raise ValueError("two providers have the same id or the same issuer")
        return providers

    @property
    def secure(self) -> bool:
        """Whether the site is reached over TLS, so that cookies are never sent without it."""
        return self.url.startswith("https://")


def with_address(settings: Settings, path: Path) -> Settings:
    """Settings without an address of their own get the one at which the server listens."""
    if "url" in settings.model_fields_set or not path.is_file():
        return settings
    return settings.model_copy(update={"url": path.read_text().strip()})


def read_settings(path: Path) -> Settings:
    """The settings in a file; the defaults if there is none."""
    if not path.is_file():
        return Settings()
    faults = Faults(path.name)
    try:
        return Settings.model_validate(tomllib.loads(path.read_text()))
    except tomllib.TOMLDecodeError as problem:
        faults.add(str(problem))
    except ValidationError as problem:
        for error in problem.errors(include_url=False):
            faults.add(f"{'.'.join(map(str, error['loc']))}: {error['msg']}")
    faults.raise_if_any(SettingsError)
    raise AssertionError("a fault was noted")
