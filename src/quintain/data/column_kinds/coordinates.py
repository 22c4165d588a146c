"""Coordinates: a place on earth, written as latitude,longitude in degrees."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from quintain.data.arrays import Array, Floats, Ints
from quintain.data.column import Column, ColumnKind
from quintain.registry import register
from quintain.wording.languages import in_context, tell

_DEGREES = re.compile(r"(-?[0-9]{1,2}(?:\.[0-9]{1,20})?), ?(-?[0-9]{1,3}(?:\.[0-9]{1,20})?)")
_PARTS = 10_000_000
"""A degree is stored in so many parts: one is a centimetre."""
_SOUTH, _WEST = 90 * _PARTS, 180 * _PARTS
_ROUND = 2 * _WEST + 1
"""How many longitudes there are."""
_WORLD = ("-90,-180", "90,180")


@register("coordinates-v1")
class Coordinates(ColumnKind):
    """A place on earth as latitude,longitude in degrees; parts see it as these two numbers.

    The places may be limited to those within two corners, by their latitudes and longitudes. Seven
    digits after the point are kept, which is a centimetre.

    >>> home = Column(name="home", kind="coordinates", within=("41.3,-5.2", "51.1,9.6"), step=0.01)
    >>> home.expected
    'expected a latitude and a longitude such as 48.8566,2.3522 in 41.3,-5.2..51.1,9.6'
    >>> [column.name for column in home.its_kind.plain_columns(home)]
    ['home.latitude', 'home.longitude']
    """

    turn: ClassVar[int] = 6
    has_corners: ClassVar[bool] = True
    cuttable: ClassVar[bool] = True
    plural: ClassVar[str] = "coordinates"
    anything: ClassVar[str] = in_context("the values of a column", "coordinates")
    # Without a point in both, 3,5 would be the number three and a half.
    spelling: ClassVar[str] = (
        r"^-?(?:90\.0+|[1-8]?[0-9]\.[0-9]+), ?-?(?:180\.0+|(?:1[0-7]|[1-9])?[0-9]\.[0-9]+)$"
    )

    # --- the domain ---

    def check(self, column: Column) -> None:
        """Corners are coordinates, the south-western one first; edges say nothing here."""
        for field in ("low", "high", "edges"):
            if getattr(column, field) is not None:
                raise ValueError(
                    f"{column.name!r} has coordinates, so it cannot have {field}; give within, "
                    "bins or step"
                )
        for corner in column.within or ():
            if _degrees(corner) is None:
                raise ValueError(
                    f"{column.name!r}: within has {corner!r}, which is no latitude,longitude"
                )
        (south, west), (north, east) = _corners(column)
        if south > north or west > east:
            raise ValueError(
                f"{column.name!r}: within names the south-western corner first, then the "
                "north-eastern one"
            )

    def has_bounds(self, column: Column) -> bool:
        """The world has bounds."""
        return True

    def draw(self, column: Column, size: int, *, rng: np.random.Generator) -> Array:
        """Each latitude and each longitude within the corners is as likely."""
        sides = zip(*_corners(column), strict=True)
        latitudes, longitudes = (rng.integers(low, high + 1, size=size) for low, high in sides)
        return _store(latitudes, longitudes)

    # --- words ---

    def words(self, column: Column) -> str:
        """A latitude and a longitude, with an example."""
        return tell("a latitude and a longitude such as %(example)s", example="48.8566,2.3522")

    def limits(self, column: Column) -> tuple[float | str | None, float | str | None]:
        """Both corners of the area, from south-west to north-east."""
        return column.within or (None, None)

    # --- what is stored ---

    def parser(self, column: Column) -> Callable[[str], Any]:
        """Two numbers of degrees between the corners; a space may follow the comma."""
        (south, west), (north, east) = _corners(column)

        def place(text: str) -> int | None:
            parts = _degrees(text)
            if parts is None or not (south <= parts[0] <= north and west <= parts[1] <= east):
                return None
            return (parts[0] + _SOUTH) * _ROUND + parts[1] + _WEST

        return place

    def decode(self, column: Column, stored: Array) -> list[Any]:
        """The places as texts, with no more digits than they need."""
        latitudes, longitudes = (degrees.tolist() for degrees in _split(stored))
        pairs = zip(latitudes, longitudes, (stored < 0).tolist(), strict=True)
        return [None if absent else f"{_write(a)},{_write(b)}" for a, b, absent in pairs]

    # --- plain columns ---

    def plain_columns(self, column: Column) -> tuple[Column, ...]:
        """A latitude and a longitude, each with the bins or the step of the column."""
        facts = {"kind": "real", "nullable": column.nullable}
        facts |= {"bins": column.bins, "step": column.step}
        (south, west), (north, east) = _corners(column)
        ends = {"latitude": (south, north), "longitude": (west, east)}
        return tuple(
            Column(name=f"{column.name}.{side}", low=low / _PARTS, high=high / _PARTS, **facts)
            for side, (low, high) in ends.items()
        )

    def to_plain(self, column: Column, stored: Array) -> tuple[Array, ...]:
        """Degrees; NaN where missing."""
        latitudes, longitudes = (
            np.where(stored < 0, np.nan, parts / _PARTS) for parts in _split(stored)
        )
        return latitudes, longitudes

    def from_plain(self, column: Column, stored: Sequence[Array]) -> Array:
        """Places from degrees, moved to the nearest ones within the corners."""
        absent = np.isnan(stored[0]) | np.isnan(stored[1])
        lows, highs = _corners(column)
        latitudes, longitudes = (
            np.clip(_parts(degrees), low, high)
            for degrees, low, high in zip(stored, lows, highs, strict=True)
        )
        return np.where(absent, self.missing, _store(latitudes, longitudes))


def _degrees(text: str) -> tuple[int, int] | None:
    """Latitude and longitude of a text in parts of a degree; None if it has none.

    >>> _degrees("48.8566,2.3522"), _degrees("91,0"), _degrees("48.8566")
    ((488566000, 23522000), None, None)
    """
    match = _DEGREES.fullmatch(text)
    if match is None:
        return None
    latitude, longitude = (round(float(degrees) * _PARTS) for degrees in match.groups())
    return (latitude, longitude) if abs(latitude) <= _SOUTH and abs(longitude) <= _WEST else None


def _corners(column: Column) -> tuple[tuple[int, int], tuple[int, int]]:
    """The south-western and the north-eastern corner, in parts of a degree."""
    first, last = (_degrees(corner) for corner in column.within or _WORLD)
    assert first is not None
    assert last is not None  # the column was checked
    return first, last


def _parts(degrees: Floats) -> Ints:
    return np.rint(np.nan_to_num(degrees) * _PARTS).astype(np.int64)


def _store(latitudes: Ints, longitudes: Ints) -> Ints:
    """One number per place."""
    return (latitudes + _SOUTH) * _ROUND + longitudes + _WEST


def _split(stored: Ints) -> tuple[Ints, Ints]:
    """Latitudes and longitudes of places, in parts of a degree."""
    return stored // _ROUND - _SOUTH, stored % _ROUND - _WEST


def _write(parts: int) -> str:
    """A number of parts as degrees.

    >>> _write(488566000), _write(-5000000), _write(20000000)
    ('48.8566', '-0.5', '2')
    """
    whole, rest = divmod(abs(parts), _PARTS)
    digits = f"{whole}.{rest:07d}".rstrip("0").rstrip(".")
    return f"-{digits}" if parts < 0 else digits
