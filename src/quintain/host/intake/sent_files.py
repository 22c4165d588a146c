"""Sent files: what a team uploaded, read as the files of a submission."""

from __future__ import annotations

from collections.abc import Mapping

from quintain.errors import Faults, SubmissionError
from quintain.host.database.work import Upload
from quintain.host.site import Site
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import CARD
from quintain.runs.submissions.admission import Admission
from quintain.runs.submissions.submit import admission_for
from quintain.runs.submissions.upload import read_sent


def kind_of(upload: Upload) -> str | None:
    """What the engine asks for to find the phase; a program may be of either kind."""
    return None if upload.kind == "program" else upload.kind


def admission_of(folder: Folder, upload: Upload) -> Admission:
    """The submission that an upload is to become."""
    return admission_for(
        folder, upload.team, track=upload.track, kind=kind_of(upload), now=upload.arrived
    )


def files_of(site: Site, folder: Folder, upload: Upload) -> Mapping[str, bytes]:
    """The files of an upload by name; raises with every reason to refuse them.

    A team may send a zip and the answers to the questionnaire, which the site packed in a card.
    """
    sent = {name: site.uploads.read(digest) for name, digest in upload.files.items()}
    card = _card_beside_zip(sent)
    files = read_sent(
        sent,
        folder.edition().limits,
        program=upload.kind == "program",
        artefacts=admission_of(folder, upload).artefacts,
    )
    if card is None:
        return files
    faults = Faults(CARD)
    if CARD in files:
        faults.add("the zip has a card, and so has the form; send one of them")
    faults.raise_if_any(SubmissionError)
    return {**files, CARD: card}


def _card_beside_zip(sent: dict[str, bytes]) -> bytes | None:
    """Take the card out of what was sent, if the other files are in one zip."""
    others = [name for name in sent if name != CARD]
    if CARD in sent and len(others) == 1 and others[0].endswith(".zip"):
        return sent.pop(CARD)
    return None
