"""Function: a Python function that turns a data frame into a sanitized one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from quintain.data import Table
from quintain.data.frames import Library
from quintain.errors import PartError, QuintainError
from quintain.sanitizers.adapters.adapter import Adapter
from quintain.sanitizers.adapters.plain_frames import plain_frame, plain_table
from quintain.sanitizers.adapters.seeding import named_parameters


class Function(Adapter):
    """A Python function that turns a data frame into another one.

    If the function has a parameter ``seed``, ``rng`` or ``random_state``, it gets one.

    Parameters
    ----------
    call : the function.
    library : whose data frames it takes: "pandas", "polars" or "pyarrow".

    >>> import numpy as np
    >>> from quintain.noise import Noise
    >>> from quintain.sanitizers import sanitize
    >>> from quintain.testing import example_table, people
    >>> part = function(lambda frame, seed: frame.sample(frac=0.5, random_state=seed))
    >>> private, rng = people(example_table(rows=10)), np.random.default_rng(0)
    >>> len(sanitize(part, private, rng=rng, noise=Noise.for_test(0)).release.data)
    5
    """

    id: ClassVar[str] = "sanitizer/function-v0"
    label: ClassVar[str] = "function"

    call: Callable[..., Any]
    library: Library = "pandas"

    def run(self, table: Table, *, seed: int) -> pa.Table:
        """Call the function; what it raises is part of the message."""
        given = {"seed": seed, "random_state": seed, "rng": np.random.default_rng(seed)}
        wanted = named_parameters(self.call)
        frame = plain_frame(table, self.library)
        try:
            made = self.call(frame, **{n: v for n, v in given.items() if n in wanted})
        except QuintainError:
            raise
        except Exception as error:
            raise PartError(f"{self.describe()} failed: {type(error).__name__}: {error}") from error
        return plain_table(made, table.schema.names, self.label)

    def describe(self) -> str:
        """The name of the function, and where it is defined."""
        name = getattr(self.call, "__qualname__", type(self.call).__name__)
        return f"function {getattr(self.call, '__module__', '?')}.{name}"


def function(call: Callable[..., Any], library: Library = "pandas") -> Function:
    """A function from data frame to data frame, as a sanitizer."""
    return Function(call=call, library=library)
