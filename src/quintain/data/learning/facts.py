"""Facts: what is known about the cells of one column once all of them were seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.arrays import Array, Floats, distinct
from quintain.data.arrow import cell_texts, dictionary_texts
from quintain.data.column import CONTROL, all_kinds
from quintain.data.learning.time_formats import DAY_NUMBER, TimeFormats
from quintain.data.own_files.number_marks import NUMBER, Marks, MarksSeen, settle_marks, usual_marks
from quintain.data.own_files.spelling import MISSING, RARER_MISSING, is_missing

Content = Literal["nothing", "numbers", "times", "words"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What the cells of a column have in common.

    Parameters
    ----------
    rows, missing : how many cells there are, and how many of them have no value.
    spellings : how missing values are written, with the number of cells of each spelling.
    low, high : the smallest and the largest number; for times, in seconds since 1970.
    whole : whether all numbers are whole.
    pointed : whether a whole number is written with a decimal point, such as 3.0.
    distinct : whether all values differ.
    values : the different texts with their numbers of cells; None if there are too many.
    sample : some of the texts.
    longest, words_per_text : the length of the longest text, and how many words a text has.
    leading_zeros : whether a number begins with a zero, as codes do.
    decimal_comma : whether numbers are written with a decimal comma.
    grouped : a number with marks between thousands, as the cells have it; empty if there is none.
    conflict : two numbers whose marks contradict each other; empty if there are none.
    spoiler : the text without which most cells would be numbers.
    time_format, doubt : how times are written, and a caution about it.
    declared : the values that the type of the column lists, whether they occur or not.
    ordered : whether the order of the declared values has a meaning.
    spelled_as : the kind of column that the texts are the spelling of; empty if there is none.
    """

    name: str
    rows: int
    missing: int
    content: Content
    spellings: Mapping[str, int] = field(default_factory=dict)
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    pointed: bool = False
    distinct: bool = False
    values: Mapping[str, int] | None = None
    sample: tuple[str, ...] = ()
    longest: int = 0
    words_per_text: float = 0.0
    leading_zeros: bool = False
    decimal_comma: bool = False
    grouped: str = ""
    conflict: tuple[str, ...] = ()
    spoiler: str = ""
    time_format: str = ""
    doubt: str = ""
    declared: tuple[str, ...] = ()
    ordered: bool = False
    spelled_as: str = ""

    @property
    def filled(self) -> int:
        """How many cells have a value."""
        return self.rows - self.missing


MOST_VALUES = 10_000
"""A column with more different texts than this is not a category."""
_ZERO_FIRST = r"^-?0[0-9]"
_LOOKED_AT, _SAMPLE = 10_000, 50


