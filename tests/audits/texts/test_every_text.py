"""Texts are searched wherever they are, also where nothing else can be compared."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from quintain.audits.release import audit_release
from quintain.errors import DataError

COUNT = 40
SAYINGS = ("was tired and slept", "walked to the lake", "asked for more tea", "has no fever today")


def note(person):
    first = ["Zoe", "Anna", "Marc", "Lena"][person % 4]
    family = f"B{chr(97 + person % 26)}sl{chr(97 + person // 26)}n"
    return (
        f"Patient {first} {family}, born on {1 + person % 28}.{1 + person % 12}."
        f"19{30 + person % 60}, telephone 0{600000000 + 7919 * person}, {SAYINGS[person % 4]}."
    )


def clinic(start, rng):
    """People, their visits, and notes of which every column but the text is a key."""
    people = [f"p{number}" for number in range(start, start + COUNT)]
    return {
        "person": pd.DataFrame(
            {
                "person_id": people,
                "sex": rng.choice(["f", "m"], COUNT),
                "age": rng.integers(20, 90, COUNT),
            }
        ),
        "visit": pd.DataFrame(
            {
                "visit_id": [f"v{number}" for number in range(start, start + 2 * COUNT)],
                "person_id": np.repeat(people, 2),
                "days": rng.integers(1, 30, 2 * COUNT),
            }
        ),
        "note": pd.DataFrame(
            {
                "note_id": [f"n{number}" for number in range(start, start + COUNT)],
                "person_id": people,
                "text": [note(start + number) for number in range(COUNT)],
            }
        ),
    }


def released(start, rng, change=lambda tables: None):
    tables = clinic(1000, rng)
    tables["note"]["text"] = [note(start + number) for number in range(COUNT)]
    change(tables)
    return tables


def rename(tables):
    tables["note"] = tables["note"].rename(columns={"text": "comment"})


def without_reference(tables):
    tables["note"] = tables["note"][["note_id", "text"]]


def under_another_name(tables):
    tables["remarks"] = tables.pop("note")[["text"]]


CHANGES = [lambda tables: None, rename, without_reference, under_another_name]


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_verbatim_notes_are_unsafe_in_a_table_that_has_nothing_else(change):
    rng = np.random.default_rng(5)
    original, control = clinic(0, rng), clinic(200, rng)
    audit = audit_release(original, released(0, rng, change), control, permutations=19)
    assert audit.verdict == "unsafe"
    assert audit.repeated_texts[0].columns == ("text",)
    assert any("note.text" in limit for limit in audit.limits)
    named = {(own.role, own.name.rpartition("/")[2]) for own in audit.inputs}
    assert {("original", "note"), ("control", "note")} <= named
    assert ("release", "remarks" if change is under_another_name else "note") in named


@pytest.mark.slow
def test_notes_of_strangers_are_no_alarm():
    rng = np.random.default_rng(5)
    original, control = clinic(0, rng), clinic(200, rng)
    audit = audit_release(original, released(1000, rng), control, permutations=19)
    assert audit.verdict in ("nothing-found", "cannot-say")
    assert not any(search.alarm for search in audit.repeated_texts)


def test_a_table_of_texts_alone_is_searched():
    texts = [pd.DataFrame({"text": [note(k + n) for n in range(COUNT)]}) for k in (0, 200, 1000)]
    audit = audit_release(texts[0], texts[0][::-1], texts[1], permutations=19)
    assert audit.verdict == "unsafe"
    assert [own.rows for own in audit.inputs] == [COUNT] * 3
    strangers = audit_release(texts[0], texts[2], texts[1], permutations=19)
    assert strangers.verdict == "cannot-say"
    assert strangers.obstacle == "columns"
    assert not any(search.alarm for search in strangers.repeated_texts)


@pytest.mark.parametrize("control", [True, False])
def test_a_table_of_hashes_alone_is_searched(control):
    people, others = ([f"{side}{n:03} Besson" for n in range(COUNT)] for side in "ab")
    frames = [pd.DataFrame({"name": names, "age": range(COUNT)}) for names in (people, others)]
    codes = [hashlib.md5(name.encode(), usedforsecurity=False).hexdigest() for name in people]
    beside = frames[1] if control else None
    audit = audit_release(frames[0], pd.DataFrame({"key": codes[::-1]}), beside, permutations=19)
    assert audit.verdict == "unsafe"
    assert "md5 of 'name'" in audit.reasons[0]
    tokens = pd.DataFrame({"key": [code[::-1] for code in codes]})
    with pytest.raises(DataError, match="no column that the audit can compare"):
        audit_release(frames[0], tokens, beside, permutations=19)
