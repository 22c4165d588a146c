"""News: what the organisers tell everybody, the newest first."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel
from sqlalchemy import select

from quintain.host.database.contests import News
from quintain.host.site import Site


class NewsView(BaseModel):
    """A piece of news; plain text."""

    id: int
    time: datetime
    title: str
    text: str


def news(site: Site, edition: str, most: int | None = None) -> list[NewsView]:
    """The news of a contest, the newest first."""
    newest = select(News).where(News.edition == edition).order_by(News.time.desc(), News.id.desc())
    with site.database.reading() as session:
        return [
            NewsView(id=row.id, time=row.time, title=row.title, text=row.text)
            for row in session.scalars(newest if most is None else newest.limit(most))
        ]