class TextFacts:
    """Gathers facts about one column.

    A column of numbers is not kept as texts. If a later batch has a word, ``stale`` becomes true:
    then the column has to be read again with ``numbers`` off. It has to be read again with other
    ``marks``, too, if those of :meth:`settle` are not what the numbers were read with.
    """

    def __init__(
        self, name: str, *, separator: str, numbers: bool = True, marks: Marks | None = None
    ) -> None:
        self.name, self.stale, self.rows, self.seen = name, False, 0, MarksSeen()
        self._separator, self._numbers, self._marks = separator, numbers, marks
        self._read_with: set[Marks] = set()
        self._grouped, self._only_numbers, self._codes = "", True, False
        self._spellings: Counter[str] = Counter()
        self._rarer: Counter[str] = Counter()
        self._word: tuple[str, ...] = ()
        self.spoiler = ""
        self._low, self._high, self._whole, self._pointed = np.inf, -np.inf, True, False
        self._zeros = self._commas = False
        self._unique: list[Floats] | None = []
        self._texts = _DifferentTexts()
        self._times = TimeFormats()
        self._spelled = [kind for kind in all_kinds() if kind.spelling]

    def add(self, texts: pa.Array) -> None:
        """Take in the next cells."""
        self.rows += len(texts)
        trimmed = pc.utf8_trim_whitespace(texts)
        rest = self._without_missing(trimmed)
        if not len(rest) or self.stale:
            return
        if self._numbers:
            numbers = self._as_numbers(rest)
            if numbers is None and not self._word:
                rest, numbers = self._without_lone_word(rest)
            if numbers is not None:
                self._add_numbers(rest, numbers)
                return
            self._numbers, self.stale = False, self._high > -np.inf
            self._only_numbers = pc.all(pc.match_substring_regex(rest, NUMBER)).as_py()
            self.spoiler = _spoiler(rest)
            if self.stale:
                return
        self._add_words(rest)

    def _without_missing(self, texts: pa.Array) -> pa.Array:
        """The texts that are values; among numbers, more words mean that a value is missing."""
        words = (*MISSING, *RARER_MISSING, *self._word) if self._numbers else MISSING
        mask = is_missing(texts, words)
        if not mask.any():
            return texts
        absent, rest = texts.filter(pa.array(mask)), texts.filter(pa.array(~mask))
        rarer = self._numbers and not is_missing(absent, MISSING).all()
        if rarer and len(rest) and self._as_numbers(rest) is None:
            mask = is_missing(texts, MISSING)
            absent, rest = texts.filter(pa.array(mask)), texts.filter(pa.array(~mask))
        self._spellings.update(absent.to_pylist())
        return rest

    def _without_lone_word(self, texts: pa.Array) -> tuple[pa.Array, Floats | None]:
        """The numbers, if one word alone is not a number: then it says that a value is missing."""
        word = _lone_word(texts)
        rest = texts.filter(pc.not_equal(texts, word))
        numbers = self._as_numbers(rest) if word else None
        if numbers is None:
            return texts, None
        self._word = (word,)
        self._spellings[word] += len(texts) - len(rest)
        return rest, numbers

    def _as_numbers(self, texts: pa.Array) -> Floats | None:
        marks = self._marks
        if marks is None or not marks.thousands:
            numbers = _cast(texts)
            if numbers is not None:
                if "." not in self.seen.decimals:
                    self.seen.look(texts)
                    if "." in (self.seen.open | self.seen.decimals):
                        self._read_with.add(usual_marks(self._separator))
                return numbers if np.isfinite(numbers).all() else None
        if not self._has_known_commas(texts):
            self.seen.look(texts)
        if marks is None:
            settled = settle_marks(self.seen, separator=self._separator)
            marks = settled or usual_marks(self._separator)
        plain = marks.plain(texts)
        numbers = _cast(plain)
        if numbers is None or not np.isfinite(numbers).all():
            return None
        explained = self._marks is not None or self.seen.decimals or self._high > -np.inf
        if not explained and _are_codes(texts, plain):
            self._codes = True
            return None
        self._read_with.add(marks)
        if not self._grouped:
            shorter = pc.less(pc.binary_length(plain), pc.binary_length(texts))
            place = pc.index(shorter, True).as_py()
            self._grouped = texts[place].as_py() if place >= 0 else ""
        self._commas = self._commas or (
            marks.decimal_comma and pc.any(pc.match_substring(texts, ",")).as_py()
        )
        return numbers

    def _has_known_commas(self, texts: pa.Array) -> bool:
        """Whether all marks are decimal commas, of which nothing more can be learned."""
        return "," in self.seen.decimals and not (
            pc.any(pc.match_substring(texts, ".")).as_py()
            or pc.any(pc.greater(pc.count_substring(texts, ","), 1)).as_py()
        )

    @property
    def may_be_numbers(self) -> bool:
        """Whether all cells that were looked at are numbers, whichever marks they have."""
        return (self._numbers or self.stale or self._only_numbers) and not self._codes

    def marks_to_read_with(self, settled: Marks | None) -> Marks | None:
        """The marks with which the column has to be read again; None if it is right as it is.

        Parameters
        ----------
        settled : the marks, once all columns were seen; None if a person has to say them. Then the
            column is read again with the mark between thousands, to see whether it has numbers.
        """
        if not self.seen.open and not self.seen.groups:
            return None
        if settled is None:
            group = next(iter(self.seen.open))
            return Marks(decimal_comma=group == ".", thousands=group)
        plain_read = self._numbers and not self._read_with and not settled.thousands
        return None if plain_read or self._read_with == {settled} else settled

    def _add_numbers(self, texts: pa.Array, numbers: Floats) -> None:
        zero_first = texts.filter(pc.or_(pc.starts_with(texts, "0"), pc.starts_with(texts, "-0")))
        if len(zero_first) and pc.any(pc.match_substring_regex(zero_first, _ZERO_FIRST)).as_py():
            # A number with leading zeros is a code, so from now on these are words.
            self._zeros, self._numbers, self.stale = True, False, self._high > -np.inf
            if not self.stale:
                self._add_words(texts)
            return
        self._low, self._high = min(self._low, numbers.min()), max(self._high, numbers.max())
        self._whole = self._whole and bool((numbers == np.floor(numbers)).all())
        if not self._whole:
            self._unique = None
            return
        points = not self._grouped and pc.any(pc.match_substring(texts, ".")).as_py()
        self._pointed = self._pointed or points
        self._times.narrow(texts[:0] if self._low < 18_000_101 else pc.unique(texts))
        self._keep_unique(numbers)

    def _keep_unique(self, numbers: Floats) -> None:
        for part in (numbers[:1000], numbers):
            if self._unique is not None and len(distinct(part)) < len(part):
                self._unique = None
        if self._unique is not None:
            self._unique.append(numbers)

    def _add_words(self, texts: pa.Array) -> None:
        encoded = texts.dictionary_encode()
        counts = np.bincount(encoded.indices.to_numpy())
        self._texts.add(encoded.dictionary, counts)
        self._spelled = [
            kind
            for kind in self._spelled
            if pc.all(pc.match_substring_regex(encoded.dictionary, kind.spelling)).as_py()
        ]
        rarer = is_missing(encoded.dictionary, RARER_MISSING)
        for text, count in zip(
            encoded.dictionary.filter(pa.array(rarer)).to_pylist(), counts[rarer], strict=True
        ):
            self._rarer[text] += int(count)
        self._times.narrow(encoded.dictionary.filter(pa.array(~rarer)))

    def facts(self) -> Facts:
        """The facts about all cells."""
        content = self._content(self._spellings.total())
        low, high = self._low, self._high
        form = self._times.best if content == "times" else None
        spellings = self._spellings
        if form:
            low, high = self._times.left[form]
            spellings = spellings + self._rarer
        return Facts(
            self.name,
            self.rows,
            spellings.total(),
            content,
            spellings,
            low=float(low) if content != "words" else 0.0,
            high=float(high) if content != "words" else 0.0,
            whole=self._whole,
            pointed=self._pointed,
            distinct=self._distinct(content),
            values=self._texts.counts() if content == "words" else None,
            sample=self._texts.sample,
            longest=self._texts.longest,
            words_per_text=self._texts.words_per_text,
            leading_zeros=self._zeros,
            decimal_comma=self._commas and content == "numbers",
            grouped=self._grouped if content == "numbers" else "",
            conflict=self.seen.conflict or () if content == "words" else (),
            spoiler=self.spoiler,
            time_format=form or "",
            doubt=self._times.doubt() if form else "",
            spelled_as=self._spelled[0].name() if content == "words" and self._spelled else "",
        )

    def _content(self, missing: int) -> Content:
        if self.rows == missing:
            return "nothing"
        if self._numbers:
            days = self._whole and _may_be_days(self._low, self._high)
            return "times" if days and self._times.best == DAY_NUMBER else "numbers"
        return "times" if self._times.best else "words"

    def _distinct(self, content: Content) -> bool:
        if content == "words":
            return self._texts.distinct()
        if content != "numbers" or self._unique is None:
            return False
        return len(distinct(np.concatenate(self._unique))) == self.rows - self._spellings.total()


