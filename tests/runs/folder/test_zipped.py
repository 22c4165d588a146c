"""Archives that are still zips: large ones are opened, and none writes outside its folder."""

import io
import zipfile

import pytest

from quintain.errors import FolderError, SubmissionError
from quintain.kit.kit import kit_bytes
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.zipped import open_packed
from quintain.runs.submissions.upload import zip_bytes


def with_files(content, files):
    """An archive with further files."""
    out = io.BytesIO(content)
    with zipfile.ZipFile(out, "a") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def test_an_archive_of_thousands_of_files_is_opened(live, tmp_path):
    many = {f"submissions/files/{i:04d}.csv": f"{i}\n" for i in range(3000)}
    (tmp_path / "a.zip").write_bytes(with_files(kit_bytes(live), many))
    with open_packed(tmp_path / "a.zip") as folder:
        assert isinstance(folder, Folder)
        assert folder.edition().to_bytes() == live.edition().to_bytes()
        assert folder.at("submissions/files/2999.csv").read_bytes() == b"2999\n"
        place = folder.root
    assert not place.exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../outside.csv", "a path that leads out of the archive"),
        ("/outside.csv", "a path that leads out of the archive"),
        ("a/../../outside.csv", "a path that leads out of the archive"),
        ("public", "is a file and a folder"),
    ],
)
def test_an_archive_with_an_odd_path_writes_nothing(live, tmp_path, name, words):
    (tmp_path / "a.zip").write_bytes(with_files(kit_bytes(live), {name: "x"}))
    with pytest.raises(SubmissionError, match=words) as caught, open_packed(tmp_path / "a.zip"):
        pass
    assert "if you trust it, unpack it yourself" in str(caught.value)
    assert [path.name for path in tmp_path.iterdir() if path.name != "live"] == ["a.zip"]


def test_a_bomb_and_a_broken_archive_are_refused(tmp_path):
    content = zip_bytes({"a.csv": b"0" * 3_000_000})
    for damaged, words in ((content, "a zip bomb"), (content[:-30], "cannot be read as a zip")):
        (tmp_path / "a.zip").write_bytes(damaged)
        with pytest.raises(SubmissionError, match=words), open_packed(tmp_path / "a.zip"):
            pass


def test_a_zip_of_something_else_is_named(tmp_path):
    (tmp_path / "a.zip").write_bytes(zip_bytes({"a.csv": b"1\n"}))
    words = r"a\.zip is not an edition folder"
    with pytest.raises(FolderError, match=words), open_packed(tmp_path / "a.zip"):
        pass
