"""Numbers in sentences: one submission, two submissions."""

import pytest

from quintain.figures.format import count


@pytest.mark.parametrize(
    ("n", "said"), [(0, "0 submissions"), (1, "1 submission"), (2, "2 submissions")]
)
def test_one_is_one(n, said):
    assert count(n, "submission") == said
