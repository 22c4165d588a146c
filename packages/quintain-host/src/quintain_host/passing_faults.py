"""Passing faults: errors of the machine that go away when somebody mends it: a full disk, say."""

from __future__ import annotations

import errno

from quintain_host.database.database import AWAY

_PASSING = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE),
    *(errno.EAGAIN, errno.EBUSY, errno.EINTR, errno.ENOMEM, errno.ESTALE, errno.EPIPE),
    *(errno.ECONNREFUSED, errno.ECONNRESET, errno.ECONNABORTED, errno.ETIMEDOUT),
}


def will_pass(problem: BaseException | None) -> bool:
    """Whether an error, or one that led to it, is a passing fault."""
    while problem is not None:
        if isinstance(problem, AWAY):
            return True
        if isinstance(problem, OSError) and problem.errno in _PASSING:
            return True
        problem = problem.__cause__ or problem.__context__
    return False
