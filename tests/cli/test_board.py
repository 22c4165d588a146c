"""The board: everybody sees the policy, and a team sees its own scores."""

import json
import subprocess
import sys

import pytest

from quintain.cli.main import main
from quintain.kit.kit import kit_bytes
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from tests.cli.command_cases import refusal
from tests.contest_folders import small
from tests.kit.conftest import unpacked


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    """A contest in which red has answered one task; read only."""
    folder = small(
        tmp_path_factory.mktemp("boards") / "c",
        team=[{"id": "red"}, {"id": "blue"}],
        repeats=1,
        feedback={"show": "rounded", "bits": 20},
    )
    rules = folder.edition().track[0]
    task = folder.tasks(rules)[0]
    targets = folder.question(rules, task).targets().tolist()
    rows = "".join(f"{target},{i % 2}\n" for i, target in enumerate(targets))
    submit(folder, "red", {f"{task.name}.csv": f"target,probability\n{rows}".encode()})
    score(folder)
    return folder


def board(capsys, *arguments):
    with pytest.raises(SystemExit) as done:
        main(["board", *map(str, arguments)])
    assert not done.value.code
    return capsys.readouterr().out


@pytest.mark.slow
def test_everybody_sees_the_policy_and_no_score(contest, capsys):
    assert board(capsys, contest.root) == (
        "track main: feedback is 'rounded'\n  each team sees its own scores: use --team\n"
    )


def test_a_team_sees_its_scores_and_what_they_cost(contest, capsys):
    text = board(capsys, contest.root, "--team", "red")
    (line,) = [line for line in text.splitlines() if line.startswith("  red on identity: ")]
    assert "auc" in line
    assert line.endswith("of 20 bits spent)")
    shown = json.loads(board(capsys, contest.root, "--team", "red", "--json"))
    assert list(shown["tracks"]["main"]) == ["red"]


def test_a_team_without_scores_sees_only_the_policy(contest, capsys):
    assert "red" not in board(capsys, contest.root, "--team", "blue")


def test_the_board_of_an_unknown_team_is_refused(contest, capsys):
    assert "unknown team 'green'" in refusal(capsys, "board", contest.root, "--team", "green")


def test_only_the_teams_own_kit_has_its_board(contest):
    assert "teams/red/board.json" in unpacked(kit_bytes(contest, "red"))
    for other in (None, "blue"):
        assert "teams/red/board.json" not in unpacked(kit_bytes(contest, other))


@pytest.mark.parametrize("options", [[], ["--official"], ["--json"]])
def test_a_board_is_shown_without_loading_rules_data_or_parts(contest, options):
    heavy = ["numpy", "pyarrow", "pydantic", "scipy", "sklearn", "pandas"]
    heavy += ["quintain.contests.edition", "quintain.data.schema", "quintain.registry"]
    code = (
        "import sys\nfrom quintain.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit as end:\n    assert not end.code\n"
        f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    )
    arguments = ["board", str(contest.root), *options]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout
    assert done.stderr.strip() == "[]"
