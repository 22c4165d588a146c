"""The page of all rules of the seeds: what it names exists, and its numbers are its own."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/contests/sentence-by-sentence.md").read_text()
SEEDS = {part.split("\n", 1)[0]: part for part in PAGE.split("\n## ")[1:]}
TEST = re.compile(r"`(tests/[^`:]+)::(\w+)`")
SENTENCE = re.compile(r"`(docs/[^`:]+)`: “(.+)”")


def rules(text):
    lines = (line for line in text.splitlines() if line.startswith("| "))
    cells = ([cell.strip() for cell in line.strip("|").split(" | ")] for line in lines)
    return [row for row in cells if row[0] != "place"]


def count(text):
    """The sentence that counts the rules of this part of the page."""
    kinds = Counter(verdict for _, _, verdict, _ in rules(text))
    return (
        f"{kinds.total()} rules: {kinds['holds']} hold, {kinds['differs']} differ, "
        f"{kinds['organisers']} are left to organisers. {len(set(TEST.findall(text)))} tests are "
        "named."
    )


def plain(text):
    return " ".join(text.split())


@cache
def functions_of(path):
    """The names of the tests in a file, as pytest collects them."""
    body = ast.parse((ROOT / path).read_text()).body
    return {one.name for one in body if isinstance(one, ast.FunctionDef)}


def test_the_numbers_are_those_of_the_tables():
    assert len(SEEDS) == 5
    assert f"**{count(PAGE)}**" in PAGE
    for title, part in SEEDS.items():
        assert part.startswith(f"{title}\n\n{count(part)}\n"), title


@pytest.mark.parametrize(("path", "name"), sorted(set(TEST.findall(PAGE))))
def test_every_test_that_the_page_names_exists(path, name):
    assert name.startswith("test_")
    assert name in functions_of(path)


@pytest.mark.parametrize("title", SEEDS)
def test_every_rule_names_tests_or_the_sentence_that_has_it(title):
    for place, rule, verdict, where in rules(SEEDS[title]):
        assert place and rule
        sentence = SENTENCE.fullmatch(where)
        if verdict == "organisers":
            assert not where, rule
        elif verdict == "differs":
            assert sentence, rule
        else:
            assert verdict == "holds", rule
            assert sentence or where == ", ".join(m[0] for m in TEST.finditer(where)) != "", rule
        if sentence:
            path, words = sentence.groups()
            assert plain(words) in plain((ROOT / path).read_text()), rule
