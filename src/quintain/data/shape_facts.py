"""Shape facts: what a schema must know of the shape that it names, without any data.

The shape itself, with what it does to data, is in ``shape``.
"""

from __future__ import annotations

from typing import ClassVar

from quintain.registry import Part, find, find_imported, parts


class ShapeFacts(Part):
    """What a shape of data is, apart from what it does to data.

    Attributes
    ----------
    turn : the place in lists of shapes; a lower number comes first.
    row_is_person : whether each row is a person of its own. Files then name people by row numbers,
        and the data can be seen as a table.
    keeps_ids : whether sanitizers see the ids; a person with several rows is known by them.
    deletes_in_place : whether a deleted row stays in its place and has no person, so that row i of
        a release stands for row i of the original.
    origin_column : the column by which records of a release name the private records that they
        were made from; empty if a release needs one more column for that.
    made_ids : the ids that ``to_rows`` makes for files alone, so that they name nobody.
    one_table : whether one table holds such data, so that a schema can be learned from one file.
    rows_refer : whether rows refer to each other. Then a fault of one row makes others seem wrong,
        so ``check_rows`` comes only where there is no other fault.
    row_word : the word for several of its rows.
    roles : the roles that some column must have, each with those that may stand for it.
    roles_lead : whether the columns with these roles come first, in this order.
    also : other shapes as which its data can be seen, the best first.
    """

    family: ClassVar[str] = "shape"
    turn: ClassVar[int] = 100
    row_is_person: ClassVar[bool] = False
    keeps_ids: ClassVar[bool] = True
    deletes_in_place: ClassVar[bool] = False
    origin_column: ClassVar[str] = ""
    made_ids: ClassVar[tuple[str, ...]] = ()
    one_table: ClassVar[bool] = True
    rows_refer: ClassVar[bool] = False
    row_word: ClassVar[str] = "rows"
    roles: ClassVar[tuple[tuple[str, ...], ...]] = ()
    roles_lead: ClassVar[bool] = False
    also: ClassVar[tuple[str, ...]] = ()


def shape_facts(name: str) -> type[ShapeFacts]:
    """The class of the shape that a schema names.

    >>> shape_facts("transactions").keeps_ids
    True
    """
    cls = find_imported(ShapeFacts.family, name) or find(ShapeFacts.family, name)
    assert issubclass(cls, ShapeFacts)
    return cls


def is_shape(name: str) -> bool:
    """Whether a schema may name this shape; plugins are loaded only for shapes that are not ours.

    >>> is_shape("series"), is_shape("series-v1")
    (True, False)
    """
    return find_imported(ShapeFacts.family, name) is not None or name in shape_names()


def shape_names() -> list[str]:
    """The names of all shapes, ours first.

    >>> shape_names()[:3]
    ['table', 'transactions', 'series']
    """
    shapes = (cls for cls in parts(ShapeFacts.family) if issubclass(cls, ShapeFacts))
    listed = sorted(shapes, key=lambda cls: (cls.turn, cls.id))
    return list(dict.fromkeys(cls.name() for cls in listed))
