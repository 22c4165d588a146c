"""Tables of what the machines of a site share: who it is, limits, and who has which files."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from quintain_host.database.base import Base


class SiteClaim(Base):
    """Whose the database is: one row, from the first start of a site on; see ``host.claiming``.

    Parameters
    ----------
    site : what tells this site from others.
    place : where its files are, in words.
    """

    __tablename__ = "site_claim"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    site: Mapped[str] = mapped_column(Text)
    place: Mapped[str] = mapped_column(Text)
    since: Mapped[datetime]


class RateBucket(Base):
    """How much somebody has taken from a limit.

    Parameters
    ----------
    name : of the limit.
    key : who takes.
    full_at : when the bucket is full again, in seconds since 1970; one in the past is full now.
    """

    __tablename__ = "rate_bucket"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    key: Mapped[str] = mapped_column(Text, primary_key=True)
    full_at: Mapped[float] = mapped_column(index=True)


class SharedFile(Base):
    """The newest content of a file that the machines of a site share; see ``host.sharing``.

    Parameters
    ----------
    path : below the folder of a site.
    edition : whose file it is.
    version : goes up with every change of a file of the edition.
    digest : SHA-256 of the content, which is in the store; None if the file was removed.
    mode : who may read it, as on a disk.
    """

    __tablename__ = "shared_file"

    path: Mapped[str] = mapped_column(Text, primary_key=True)
    edition: Mapped[str] = mapped_column(Text)
    version: Mapped[int]
    digest: Mapped[str | None] = mapped_column(Text)
    mode: Mapped[int]

    __table_args__ = (Index("ix_shared_file_version", "edition", "version", unique=True),)
