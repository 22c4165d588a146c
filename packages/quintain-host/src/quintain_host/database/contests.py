"""Tables of contests: editions, their organisers, teams, members, news and descriptions.

What counts for the results is in the journal. These tables have what is around it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Text, select, union
from sqlalchemy.orm import Mapped, mapped_column

from quintain_host.database.base import Base


class HostedEdition(Base):
    """An edition on this site.

    Parameters
    ----------
    toml : the edition file as the organisers wrote it, until the rules are fixed.
    state : "draft" until ``prepare`` has fixed the rules, then "live". The journal says the rest.
    visible : whether others than its organisers can see it.
    registration : "open", "approval", "invitation" or "closed".
    team_size, max_teams : limits of registration; None sets none.
    language : what visitors read whose browser asks for no language of the site; None is English.
    logo : the name of the picture that stands beside the title; None shows none.
    organisers : the name under which the organisers appear; empty means "the organisers".
    """

    __tablename__ = "edition"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    title: Mapped[str] = mapped_column(Text)
    toml: Mapped[str] = mapped_column(Text)
    call: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[str] = mapped_column(Text, default="draft")
    visible: Mapped[bool] = mapped_column(default=False)
    registration: Mapped[str] = mapped_column(Text, default="approval")
    team_size: Mapped[int | None]
    max_teams: Mapped[int | None]
    language: Mapped[str | None] = mapped_column(Text)
    logo: Mapped[str | None] = mapped_column(Text)
    organisers: Mapped[str] = mapped_column(Text, default="", server_default="")
    created: Mapped[datetime]


class DraftFile(Base):
    """A data file that a draft names, such as the organisers' own table.

    The content lies in the site's folder of uploads under its hash. ``prepare`` copies it into the
    edition folder, beside the edition file.
    """

    __tablename__ = "draft_file"

    edition: Mapped[str] = mapped_column(ForeignKey("edition.id"), primary_key=True)
    name: Mapped[str] = mapped_column(Text, primary_key=True)
    digest: Mapped[str] = mapped_column(Text)
    size: Mapped[int]


class CustomPage(Base):
    """A page that the organisers wrote, beside those of the site; Markdown.

    ``position`` orders the pages of a contest; pages with the same one follow their names.
    """

    __tablename__ = "own_page"

    edition: Mapped[str] = mapped_column(ForeignKey("edition.id"), primary_key=True)
    name: Mapped[str] = mapped_column(Text, primary_key=True)
    title: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    position: Mapped[int]
    changed: Mapped[datetime]


class Picture(Base):
    """A picture of a contest, as this site encoded it; the content lies among the uploads.

    ``kind`` is "png", "jpg" or "webp".
    """

    __tablename__ = "picture"

    edition: Mapped[str] = mapped_column(ForeignKey("edition.id"), primary_key=True)
    name: Mapped[str] = mapped_column(Text, primary_key=True)
    kind: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(Text)
    size: Mapped[int]
    width: Mapped[int]
    height: Mapped[int]


KEPT_CONTENTS = union(select(DraftFile.digest), select(Picture.digest))
"""The contents among the uploads that organisers sent; as long as a row names one, it stays."""


class Organiser(Base):
    """A person who organises an edition."""

    __tablename__ = "organiser"

    edition: Mapped[str] = mapped_column(ForeignKey("edition.id"), primary_key=True)
    account: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True)


class RegisteredTeam(Base):
    """A team that wants to take part, or does.

    ``state`` is "waiting" for approval, "joining" while a worker draws its data, "joined", or
    "refused" with a ``reason``. ``limits`` are those that the organisers gave the team before it
    joined; the journal has all later ones.
    """

    __tablename__ = "team"

    edition: Mapped[str] = mapped_column(ForeignKey("edition.id"), primary_key=True)
    id: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    affiliation: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[str] = mapped_column(Text, default="waiting")
    reason: Mapped[str] = mapped_column(Text, default="")
    competing: Mapped[bool] = mapped_column(default=True)
    limits: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    created: Mapped[datetime]


class Member(Base):
    """A person in a team; nobody is in two teams of an edition."""

    __tablename__ = "member"
    __table_args__ = (ForeignKeyConstraint(["edition", "team"], ["team.edition", "team.id"]),)

    edition: Mapped[str] = mapped_column(Text, primary_key=True)
    account: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True)
    team: Mapped[str] = mapped_column(Text, index=True)
    captain: Mapped[bool] = mapped_column(default=False)


class Insider(Base):
    """A person who has seen what no other team may see, and has left.

    ``team`` is the team whose data the person knows; None is an organiser, who knows all secrets.
    """

    __tablename__ = "insider"

    edition: Mapped[str] = mapped_column(ForeignKey("edition.id"), primary_key=True)
    account: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True)
    team: Mapped[str | None] = mapped_column(Text)


class News(Base):
    """What the organisers tell everybody; Markdown."""

    __tablename__ = "news"

    id: Mapped[int] = mapped_column(primary_key=True)
    edition: Mapped[str] = mapped_column(ForeignKey("edition.id"), index=True)
    time: Mapped[datetime]
    title: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)


class Description(Base):
    """What a team says about its method; published at the end."""

    __tablename__ = "description"
    __table_args__ = (ForeignKeyConstraint(["edition", "team"], ["team.edition", "team.id"]),)

    edition: Mapped[str] = mapped_column(Text, primary_key=True)
    team: Mapped[str] = mapped_column(Text, primary_key=True)
    text: Mapped[str] = mapped_column(Text, default="")
    code: Mapped[str] = mapped_column(Text, default="")
    licence: Mapped[str] = mapped_column(Text, default="")
    changed: Mapped[datetime]


class Rejudging(Base):
    """A second judgement of a contest beside the first, until it is applied or dropped.

    ``toml`` are the rules that are tried; empty means the rules in force. ``difference`` is what
    would change.
    """

    __tablename__ = "rejudging"

    id: Mapped[int] = mapped_column(primary_key=True)
    edition: Mapped[str] = mapped_column(ForeignKey("edition.id"), index=True)
    state: Mapped[str] = mapped_column(Text, default="waiting")  # ready, applied, dropped, failed
    toml: Mapped[str] = mapped_column(Text, default="")
    reason: Mapped[str] = mapped_column(Text)
    difference: Mapped[dict[str, Any]]
    created: Mapped[datetime]
