"""Dot field: a population as a field of dots, some in the sample, some named by an attacker."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from markupsafe import Markup

from quintain.figures.svg import add, describe, drawing, markup

_COLUMNS, _ROWS, _STEP = 32, 16, 16
_NAMED = 20


def dot_field(share: float, right: float, rng: np.random.Generator, name: str) -> Markup:
    """Draw a field in which a share of the dots is in the sample.

    Every dot is a stroke without a length and with a round end, which takes a few bytes.

    Parameters
    ----------
    share : the share of the population that is in the sample.
    right : the share of the named dots that are in the sample; equal to ``share``, it is luck.
    rng : decides which dots; seed it with something public.
    name : unique on the page.
    """
    dots = rng.permutation(_COLUMNS * _ROWS)
    inside = round(share * len(dots))
    hits = min(inside, round(right * _NAMED))
    members, others = dots[:inside], dots[inside:]
    misses = min(len(others), _NAMED - hits)
    root = describe(
        drawing(_COLUMNS * _STEP, _ROWS * _STEP, "picture"),
        name,
        "A population, and the sample in it",
        f"Of {len(dots)} dots, {inside} are in the sample. An attacker names {hits + misses} dots, "
        f"and {hits} of them are in the sample.",
    )
    parts = {
        "all": others[misses:],
        "in": members[hits:],
        "miss": others[:misses],
        "hole": others[:misses],
        "hit": members[:hits],
    }
    for css, places in parts.items():
        if len(places):
            add(root, "path", css=css, d=_dots(np.sort(places).tolist()))
    return markup(root)


def _dots(places: Iterable[int]) -> str:
    half = _STEP // 2
    spots = ((place % _COLUMNS, place // _COLUMNS) for place in places)
    return "".join(f"M{x * _STEP + half} {y * _STEP + half}h0" for x, y in spots)
