"""Keys of an edition file change, and the rest of its text stays."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.contests import builtin_names
from quintain.contests.loading.load import builtin_text
from quintain.contests.rewriting import change_keys

NAMES = st.sampled_from(["id", "goal", "sanitizer", "board", "quick", "new-key"])
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
VALUES = st.one_of(
    st.none(),
    TEXTS,
    st.integers(-(2**40), 2**40),
    st.booleans(),
    st.lists(st.dictionaries(TEXTS, TEXTS, max_size=3), max_size=3),
    st.dictionaries(TEXTS, st.lists(st.integers(-9, 9), max_size=3), max_size=3),
)


@pytest.mark.slow
@given(st.sampled_from(builtin_names()), st.dictionaries(NAMES, VALUES))
def test_the_file_says_what_was_wanted(name, changes):
    text = builtin_text(name)
    wanted = {**tomllib.loads(text), **changes}
    changed = tomllib.loads(change_keys(text, changes))
    assert changed == {key: value for key, value in wanted.items() if value is not None}


def test_comments_and_other_keys_stay():
    text = '# ours\nid = "a" # short\n\n# goals\n[goal]\nuse = "x"\n\n# the end\n[quick]\nn = 1\n'
    changed = change_keys(text, {"goal": {"use": "y"}})
    assert changed.startswith('# ours\nid = "a" # short\ngoal = { use = "y" }\n')
    assert changed.endswith("# the end\n[quick]\nn = 1\n")


def test_no_change_keeps_every_byte():
    text = builtin_text("amic")
    assert change_keys(text, {}) == text


def test_a_text_that_looks_like_keys_is_written_anew():
    text = 'words = """\ngoal = 1\n"""\ngoal = 2\n'
    assert tomllib.loads(change_keys(text, {"goal": 3})) == {"words": "goal = 1\n", "goal": 3}
