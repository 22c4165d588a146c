"""Bad input: what a person typed cannot be used; another text would do."""

from __future__ import annotations

from quintain.errors import Refused


class BadInput(Refused):
    """A name, a text or a number that cannot be used."""

    status = 422
