"""Redaction: remove from the public rules what attackers must not know.

If attackers must not know which sanitizers the organisers run, and with which parameters, then
neither the published rules nor the names of entries may say it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from quintain.contests.edition import Edition, Track
from quintain.contests.fields import SanitizerGrid


def withheld(track: Track) -> bool:
    """Whether attackers must not know the organisers' sanitizers and their parameters."""
    return bool(track.sanitizer) and "parameters" not in track.gives


def redact_names(edition: Edition) -> Edition:
    """The same rules with neutral names for entries whose names could reveal a parameter.

    A name that the organisers wrote stays, unless it contains a parameter.
    """
    return _with_sanitizers(
        edition, {t.id: _plainly_named(t) for t in edition.track if withheld(t)}
    )


def redact(edition: Edition) -> Edition:
    """The rules that may be published."""
    hidden = {track.id: () for track in edition.track if withheld(track)}
    shown = _published_sources(_with_sanitizers(edition, hidden))
    if shown is edition:
        return edition
    # A changed key may be a parameter that attackers must not know.
    return shown.model_copy(update={"made_with": edition.made_with.without_changes()})


def _published_sources(edition: Edition) -> Edition:
    """The rules with every data set as far as it is public; the same object if nothing changes."""
    sources = [track.dataset.public_form() for track in edition.track]
    if all(new is track.dataset for new, track in zip(sources, edition.track, strict=True)):
        return edition
    pairs = zip(edition.track, sources, strict=True)
    tracks = tuple(track.model_copy(update={"dataset": new}) for track, new in pairs)
    return edition.model_copy(update={"track": tracks})


def _plainly_named(track: Track) -> tuple[SanitizerGrid, ...]:
    written = {grid.name for grid in track.sanitizer if _is_plain(grid)}
    fresh = (name for number in count(1) if (name := f"entry-{number}") not in written)
    return tuple(
        named
        for grid in track.sanitizer
        for named in ([grid] if _is_plain(grid) else grid.spelled_out(fresh))
    )


def _is_plain(grid: SanitizerGrid) -> bool:
    return bool(grid.name) and "{" not in grid.name


def _with_sanitizers(
    edition: Edition, sanitizers: Mapping[str, tuple[SanitizerGrid, ...]]
) -> Edition:
    """The rules with other sanitizers in some tracks; the same object if nothing changes."""
    if not sanitizers:
        return edition
    tracks = tuple(
        # Not model_copy: a copy would keep the entries of the old sanitizers.
        Track(**{**_fields(track), "sanitizer": sanitizers.get(track.id, track.sanitizer)})
        for track in edition.track
    )
    return edition.model_copy(update={"track": tracks})


def _fields(track: Track) -> dict[str, object]:
    return {name: getattr(track, name) for name in Track.model_fields}
