"""Uploads: submit files, or let them be checked, and see what became of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from pydantic import BaseModel

from quintain.figures.format import reading_text
from quintain.host.intake.faults import ShownFault
from quintain.host.intake.submitting import submit_form
from quintain.host.intake.uploads_shown import ShownUpload, receipt_for, upload_for, uploads_for
from quintain.host.web.requests import SiteOf, VisitorOf
from quintain.host.web.security.downloads import download
from quintain.host.web.sent_form import sent_form
from quintain.measures import Reading

UPLOADS = APIRouter(prefix="/editions/{edition}/uploads", tags=["submissions"])

_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "file": {
                            "type": "array",
                            "items": {"type": "string", "format": "binary"},
                            "description": "One zip, or every file by itself.",
                        },
                        "track": {"type": "string"},
                        "kind": {"type": "string", "enum": ["release", "guess"]},
                        "sample": {"type": "integer"},
                        "trial": {
                            "type": "boolean",
                            "description": "Only check the files; this costs no attempt.",
                        },
                    },
                    "required": ["file"],
                }
            }
        },
    }
}


class ReadingModel(BaseModel):
    """A measured value with its interval; None is a number that JSON cannot write."""

    value: float | None
    low: float | None
    high: float | None
    better: str
    text: str

    @classmethod
    def of(cls, reading: Reading) -> ReadingModel:
        """A reading for JSON."""
        value, low, high = map(_finite, (reading.value, reading.low, reading.high))
        text = reading_text(reading)
        return cls(value=value, low=low, high=high, better=reading.better, text=text)


class UploadModel(BaseModel):
    """An upload and what became of it; see the page of the upload for what each state means."""

    id: int
    track: str
    phase: str
    kind: str
    state: str
    arrived: datetime
    files: dict[str, str]
    size: int
    sample: int | None
    event: int | None
    before: int
    faults: list[ShownFault]
    readings: dict[str, ReadingModel]
    gate_failures: list[str]
    warnings: list[str]
    left: str
    receipt: bool
    made: list[str]
    reasons: list[str]

    @classmethod
    def of(cls, upload: ShownUpload) -> UploadModel:
        """An upload for JSON."""
        fields = {name: getattr(upload, name) for name in cls.model_fields if name != "readings"}
        readings = {name: ReadingModel.of(one) for name, one in upload.readings.items()}
        return cls(**fields, readings=readings)


@UPLOADS.post("", status_code=202, openapi_extra=_FORM)
async def upload(edition: str, request: Request, site: SiteOf, visitor: VisitorOf) -> UploadModel:
    """Submit files, or let them be checked; the answer comes after about two seconds at most."""
    visitor.require_scope("submit")
    visitor.team_in(edition)  # before a single byte is read
    form = await sent_form(request)
    shown = await run_in_threadpool(submit_form, site, visitor, edition, form.fields, form.files)
    return UploadModel.of(shown)


@UPLOADS.get("")
def list_uploads(edition: str, site: SiteOf, visitor: VisitorOf) -> list[UploadModel]:
    """The uploads of your team, the newest first."""
    return [UploadModel.of(one) for one in uploads_for(site, visitor, edition)]


@UPLOADS.get("/{number}")
def show_upload(edition: str, number: int, site: SiteOf, visitor: VisitorOf) -> UploadModel:
    """One upload of your team: its state, its faults, its place in the queue."""
    return UploadModel.of(upload_for(site, visitor, edition, number))


@UPLOADS.get(
    "/{number}/receipt",
    response_class=Response,
    responses={200: {"content": {"application/json": {}}, "description": "The receipt."}},
)
def download_receipt(edition: str, number: int, site: SiteOf, visitor: VisitorOf) -> Response:
    """The signed receipt of an accepted upload, as a file."""
    content = receipt_for(site, visitor, edition, number)
    return download(content, f"{edition}-receipt-{number}.json", "application/json")


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None
