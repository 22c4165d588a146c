"""Data part: a part that works on data, and says beforehand which data it refuses."""

from __future__ import annotations

from typing import Any, ClassVar

from quintain.data.plain import plain_schema
from quintain.data.schema import Schema
from quintain.data.shape import Data, find_shape, see
from quintain.errors import PartError
from quintain.registry import Part


class DataPart(Part):
    """A part that reads or changes data: a sanitizer, a goal, an attack, a rule, a measure.

    Attributes
    ----------
    shapes : the kinds of data that it can work on, the best first.
    """

    shapes: ClassVar[tuple[str, ...]] = ("table",)

    @classmethod
    def can_see(cls, schema: Schema) -> bool:
        """Whether data with this schema have one of its shapes, or can be seen in one."""
        return any(not find_shape(name).lacks(schema) for name in cls.shapes)

    def see(self, data: Data) -> Any:
        """The data in the first of its shapes in which they can be seen.

        A part that reads one kind of data takes all of them through here, and states the kind:
        ``table: Table = self.see(data)``.
        """
        return see(data, *self.shapes)

    def require(self, schema: Schema) -> None:
        """Raise a ``PartError`` with the reason if it cannot work on data with these columns.

        A part that needs more than a kind of data adds its own conditions here. They depend on the
        schema alone, so an edition with such a part is refused when it is loaded, with the line of
        the part, and not in the middle of a run.
        """
        if not self.can_see(schema):
            shapes = " or ".join(self.shapes)
            raise PartError(f"{self.id} is for {shapes}, not for {schema.shape}")

    def refusal(self, schema: Schema) -> str:
        """Why it cannot work on data with these columns, as a sentence; empty if it can.

        >>> import quintain as q
        >>> from quintain.testing.examples import TABLE
        >>> q.part("attribute", column="colour").refusal(TABLE)
        ''
        >>> q.part("attribute", column="smell").refusal(TABLE)
        "'smell' is not a column with a finite domain or a bounded number; available: colour, size,
        flag"
        """
        try:
            self.require(plain_schema(schema))
        except PartError as error:
            return str(error)
        return ""
