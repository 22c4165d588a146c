"""The runtime in memory: what is in it, who shares it, and where it cannot be."""

import fcntl
import marshal
import os
import py_compile
import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from quintain.programs import CallLimits
from quintain.programs.failures import SandboxError
from quintain.programs.runner import call
from quintain.programs.sandbox import memory_runtime as module
from quintain.programs.sandbox import trimmed
from quintain.programs.sandbox.arithmetic import arithmetic_settings
from quintain.programs.sandbox.elf import needed_libraries
from quintain.programs.sandbox.trimmed import Copy, package_files, packages_with_needs

LIMITS = CallLimits(seconds=600, memory_gib=1)


def ask(sandbox, body):
    text = f"import os, socket, time\nfrom pathlib import Path\ndef f(d):\n    {body}\n"
    (answer,) = call({"m.py": text.encode()}, "m", "f", {}, LIMITS, sandbox)
    return answer


# --- what a program sees --------------------------------------------------------------------------


def test_files_about_the_machine_are_covered(bubblewrap):
    body = """plain = [p for p in Path("/proc").iterdir() if p.is_file() and not p.is_symlink()]
    texts = {p.name: p.read_text() for p in plain}
    known = {"cpuinfo", "loadavg", "meminfo", "stat", "uptime", "version"}
    return ",".join(name for name, text in texts.items() if text and name not in known)"""
    assert ask(bubblewrap, body) == ""
    assert ask(bubblewrap, "return os.cpu_count()") == os.cpu_count()


def test_every_call_is_another_machine(bubblewrap):
    body = "return socket.gethostname() + Path('/proc/sys/kernel/random/boot_id').read_text()"
    first, second = ask(bubblewrap, body), ask(bubblewrap, body)
    assert first != second
    assert first.startswith("sandbox-")


def test_no_file_can_be_locked_and_temporary_files_still_work(bubblewrap):
    body = """import fcntl, tempfile
    with tempfile.TemporaryFile('w') as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as problem:
            return type(problem).__name__ + str(file.write('x'))"""
    assert ask(bubblewrap, body) == "PermissionError1"


def test_programs_import_the_packages_that_the_rules_name(bubblewrap):
    body = "import importlib.util as u; return u.find_spec('rich') is not None"
    assert ask(bubblewrap, body) == 0
    with pytest.raises(SandboxError, match="promise the package no-such-package"):
        module.memory_runtime(("no-such-package",))


# --- what is copied -------------------------------------------------------------------------------


def test_a_package_comes_with_what_it_needs_and_without_tests():
    names = [package.metadata["Name"] for package in packages_with_needs(["pandas"])]
    assert {"numpy", "pandas", "python-dateutil"} <= set(names)
    (numpy,) = [p for p in packages_with_needs([]) if p.metadata["Name"] == "numpy"]
    files = list(package_files(numpy))
    assert any(path.name == "__init__.py" for path in files)
    assert not [path for path in files if "tests" in path.parts or path.suffix == ".pyc"]


def test_links_are_copied_with_what_they_point_to(tmp_path):
    source = tmp_path / "there"
    (source / "real").mkdir(parents=True)
    (source / "real" / "file").write_text("content")
    (source / "folder").symlink_to("real")
    (source / "name").symlink_to(source / "folder" / "file")
    Copy(tmp_path / "copy").add(source / "name")
    inside = tmp_path / "copy" / source.relative_to("/")
    assert (inside / "name").is_symlink()
    assert (inside / "folder").readlink() == Path("real")
    assert (inside / "real" / "file").read_text() == "content"


def test_code_that_is_compiled_is_taken_unless_its_source_changed(tmp_path):
    source, root = tmp_path / "there", tmp_path / "copy"
    source.mkdir()
    for name, number in (("taken", 1), ("changed", 2), ("new", 3)):
        (source / f"{name}.py").write_text(f"number = {number}\n")
        if name != "new":
            py_compile.compile(str(source / f"{name}.py"), doraise=True)
    compiled = Path(cache_from_source(str(source / "taken.py")))
    other = Path(cache_from_source(str(source / "changed.py"))).read_bytes()
    compiled.write_bytes(compiled.read_bytes()[:16] + other[16:])  # to see where code comes from
    (source / "changed.py").write_text("number = 44\n")
    Copy(root).add(source)
    trimmed._compile(root)
    for name, number in (("taken", 2), ("changed", 44), ("new", 3)):
        inside = root / source.relative_to("/") / f"{name}.py"
        inside.unlink()  # what is compiled is never compared with its source
        code = marshal.loads(Path(cache_from_source(str(inside))).read_bytes()[16:])
        space = {}
        exec(code, space)
        assert space["number"] == number
        assert Path(cache_from_source(str(inside))).read_bytes()[4:8] == b"\x01\0\0\0"


