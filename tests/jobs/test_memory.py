"""A limit on the memory of work whose size strangers decide."""

import resource

import numpy as np
import pytest

from quintain.errors import QuintainError
from quintain.jobs.job import explain_crash
from quintain.jobs.memory import limit_memory


def test_too_large_a_piece_of_work_is_a_sentence():
    before = resource.getrlimit(resource.RLIMIT_DATA)
    sentence = r"needs more than 8 GB .*--memory"
    with pytest.raises(QuintainError, match=sentence), limit_memory(8), explain_crash("the sample"):
        np.ones(3_000_000_000)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
