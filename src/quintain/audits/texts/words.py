"""Words of texts: notes as numbers, one per word, whatever their case, spaces and punctuation.

Where a script puts no spaces between words, each character counts as a word. All work on single
texts is done by Arrow; Python looks at every different word once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.arrays import Codes, Floats, Mask, Rows

_INVISIBLE = r"\p{Cf}+"
_ALONE = r"([\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{So}])"
"""Characters that are words of their own: scripts without spaces, and pictures such as emoji."""
_BETWEEN = r"[^\p{L}\p{N}\p{M}\p{So}]+"
_FEWEST_DIGITS, _FEWEST_LETTERS = 3, 2


@dataclass(frozen=True, slots=True, eq=False)
class NumberedWords:
    """Texts as numbered words, all texts one after another.

    Parameters
    ----------
    numbers : for each place the number of its word, after case and forms of letters are folded.
    spelled : for each place the number of the word as it is written.
    starts : for each text its first place, and at the end the number of places.
    spellings : the different words as they are written.
    telling : for each spelling whether it may be a name or a number of one person: a capital
        letter, or at least three digits.
    lengths : for each number of a word how many characters it has if a digit is among them; else 0.

    >>> words = number_words(pa.array(["Anna Bell, 1977!", "anna  BELL", None, "東京都"]))
    >>> words.numbers.tolist(), words.starts.tolist()
    ([0, 1, 2, 0, 1, 3, 4, 5], [0, 3, 5, 5, 8])
    >>> words.passage(0, 2)
    'Anna Bell'
    """

    numbers: Codes
    spelled: Codes
    starts: Rows
    spellings: tuple[str, ...]
    telling: Mask
    lengths: Floats

    def __len__(self) -> int:
        return len(self.numbers)

    def text_of_place(self) -> Rows:
        """For each place the number of its text."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def passage(self, start: int, end: int) -> str:
        """The words between two places, as they are written, with single spaces."""
        return " ".join(self.spellings[word] for word in self.spelled[start:end])


def number_words(texts: pa.Array) -> NumberedWords:
    """Number the words of texts; the same word has the same number in all of them."""
    flat, starts = _split(texts)
    encoded = flat.dictionary_encode()
    spellings = encoded.dictionary.to_pylist()
    folded = pa.array([fold(word) for word in spellings], pa.large_string()).dictionary_encode()
    spelled = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    numbers = folded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    return NumberedWords(
        numbers[spelled] if len(spelled) else spelled,
        spelled,
        starts,
        tuple(spellings),
        np.array([_is_telling(word) for word in spellings], bool),
        np.array([_code_length(word) for word in folded.dictionary.to_pylist()], float),
    )


def fold(word: str) -> str:
    """A word without its case and without other forms of its letters.

    >>> fold("Straße"), fold("ＡＢＣ１")
    ('strasse', 'abc1')
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).casefold())


def _split(texts: pa.Array) -> tuple[pa.Array, Rows]:
    """The words of all texts, and where each text starts."""
    plain = texts.cast(pa.large_string()).fill_null("")
    for pattern, instead in ((_INVISIBLE, ""), (_ALONE, r" \1 "), (_BETWEEN, " ")):
        plain = pc.replace_substring_regex(plain, pattern=pattern, replacement=instead)
    words = pc.split_pattern(pc.utf8_trim_whitespace(plain), " ")
    counts = words.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
    flat = words.flatten()
    if pc.any(pc.equal(flat, "")).as_py():  # a text without words has one empty word here
        empty = pc.equal(flat, "").to_numpy(zero_copy_only=False)
        counts -= np.bincount(np.repeat(np.arange(len(counts)), counts)[empty], None, len(counts))
        flat = flat.filter(pa.array(~empty))
    return flat, np.concatenate([[0], np.cumsum(counts)])


def _is_telling(word: str) -> bool:
    if sum(map(str.isdecimal, word)) >= _FEWEST_DIGITS:
        return True
    return len(word) >= _FEWEST_LETTERS and (word[0].isupper() or word[0].istitle())


def _code_length(word: str) -> int:
    """How many characters a code or a number has; 0 for a word without digits."""
    return len(word) if any(map(str.isdecimal, word)) else 0


def join_texts(columns: Sequence[pa.ChunkedArray]) -> pa.Array:
    """The cells of several columns, one column after another, as one array of texts."""
    chunks = [chunk.cast(pa.large_string()) for column in columns for chunk in column.chunks]
    return pa.concat_arrays(chunks) if chunks else pa.array([], pa.large_string())
