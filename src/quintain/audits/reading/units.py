"""Units: whose row each one is, where people have several rows.

A column says it, or nothing does: then rows that are equal in all columns may be those of one
person, as somebody may have entered them several times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.arrays import Rows, distinct
from quintain.data.learning.decisions import ID_NAME
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.matching.names import numbers_rows
from quintain.data.learning.matching.texts import same_notation
from quintain.data.own_files.spelling import MISSING
from quintain.errors import DataError, Fault
from quintain.releases import Claim
from quintain.wording.suggestion import suggestion

EQUAL_ROWS = "equal-rows"
"""In place of a column: equal rows are those of one person."""
_FEWEST_IDS = 10
"""A column with fewer different values than this is a category, whatever its name is."""
_PEOPLE = (
    "person|people|patient|customer|client|user|household|subject|employee|pseudonym|member|case|"
    "personen|patienten|kunde|kunden|klient|klienten|mitarbeiter|mitglied|mitglieds|versicherten|"
    "fall|haushalt|haushalts|probanden|personne|usager|ménage|persona|paciente|cliente|hogar|"
    "paziente|pessoa|utente|klant|patiënt"
)
_NUMBER = "id|nr|no|num|nummer|number|numero|número|numéro|code|key|kennung|schlüssel"
_BEFORE = rf"{_NUMBER}|n°|nº|cod|código|codigo|codice|identifiant|clé|clave"
_OWNER = re.compile(
    rf"(?i)(?:{_PEOPLE})s?(?:[ _.-]?(?:{_NUMBER})\.?)?|[pu]id|hhid|mrn"
    rf"|(?:{_BEFORE})\.?[ _-]?(?:d[eiu]l? ?)?(?:{_PEOPLE})s?"
)
"""Columns that name people, if they have many values, in languages of some readers."""
_FEWEST_OWNERS = 0.02
"""An owner column has at least this many different values per row: people with fifty rows each."""
_OFTEN, _MOST_OFTEN, _FREQUENT_LEVEL = 3, 100, 0.001
"""From so many equal rows on, of at most so many records, and with this error, they are tested."""
_FREQUENT_SHARE = 0.1
"""If a larger share of different rows is there so often, that is how the table is."""
_MOST_ALIKE = 0.1
"""If more of the control's different rows than this are in the original, too, people are split."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """For each row of the original, the control and the release the number of its person.

    Parameters
    ----------
    control : None if there is no control. Nobody is on both sides.
    equal_rows : whether equal rows are taken for one person.
    frequent : whether only those are that are there too often for several people.
    release : the numbers of pseudonyms; None if the release does not have the column.
    pseudonym_of : for the number of each person that of their pseudonym, -1 if they have none;
        None if nobody knows.
    """

    original: Rows
    control: Rows | None
    equal_rows: bool = False
    release: Rows | None = None
    pseudonym_of: Rows | None = None
    frequent: bool = False


def read_units(sources: Sequence[InputTable], unit: str, key: Any = None) -> Units:
    """Number the people by the column ``unit``; raises with every fault of all tables.

    A few different people may be alike. So equal rows on both sides are two people, unless there
    are many of them.

    Parameters
    ----------
    key : a table with the column ``unit`` and one other, which has the pseudonyms.
    """
    sides = [source for source in sources if source.role != "release"]
    if not is_equal_rows(unit, sides[0].names()):
        return _read_pseudonyms(sources, sides, unit, key)
    common = [name for name in sides[0].names() if name in sides[-1].names()]
    cells = [[source.cells(name) for source in sides] for name in common]
    numbers = number_rows(cells)
    original, control = np.split(numbers, [len(cells[0][0])])
    if len(sides) == 1:
        return Units(original, None, True)
    people = distinct(control)
    both = len(np.intersect1d(original, people))
    if both > _MOST_ALIKE * len(people):
        raise DataError([Fault(_rows_on_both_sides(both, len(people)), sides[1].name)])
    return Units(original, control + numbers.max() + 1, True)


def whole_rows(sources: Sequence[InputTable]) -> list[Rows]:
    """For each row of the original, and of the control, a number that equal rows share.

    Whole files decide: people may be alike in the columns that the release has.
    """
    sides = [source for source in sources if source.role != "release"]
    cells = [[source.cells(name) for source in sides] for name in _common_columns(sides)]
    if not cells:
        return []
    return np.split(number_rows(cells), np.cumsum([len(own) for own in cells[0]])[:-1])


def _common_columns(sides: Sequence[InputTable]) -> list[str]:
    """The columns that all tables have, without nested ones."""
    names = []
    for name in sides[0].names():
        try:
            if all(name in side.names() and side.cells(name) is not None for side in sides):
                names.append(name)
        except pa.ArrowException:  # nested cells are no texts
            continue
    return names


def frequent_units(sources: Sequence[InputTable], rows: Sequence[Rows]) -> Units | None:
    """Units in which rows that are equal too often for several people are those of one person.

    Somebody whose row was entered twenty times is one person. None if there is no such row.

    Parameters
    ----------
    rows : the numbers of :func:`whole_rows`.
    """
    numbers = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    _, first, inverse, counts = np.unique(
        numbers, return_index=True, return_inverse=True, return_counts=True
    )
    often = np.flatnonzero(counts >= _OFTEN)
    if not len(often) or len(often) > _FREQUENT_SHARE * len(counts):
        return None  # in a table of wide classes people are alike; in one of visits many repeat
    often = often[np.argsort(-counts[often], kind="stable")][:_MOST_OFTEN]
    sides = [source for source in sources if source.role != "release"]
    codes = np.column_stack(
        [number_rows([[side.cells(name) for side in sides]]) for name in _common_columns(sides)]
    )
    level = _FREQUENT_LEVEL / len(often)
    one = [group for group in often if _chance_of_group(codes, first[group]) <= level]
    if not one:
        return None
    inverse = inverse.reshape(-1)
    units = len(counts) + np.arange(len(numbers))
    together = np.isin(inverse, one)
    units[together] = inverse[together]
    original, *rest = np.split(units, np.cumsum([len(own) for own in rows])[:-1])
    return Units(
        original, rest[0] + 2 * int(units.max()) if rest else None, equal_rows=True, frequent=True
    )


def _chance_of_group(codes: Rows, row: int) -> float:
    """How probable so many equal rows are if they are those of different people.

    Of the people who are alike in all columns but one, about as many should have the value of that
    column as of all people. The column in which this is most probable decides.
    """
    from scipy.stats import binom

    alike = codes == codes[row]
    differing = alike.shape[1] - alike.sum(axis=1)
    copies = int((differing == 0).sum())
    chances = []
    for column in alike.T:
        others = int(((differing == 1) & ~column).sum())
        chances.append(float(binom.sf(copies - 1, copies + others, column.mean())))
    return max(chances)


def tell_frequent(units: Units) -> str:
    """That rows which are there too often count as one person, in a sentence."""
    _, counts = np.unique(units.original, return_counts=True)
    several = counts[counts > 1]
    return (
        f"{len(several):,} records of the original are there up to {int(several.max(initial=1)):,} "
        "times, equal in all columns, which is too often for different people. Each of them counts "
        f"as one person; --unit {EQUAL_ROWS} (unit= in Python) takes all equal rows for one."
    )


def require_unit(sources: Sequence[InputTable], unit: str) -> None:
    """Raise with every table of people that lacks the column ``unit``; no cell is read."""
    sides = [source for source in sources if source.role != "release"]
    if is_equal_rows(unit, sides[0].names()):
        return
    faults = [fault for source in sides for fault in _lacking(source, unit)]
    if faults:
        raise DataError(faults)


def _read_pseudonyms(
    sources: Sequence[InputTable], sides: Sequence[InputTable], unit: str, key: Any
) -> Units:
    """Number people and pseudonyms by a column; equal texts have equal numbers on all sides."""
    keys = [] if key is None else [InputTable.of(key, "key")]
    faults = [fault for table in keys for fault in faults_of_key(table, unit)]
    if faults:
        raise DataError(faults)
    shown = [source for source in sources if source.role == "release" and unit in source.names()]
    cells = [source.cells(unit) for source in (*sides, *shown)]
    for table in keys:
        cells += [table.cells(name) for name in sorted(table.names(), key=lambda n: n != unit)]
    cells = same_notation(cells)
    for table in keys:
        known, pseudonyms = cells[: len(sides)], cells[len(sides) : -2]
        if faults := faults_of_pairs(table, unit, known, pseudonyms, cells[-2:]):
            raise DataError(faults)
    numbers = number_units(_join(cells))
    parts = np.split(numbers, np.cumsum([len(side) for side in cells])[:-1])
    original, control = parts[0], parts[1] if len(sides) > 1 else None
    release = parts[len(sides)] if shown else None
    both = 0 if control is None else len(np.intersect1d(original, control))
    if both:
        raise DataError([Fault(_both(both), sides[1].name, column=unit)])
    pairs = (parts[-2], parts[-1]) if keys else kept_ids(original, control, release)
    pseudonym_of = None
    if pairs is not None:
        pseudonym_of = np.full(int(numbers.max(initial=-1)) + 1, -1)
        pseudonym_of[pairs[0]] = pairs[1]
    return Units(original, control, False, release, pseudonym_of)


def faults_of_key(table: InputTable, unit: str) -> list[Fault]:
    """What is wrong with a table that says which pseudonym each person has."""
    others = [name for name in table.names() if name != unit]
    lacking = _lacking(table, unit)
    if not lacking and len(others) != 1:
        message = f"the key needs {unit!r} and one column of pseudonyms, not {len(others)} others"
        lacking = [Fault(message, table.name)]
    return lacking


def faults_of_pairs(
    table: InputTable,
    unit: str,
    known: Sequence[pa.ChunkedArray],
    shown: Sequence[pa.ChunkedArray],
    pairs: Sequence[pa.ChunkedArray],
) -> list[Fault]:
    """A key whose people nobody knows, or whose pseudonyms the release does not have.

    Parameters
    ----------
    known : the names of people in original and control.
    shown : the pseudonyms of the release, if it has any.
    pairs : the people and the pseudonyms of the key.
    """
    faults = []
    for own, others, what, where in (
        (pairs[0], known, "people", "the original"),
        (pairs[1], shown, "pseudonyms", "the release"),
    ):
        values = _join(others) if others else None
        if values is None or pc.any(pc.is_in(own, values)).as_py() is not False:
            continue
        message = (
            f"none of its {pc.count_distinct(own).as_py():,} {what} is in {where}: the key has "
            f"{own[0].as_py()!r}, {where} {values[0].as_py()!r}; write both in the same way"
        )
        faults.append(Fault(message, table.name, column=unit if what == "people" else None))
    return faults


def kept_ids(
    original: Rows, control: Rows | None, release: Rows | None
) -> tuple[Rows, Rows] | None:
    """The ids of the original that are the pseudonyms of the release, if most of them are."""
    if release is None:
        return None
    pseudonyms = distinct(release)
    kept = np.intersect1d(original, pseudonyms)
    outside = 0 if control is None else len(np.intersect1d(control, pseudonyms))
    if 2 * len(kept) < len(pseudonyms) or 10 * outside > len(kept):
        return None
    return kept, kept


def is_equal_rows(unit: str | None, names: Sequence[str]) -> bool:
    """Whether equal rows are the unit; a column with this name is a column."""
    return unit == EQUAL_ROWS and unit not in names


def number_units(cells: pa.ChunkedArray) -> Rows:
    """The same number for the same text; rows without a text are units of their own.

    >>> number_units(pa.chunked_array([["b", None, "a"], ["b", " "]])).tolist()
    [0, 3, 1, 0, 4]
    """
    encoded = cells.combine_chunks().dictionary_encode()
    codes: Rows = encoded.indices.fill_null(-1).to_numpy().astype(np.int64)
    words = encoded.dictionary.to_pylist()
    absent = [code for code, word in enumerate(words) if not word.strip()]
    alone = np.flatnonzero((codes < 0) | np.isin(codes, absent))
    codes[alone] = len(words) + np.arange(len(alone))
    return codes


def number_rows(columns: Sequence[Sequence[pa.ChunkedArray]]) -> Rows:
    """The same number for rows of some tables with the same texts in all columns.

    Columns that number the rows of each table do not count, unless there are no others.

    Parameters
    ----------
    columns : for each column its cells in each table.

    >>> number, job = pa.chunked_array([["1", "2", "3"]]), pa.chunked_array([["b", None, "b"]])
    >>> number_rows([[number], [job]]).tolist()
    [1, 0, 1]
    """
    counted = [cells for cells in columns if not all(map(numbers_rows, cells))] or columns
    numbers = np.zeros(sum(map(len, counted[0])), np.int64)
    for cells in counted:
        encoded = _join(cells).combine_chunks().dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy().astype(np.int64) + 1
        pairs = numbers * (len(encoded.dictionary) + 1) + codes
        numbers = np.unique(pairs, return_inverse=True)[1].reshape(-1)
    return numbers


def _join(cells: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    return pa.chunked_array([chunk for own in cells for chunk in own.chunks], pa.string())


def rows_of_nobody(sources: Sequence[InputTable], unit: str) -> list[str]:
    """A sentence for each table with rows that do not say whose they are.

    >>> table = InputTable.of(pa.table({"patient": ["a", None, "a", " "]}), "original")
    >>> rows_of_nobody([table], "patient")[0].partition(".")[0]
    "2 of 4 rows of the original have nothing in the column 'patient'"
    """
    sentences = []
    for source in sources:
        if unit not in source.names():
            continue
        cells = source.cells(unit)
        empty = int(pc.sum(pc.equal(pc.fill_null(cells, ""), "")).as_py() or 0)
        if empty:
            sentences.append(
                f"{empty:,} of {len(cells):,} rows of the {source.role} have nothing in the column "
                f"{unit!r}. Each of them counts as a person of its own."
            )
    return sentences


def several_rows(source: InputTable) -> list[str]:
    """A sentence for each column that seems to say whose row it is, with several rows for some."""
    return [
        f"{_values_in_rows(name, ids, rows)} If it says whose row it is, people have several "
        f"rows: name it with --unit {name} (unit= in Python), at the split and at the audit. "
        "Otherwise rows of one person stand on both sides, and p is too small."
        for name, ids, rows in _owners(source)
    ]


def several_rows_per_claim(source: InputTable, claim: Claim | None) -> list[str]:
    """A sentence for each such column, if a release of the table claims something about one row.

    The name of a column decides, and no cell of it: beside a claim, nothing may tell of the cells.

    >>> table = InputTable.of(pa.table({"patient": ["a", "b"], "age": [40, 17]}))
    >>> (sentence,) = several_rows_per_claim(table, Claim(epsilon=1))
    >>> sentence.partition(". ")[0]
    "The column 'patient' seems to say whose row it is"
    >>> several_rows_per_claim(table, Claim(epsilon=1, unit="patient", rows=3))
    []
    """
    if claim is None or claim.unit != "row":
        return []
    return [
        f"The column {name!r} seems to say whose row it is. If people have several rows, the "
        "release claims less for a person than for one row: give "
        f"--unit {name} and --rows-per-unit (unit= and rows_per_unit= in Python)."
        for name in source.names()
        if _OWNER.fullmatch(name)
    ]


def _values_in_rows(name: str, ids: int, rows: int) -> str:
    return f"The column {name!r} has {ids:,} different values in {rows:,} rows."


def _owners(source: InputTable) -> Iterator[tuple[str, int, int]]:
    """Columns that seem to say whose row it is: name, different values, and rows that have one.

    An empty cell names nobody, so it counts neither as a person nor as a row of one.
    """
    for name in source.names():
        numbered = ID_NAME.fullmatch(name) is not None
        if not numbered and not _OWNER.fullmatch(name):
            continue
        try:
            texts = pc.utf8_trim_whitespace(source.cells(name).drop_null())
        except pa.ArrowException:  # nested cells are no ids
            continue
        named = texts.filter(pc.invert(pc.is_in(texts, pa.array(MISSING))))
        ids, rows = pc.count_distinct(named).as_py(), len(named)
        least = _FEWEST_IDS if numbered else max(_FEWEST_IDS, _FEWEST_OWNERS * rows)
        if least <= ids < rows:
            yield name, ids, rows


def _lacking(source: InputTable, unit: str) -> list[Fault]:
    names = source.names()
    if unit in names:
        return []
    message = f"the {source.role} has no such column{suggestion(unit, [*names, EQUAL_ROWS])}"
    return [Fault(message, source.name, column=unit)]


def _both(count: int) -> str:
    return (
        f"the control has {count:,} people of the original; a control must have other people: "
        "split a table with `quintain audit split --unit`"
    )


def _rows_on_both_sides(count: int, people: int) -> str:
    return (
        f"the original has {count:,} of its {people:,} different rows, too; if equal rows are one "
        "person's, a control must have other ones: split a table with `quintain audit split "
        f"--unit {EQUAL_ROWS}`"
    )
