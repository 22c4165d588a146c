"""What a release is made of: one version, a lock with hashes, complete archives."""

import re
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
import yaml
from hatchling import build
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import quintain

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "packages" / "quintain-host"
FOLDERS = {"quintain": ROOT, "quintain-host": SITE}
PROJECTS = {
    name: tomllib.loads((folder / "pyproject.toml").read_text()) for name, folder in FOLDERS.items()
}
LOCK = tomllib.loads((ROOT / "uv.lock").read_text())
PACKAGES = {package["name"]: package for package in LOCK["package"]}
RENEW = "uv.lock does not fit pyproject.toml: run `make lock`"
TEXT = {".md", ".py", ".j2", ".yml", ".yaml", ".toml", ".txt"}
# What a build, a test or a program leaves behind is not part of an archive.
LEFT_BEHIND = {"__pycache__", ".venv", ".hypothesis", "results"}


def files_below(folder):
    found = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(ROOT))
        for path in found
        if not LEFT_BEHIND & set(path.parts) and not any(".egg-info" in p for p in path.parts)
    }


def declared(requirement, marker=""):
    """One dependency as uv.lock writes it: name, extras, specifier and marker."""
    parsed = Requirement(requirement)
    where = "" if parsed.marker is None else str(parsed.marker).replace('"', "'")
    both = " and ".join(filter(None, [where, marker]))
    return canonicalize_name(parsed.name), frozenset(parsed.extras), parsed.specifier, both


def locked(entry):
    extras = frozenset(entry.get("extras", ()))
    specifier = Requirement(f"x{entry.get('specifier', '')}").specifier
    return entry["name"], extras, specifier, entry.get("marker", "")


def lines_of(project, extra):
    """The dependencies of an extra, with those of the extras that it names."""
    for line in project["optional-dependencies"][extra]:
        requirement = Requirement(line)
        if requirement.name == project["name"]:
            for other in requirement.extras:
                yield from lines_of(project, other)
        else:
            yield line


@pytest.mark.parametrize("name", PROJECTS)
def test_the_lock_has_every_dependency_and_no_other(name):
    project = PROJECTS[name]["project"]
    # Another part of this repository is locked as it is, whatever version is asked for.
    lines = [line.partition("==")[0] for line in project["dependencies"]]
    wanted = {declared(line) for line in lines}
    for extra in project["optional-dependencies"]:
        wanted |= {declared(line, f"extra == '{extra}'") for line in lines_of(project, extra)}
    metadata = PACKAGES[name]["metadata"]
    assert {locked(entry) for entry in metadata["requires-dist"]} == wanted, RENEW
    groups = {
        group: {declared(line) for line in lines}
        for group, lines in PROJECTS[name].get("dependency-groups", {}).items()
    }
    written = {
        group: {locked(entry) for entry in entries}
        for group, entries in metadata.get("requires-dev", {}).items()
    }
    assert written == groups, RENEW


def test_the_lock_has_a_hash_for_every_file():
    for name, package in PACKAGES.items():
        files = [*package.get("wheels", ()), *filter(None, [package.get("sdist")])]
        assert files or name in FOLDERS
        for file in files:
            assert re.fullmatch(r"sha256:[0-9a-f]{64}", file["hash"]), (name, file)
            assert file["url"].startswith("https://")


def test_the_lock_comes_from_one_index():
    sources = {str(p["source"]) for name, p in PACKAGES.items() if name not in FOLDERS}
    assert len(sources) == 1, sources


def test_the_lock_leaves_pytorch_to_pip():
    assert not [name for name in PACKAGES if name == "torch" or name.startswith("nvidia-")]
    pins = re.findall(r'"(torch==[^"]+)"', (ROOT / "pyproject.toml").read_text())
    assert pins and set(pins) == {pins[0]}, "scripts/setup.sh installs the first one"


def test_the_lock_knows_the_uv_that_reads_it():
    pinned = (ROOT / "scripts" / "uv.txt").read_text()
    version = PACKAGES["uv"]["version"]
    assert f"\nuv=={version} " in pinned, RENEW
    hashes = {wheel["hash"] for wheel in PACKAGES["uv"]["wheels"]}
    assert hashes <= set(re.findall(r"--hash=(\S+)", pinned)), RENEW


def test_the_version_stands_in_one_place():
    assert not [name for name in FOLDERS if "version" in PROJECTS[name]["project"]]
    needs = PROJECTS["quintain-host"]["project"]["dependencies"]
    (engine,) = (line for line in map(Requirement, needs) if line.name == "quintain")
    assert str(engine.specifier) == f"=={quintain.__version__}"
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == quintain.__version__
    assert f"\n## {quintain.__version__} " in (ROOT / "CHANGELOG.md").read_text()


def test_checks_before_a_commit_download_nothing():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    assert [repo["repo"] for repo in config["repos"]] == ["local"]
    for hook in config["repos"][0]["hooks"]:
        assert hook["language"] == "system"
        assert hook["entry"].startswith(".venv/bin/")


def test_no_page_installs_the_name_from_an_index():
    """Nobody owns the name there; only where quintain is installed, pip finds it by name."""
    says_from_where = {"docs/how-to/install.md", "src/quintain/errors.py"}
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    for folder in ("docs", "examples", "deploy", "src", "packages", "benchmarks"):
        pages += [
            path for name in files_below(ROOT / folder) if (path := ROOT / name).suffix in TEXT
        ]
    for page in pages:
        if str(page.relative_to(ROOT)) not in says_from_where:
            faults = re.findall(r"pip install [\"']?quintain(?!-).*", page.read_text())
            assert not faults, f"{page}: {faults}"


def built(builder, folder, place):
    """The path of an archive of a project, built in a new folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return place / builder(str(place))


OPENED = {
    "quintain": {
        "parts.json",
        "py.typed",
        "contests/editions/tiny.toml",
        "runs/report/macros.html.j2",
    },
    "quintain-host": {
        "py.typed",
        "database/migrations/script.py.mako",
        "languages/fr.po",
        "web/static/site.css",
        "web/templates/base.html.j2",
    },
}
"""Some of the files that each distribution opens."""


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDERS)
def test_a_wheel_has_everything_that_it_opens(name, tmp_path):
    top = name.replace("-", "_")
    with zipfile.ZipFile(built(build.build_wheel, FOLDERS[name], tmp_path)) as wheel:
        names = {entry for entry in wheel.namelist() if ".dist-info/" not in entry}
        info = f"{top}-{quintain.__version__}.dist-info"
        metadata = message_from_bytes(wheel.read(f"{info}/METADATA"))
        licence = wheel.read(f"{info}/licenses/LICENSE")
    source = FOLDERS[name] / "src"
    assert names == {str((ROOT / file).relative_to(source)) for file in files_below(source / top)}
    assert {f"{top}/{file}" for file in OPENED[name]} <= names
    assert licence == (ROOT / "LICENSE").read_bytes()
    assert metadata["Version"] == quintain.__version__
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"


def test_the_source_archive_has_everything_that_the_tests_read(tmp_path):
    with tarfile.open(built(build.build_sdist, ROOT, tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    folders = ("benchmarks", "deploy", "docs", "examples", "packages", "scripts", "src", "tests")
    for folder in folders:
        assert files_below(ROOT / folder) <= names, folder
    files = ["Makefile", "mkdocs.yml", "uv.lock", ".pre-commit-config.yaml", ".ci/run", "PKG-INFO"]
    assert set(files) <= names
