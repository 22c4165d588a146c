"""Jobs: run once, run again when what they depend on or what they made has changed."""

import sys

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from quintain.errors import JobFailed
from quintain.jobs import job as job_module
from quintain.jobs.executor import SERIAL
from quintain.jobs.files import file_digest, write_file
from quintain.jobs.job import Job, fingerprint, one_thread, run_jobs

STAMPS = "notes/stamps"


def work(root, name, text):
    """Writes a file, and a line into a diary that is no output."""
    with (root / "diary").open("a") as diary:
        diary.write(f"{name}\n")
    return {f"out/{name}": text.encode()}


def fails(root, name, text):
    raise RuntimeError("no")


def job(name="a", key="1", text="x", work=work):
    return Job.of(name, work, (name, text), key)


def run(root, *jobs):
    return run_jobs(root, jobs, stamps=STAMPS, executor=SERIAL, label="work")


def diary(root):
    return (root / "diary").read_text().split()


def test_a_job_writes_its_outputs(tmp_path):
    assert run(tmp_path, job("a", text="one"), job("b", text="two")) == 2
    assert (tmp_path / "out/a").read_text() == "one"
    assert (tmp_path / "out/b").read_text() == "two"


def test_what_is_done_is_not_done_again(tmp_path):
    run(tmp_path, job("a"), job("b"))
    assert run(tmp_path, job("a"), job("b"), job("c")) == 1
    assert diary(tmp_path) == ["a", "b", "c"]


def test_another_key_means_doing_it_again(tmp_path):
    run(tmp_path, job(key="1", text="old"))
    assert run(tmp_path, job(key="2", text="new")) == 1
    assert (tmp_path / "out/a").read_text() == "new"


@pytest.mark.parametrize("damage", ["change", "remove"])
def test_an_output_that_was_damaged_is_made_again(tmp_path, damage):
    run(tmp_path, job(), job("b"))
    if damage == "change":
        (tmp_path / "out/a").write_text("y, and longer")
    else:
        (tmp_path / "out/a").unlink()
    assert run(tmp_path, job(), job("b")) == 1
    assert (tmp_path / "out/a").read_text() == "x"


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "{}", "[]", "null"),
        *('{"key": "1"}', '{"key": "1", "outputs": []}', '{"key": "2", "outputs": {}}'),
    ],
)
def test_a_damaged_stamp_means_doing_it_again(tmp_path, content):
    run(tmp_path, job())
    (stamp,) = (tmp_path / STAMPS).iterdir()
    stamp.write_text(content)
    assert run(tmp_path, job()) == 1


def test_a_job_that_fails_is_not_done_and_leaves_the_others(tmp_path):
    with pytest.raises(JobFailed, match="b failed: RuntimeError: no"):
        run(tmp_path, job("a"), job("b", work=fails), job("c"))
    assert diary(tmp_path) == ["a"]
    assert run(tmp_path, job("a"), job("b"), job("c")) == 2


def test_jobs_of_other_names_do_not_get_into_each_others_way(tmp_path):
    run(tmp_path, job("a/b"), job("a-b"), job("a b"))
    assert len(list((tmp_path / STAMPS).iterdir())) == 3
    assert run(tmp_path, job("a/b"), job("a-b"), job("a b")) == 0


def test_a_file_is_written_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    from pathlib import Path

    target = tmp_path / "deep/file.txt"
    write_file(target, b"old")

    def broken(self, target):
        raise OSError(28, "disk full")

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        write_file(target, b"new content that is never seen")
    assert target.read_bytes() == b"old"


def test_a_written_file_leaves_nothing_beside_it(tmp_path):
    write_file(tmp_path / "a/b/c.txt", b"x")
    assert [path.name for path in (tmp_path / "a/b").iterdir()] == ["c.txt"]


def test_a_fingerprint_covers_every_fact_and_its_place():
    facts = [(), ("a",), ("a", "b"), ("b", "a"), ("ab",), ("a", ""), (1,), ("1",), (None,), (1.0,)]
    assert len({fingerprint(*combination) for combination in facts}) == len(facts)
    assert fingerprint("a", 1) == fingerprint("a", 1)


def test_a_path_stands_for_the_content_of_its_file(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("same")
    other.write_text("same")
    assert fingerprint(one) == fingerprint(other)
    other.write_text("else")
    assert fingerprint(one) != fingerprint(other)


def test_a_digest_is_not_remembered_when_the_file_changes(tmp_path):
    path = tmp_path / "file"
    path.write_text("a")
    before = file_digest(path)
    path.write_text("bb")
    assert file_digest(path) != before


# --- one thread -----------------------------------------------------------------------------------


def threads():
    """How many threads each numerical library uses now."""
    import numpy as np

    np.ones((2, 2)) @ np.ones((2, 2))
    return {library["num_threads"] for library in threadpool_info()}


def test_libraries_have_one_thread_until_the_last_block_ends():
    with threadpool_limits(2):
        before = threads()
        with one_thread():
            with one_thread():
                assert threads() == {1}
            assert threads() == {1}
        assert threads() == before


def test_a_library_that_is_loaded_later_is_limited_as_well(monkeypatch):
    with one_thread():
        pass
    monkeypatch.setitem(job_module._state, "libraries", None)
    monkeypatch.setitem(job_module._state, "modules", len(sys.modules))
    monkeypatch.setitem(sys.modules, "a_module_that_is_new", sys)
    with threadpool_limits(2), one_thread():
        assert threads() == {1}
