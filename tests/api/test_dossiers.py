"""A dossier in a notebook."""

import json

import pytest

import quintain as q
from quintain.errors import QuintainError
from quintain.testing import unique_people


@pytest.fixture(scope="module")
def dossier():
    table = unique_people(rows=100)
    return q.audit(table, table, recipient="a ministry", means="a register").dossier()


def test_a_notebook_shows_it_as_text(dossier):
    assert repr(dossier).startswith("<dossier: unsafe, ")
    assert dossier._repr_markdown_() == dossier.to_markdown()
    assert dossier.content.recipient.means == "a register"


def test_it_is_saved_as_its_name_says(dossier, tmp_path):
    for name, text in {
        "d.html": dossier.page(),
        "d.md": dossier.to_markdown(),
        "d.json": dossier.to_json(),
    }.items():
        dossier.save(tmp_path / name)
        assert (tmp_path / name).read_text("utf-8") == text
    assert json.loads(dossier.to_json())["format"] == "quintain.dossier/1"
    with pytest.raises(QuintainError, match="written as"):
        dossier.save(tmp_path / "d.docx")