def test_a_compiled_file_names_its_libraries(tmp_path):
    assert any(name.startswith("libc.so") for name in needed_libraries(Path(sys.executable)))
    (tmp_path / "text.so").write_text("not compiled" * 10)
    assert needed_libraries(tmp_path / "text.so") == []


# --- who shares it --------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A place whose copies are empty folders, made at once."""
    made = []

    def make(root, packages):
        made.append(packages)
        root.mkdir()

    monkeypatch.setattr(module, "_place", lambda _: tmp_path)
    monkeypatch.setattr(module, "_make", make)
    return tmp_path, made


def test_the_first_makes_the_copy_and_the_last_removes_it(place):
    folder, made = place
    first = module.SharedCopy.acquire(())
    second = module.SharedCopy.acquire(())
    assert made == [()]
    first.release()
    assert second.root.is_dir(), "somebody uses it"
    second.release()
    assert list(folder.iterdir()) == []


def test_a_copy_that_nobody_uses_is_removed_by_the_next(place):
    folder, _ = place
    left = folder / f"quintain-{os.geteuid()}-old"
    used = folder / f"quintain-{os.geteuid()}-used"
    for path in (left, used):
        path.mkdir()
        path.with_name(f"{path.name}.lock").touch()
    with (folder / f"{used.name}.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        module.SharedCopy.acquire(()).release()
    assert sorted(path.name for path in folder.iterdir()) == [used.name, f"{used.name}.lock"]


def test_a_copy_of_another_user_is_not_used(place, monkeypatch):
    module.SharedCopy.acquire(()).release()
    monkeypatch.setattr(
        module.os, "fstat", lambda _: os.stat_result((0o100600, *[0] * 3, 4321, *[0] * 5))
    )
    with pytest.raises(SandboxError, match="belongs to another user"):
        module.SharedCopy.acquire(())


def test_a_folder_that_somebody_else_made_is_not_used(place):
    folder, _ = place
    copy = module.SharedCopy.acquire(())
    copy.release()
    copy.root.symlink_to(folder)
    with pytest.raises(SandboxError, match="belongs to another user"):
        module.SharedCopy.acquire(())


# --- where it can be ------------------------------------------------------------------------------


def test_memory_that_may_be_swapped_is_refused(tmp_path, monkeypatch):
    table = tmp_path / "swaps"
    table.write_text("Filename Type Size\n")
    assert not module.has_swap(table)
    table.write_text("Filename Type Size\n/dev/vdb partition 1000\n")
    assert module.has_swap(table)
    monkeypatch.setattr(module, "has_swap", lambda: True)
    monkeypatch.setattr(module.os, "geteuid", lambda: 4321)
    with pytest.raises(SandboxError, match="cannot be kept in memory: this machine swaps"):
        module._place(1)


def test_a_disk_and_a_small_container_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module.os, "geteuid", lambda: 4321)
    monkeypatch.setattr(module, "has_swap", lambda: False)
    with pytest.raises(SandboxError, match=r"has \d+ MiB free.*--shm-size=1g"):
        module._place(1 << 60)
    monkeypatch.setattr(module, "_SHARED_MEMORY", Path("/proc"))
    with pytest.raises(SandboxError, match="/proc is not memory"):
        module._place(1)


# --- the same arithmetic everywhere ---------------------------------------------------------------


def test_libraries_use_the_same_code_on_all_machines_of_an_architecture(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    new.write_text("flags : fpu avx avx2 avx512f\n")
    old.write_text("flags : fpu sse4_2 avx\n")
    assert arithmetic_settings("x86_64", new)["OPENBLAS_CORETYPE"] == "Haswell"
    assert "X86_V4" in arithmetic_settings("x86_64", new)["NPY_DISABLE_CPU_FEATURES"]
    assert arithmetic_settings("x86_64", old)["OPENBLAS_CORETYPE"] == "Nehalem"
    assert arithmetic_settings("riscv64") == {}
