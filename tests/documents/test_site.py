"""The documentation site: every page has a place, and every link leads somewhere."""

import re
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.static

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
FROM_ROOT = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in DOCS.rglob("*.md"))


def entries(nav):
    """The files of a navigation, in their order."""
    for item in nav:
        for value in item.values() if isinstance(item, dict) else [item]:
            yield from [value] if isinstance(value, str) else entries(value)


def test_the_navigation_names_every_page_once_and_nothing_else():
    places = [entry for entry in entries(CONFIG["nav"]) if not entry.startswith("api/")]
    pages = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")]
    assert sorted(places) == sorted([*pages, *FROM_ROOT, "contests/tiny-report.html"])
    assert all((ROOT / name).is_file() for name in FROM_ROOT.values())


def test_the_navigation_has_an_api_page_for_every_stage():
    package = ROOT / "src/quintain"
    packages = [path.parent.name for path in package.glob("*/__init__.py")]
    modules = [path.stem for path in package.glob("*.py") if not path.stem.startswith("_")]
    places = [entry for entry in entries(CONFIG["nav"]) if entry.startswith("api/")]
    assert sorted(places) == sorted(f"api/{name}.md" for name in ["index", *packages, *modules])


def anchor(heading):
    """The anchor of a heading, as the site and code hosts make it.

    >>> anchor("`tiny`: a contest, 2 tracks")
    'tiny-a-contest-2-tracks'
    """
    text = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", text)).strip("-")


def without_code(text):
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def headings(path):
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    return {anchor(line) for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", *PAGES])
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(page):
    here = ROOT / page
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(here.read_text())):
        if not re.match(r"https?:|mailto:", link):
            name, _, place = link.partition("#")
            target = (here.parent / name).resolve() if name else here
            assert target.exists(), f"{page}: {link}"
            assert not place or place in headings(target), f"{page}: no heading for {link}"


def test_pages_link_only_to_what_the_site_has():
    for page in PAGES:
        for link in re.findall(r"\]\(([^)\s#]+)", without_code((ROOT / page).read_text())):
            target = ((ROOT / page).parent / link).resolve()
            if not link.startswith("http") and not target.is_relative_to(DOCS):
                assert target.name in FROM_ROOT.values(), f"{page}: {link} is not on the site"


def test_the_site_loads_nothing_from_elsewhere():
    assert CONFIG["theme"]["font"] is False
    assert "http" not in (ROOT / "mkdocs.yml").read_text()