def _lone_word(texts: pa.Array) -> str:
    """The only text that is no number, if most others are, and it has no digit and can be seen."""
    numbers = pc.match_substring_regex(texts, NUMBER).to_numpy(zero_copy_only=False)
    words = pc.unique(texts.filter(pa.array(~numbers)))
    if numbers.mean() < 0.5 or len(words) != 1:
        return ""
    word = str(words[0])
    return "" if any(map(str.isdecimal, word)) or CONTROL.search(word) else word


def _cast(texts: pa.Array) -> Floats | None:
    try:
        numbers: Floats = texts.cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return None
    return numbers


def _are_codes(texts: pa.Array, plain: pa.Array) -> bool:
    """Whether cells such as 123.456.789 are codes: all have groups and as many digits."""
    lengths = pc.min_max(pc.utf8_length(texts)).as_py()
    if len(texts) < 2 or lengths["min"] != lengths["max"]:
        return False
    whole = pc.match_substring_regex(plain, "^[0-9]+$")
    return bool(pc.all(pc.and_(whole, pc.not_equal(plain, texts))).as_py())


def _spoiler(texts: pa.Array) -> str:
    """The first text that is not a number, if most others are numbers; else empty."""
    sample = texts[:_LOOKED_AT]
    numbers = pc.match_substring_regex(sample, NUMBER).to_numpy(zero_copy_only=False)
    if numbers.mean() < 0.5 or numbers.all():
        return ""
    return str(sample[int(np.flatnonzero(~numbers)[0])])


