"""The documents are true: their commands run, and everything there is, is in them."""

import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from quintain import errors, registry
from quintain.cli.main import COMMANDS, ELSEWHERE, main
from quintain.contests import builtin_names, load
from quintain.contests.edition import Edition, Track
from quintain.rankings.trimming import average_name
from tests.registered import copy_registered_parts

ROOT = Path(__file__).resolve().parent.parent.parent
GENERATED = runpy.run_path(str(ROOT / "scripts/site/reference.py"))["PAGES"]
PAGES = sorted(p.relative_to(ROOT).as_posix() for p in ROOT.glob("docs/**/*.md"))


def run(script, folder):
    """Run a shell script with our command and python first on the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["sh", "-eu", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def bring_a_table_and_a_release(folder):
    """Write the two files that readers of README bring along."""
    rng = np.random.default_rng(1)
    for name in ("people", "release"):
        jobs = rng.choice(["baker", "nurse", "smith"], 300)
        rows = [f"{age},{job}" for age, job in zip(rng.integers(18, 90, 300), jobs, strict=True)]
        (folder / f"{name}.csv").write_text("\n".join(["age,job", *rows]) + "\n")


def run_commands(block, folder):
    """Run a block of a page: our commands in this process, which has imported everything already.

    A block with more than plain lines goes to the shell as a whole.
    """
    lines = block.replace("\\\n", " ").strip().splitlines()
    if "<<" in block or any(line.count('"') % 2 for line in lines):
        lines = [block]
    for line in lines:
        if line.startswith("quintain ") and "\n" not in line and "|" not in line:
            try:
                code = main(shlex.split(line)[1:])
            except SystemExit as end:
                code = end.code
            assert not code, line
        else:
            done = run(line, folder)
            assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder, in which commands run.

    They start no processes: those of an earlier command would still work in its folder.
    """
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell_blocks(page):
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    return blocks


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/how-to/audit-a-release.md",
        "docs/how-to/audit-everybody.md",
        "docs/how-to/audit-several-tables.md",
        "docs/how-to/audit-visits.md",
        "docs/how-to/write-a-dossier.md",
    ],
)
def test_the_commands_of_a_page_run_in_order(page, here):
    if page == "README.md":
        bring_a_table_and_a_release(here)
    for block in shell_blocks(page):
        run_commands(block, here)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("size", ["--quick ", ""], ids=["quick", "full"])
def test_the_commands_of_the_tutorial_run_in_order(size, here):
    for block in shell_blocks("docs/tutorial.md"):
        run_commands(block.replace("--seed 7", f"{size}--seed 7"), here)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("page", ["README.md", *(page for page in PAGES if "how-to" in page)])
def test_the_python_of_a_page_runs(page, here, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    if any("@register" in block for block in blocks):
        monkeypatch.setattr(registry, "_parts", copy_registered_parts())
    if any('"run' in block for block in blocks):
        run_commands("quintain play tiny --quick --seed 7 --out run", here)
    for number, block in enumerate(blocks):
        if "skl2onnx" in block:
            pytest.importorskip("skl2onnx")
        (here / f"block{number}.py").write_text(block)
        runpy.run_path(str(here / f"block{number}.py"), run_name="__main__")


def test_the_sanitizers_of_the_page_about_masking_load(tmp_path):
    text = (ROOT / "docs/how-to/mask-a-table.md").read_text()
    blocks = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 4
    for number, block in enumerate(blocks):
        file = tmp_path / f"block{number}.toml"
        file.write_text(f'include = "tiny"\nid = "mine"\n\n{block}')
        assert load(file).track[0].entries


def test_every_part_and_its_parameters_are_documented():
    text = GENERATED["reference/parts.md"]()
    for family in registry.families():
        ours = (p for p in registry.parts(family) if p.__module__.startswith("quintain."))
        for part in ours:
            assert f"`{part.id}`" in text
            for parameter in part.fields():
                assert f"`{parameter}`" in text, part.id


@pytest.mark.slow
def test_the_api_of_a_site_is_up_to_date(tmp_path):
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/document.py", tmp_path], capture_output=True, check=True
    )
    assert not done.stderr
    for page in sorted(tmp_path.iterdir()):
        kept = ROOT / "docs/reference" / page.name
        assert kept.read_text() == page.read_text(), f"{page.name}: run scripts/document.py"


@pytest.mark.parametrize("page", GENERATED)
def test_a_checkout_has_a_page_in_place_of_a_generated_one(page):
    short, text = (ROOT / "docs" / page).read_text(), GENERATED[page]()
    assert short.splitlines()[0] == text.splitlines()[0]
    assert "quintain" in short and len(short.splitlines()) < 20 < len(text.splitlines())


def test_every_command_is_documented():
    text = GENERATED["reference/commands.md"]()
    for command in (*COMMANDS, *ELSEWHERE):
        assert f"## quintain {command}\n" in text


def test_every_key_of_an_edition_is_documented():
    text = (ROOT / "docs/reference/editions.md").read_text()
    written_by_quintain = {"format", "made_with"}
    for key in {*Edition.model_fields, *Track.model_fields} - written_by_quintain:
        assert re.search(rf"`(\[\[?)?{key}(\]\]?)?`", text), f"{key} is not in editions.md"


def test_every_error_is_in_the_tree():
    text = errors.__doc__ or ""
    for name, thing in vars(errors).items():
        if isinstance(thing, type) and issubclass(thing, errors.QuintainError):
            assert name in text


def test_every_built_in_edition_has_a_page():
    for name in builtin_names():
        assert (ROOT / f"docs/contests/{name}.md").is_file()


@pytest.mark.parametrize("name", builtin_names())
def test_the_page_of_an_edition_names_the_average_of_its_attackers(name):
    page = (ROOT / f"docs/contests/{name}.md").read_text()
    (ranking,) = re.findall(r"^\| ranking \|(.*)", page, re.MULTILINE)[:1]
    for track in load(name).track:
        for board in track.board:
            for trim in board.rule.trims.values() if board.rule.ranks_attackers else ():
                assert average_name(trim) in ranking or board.rule.follows


def cells(row):
    """How many cells a row of a table in Markdown has."""
    return len(re.findall(r"(?<!\\)\|", re.sub(r"`[^`]*`", "", row))) - 1


@pytest.mark.parametrize("page", PAGES)
def test_the_rows_of_a_table_have_the_cells_of_its_head(page):
    make = GENERATED.get(page.removeprefix("docs/"), (ROOT / page).read_text)
    text = re.sub(r"^```.*?^```", "", make(), flags=re.MULTILINE | re.DOTALL)
    for table in re.findall(r"(?:^\|.*\|\n){2,}", text, re.MULTILINE):
        head, line, *rows = table.splitlines()
        assert re.fullmatch(r"\|(?::?-+:?\|)+", line.replace(" ", "")), f"no head: {head}"
        assert not [row for row in [line, *rows] if cells(row) != cells(head)]


def test_the_glossary_is_in_order():
    lines = (ROOT / "docs/glossary.md").read_text().partition("## ")[0].splitlines()
    words = [line[2:].partition(" |")[0].split(",")[0].lower() for line in lines if line[:1] == "|"]
    assert words[2:] == sorted(words[2:])
