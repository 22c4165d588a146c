"""Submitting: a form with files becomes an upload, for pages and for the API alike.

The answers to its questionnaire become the card of a release.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import BinaryIO

from pydantic import ValidationError

from quintain.commitment import sha256
from quintain.errors import Faults, QuintainError, SubmissionError
from quintain.releases import ReleaseCard
from quintain.releases.release import KNOWN_MODELS
from quintain.runs.folder.paths import CARD
from quintain.runs.submissions.checking import check_card
from quintain.wording.languages import say
from quintain_host.access import BadInput, Conflict, NotAllowed, NotThere, Visitor
from quintain_host.database.work import Upload
from quintain_host.editions.shown import shown_rules
from quintain_host.intake.intake import UploadRequest, submitted_upload, take_streams
from quintain_host.intake.uploads_shown import ShownUpload, own_row, wait_for_worker
from quintain_host.site import Site

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
        raise BadInput(say("no file came: choose one zip, or every file by itself")).about("file")
    wanted = UploadRequest(
        fields.get("track") or None,
        _kind(fields.get("kind", "")),
        _sample(fields.get("sample", "")),
        fields.get("trial", "").lower() in _YES,
    )
    card = card_from_form(fields)
    if card is not None and CARD in files:
        problem = say(
            "you sent %(card)s and filled in the questionnaire; use one of them", card=CARD
        )
        raise BadInput(problem).about("file")
    every = files if card is None else {**files, CARD: io.BytesIO(card)}
    upload = take_streams(site, visitor, edition, every, wanted).upload
    # The sender of an upload gets the answer, also with a token that may read nothing else.
    return wait_for_worker(site, replace(visitor, scopes=None), edition, upload, PATIENCE)


CHOSEN_FOR = timedelta(hours=1)
"""How long the files of a clean check can be submitted with one button."""


def submit_checked(site: Site, visitor: Visitor, edition: str, number: int) -> ShownUpload:
    """Submit the files of a trial that has no faults; only the person who sent them can.

    They lie on the server under their hashes, and are compared with these once more. Asking again
    gives the upload of the first time.
    """
    first = submitted_as(site, visitor, edition, number)
    if first is not None:
        return wait_for_worker(site, replace(visitor, scopes=None), edition, first, PATIENCE)
    row = _checked_upload(site, visitor, edition, number)
    track = shown_rules(site, edition).track_by_id(row.track)
    kind = next(phase.submit for phase in track.phase if phase.id == row.phase)
    files = {name: io.BytesIO(_content(site, digest)) for name, digest in row.files.items()}
    wanted = UploadRequest(row.track, kind, row.sample, checked=number)
    upload = take_streams(site, visitor, edition, files, wanted).upload
    return wait_for_worker(site, replace(visitor, scopes=None), edition, upload, PATIENCE)


def submitted_as(site: Site, visitor: Visitor, edition: str, number: int) -> int | None:
    """The upload that submits the files of a trial of the visitor's team; None if there is none."""
    visitor.require_scope("submit")
    with site.database.reading() as session:
        own_row(session, visitor, edition, number)
        return submitted_upload(session, edition, number)


def can_submit_checked(site: Site, visitor: Visitor, edition: str, number: int) -> bool:
    """Whether the visitor can submit the files of a trial with one button."""
    try:
        _checked_upload(site, visitor, edition, number)
        return submitted_as(site, visitor, edition, number) is None
    except QuintainError:
        return False


def _checked_upload(site: Site, visitor: Visitor, edition: str, number: int) -> Upload:
    account = visitor.require_signed_in()
    with site.database.reading() as session:
        row = own_row(session, visitor, edition, number)
    if row.state != "valid":
        raise Conflict(
            say(
                "upload %(number)s is not a check without faults; send the files again",
                number=number,
            )
        )
    if row.account != account:
        raise NotAllowed(say("somebody else of your team sent these files, and can submit them"))
    if site.clock.now() - row.arrived > CHOSEN_FOR:
        raise Conflict(say("this check is older than an hour; send the files again"))
    return row