class _DifferentTexts:
    """The different texts of a column, as far as there are not too many."""

    def __init__(self) -> None:
        self._parts: list[tuple[pa.Array, Array]] = []
        self._kept = 0
        self._repeated = False
        self.longest = self._words = self._seen = 0
        self.sample: tuple[str, ...] = ()

    def add(self, texts: pa.Array, counts: Array) -> None:
        """Take in different texts, with their numbers of cells."""
        self.longest = max(self.longest, pc.max(pc.utf8_length(texts)).as_py())
        self._words += pc.sum(pc.count_substring(texts, " ")).as_py() + len(texts)
        self._seen += len(texts)
        self.sample = self.sample or tuple(texts[:_SAMPLE].to_pylist())
        self._repeated = self._repeated or bool((counts > 1).any())
        if self._kept > MOST_VALUES and self._repeated:
            return  # neither a category nor an id
        self._parts.append((texts, counts))
        self._kept += len(texts)
        if self._kept > 4 * MOST_VALUES and self._repeated:
            self._parts = [self._merge()]
            self._kept = len(self._parts[0][0])

    @property
    def words_per_text(self) -> float:
        """How many words a text has, on average over different texts."""
        return self._words / max(self._seen, 1)

    def _merge(self) -> tuple[pa.Array, Array]:
        encoded = pa.concat_arrays([texts for texts, _ in self._parts]).dictionary_encode()
        weights = np.concatenate([counts for _, counts in self._parts])
        return encoded.dictionary, np.bincount(encoded.indices.to_numpy(), weights)

    def counts(self) -> dict[str, int] | None:
        """Each text with its number of cells; None if there are too many."""
        if not self._parts or self._kept > 4 * MOST_VALUES:
            return None
        texts, counts = self._merge()
        if len(texts) > MOST_VALUES:
            return None
        return dict(zip(texts.to_pylist(), counts.astype(int).tolist(), strict=True))

    def distinct(self) -> bool:
        """Whether no text appears twice."""
        return not self._repeated and bool((self._merge()[1] == 1).all())


_DAY, _SECOND = "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"


