"""Numbers in sentences: nobody reads of 1 submissions."""

import pytest

from quintain.errors import FolderError, SubmissionError
from quintain.figures.counts import count
from quintain.runs.submissions.checking import check
from quintain.runs.submissions.ledger import submit
from tests.runs.submissions.test_submissions import TASK, limited, valid


@pytest.mark.parametrize(
    ("n", "said"), [(0, "0 submissions"), (1, "1 submission"), (2, "2 submissions")]
)
def test_one_is_one(n, said):
    assert count(n, "submission") == said


@pytest.mark.parametrize(
    ("quota", "said"),
    [
        ({"total": 1}, "team red has used its 1 submission of phase attack"),
        ({"per_day": 1}, r"team red has used its 1 submission of today \(UTC\)"),
        ({"per_file": 1}, f"team red has used its 1 attempt at {TASK}"),
    ],
)
def test_a_quota_of_one_is_said_in_the_singular(live, quota, said):
    limited(live, **quota)
    answer = {TASK: valid(live).encode()}
    submit(live, "red", answer)
    with pytest.raises(FolderError, match=f"^{said}$"):
        submit(live, "red", answer)


def test_a_file_of_one_row_is_said_in_the_singular(live):
    one = "".join(valid(live).splitlines(keepends=True)[:2]).encode()
    with pytest.raises(SubmissionError, match="has 1 row; expected 20"):
        check(live, live.edition().track[0], "guess", "red", {TASK: one})