def _content(site: Site, digest: str) -> bytes:
    try:
        content = site.uploads.read(digest)
    except OSError:
        raise NotThere(say("the files are not on the server any more; send them again")) from None
    if sha256(content) != digest:
        raise NotThere(say("the files on the server are damaged; send them again"))
    return content


def _kind(text: str) -> str | None:
    if text not in ("", "release", "guess"):
        raise BadInput(say("the kind is release or guess"))
    return text or None


def _sample(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 6):
        problem = say("the sample is the number of one of your private samples")
        raise BadInput(problem).about("sample")
    return int(text)


MOST_ROWS = 20
"""How many methods the form has room for; a card that a team writes itself may have more."""

KNOWN_METHODS = (
    "noise addition",
    "record deletion",
    "record insertion",
    "partial extraction",
    "value swapping",
    "generalisation",
    "top and bottom coding",
    "microaggregation",
    "randomised response",
    "synthetic data generation",
)
"""What the form suggests; a team may write something else."""


def card_of(fields: Mapping[str, object]) -> bytes:
    """A card from its fields, checked as the judge checks it; raises with every fault."""
    faults = Faults(CARD)
    try:
        content = ReleaseCard.model_validate(fields).to_bytes()
    except ValidationError as error:
        for item in error.errors():
            faults.add(item["msg"], column=".".join(str(step) for step in item["loc"]) or None)
        faults.raise_if_any(SubmissionError)
        raise
    check_card(content, faults)
    faults.raise_if_any(SubmissionError)
    return content


def card_from_form(form: Mapping[str, str]) -> bytes | None:
    """The card from the fields of the form; None if nobody filled it in.

    Fields are ``method-1-name``, ``method-1-columns`` (names with commas between them),
    ``method-1-rows``, ``method-1-detail`` and so on, ``claim-epsilon`` to ``claim-unit``, and
    ``model-k-anonymity`` and so on with the value of each privacy model; ``model-name`` and
    ``model-value`` are for another one.
    """
    methods = [_method(form, number) for number in range(1, MOST_ROWS + 1)]
    given = [method for method in methods if method]
    claim, models = _claim(form), _models(form)
    if not given and not models and claim is None:
        return None
    return card_of({"methods": given, "claim": claim, "models": models})


def _method(form: Mapping[str, str], number: int) -> dict[str, object]:
    name, columns, rows, detail = (
        form.get(f"method-{number}-{part}", "").strip()
        for part in ("name", "columns", "rows", "detail")
    )
    if not name:
        if columns or rows or detail:
            problem = say("method %(number)s of the questionnaire has no name", number=number)
            raise BadInput(problem).about(f"method-{number}-name")
        return {}
    method: dict[str, object] = {"name": name, "detail": detail.replace("\r\n", "\n")}
    method["columns"] = _columns(columns)
    if rows:
        method["rows"] = rows
    return method


def _columns(text: str) -> Sequence[str]:
    return [part for part in (name.strip() for name in text.split(",")) if part]


def _claim(form: Mapping[str, str]) -> dict[str, str] | None:
    parts = ("epsilon", "delta", "neighbours", "unit")
    values = {part: form.get(f"claim-{part}", "").strip() for part in parts}
    if not values["epsilon"]:
        return None
    return {part: value for part, value in values.items() if value}


def _models(form: Mapping[str, str]) -> list[dict[str, str]]:
    values = {name: form.get(f"model-{name}", "").strip() for name in KNOWN_MODELS}
    name, value = (form.get(f"model-{part}", "").strip() for part in ("name", "value"))
    if bool(name) != bool(value):
        problem = say("another privacy model in the questionnaire needs a name and a value")
        raise BadInput(problem).about("model-value" if name else "model-name")
    values[name] = value
    return [{"name": name, "value": value} for name, value in values.items() if value]
