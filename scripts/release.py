"""Make the files of a release in dist/, and try them: ``make release``.

The wheels and the source archive are built twice and must be the same bytes. The wheels are then
installed in empty environments, from the hashes of the lock, and used as a stranger would use them:
first quintain alone, then with its site.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
SITE = Path("packages", "quintain-host")
OF_SITE = ("--group", "host", "--extra", "frames", "--extra", "excel")
"""What the environment of a site has; deploy/ installs the same."""


def say(text: str) -> None:
    """Tell what happens next."""
    sys.stdout.write(f"release: {text}\n")
    sys.stdout.flush()


def run(*command: str | Path, **options: object) -> None:
    """Run a program, and stop here if it fails."""
    subprocess.run([str(word) for word in command], check=True, **options)  # type: ignore[call-overload]


def ask_git(*arguments: str) -> str | None:
    """What git answers; None where this folder is not a checkout."""
    if not (ROOT / ".git").exists():
        return None
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def refuse_changes() -> None:
    """Stop if files are not committed: what is released must be what the tag names."""
    changes = ask_git("status", "--porcelain")
    if changes and not os.environ.get("DIRTY"):
        raise SystemExit(f"release: commit these files first, or set DIRTY=1:\n{changes}")


def release_time() -> str:
    """The time that all files of the archives get: that of the commit."""
    when = os.environ.get("SOURCE_DATE_EPOCH") or ask_git("log", "-1", "--format=%ct")
    # An unpacked source archive has no commits, but all its files have that time.
    return when or str(int((ROOT / "pyproject.toml").stat().st_mtime))


def build(source: Path, target: Path) -> dict[str, bytes]:
    """Build the archives of a source folder; returns their bytes by name."""
    builders = (
        SdistBuilder(str(source)),
        WheelBuilder(str(source)),
        WheelBuilder(str(source / SITE)),
    )
    for builder in builders:
        list(builder.build(directory=str(target), versions=["standard"]))
    return {path.name: path.read_bytes() for path in sorted(target.iterdir())}


def build_twice() -> dict[str, bytes]:
    """Build from this folder and from the unpacked source archive, and compare the bytes."""
    with tempfile.TemporaryDirectory() as folder:
        first, again, unpacked = (Path(folder) / name for name in ("first", "again", "unpacked"))
        archives = build(ROOT, first)
        unpacked.mkdir()
        run("tar", "-xzf", next(first.glob("*.tar.gz")), "-C", unpacked)
        repeated = build(next(unpacked.iterdir()), again)
    if archives != repeated:
        different = [name for name in archives if archives[name] != repeated.get(name)]
        raise SystemExit(f"release: built again, these are different: {', '.join(different)}")
    return archives


def export_lock(target: Path, *wanted: str) -> None:
    """Write what the wheels need, with versions and hashes, as pip reads it."""
    options = ["--quiet", "--frozen", "--no-header", "--no-emit-workspace", "--output-file"]
    uv = Path(sys.executable).with_name("uv")
    run(uv, "export", *options, target, *wanted, cwd=ROOT, stdout=subprocess.DEVNULL)


def install(environment: Path, wheels: Sequence[Path], requirements: Path) -> Path:
    """Install wheels in an empty environment as the pages say; returns its Python."""
    run(sys.executable, "-m", "venv", environment)
    python = environment / "bin" / "python"
    pip = (python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    run(*pip, "--require-hashes", "-r", requirements)
    run(*pip, "--no-deps", *wheels)
    run(python, "-m", "pip", "--disable-pip-version-check", "check")
    return python


def try_installed(python: Path, work: Path, *what: str) -> None:
    """Use what was installed, in an empty folder."""
    work.mkdir()
    run(python, "-I", ROOT / "scripts" / "try_installed.py", *what, cwd=work)
    packages = sum(p.stat().st_size for p in python.parents[1].rglob("*") if p.is_file())
    say(f"the environment has {packages / 1e6:.0f} MB")


def write_sbom(python: Path, target: Path) -> None:
    """List every package of the environment with its version and licence, as CycloneDX."""
    tool = Path(sys.executable).with_name("cyclonedx-py")
    options = ("--pyproject", ROOT / "pyproject.toml", "--output-reproducible", "--of", "JSON")
    run(tool, "environment", *options, "-o", target, python, stderr=subprocess.DEVNULL)


def write_sums() -> None:
    """Write SHA256SUMS; ``sha256sum --check SHA256SUMS`` reads it."""
    files = sorted(path for path in DIST.iterdir() if path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (DIST / "SHA256SUMS").write_text("".join(lines))


def main() -> None:
    """Make and try a release."""
    refuse_changes()
    os.environ["SOURCE_DATE_EPOCH"] = release_time()
    say("building the wheels and the source archive twice")
    archives = build_twice()
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    for name, content in archives.items():
        (DIST / name).write_bytes(content)
    wheels = sorted(DIST.glob("*.whl"))
    engine = [wheel for wheel in wheels if wheel.name.startswith("quintain-")]
    requirements = DIST / "requirements.txt"
    export_lock(requirements, *OF_SITE)
    say("checking what is in them")
    # Alone, without the packages that the other tests need.
    tests = (
        "-o",
        "addopts=",
        "--noconftest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/test_release.py",
    )
    run(sys.executable, "-m", "pytest", *tests, cwd=ROOT)
    with tempfile.TemporaryDirectory() as folder:
        say("installing quintain alone in an empty environment")
        few = Path(folder) / "requirements.txt"
        export_lock(few)
        alone = install(Path(folder) / "alone", engine, few)
        try_installed(alone, Path(folder) / "work-alone", "alone")
        say("installing quintain and its site in an empty environment")
        python = install(Path(folder) / "environment", wheels, requirements)
        try_installed(python, Path(folder) / "work", "site")
        name = engine[0].name.removesuffix("-py3-none-any.whl")
        write_sbom(python, DIST / f"{name}.cdx.json")
    write_sums()
    if "urls" not in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]:
        say("note: pyproject.toml has no [project.urls]; add them when the project has an address")
    say("dist/ has " + ", ".join(sorted(path.name for path in DIST.iterdir())))


if __name__ == "__main__":
    main()
