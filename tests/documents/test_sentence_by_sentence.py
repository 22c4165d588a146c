"""The page of all rules of the seeds: what it names exists, and its numbers are its own."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/contests/sentence-by-sentence.md").read_text()
RULES = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| place")
]
NAMED = re.compile(r"`((?:tests|docs|src)/[^`:]+)(?:::(\w+))?`")


def plain(text: str) -> str:
    return " ".join(text.split())


def test_the_numbers_at_the_top_are_those_of_the_tables():
    kinds = Counter(verdict for _, _, verdict, _ in RULES)
    tests = {match.groups() for match in NAMED.finditer(PAGE) if match[2]}
    assert set(kinds) == {"holds", "differs", "organisers"}
    assert (
        f"**{len(RULES)} rules: {kinds['holds']} hold, {kinds['differs']} differ, "
        f"{kinds['organisers']} are left to organisers. {len(tests)} tests are named.**"
    ) in PAGE


@pytest.mark.parametrize(("path", "name"), sorted({m.groups("") for m in NAMED.finditer(PAGE)}))
def test_every_file_and_every_test_that_the_page_names_exists(path, name):
    assert (ROOT / path).is_file()
    if name:
        assert re.search(rf"^def {name}\(", (ROOT / path).read_text(), re.MULTILINE)


def test_every_rule_says_where_it_lives():
    for place, rule, verdict, where in RULES:
        assert place and rule
        assert bool(NAMED.search(where)) == (verdict != "organisers"), rule


def test_the_words_that_state_a_difference_stand_on_their_page():
    for _, rule, verdict, where in RULES:
        if verdict == "differs":
            path, quote = re.fullmatch(r"`([^`]+)`: “(.+)”", where).groups()
            assert plain(quote) in plain((ROOT / path).read_text()), rule
