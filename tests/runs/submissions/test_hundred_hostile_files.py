"""More than a hundred hostile uploads: each is refused in words, and nothing stored changes.

``python -m benchmarks.hostile_files`` submits all of them and prints what each refusal costs. The
largest ones are left to it.
"""

import time

import pytest
from benchmarks.hostile_files import HOSTILE, contest, digest, honest_release, refusal

from quintain.jobs.subprocess_reader import READERS
from quintain.runs.submissions.submit import submit


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    """A contest, an honest release, and the digest of everything in its folder."""
    folder = contest(tmp_path_factory.mktemp("hostile") / "contest")
    return folder, honest_release(folder), digest(folder.root)


def test_there_are_a_hundred_hostile_files_with_names_of_their_own():
    assert len({case.id for case in HOSTILE}) == len(HOSTILE) >= 100
    kinds = {case.id.split(":")[0] for case in HOSTILE}
    assert kinds >= {"csv", "parquet", "zip", "json", "xlsx", "npz", "folder"}


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.id) for case in HOSTILE if not case.large]
)
def test_a_hostile_file_is_refused_in_words_and_changes_nothing(case, judge, tmp_path, monkeypatch):
    folder, honest, before = judge
    used = []
    monkeypatch.setattr(READERS, "watch", used.append)
    upload, start = case.make(tmp_path, honest), time.process_time()
    words = refusal(folder, upload)
    assert case.words in words
    assert words.replace("\n", " ").isprintable()
    assert digest(folder.root) == before
    # Time on the clock says nothing on a busy machine; the judge and its readers count alone.
    assert time.process_time() - start + sum(one.seconds for one in used) < 2
    assert max((one.memory for one in used), default=0) < 300e6


def test_the_honest_release_is_accepted(tmp_path):
    folder = contest(tmp_path / "contest")
    accepted = submit(folder, "red", {"release.csv": honest_release(folder)}, kind="release")
    assert list(accepted.submission.files) == ["release.csv"]
