"""Memory: a limit for work whose size strangers decide, such as the rules of an archive."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

from quintain.errors import QuintainError

_GIGABYTE = 1_000_000_000


@contextmanager
def limit_memory(gigabytes: float | None) -> Iterator[None]:
    """Let neither this process nor those that it starts take more than so many gigabytes each.

    Parameters
    ----------
    gigabytes : None for half of the machine's memory.
    """
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    most = pages // 2 if gigabytes is None else int(gigabytes * _GIGABYTE)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    strictest = min([most, *(limit for limit in before if limit != resource.RLIM_INFINITY)])
    resource.setrlimit(resource.RLIMIT_DATA, (strictest, before[1]))
    try:
        yield
    except MemoryError:
        raise QuintainError(
            f"this needs more than {strictest / _GIGABYTE:.3g} GB of memory in one process, the "
            "limit; if you trust where it comes from, raise it with --memory"
        ) from None
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
