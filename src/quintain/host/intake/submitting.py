"""Submitting: a form with files becomes an upload, for pages and for the API alike."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from typing import BinaryIO

from quintain.host.access import Visitor
from quintain.host.intake.intake import UploadRequest, take_streams
from quintain.host.intake.questionnaire import card_from_form
from quintain.host.intake.uploads_shown import ShownUpload, settled
from quintain.host.refusals import BadInput
from quintain.host.site import Site
from quintain.runs.folder.paths import CARD

PATIENCE = 2.0
"""How many seconds an answer waits for the intake worker; a check usually takes less."""

_YES = ("1", "on", "true", "yes")


def submit_form(
    site: Site,
    visitor: Visitor,
    edition: str,
    fields: Mapping[str, str],
    files: Mapping[str, BinaryIO],
) -> ShownUpload:
    """Take the files of a form, and wait a moment for the intake worker.

    Parameters
    ----------
    fields : "track", "kind", "sample", "trial" and the answers to the questionnaire.
    """
    if not files:
        raise BadInput("no file came: choose one zip, or every file by itself")
    wanted = UploadRequest(
        fields.get("track") or None,
        _kind(fields.get("kind", "")),
        _sample(fields.get("sample", "")),
        fields.get("trial", "").lower() in _YES,
    )
    card = card_from_form(fields)
    if card is not None and CARD in files:
        raise BadInput(f"you sent {CARD} and filled in the questionnaire; use one of them")
    every = files if card is None else {**files, CARD: io.BytesIO(card)}
    upload = take_streams(site, visitor, edition, every, wanted).upload
    # The sender of an upload gets the answer, also with a token that may read nothing else.
    return settled(site, replace(visitor, scopes=None), edition, upload, PATIENCE)


def _kind(text: str) -> str | None:
    if text not in ("", "release", "guess"):
        raise BadInput("the kind is release or guess")
    return text or None


def _sample(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise BadInput("the sample is the number of one of your private samples")
    return int(text)
