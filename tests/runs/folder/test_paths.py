"""Paths: the layout of a folder is written in one file, and every JSON file names its format."""

import ast
import json
import re

import pytest

from quintain.runs.folder import paths
from quintain.runs.folder.paths import Task
from quintain.runs.folder.record import committed_files
from tests.sources import SOURCES, code_at, short_name

PARTS = [code_at(name) for name in ("runs/folder/paths.py", "contests/file_names.py")]
"""The layout, and the names that the reader of editions knows, too, which lies below it."""
ADDRESSES = code_at("quintain_host/web")
"""Its texts are addresses of a site and names of templates."""
FILES = [path for path in SOURCES if path not in PARTS and not path.is_relative_to(ADDRESSES)]

LAYOUT = re.compile(
    r"^(public|secret|teams|submissions|results|\.cache)(/|$)|"
    r"/(tasks|commitments)(/|$)|"
    r"(^|/)(edition\.(toml|json)|handover\.json|seeds\.json|board\.json|entries\.json|"
    r"journal\.jsonl|events\.jsonl|checkpoint\.txt|signing\.key|"
    r"private\.(parquet|csv)|base\.parquet|truth\.csv|standings\.json|cells\.parquet|report\.html)$"
)
WORDS = {
    "contests/edition.py": {"public", "secret"},  # the values of a key
    "kit/codabench/competition.py": {"results"},  # a key of CodaBench
    "rankings/formula.py": {"teams"},  # who is ranked, and a name in formulas
    "rankings/formulas/lookups.py": {"teams"},
    "runs/folder/organiser_data.py": {"public"},  # the value of a key
    "runs/report/section.py": {"teams"},  # a key of the page
    "runs/score.py": {"submissions"},  # keys of files
    "runs/verification/replay.py": {"submissions"},
    "cli/one_part.py": {"secret"},  # an option
    "cli/team.py": {"submissions"},  # the head of a column
    "programs/escape/suite.py": {"seeds.json"},  # a file that programs should not find
    "audits/games/coin_setup.py": {"public"},  # where a domain comes from
    "audits/sanitizer.py": {"public"},
    "releases/release.py": {"public"},
    "sanitizers/mechanism.py": {"public"},
    "sanitizers/people/marginals.py": {"public"},
    "api/people.py": {"public"},
    "cli/options.py": {"public"},
    "cli/audit/summary.py": {"report.html"},  # the page of an audit, which no edition has
    "cli/compare.py": {"report.html"},
    "cli/outputs.py": {"report.html"},
    "testing/auditing.py": {"report.html"},
    "cli/play.py": {"quintain play my-edition.toml"},  # a file of the user
    "quintain_host/sharing/site_files.py": {"secret/program.key"},  # of a site
    "quintain_host/serving/checking.py": {"secret"},  # a password that people choose
    "quintain_host/teams/history.py": {"submissions"},  # arguments of a job
    "quintain_host/work/decisions.py": {"submissions"},
    "jobs/files.py": {"secret", "submissions", ".cache"},  # below the layout
}


def texts(path):
    """The strings of a file that are neither docstrings nor the prose of a page."""
    tree = ast.parse(path.read_text())
    docs = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


@pytest.mark.static
def test_the_layout_is_written_in_one_place():
    found = []
    for path in FILES:
        name = short_name(path)
        allowed = WORDS.get(name, set())
        found += [f"{name}: {t}" for t in texts(path) if LAYOUT.search(t) and t not in allowed]
        found += [
            f"{name}: {match[0]}"
            for match in re.finditer(r"\b(folder|opened|copy)\.root /", path.read_text())
        ]
    assert not found, "\n".join(found)


def test_a_path_in_another_file_would_be_noticed():
    for literal in ("public/board.json", "secret", "/tasks/", ".cache/x", "x/truth.csv"):
        assert LAYOUT.search(literal), literal
    assert not LAYOUT.search("the results of a team")


def test_tasks_have_their_files_side_by_side():
    task = Task("main", "rr", 3, 10)
    assert paths.truth(task) == "secret/main/tasks/rr.003/truth.csv"
    assert paths.attacker_files(task, "csv", "csv") == (
        "public/main/tasks/rr.003/release.csv",
        "public/main/tasks/rr.003/card.json",
        "public/main/tasks/rr.003/question.csv",
    )


def test_committed_files_are_all_but_boards_commitments_and_hidden_ones(tmp_path):
    wanted = ["public/t/schema.json", "secret/main/tasks/a/truth.csv", "teams/red/main/private.csv"]
    wanted.insert(2, "teams/red/main/board.json")
    others = ["public/board.json", "secret/feedback.json", "teams/red/board.json"]
    others += ["public/commitments/prepare-main.json", "secret/.lock", "results/x"]
    for name in (*wanted, *others):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert committed_files(tmp_path) == wanted


@pytest.mark.slow
def test_every_json_file_of_a_played_folder_names_its_format(played):
    files = [p for p in played.rglob("*.json") if ".cache" not in p.parts]
    assert len(files) > 10
    for path in files:
        assert re.fullmatch(r"quintain\.[a-z]+/1", json.loads(path.read_bytes())["format"]), path
