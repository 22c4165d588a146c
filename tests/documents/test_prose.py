"""Plain English: the idioms the style sheet in CONTRIBUTING.md rules out stay out.

A regular expression cannot judge prose. These checks hold what can be checked; the rest is the
reader's work.
"""

import ast
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.static

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src/quintain").rglob("*.py"))
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "src/quintain").rglob("*.j2")),
    *sorted((ROOT / "src/quintain").rglob("*.toml")),
]

VAGUE_NAMES = {"told", "held", "said", "found", "mine", "theirs", "whose", "taken", "gone", "asked"}
"""Names that do not say what they hold."""

_THINGS = (
    r"row|file|line|column|value|number|name|entry|id|identifier|task|answer|series|figure|test"
    r"|cell|bit|array"
)
_OWNERS = (
    r"person|people|task|entry|team|month|row|file|record|column|cell|stay|line|track|customer"
    r"|household|granularity|part|feature|reading|measure|attacker|release|category|block|day|run"
)
IDIOMS = {
    rf"\b(?:one|a|an|each|\d+) (?:{_THINGS})s? an? (?:{_OWNERS})\b": "write 'one row per person'",
    r"; there (?:is|are) (?:\{|[a-z'`\"])": "write 'available: ...'",
    r"\bat most [^ ]+ are taken\b": "write 'the limit is ...'",
    r"\bis there twice\b|\bare there twice\b": "write 'appears twice'",
    r"\bwithout a word\b": "write 'silently' or 'without a message'",
    r"\b[Ww]hoever\b": "name the person: 'an attacker who', 'anyone who'",
    r"\bof one's own\b": "write 'your own'",
    r"\bas it were\b|\bso to speak\b": "leave it out",
}


def docstrings(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "name", path.stem), text


def test_names_say_what_they_hold():
    vague = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            name = (
                node.id
                if isinstance(node, ast.Name)
                else node.arg
                if isinstance(node, ast.arg)
                else node.name
                if isinstance(node, ast.FunctionDef)
                else ""
            )
            if name.strip("_") in VAGUE_NAMES:
                vague.append(f"{path.relative_to(ROOT)}:{node.lineno} {name}")
    assert not vague, "\n".join(sorted(set(vague)))


@pytest.mark.parametrize("idiom", IDIOMS, ids=range(len(IDIOMS)))
def test_idioms_stay_out(idiom):
    hits = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1} {match[0]!r}"
        for path in (*SOURCES, *PAGES)
        for text in [path.read_text()]
        for match in re.finditer(idiom, text)
    ]
    assert not hits, f"{IDIOMS[idiom]}\n" + "\n".join(hits)


def test_a_docstring_says_more_than_the_name():
    short = [
        f"{path.relative_to(ROOT)} {name}: {text!r}"
        for path in SOURCES
        for name, text in docstrings(path)
        if len(text.split()) < 3
    ]
    assert not short, "\n".join(short)
