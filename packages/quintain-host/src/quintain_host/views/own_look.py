"""Own look: the pages, the pictures and the logo that organisers gave their contest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel
from sqlalchemy import select

from quintain_host.access import NotThere
from quintain_host.database.contests import CustomPage, HostedEdition, Picture
from quintain_host.site import Site

MOST_TABS, MOST_LETTERS = 3, 20
"""So many own pages with so many letters in all have a tab each; more of them share one."""

MEDIA_TYPES = {"png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"}


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture as pages show it."""

    name: str
    address: str
    width: int
    height: int
    size: int


class CustomPageTitle(BaseModel):
    """A page of the organisers in a list."""

    name: str
    title: str


class CustomPageView(CustomPageTitle):
    """A page of the organisers; Markdown."""

    text: str
    position: int
    changed: datetime


@dataclass(frozen=True, slots=True)
class OwnLook:
    """What organisers gave their contest.

    Parameters
    ----------
    pictures : all pictures; a text shows one by its name.
    """

    pages: tuple[CustomPageTitle, ...]
    pictures: tuple[ShownPicture, ...]
    logo: ShownPicture | None

    @property
    def tabs(self) -> tuple[CustomPageTitle, ...]:
        """The pages that have a tab of their own."""
        letters = sum(len(page.title) for page in self.pages)
        fits = len(self.pages) <= MOST_TABS and letters <= MOST_LETTERS
        return self.pages if fits else ()


def own_look(site: Site, edition: str) -> OwnLook:
    """What the organisers gave a contest; the caller knows that the visitor may see it."""
    with site.database.reading() as session:
        rows = session.scalars(
            select(Picture).where(Picture.edition == edition).order_by(Picture.name)
        )
        pictures = tuple(_describe_picture(row) for row in rows)
        row = session.get(HostedEdition, edition)
        logo = None if row is None else row.logo
        titles = session.execute(
            select(CustomPage.name, CustomPage.title)
            .where(CustomPage.edition == edition)
            .order_by(CustomPage.position, CustomPage.name)
        )
        pages = tuple(CustomPageTitle(name=name, title=title) for name, title in titles)
    return OwnLook(pages, pictures, next((p for p in pictures if p.name == logo), None))


def custom_page(site: Site, edition: str, name: str) -> CustomPageView:
    """One page of the organisers."""
    with site.database.reading() as session:
        row = session.get(CustomPage, (edition, name))
    if row is None:
        raise NotThere("there is no page with this address")
    return CustomPageView(**{field: getattr(row, field) for field in CustomPageView.model_fields})


def picture_content(site: Site, edition: str, name: str) -> tuple[bytes, str]:
    """The bytes of a picture, and their type."""
    with site.database.reading() as session:
        row = session.get(Picture, (edition, name))
    if row is None:
        raise NotThere("there is no picture with this address")
    return site.uploads.read(row.digest), MEDIA_TYPES[row.kind]


def _describe_picture(row: Picture) -> ShownPicture:
    # A replaced picture has another address, so no browser shows the old one.
    address = f"/contests/{row.edition}/pictures/{row.name}?{row.digest[:12]}"
    return ShownPicture(row.name, address, row.width, row.height, row.size)