def typed_facts(name: str, cells: pa.ChunkedArray, *, words: bool = False) -> Facts:
    """The facts about a column with a type, the same that its cells in a CSV file would give.

    With ``words``, numbers are looked at as texts, too. So are the values of a dictionary, which
    says that the column is a category.
    """
    kind = cells.type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_duration(kind):
        raise ValueError(
            f"expected texts, numbers, dates or true and false, not {kind}; convert the column, or "
            "leave it out"
        )
    if pa.types.is_dictionary(kind):
        facts = _texts(name, cell_texts(cells), numbers=False)
        declared = tuple(dict.fromkeys(text.strip() for text in dictionary_texts(cells)))
        return replace(facts, declared=declared, ordered=kind.ordered)
    if words:
        return _texts(name, cell_texts(cells), numbers=False)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _times(name, cells)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _numbers(name, cells)
    return _texts(name, cell_texts(cells), numbers=True)


def _texts(name: str, cells: pa.ChunkedArray, *, numbers: bool) -> Facts:
    gathered = _gather(name, cells, numbers=numbers)
    settled = settle_marks(gathered.seen, separator=",")
    known = settled is not None and gathered.may_be_numbers
    marks = gathered.marks_to_read_with(settled) if known else None
    if marks is not None:
        gathered = _gather(name, cells, numbers=numbers, marks=marks)
    if not gathered.stale:
        return gathered.facts()
    return replace(_gather(name, cells, numbers=False).facts(), spoiler=gathered.spoiler)


def _gather(
    name: str, cells: pa.ChunkedArray, *, numbers: bool, marks: Marks | None = None
) -> TextFacts:
    gathered = TextFacts(name, separator=",", numbers=numbers, marks=marks)
    for chunk in cells.chunks:
        gathered.add(chunk.fill_null(""))
    return gathered


def _numbers(name: str, cells: pa.ChunkedArray) -> Facts:
    numbers: Floats = cells.cast(pa.float64(), safe=False).drop_null().to_numpy()
    if np.isinf(numbers).any():
        raise ValueError(
            "a column cannot hold infinity; make such cells missing, or leave their rows out"
        )
    numbers = numbers[~np.isnan(numbers)]
    if not len(numbers):
        return _no_facts(name, cells)
    low, high = float(numbers.min()), float(numbers.max())
    whole = bool((numbers == np.floor(numbers)).all())
    if pa.types.is_integer(cells.type) and _may_be_days(low, high):
        times = TimeFormats()
        times.narrow(pc.unique(cells.drop_null()).cast(pa.string()))
        if times.best == DAY_NUMBER:
            return _moments(name, cells, *times.left[DAY_NUMBER], DAY_NUMBER)
    missing = len(cells) - len(numbers)
    return Facts(
        name,
        len(cells),
        missing,
        "numbers",
        {"": missing} if missing else {},
        low=low,
        high=high,
        whole=whole,
        pointed=not pa.types.is_integer(cells.type),
        distinct=whole and len(distinct(numbers)) == len(numbers),
    )


def _times(name: str, cells: pa.ChunkedArray) -> Facts:
    seconds = cells.cast(pa.timestamp("s"), safe=False).cast(pa.int64()).drop_null().to_numpy()
    if not len(seconds):
        return _no_facts(name, cells)
    form = _DAY if (seconds % 86_400 == 0).all() else _SECOND
    return _moments(name, cells, int(seconds.min()), int(seconds.max()), form)


def _moments(name: str, cells: pa.ChunkedArray, low: int, high: int, form: str) -> Facts:
    missing = cells.null_count
    spellings = {"": missing} if missing else {}
    return Facts(
        name, len(cells), missing, "times", spellings, float(low), float(high), time_format=form
    )


def _no_facts(name: str, cells: pa.ChunkedArray) -> Facts:
    return Facts(name, len(cells), len(cells), "nothing")


def _may_be_days(low: float, high: float) -> bool:
    """Whether whole numbers can be days such as 20110131."""
    return low >= 18_000_101 and high <= 22_001_231
