"""Sent form: the files and fields of a form, read only after the sender may send them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

from fastapi import Request
from starlette.datastructures import UploadFile

from quintain.host.refusals import BadInput

MOST_FILES = 1000
MOST_FIELDS = 200
LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class SentForm:
    """What came in a form: texts by the names of their fields, files by their own names."""

    fields: Mapping[str, str]
    files: Mapping[str, BinaryIO]


async def sent_form(request: Request) -> SentForm:
    """Read a form with files; they lie in temporary files, which end with the request.

    How many bytes may come is counted before anybody reads them.
    """
    form = await request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS)
    fields: dict[str, str] = {}
    files: dict[str, BinaryIO] = {}
    for field, value in form.multi_items():
        if not isinstance(value, UploadFile):
            fields.setdefault(field, value)
        elif value.filename:  # a browser sends an empty name if no file was chosen
            _add(files, value.filename, value.file)
    return SentForm(fields, files)


def _add(files: dict[str, BinaryIO], name: str, file: BinaryIO) -> None:
    if len(name) > LONGEST_NAME or "\x00" in name:
        raise BadInput(f"the name of a file has at most {LONGEST_NAME} characters")
    if name in files:
        raise BadInput(f"two files have the name {name!r}")
    files[name] = file
