"""Downloads of CodaBench: teams choose the names and the content of what is in them."""

import io
import zipfile

import pytest

from quintain.data import Limits
from quintain.data.files.limits import DEFAULT_LIMITS
from quintain.errors import DataError
from quintain.kit.codabench.download import read_download

NAME = "41_anna_PhaseId7_2026-05-03:12-30_answers.zip"


def zipped(*members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def read(tmp_path, content, limits=DEFAULT_LIMITS):
    path = tmp_path / "bulk.zip"
    path.write_bytes(content)
    return read_download(path, limits)


@pytest.mark.parametrize(
    "name",
    [
        "9" * 5000 + NAME[2:],
        NAME.replace("41", "٤١"),
        f"40_eve_PhaseId7_2026-05-03:12-30_x/{NAME}",
        f"40_eve_PhaseId7_2026-05-03:12-30_x/y/{NAME}",
    ],
    ids=["long number", "other digits", "folder in the name", "folders in the name"],
)
def test_a_name_that_could_be_taken_for_another_one_is_refused(tmp_path, name):
    with pytest.raises(DataError, match="expected a name such as 41_ACCOUNT_PhaseId7"):
        read(tmp_path, zipped((name, b"")))


def test_the_name_of_an_upload_does_not_change_its_account(tmp_path):
    upload = "40_eve_PhaseId7_2026-05-03:12-30_x_anna_PhaseId7_2026-05-01:12-30_a.zip"
    (one,) = read(tmp_path, zipped((f"folder/{upload}", b"")))
    assert one.account.startswith("eve_PhaseId7")


def test_damaged_content_is_refused_in_one_sentence(tmp_path):
    content = bytearray(zipped((NAME, b"0123456789" * 100)))
    start = 30 + len(NAME)  # the compressed bytes follow the header of the file
    content[start : start + 4] = b"\xff" * 4
    with pytest.raises(DataError, match=r"bulk\.zip: cannot be read as a zip file"):
        read(tmp_path, bytes(content))


def test_submissions_that_do_not_fit_the_memory_are_refused_before_they_are_read(tmp_path):
    limits = Limits(archive_bytes=1000, archive_members=1)
    most = limits.packed_bytes
    with pytest.raises(DataError, match=rf"{most + 1} bytes; the limit is {most}"):
        read(tmp_path, zipped((NAME, b"x" * (most + 1))), limits)
    many = [(f"{number}{NAME[2:]}", b"x" * most) for number in range(5)]
    with pytest.raises(DataError, match=rf"the limit is {4 * most}: download fewer submissions"):
        read(tmp_path, zipped(*many), limits)
