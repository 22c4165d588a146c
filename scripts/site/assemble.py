"""Put the pages of the site together: docs/, pages of the root folder and of the code, a report.

python scripts/site/assemble.py FOLDER

Zensical, or another builder that reads mkdocs.yml, makes the site from that folder.
"""

import ast
import re
import shutil
import sys
import tempfile
from pathlib import Path

from formulas import with_formulas
from reference import PAGES

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "src" / "quintain"
FROM_ROOT = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}
REPORT = "contests/tiny-report.html"


def assemble(target: Path) -> None:
    """Write every page of the site into a folder."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "docs", target)
    for name, make in PAGES.items():
        (target / name).write_text(make())
    for page in target.rglob("*.md"):
        depth = len(page.relative_to(target).parts) - 1
        page.write_text(with_formulas(links_inside(page.read_text(), depth)))
    (target / "api").mkdir()
    for name, text in api_pages().items():
        (target / name).write_text(text)
    for page, name in FROM_ROOT.items():
        (target / page).write_text(root_page((ROOT / name).read_text()))
    (target / REPORT).write_bytes(example_report())


def links_inside(text: str, depth: int) -> str:
    """Turn links to pages of the root folder into links to their copies on the site."""
    for page, name in FROM_ROOT.items():
        text = text.replace(f"]({'../' * (depth + 1)}{name}", f"]({'../' * depth}{page}")
    return text


def root_page(text: str) -> str:
    """Fix the links of a page of the root folder; files that the site lacks are only named."""
    text = text.replace("](docs/", "](")
    return re.sub(r"\[([^]]+)\]\((?:examples|src|tests|benchmarks)\b[^)]*\)", r"`\1`", text)


def api_pages() -> dict[str, str]:
    """One API page per stage, and one page that lists them."""
    listed = "\n".join(f"| [`quintain.{name}`]({name}.md) | {summary(name)} |" for name in stages())
    index = f"# Python API\n\n::: quintain\n\n| module | what it is |\n|---|---|\n{listed}\n"
    return {"api/index.md": index, **{f"api/{name}.md": stage_page(name) for name in stages()}}


def stages() -> list[str]:
    """The names of all public packages and modules directly below quintain."""
    packages = (path.parent.name for path in PACKAGE.glob("*/__init__.py"))
    modules = (path.stem for path in PACKAGE.glob("*.py"))
    return sorted(name for name in (*packages, *modules) if not name.startswith("_"))


def stage_page(stage: str) -> str:
    """The page of one stage: its own docstring, then every public module in it."""
    title = f"# quintain.{stage}\n\n::: quintain.{stage}\n"
    if not (PACKAGE / stage).is_dir():
        return title
    parts = [f"{title}    options:\n      members: false\n"]
    for path in sorted((PACKAGE / stage).rglob("*.py")):
        names = path.relative_to(PACKAGE).with_suffix("").parts
        if not any(name.startswith("_") for name in names):
            module = ".".join(("quintain", *names))
            parts.append(f"## {'.'.join(names[1:])}\n\n::: {module}\n")
    return "\n".join(parts)


def summary(stage: str) -> str:
    """The first line of a stage's docstring, for the list of stages."""
    package = PACKAGE / stage / "__init__.py"
    path = package if package.is_file() else PACKAGE / f"{stage}.py"
    return (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")[0]


def example_report() -> bytes:
    """The report of the smallest contest, played now."""
    from quintain.contests import load
    from quintain.runs.play import play

    with tempfile.TemporaryDirectory() as place:
        folder = play(load("tiny", quick=True), Path(place) / "run", seed=7)
        return (folder.root / "results" / "report.html").read_bytes()


if __name__ == "__main__":
    assemble(Path(sys.argv[1]))
