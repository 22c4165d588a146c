"""Names of submitted files: plain, or refused wherever they come from."""

import pytest

from quintain.errors import Faults, SubmissionError
from quintain.runs.submissions.submit import submit
from quintain.runs.submissions.upload import checked_names
from tests.runs.submissions.submission_cases import TASK, everything, valid

ODD = [
    "../../../public/news.html",
    "../../../secret/edition.json",
    "/etc/passwd",
    "a/b.csv",
    "..",
    ".r.csv",
    "-rf.csv",
    "",
    "a b.csv",
    "a\x00.csv",
    "a\n.csv",
    "r\u202efdp.csv",
    "a\udcff.csv",
    "é.csv",
    "C:a.csv",
    "a\\b.csv",
    "a" * 201,
]


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_is_refused(name):
    faults = Faults("upload")
    checked_names([name], faults)
    assert faults.total == 1
    assert str(faults.findings[0]).isprintable()


def test_plain_names_are_taken():
    faults = Faults("upload")
    checked_names(["a", "A_b-c.1.csv", "0.parquet", "x" * 200], faults)
    assert not faults


def test_names_that_differ_in_case_alone_are_refused():
    faults = Faults("upload")
    checked_names(["a.csv", "A.csv"], faults)
    assert [str(fault) for fault in faults] == ["upload 'A.csv': appears twice"]


@pytest.mark.parametrize("name", ["../../../secret/edition.json", ".hidden.csv"])
def test_a_name_that_comes_with_a_request_writes_nothing(live, name):
    before = everything(live.root)
    with pytest.raises(SubmissionError, match="a name has only the letters A to Z"):
        submit(live, "red", {TASK: valid(live).encode(), name: b"{}"})
    assert everything(live.root) == before
