"""Settings: what an operator can set for a whole site, in ``site.toml`` of its folder."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from quintain.errors import Faults, Rejected


class SettingsError(Rejected):
    """The file with the settings of a site has faults."""


class Settings(BaseModel):
    """The settings of a site; every one has a default that works on one machine.

    Parameters
    ----------
    title : the name of the site.
    url : the address under which people reach the site, for links and for the Host header.
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
    second_factor : whether organisers and operators need one.
    trust_programs : let workers run programs of teams even where nothing contains them. Only for
        contests in which you trust every team.
    cluster : the address of a Dask cluster for the heavy work of the scoring worker, such as
        "tls://host:8786"; empty means this machine. Its workers see the folder of the site.
    cluster_tls : three PEM files for it: the authority, our certificate and our key.
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
    second_factor: bool = True
    trust_programs: bool = False
    cluster: str = ""
    cluster_tls: tuple[Path, Path, Path] | None = None
    metrics_token: str = Field(default="", pattern="^(.{20,})?$")

    @property
    def secure(self) -> bool:
        """Whether the site is reached over TLS, so that cookies are never sent without it."""
        return self.url.startswith("https://")


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
