"""Not yet: a job that has to wait for another one goes back into the queue."""

from __future__ import annotations

from quintain.errors import QuintainError


class RetryLater(QuintainError):
    """The job has to wait for something else; it goes back into the queue."""
