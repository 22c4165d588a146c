"""Passages: the fast search agrees with an obvious one, and shared words say nothing."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.audits.texts.passages import ANCHORS, CHANGED, REACH, find_repeated
from quintain.audits.texts.words import number_words

WORD = st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "h", "Ina", "x123"])
NOTE = st.lists(WORD, max_size=12).map(" ".join)


def look(notes, released, person=None):
    owners = np.arange(len(notes)) if person is None else np.array(person, np.int64)
    people = int(owners.max(initial=-1)) + 1
    words = number_words(pa.array([*notes, *released], pa.string()))
    return words, find_repeated(words, owners, people)


# --- the same by loops ----------------------------------------------------------------------------


def people_with(notes, person, wanted):
    size = len(wanted)
    return {
        owner
        for note, owner in zip(notes, person, strict=True)
        for start in range(len(note) - size + 1)
        if note[start : start + size] == wanted
    }


def surprise(notes, person, note, place):
    """The bits of a word by the definition."""
    different = {word for words in notes for word in words}
    total = sum(len(people_with(notes, person, [word])) for word in different)
    word = note[place]
    new = 0.25
    if any(map(str.isdigit, word)):
        new = min(0.25, total * 10.0 ** -len(word))
    chances = [(len(people_with(notes, person, [word])) - 1 + new) / (total + 1)]
    for before in range(1, min(3, place) + 1):
        context = note[place - before : place]
        others = len(people_with(notes, person, context)) - 1
        together = len(people_with(notes, person, [*context, word])) - 1
        chances.append(together / (others + 0.1))
    return -math.log2(min(1.0, max(chances)))


def reach(mine, theirs, credit):
    """How far two lists of words agree but for one word in eight."""
    count = changed = seen = 0
    for place, (written, released) in enumerate(zip(mine[:REACH], theirs[:REACH], strict=False), 1):
        if written != released:
            seen += 1
        elif credit + place - CHANGED * seen >= 0:
            count, changed = place, seen
    return count, changed


def first_with(released, wanted):
    """The first released text with these words, and where it has them."""
    for text in released:
        for at in range(len(text) - len(wanted) + 1):
            if text[at : at + len(wanted)] == wanted:
                return text, at
    return None


def told(note, bits, start, size, text, at):
    """The bits of the passage around words in common."""
    on, changed = reach(note[start + size :], text[at + size :], size)
    back, _ = reach(note[:start][::-1], text[:at][::-1], size + on - CHANGED * changed)
    places = range(start - back, start + size + on)
    return sum(bits[place] for place in places if note[place] == text[at + place - start])


def slow_bits(notes, released, person):
    """The fewest and the most bits of each person: anchors that say the same are chosen freely."""
    least, most = (dict.fromkeys(person, 0.0) for _ in range(2))
    for note, owner in zip(notes, person, strict=True):
        bits = [surprise(notes, person, note, place) for place in range(len(note))]
        for size in ANCHORS:
            common = {
                start: (sum(bits[start : start + size]), found)
                for start in range(len(note) - size + 1)
                if (found := first_with(released, note[start : start + size]))
            }
            highest = max((weight for weight, _ in common.values()), default=0.0)
            ends = [
                told(note, bits, start, size, *found)
                for start, (weight, found) in common.items()
                if weight >= highest - 1e-9
            ]
            least[owner] = max(least[owner], min(ends, default=0.0))
            most[owner] = max(most[owner], max(ends, default=0.0))
    return tuple(np.array([side[who] for who in sorted(side)]) for side in (least, most))


@pytest.mark.slow
@given(st.lists(NOTE, min_size=1, max_size=4), st.lists(NOTE, max_size=2))
def test_the_fast_search_agrees_with_the_obvious_one(notes, released):
    person = [number // 2 for number in range(len(notes))]
    _, found = look(notes, released, person)
    split = [note.lower().split() for note in notes], [note.lower().split() for note in released]
    least, most = slow_bits(*split, person)
    assert np.all(found.bits >= least - 1e-6)
    assert np.all(found.bits <= most + 1e-6)


# --- what counts ----------------------------------------------------------------------------------

COMMON = "the patient was seen in the clinic today and went home in good health"
SECRET = "Zora Quill hid nine copper lanterns under a blue barn near Tonder in May of 1977 for Udo"


def crowd(count=30):
    return [f"{COMMON} after {number} days" for number in range(count)]


@pytest.mark.parametrize(
    "released",
    [
        SECRET,
        SECRET.upper().replace(" ", ",  "),
        SECRET.replace("copper", "bronze"),
        SECRET.replace("copper", "bronze").replace("near", "by"),
        "nine copper lanterns under a blue barn",
        f"{COMMON} {SECRET} {COMMON}",
    ],
)
def test_a_secret_is_found_however_it_is_repeated(released):
    notes = [*crowd(), f"{COMMON}. {SECRET}"]
    _, found = look(notes, [COMMON, released])
    assert np.flatnonzero(found.passages).tolist() == [30]


@pytest.mark.parametrize("released", [COMMON, "", "Zora", "in May", "he hid a barn of lanterns"])
def test_common_and_single_words_are_no_passage(released):
    notes = [*crowd(), f"{COMMON}. {SECRET}"]
    _, found = look(notes, [released])
    assert not found.passages.any()


def test_a_passage_that_two_people_write_is_nobodys():
    notes = [*crowd(), SECRET, SECRET]
    _, found = look(notes, [SECRET])
    assert not found.passages.any()
    assert not found.names.any()
    _, same = look(notes, [SECRET], person=[*range(31), 30])
    assert np.flatnonzero(same.passages).tolist() == [30]


def test_characters_are_words_where_there_are_no_spaces():
    secret = "祖母は港町で青い灯台を守り七匹の猫と暮らした"
    notes = [*(f"患者は本日来院し{number}日後に再診" for number in range(30)), secret]
    words, found = look(notes, [f"患者は{secret}本日"])
    assert np.flatnonzero(found.passages).tolist() == [30]
    assert words.passage(found.start[30], found.end[30]).replace(" ", "") == secret


def test_names_and_numbers_of_one_person_are_counted():
    notes = ["seen by Olga on 12", "seen by Olga, code 4711", "seen by Ulf"]
    _, found = look(notes, ["OLGA and ulf", "4711 then 12"])
    assert found.own_words.tolist() == [0, 1, 1]


def test_odd_and_long_texts_are_searched():
    long = " ".join(f"w{number}" for number in range(5000))
    notes = ["", "...", "x" * 100_000, long, "👍" * 50, "مرحبا بالعالم " * 20]
    _, found = look(notes, notes)
    assert found.passages[3]
    assert found.end[3] - found.start[3] >= REACH
    for nobody in (look([], ["a"]), look(["a b"], []), look([], [])):
        assert not nobody[1].passages.any()


def test_the_order_of_people_does_not_matter():
    notes = [*crowd(), SECRET, f"{COMMON} {SECRET[::-1]}"]
    order = np.random.default_rng(0).permutation(len(notes))
    _, found = look(notes, [SECRET, COMMON])
    _, mixed = look([notes[place] for place in order], [SECRET, COMMON])
    assert np.allclose(found.bits[order], mixed.bits)
