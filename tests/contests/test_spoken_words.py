"""The rules in a language that puts every text in brackets: only names stand outside of them."""

from __future__ import annotations

import re

import pytest

from quintain.contests import load
from quintain.contests.words import phase_dates, rules_in_words
from quintain.runs.folder.rules import rules_files
from quintain.wording import languages
from quintain.wording.languages import DEFAULT, Language, speaking

EDITIONS = ("tiny", "amic", "darc", "hide-and-seek", "linkability", "mico", "recipes", "trips")
WORD = re.compile(r"[A-Za-z]{2,}")


class Brackets(Language):
    """A language that is made while a test runs; values stand outside of its brackets."""

    group, point = "_", ":"

    def text(self, text, context=""):
        return re.sub(r"(%\(\w+\)s)", r"⟧\1⟦", f"⟦{text}⟧")

    def text_for(self, one, many, n):
        return self.text(super().text_for(one, many, n))


@pytest.fixture(autouse=True)
def brackets(monkeypatch):
    monkeypatch.setitem(languages._LANGUAGES, "xx", Brackets())


def outside(text):
    """What stands outside of all brackets."""
    out, depth = [], 0
    for character in text:
        depth += {"⟦": 1, "⟧": -1}.get(character, 0)
        out.append(character if depth == 0 and character != "⟧" else " ")
    return "".join(out)


def lines_of(view):
    for section in [*view.sections, *(part for track in view.tracks for part in track.sections)]:
        yield section.title
        yield from section.lines


def names_of(edition):
    """Every word that the rules themselves, their parts and their data call something."""
    texts = [edition.model_dump_json(), *(repr(edition.limits), "csv pdf text safetensors UTC")]
    for track in edition.track:
        texts.append(track.dataset.data_schema().model_dump_json())
        texts += [name for measured in (*track.privacy, *track.utility) for name in measured.reads]
        boards = (*track.board, *edition.overall)
        named = [track.sample, *(board.rule for board in boards), *track.rule]
        texts += [f"{part.id} {part!r}" for part in named]
        texts += [repr(phase.contract) for phase in track.phase]
    return {word.lower() for text in texts for word in WORD.findall(text.replace("_", " "))}


@pytest.mark.parametrize("name", EDITIONS)
def test_the_rules_have_no_words_outside_the_catalogue(name):
    edition = load(name)
    with speaking("xx"):
        lines = list(lines_of(rules_in_words(edition, 1)))
    names = names_of(edition)
    wrong = {
        line: bare
        for line in lines
        if (bare := [w for w in WORD.findall(outside(line)) if w.lower() not in names])
    }
    assert len(lines) > 15 and wrong == {}


def test_words_outside_are_found():
    with speaking("xx"):
        assert "drawn" in outside(languages.say("How: %(how)s.", how="drawn at random"))


def test_numbers_and_times_are_written_as_the_language_does():
    edition = load("amic")
    with speaking("xx"):
        lines = "".join(lines_of(rules_in_words(edition, 1)))
    assert "_000" in lines and not re.search(r"\d,\d{3}", lines)
    (phase, *_) = (p for track in edition.track for p in track.phase)
    assert phase_dates(phase).isascii()


def test_what_has_no_translation_stays_english(monkeypatch):
    monkeypatch.setitem(languages._LANGUAGES, "xx", Language())
    edition = load("tiny")
    english = list(lines_of(rules_in_words(edition, 1)))
    with speaking("xx"):
        other = list(lines_of(rules_in_words(edition, 1)))
    assert "1,000 columns" in "".join(other)
    assert [line.replace(",", "") for line in other] == [line.replace(",", "") for line in english]


def test_the_committed_rules_are_the_same_in_every_language():
    edition = load("tiny")
    english = rules_files(edition, 1)
    with speaking("xx"):
        assert rules_files(edition, 1) == rules_files(load("tiny"), 1) == english
    assert languages.spoken() == DEFAULT
