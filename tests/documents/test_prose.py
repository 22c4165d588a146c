"""Docstrings say more than names."""

import ast
from pathlib import Path

import pytest

from tests.sources import ROOT, SOURCES

pytestmark = pytest.mark.static


def docstrings(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "name", path.stem), text


def test_a_docstring_says_more_than_the_name():
    short = [
        f"{path.relative_to(ROOT)} {name}: {text!r}"
        for path in SOURCES
        for name, text in docstrings(path)
        if len(text.split()) < 3
    ]
    assert not short, "\n".join(short)
