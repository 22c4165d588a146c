"""Artefact: a further file of a submission, beside its release or its guesses."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from quintain.contests.fields import Model
from quintain.contests.ids import Id
from quintain.contests.submitting.file_format import FileName

READ_BYTES = 5_000_000
"""The largest artefact that is opened: a report or a list, not a model."""


class Artefact(Model):
    """A further file of a submission, such as a model or a report.

    The judge stores it and says what it is called. No rule, attack or measure reads it.

    Parameters
    ----------
    name : what the artefact is, in a word: "model".
    file : its file name, with {track} and {team} where they go.
    kind : "any" file is never opened. A "text" is UTF-8, a "json" is valid JSON, and a "table" has
        the columns of the data; such a file is refused if it is something else.
    required : whether a submission without it is refused.
    max_bytes : its largest size; the limits of the edition hold as well.
    published : "with-release": attackers get it with the release. "after": it is part of the
        archive that the organisers reveal. "never": of this file, only the hash is revealed.

    >>> Artefact(name="model", file="model-{team}.npz").file_name("main", "red")
    'model-red.npz'
    """

    name: Id
    file: FileName
    kind: Literal["any", "text", "json", "table"] = "any"
    required: bool = False
    max_bytes: Annotated[int, Field(ge=1)] = READ_BYTES
    published: Literal["never", "after", "with-release"] = "after"

    @model_validator(mode="after")
    def _plain(self) -> Self:
        rest = re.sub(r"\{(track|team)\}", "", self.file)
        if "{" in rest or "}" in rest:
            raise ValueError("file may contain {track} and {team}, and no other brace")
        if self.kind != "any" and self.max_bytes > READ_BYTES:
            raise ValueError(
                f"max_bytes is {self.max_bytes}; the limit for a file that the judge opens is "
                f'{READ_BYTES}: allow fewer bytes, or kind = "any"'
            )
        return self

    def file_name(self, track: str, team: str) -> str:
        """The name of the file that a team submits."""
        return self.file.format(track=track, team=team)

    def fits(self, template: str) -> bool:
        """Whether a file of the contest, named after a template, could have the same name.

        >>> artefact = Artefact(name="model", file="model.csv")
        >>> artefact.fits("{task}.csv"), artefact.fits("release.csv")
        (True, False)
        """
        names = re.split(r"\{\w+\}", template)
        pattern = ".+".join(re.escape(name) for name in names)
        return re.fullmatch(pattern, self.file_name("track", "team")) is not None

    def words(self) -> str:
        """What the rules say about it, for people."""
        when = {
            "never": "never published",
            "after": "published after the contest",
            "with-release": "published with the release",
        }
        need = "required" if self.required else "not required"
        kind = "" if self.kind == "any" else f"{self.kind}, "
        return f"{kind}at most {self.max_bytes:,} bytes, {need}, {when[self.published]}"
