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
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
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


def lines_of(extra):
    """The dependencies of an extra, with those of the extras that it names."""
    for line in PROJECT["project"]["optional-dependencies"][extra]:
        requirement = Requirement(line)
        if requirement.name == "quintain":
            for other in requirement.extras:
                yield from lines_of(other)
        else:
            yield line


def test_the_lock_has_every_dependency_and_no_other():
    wanted = {declared(line) for line in PROJECT["project"]["dependencies"]}
    for extra in PROJECT["project"]["optional-dependencies"]:
        wanted |= {declared(line, f"extra == '{extra}'") for line in lines_of(extra)}
    metadata = PACKAGES["quintain"]["metadata"]
    assert {locked(entry) for entry in metadata["requires-dist"]} == wanted, RENEW
    groups = {
        group: {declared(line) for line in lines}
        for group, lines in PROJECT["dependency-groups"].items()
    }
    written = {
        group: {locked(entry) for entry in entries}
        for group, entries in metadata["requires-dev"].items()
    }
    assert written == groups, RENEW


def test_the_lock_has_a_hash_for_every_file():
    for name, package in PACKAGES.items():
        files = [*package.get("wheels", ()), *filter(None, [package.get("sdist")])]
        assert files or name == "quintain"
        for file in files:
            assert re.fullmatch(r"sha256:[0-9a-f]{64}", file["hash"]), (name, file)
            assert file["url"].startswith("https://")


def test_the_lock_comes_from_one_index():
    sources = {str(p["source"]) for name, p in PACKAGES.items() if name != "quintain"}
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
    assert "version" not in PROJECT["project"]
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
    for folder in ("docs", "examples", "deploy", "src", "benchmarks"):
        pages += [
            path for name in files_below(ROOT / folder) if (path := ROOT / name).suffix in TEXT
        ]
    for page in pages:
        if str(page.relative_to(ROOT)) not in says_from_where:
            faults = re.findall(r"pip install [\"']?quintain(?!-).*", page.read_text())
            assert not faults, f"{page}: {faults}"


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """The wheel and the sdist, built from this folder."""
    place = tmp_path_factory.mktemp("dist")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return place / build.build_wheel(str(place)), place / build.build_sdist(str(place))


def test_the_wheel_has_everything_that_quintain_opens(archives):
    with zipfile.ZipFile(archives[0]) as wheel:
        names = {f"src/{name}" for name in wheel.namelist() if ".dist-info/" not in name}
        info = f"quintain-{quintain.__version__}.dist-info"
        metadata = message_from_bytes(wheel.read(f"{info}/METADATA"))
        assert f"{info}/licenses/LICENSE" in wheel.namelist()
    package = files_below(ROOT / "src" / "quintain")
    assert names == package
    suffixes = {Path(name).suffix for name in package}
    assert {".py", ".j2", ".toml", ".json", ".css", ".js", ".mako"} <= suffixes
    assert {"src/quintain/parts.json", "src/quintain/py.typed"} <= package
    assert metadata["Version"] == quintain.__version__
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"


def test_the_source_archive_has_everything_that_the_tests_read(archives):
    with tarfile.open(archives[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for folder in ("benchmarks", "deploy", "docs", "examples", "scripts", "src", "tests"):
        assert files_below(ROOT / folder) <= names, folder
    files = ["Makefile", "mkdocs.yml", "uv.lock", ".pre-commit-config.yaml", ".ci/run", "PKG-INFO"]
    assert set(files) <= names
