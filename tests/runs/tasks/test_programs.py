"""Contests of programs: the organisers run what teams hand in, whatever it does."""

import io
import json
import time
import zipfile
from datetime import UTC, datetime

import numpy as np
import pytest

from quintain.contests import load
from quintain.errors import (
    Faults,
    FolderError,
    ProgramError,
    QuintainError,
    QuotaUsed,
    Refused,
    SubmissionError,
)
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.kit.kit import kit_bytes
from quintain.programs.hide_and_seek import HideAndSeek
from quintain.programs.runner import CallLimits, call
from quintain.runs.folder.paths import tracebacks
from quintain.runs.hand_over import hand_over
from quintain.runs.play import play
from quintain.runs.rehearsal import read_programs, reasons
from quintain.runs.score import score
from quintain.runs.submissions.ledger import receipts
from quintain.runs.submissions.submit import submit
from quintain.runs.submissions.upload import read_upload
from quintain.runs.verify import verify
from quintain.testing.examples import example
from tests.contest_folders import prepared

SMALL = {"dataset": {"rows": 40, "steps": 10, "features": 4}, "baseline": []}
STEPS = {"steps": 10, "limits": {"seconds": 20}}
PHASES = [
    {"id": "hide", "submit": "release", "contract": {"use": "hide-and-seek", **STEPS}},
    {"id": "seek", "submit": "guess", "contract": {"use": "hide-and-seek", **STEPS}},
]

# What a participant of 2020 would have written.
HIDER = """
import numpy as np
from utils.scaling import scale

def hider(input_dict):
    data, mask, seed = input_dict["data"], input_dict["padding_mask"], input_dict["seed"]
    np.random.seed(seed)
    noise = np.random.normal(0, scale, data.shape)
    return {returned}
"""
SEEKER = """
import numpy as np

def seeker(input_dict):
    generated = np.nan_to_num(input_dict["generated_data"])
    enlarged = np.nan_to_num(input_dict["enlarged_data"])
    g = generated.reshape(len(generated), -1)
    e = enlarged.reshape(len(enlarged), -1)
    d = np.array([np.min(np.linalg.norm(g - x, axis=1)) for x in e])
    labels = (d <= np.sort(d)[len(g) - 1]).astype(int)
    return {returned}
"""


def zipped(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.py", text)
    return out.getvalue()


def hider(returned="data + noise, mask"):
    text = HIDER.replace("{returned}", returned)
    return zipped(**{"hider": text, "utils/__init__": "", "utils/scaling": "scale = 0.0\n"})


def seeker(returned="labels"):
    return zipped(seeker=SEEKER.replace("{returned}", returned))


def made(root, phases, **changes):
    """A prepared contest of four teams."""
    teams = [{"id": name} for name in ("red", "blue", "green", "grey")]
    changes = {**SMALL, "phase": phases, "team": teams, **changes}
    rules = load("hide-and-seek", overrides=changes)
    return prepared(root, rules, seed=2)


@pytest.fixture
def contest(tmp_path):
    return made(tmp_path / "live", PHASES)


def test_programs_of_2020_play_unchanged(contest):
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    submit(
        contest, "blue", {"mine.zip": hider("np.random.normal(0, 1, data.shape)")}, kind="release"
    )
    hand_over(contest)
    submit(contest, "green", {"mine.zip": seeker()}, kind="guess")
    results = score(contest)["main"]
    assert results.cells["red", "green"]["reidentification"].value == 1.0
    assert results.cells["blue", "green"]["reidentification"].value < 0.9
    kinds = [(r.kind, r.team, r.made_by) for r in receipts(contest)]
    assert kinds == [
        ("program", "red", None),
        ("program", "blue", None),
        ("release", "blue", 2),
        ("release", "red", 1),
        ("program", "green", None),
        ("guess", "green", 5),
    ]
    assert verify(contest).problems == ()


def test_one_failing_program_leaves_everything_else_running(contest):
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    submit(contest, "blue", {"mine.zip": hider("data[:, :3]")}, kind="release")
    submit(contest, "grey", {"mine.zip": hider("1 / 0")}, kind="release")
    hand_over(contest)
    submit(contest, "green", {"mine.zip": seeker()}, kind="guess")
    submit(contest, "blue", {"mine.zip": seeker("labels * np.nan")}, kind="guess")
    results = score(contest)["main"]
    assert set(results.cells) == {("red", "green")}
    failures = reasons(contest)
    assert failures["grey"] == "grey: it failed with ZeroDivisionError in hider.py, line 9"
    assert "not of shape" in failures["blue"]
    assert "not finite" in failures["blue"], "both of its programs failed"
    assert verify(contest).problems == ()


def test_programs_that_all_fail_leave_nothing_to_hand_over(contest):
    submit(contest, "grey", {"mine.zip": hider("1 / 0")}, kind="release")
    with pytest.raises(FolderError, match="no program made a valid release; each reason"):
        hand_over(contest)
    (reason,) = contest.root.glob("submissions/grey/*/reason.txt")
    assert "ZeroDivisionError" in reason.read_text()
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    hand_over(contest)
    assert [task.entry for task in contest.tasks(contest.edition().track[0])] == ["red"]


def test_scoring_again_runs_nothing_twice(contest):
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    hand_over(contest)
    submit(contest, "green", {"mine.zip": seeker()}, kind="guess")
    score(contest)
    before = (contest.root / "submissions/ledger.jsonl").read_bytes()
    standings = (contest.root / "results/standings.json").read_bytes()
    score(contest)
    assert (contest.root / "submissions/ledger.jsonl").read_bytes() == before
    assert (contest.root / "results/standings.json").read_bytes() == standings


@pytest.mark.parametrize("quota", [{"total": 2}, {"per_day": 2}, {"total": 2, "per_day": 2}])
def test_what_a_program_made_uses_up_none_of_its_teams_submissions(tmp_path, quota):
    contest = made(tmp_path / "live", [{**phase, **quota} for phase in PHASES])
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    for kind, program, work in (("release", hider(), hand_over), ("guess", seeker(), score)):
        for team in ("red", "green"):
            submit(contest, team, {"mine.zip": program}, kind=kind, now=noon)
        work(contest)
        submit(contest, "red", {"mine.zip": program}, kind=kind, now=noon)
        with pytest.raises(QuotaUsed, match="team red has used"):
            submit(contest, "red", {"mine.zip": program}, kind=kind, now=noon)
    made_by = [(r.team, r.kind) for r in receipts(contest) if r.made_by is not None]
    assert sorted(made_by) == [
        ("green", "guess"),
        ("green", "release"),
        ("red", "guess"),
        ("red", "release"),
    ]


def test_players_are_not_told_the_seed_of_the_split(contest):
    spy = "np.full_like(data, seed)"
    submit(contest, "red", {"mine.zip": hider(spy)}, kind="release")
    hand_over(contest)
    track = contest.edition().track[0]
    seed = int(contest.release(track, contest.tasks(track)[0]).data.values[0, 0])
    chosen = np.random.default_rng(seed).permutation(40)[:20]
    members = contest.truth(track, contest.tasks(track)[0]).table.columns["member"]
    assert 0 < members[chosen].sum() < 20
    assert json.loads((contest.root / "public/edition.json").read_bytes())  # no seed in the rules
    assert "seed" not in (contest.root / "public/edition.json").read_text()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"mine.zip": zipped(main="x = 1")}, "needs hider.py"),
        ({"mine.zip": zipped(hider="", seeker="")}, "hand in only one of them"),
        ({"mine.zip": b"not a zip"}, "cannot be read as a zip"),
        ({"a.zip": hider(), "b.zip": hider()}, "one zip file, not 2"),
    ],
)
def test_what_is_no_program_is_refused(contest, files, message):
    with pytest.raises(SubmissionError, match=message):
        submit(contest, "red", files, kind="release")


def program(text, name="hider"):
    return {f"{name}.py": text.encode()}


@pytest.mark.parametrize(
    "returned",
    ["data", "(data, mask)", "(data, None)", "(data, 3)", "(data, mask, 2)", "(data, None, None)"],
)
def test_every_form_a_hider_may_return(returned):
    text = "def hider(d):\n    data, mask = d['data'], d['padding_mask']\n    return " + returned
    private = example("series")
    made = HideAndSeek(steps=12).release(program(text), private, seed=1)
    assert made.lengths.tolist() == private.lengths.tolist()
    assert np.array_equal(made.values, private.values, equal_nan=True)


@pytest.mark.parametrize("shape", ["labels", "labels[:, None]", "labels[None, :]"])
def test_every_form_a_seeker_may_return(shape):
    from quintain.guesses.membership import Membership
    from quintain.testing.examples import experiment

    sample, release = experiment("series")
    question, _ = Membership().ask(sample, release)
    text = f"import numpy as np\ndef seeker(d):\n    labels = np.arange(20) % 2\n    return {shape}"
    guess = HideAndSeek(steps=12).guess(program(text, "seeker"), question, release.data, seed=1)
    assert guess.table.columns["probability"].tolist() == [0.0, 1.0] * 10


def test_how_sure_a_seeker_is_is_kept():
    from quintain.guesses.membership import Membership
    from quintain.testing.examples import experiment

    sample, release = experiment("series")
    question, _ = Membership().ask(sample, release)
    text = "import numpy as np\ndef seeker(d):\n    return np.linspace(-1, 2, 20)"
    guess = HideAndSeek(steps=12).guess(program(text, "seeker"), question, release.data, seed=1)
    probabilities, returned = guess.table.columns["probability"], np.linspace(-1, 2, 20)
    assert np.array_equal(probabilities > 0.5, returned > 0.5)
    assert np.array_equal(probabilities, np.clip(returned, 0, 1))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return 'rescore'", "rescore"),
        ("return d['data'][:, :2]", "of shape"),
        ("return [{}]", "not an array"),
        ("return d['data'] * float('inf')", "beyond"),
        ("return d['data'], d['padding_mask'], 1, 2", "nothing else"),
        ("import os; os._exit(3)", "exit code 3"),
        ("raise RuntimeError(str(d['data'].sum()))", r"RuntimeError in hider\.py, line 2$"),
        ("return bytearray(1 << 40)", "MemoryError"),
        ("while True: pass", "did not end in time; the limit is 6 seconds"),
    ],
)
def test_what_goes_wrong_is_told_without_any_data(body, reason):
    contract = HideAndSeek(steps=12, limits=CallLimits(seconds=6, memory_gib=8))
    with pytest.raises(ProgramError, match=reason):
        contract.release(program(f"def hider(d):\n    {body}"), example("series"), seed=1)


def test_a_program_sees_no_environment_of_ours(monkeypatch):
    monkeypatch.setenv("QUINTAIN_SECRET", "hidden")
    text = "import os\ndef f(d):\n    return ','.join(sorted(os.environ))"
    (seen,) = call(program(text, "m"), "m", "f", {}, CallLimits(seconds=20))
    assert "QUINTAIN_SECRET" not in seen


def test_children_of_a_program_are_killed_with_it(tmp_path):
    late = f"import time; time.sleep(2); open({str(tmp_path / 'late')!r}, 'w')"
    text = (
        "import subprocess, sys\n"
        "def f(d):\n"
        f"    subprocess.Popen([sys.executable, '-c', {late!r}])\n"
        "    return 1\n"
    )
    call(program(text, "m"), "m", "f", {}, CallLimits(seconds=20))
    time.sleep(3)
    assert not (tmp_path / "late").exists()


def test_names_in_a_zip_cannot_lead_out_of_it(contest):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../hider.py", "")
    faults = Faults("x.zip")
    from quintain.runs.submissions.checking import unpacked

    unpacked(out.getvalue(), contest.edition().limits, faults)
    assert "leads out" in str(faults.findings[0])


def test_releases_are_handed_over_once(contest):
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    hand_over(contest)
    hand_over(contest)
    submit(contest, "blue", {"mine.zip": hider()}, kind="release")
    with pytest.raises(FolderError, match=r"already handed over.* 3 of team blue came too late"):
        hand_over(contest)
    score(contest)
    assert verify(contest).problems == ()


def test_a_program_is_a_zip_and_its_release_has_the_name_that_is_wanted(tmp_path):
    contest = made(tmp_path / "live", PHASES, files={"release": "of_{team}.csv"})
    with pytest.raises(SubmissionError, match=r"a name that ends in .zip"):
        submit(contest, "red", {"mine.txt": hider()}, kind="release")
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    hand_over(contest)
    assert [list(r.files) for r in receipts(contest)] == [["mine.zip"], ["of_red.csv"]]


def test_a_seeker_that_fails_on_a_release_counts_as_chance_there(contest):
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    submit(contest, "blue", {"mine.zip": hider("np.ones(data.shape), mask")}, kind="release")
    hand_over(contest)
    picky = SEEKER.replace("{returned}", "labels if np.nanstd(generated) > 1 else 1 / 0")
    submit(contest, "green", {"mine.zip": zipped(seeker=picky)}, kind="guess")
    score(contest)
    standings = json.loads((contest.root / "results/standings.json").read_text())
    seekers = standings["tracks"]["main"]["boards"][2]["places"]
    (place,) = (place for place in seekers if place["team"] == "green")
    assert place["score"]["value"] == pytest.approx((1.0 + 0.5) / 2)


def test_no_bundle_of_a_contest_of_programs_is_made(contest):
    submit(contest, "red", {"mine.zip": hider()}, kind="release")
    hand_over(contest)
    with pytest.raises(QuintainError, match="teams hand in programs"):
        bundle_bytes(contest)


# --- trying a program in a rehearsal --------------------------------------------------------------

EXAMPLES = HideAndSeek(**STEPS)


@pytest.fixture
def rehearsal():
    """A small contest with two built-in players."""
    players = [
        {"id": "noise", "sanitizer": {"use": "add-noise"}},
        {"id": "knn", "attack": {"use": "series-knn"}},
    ]
    return load("hide-and-seek", overrides={**SMALL, "phase": PHASES, "baseline": players})


def written(folder, role, name, text=None):
    """The example of a role, or another text, as a folder of its own."""
    (folder / name).mkdir()
    for file, content in EXAMPLES.example(role).items():
        (folder / name / file).write_text(content.decode() if text is None else text)
    return folder / name


def test_programs_play_along_with_the_baselines(rehearsal, tmp_path):
    paths = [written(tmp_path, "release", "My Hider"), written(tmp_path, "guess", "mine")]
    programs = read_programs(rehearsal, paths)
    assert set(programs) == {"my-hider", "mine"}
    folder = play(rehearsal, tmp_path / "run", seed=1, programs=programs)
    standings = json.loads((folder.root / "results/standings.json").read_text())
    boards = {board["id"]: board["places"] for board in standings["tracks"]["main"]["boards"]}
    ranks = {place["team"]: place["rank"] for place in boards["hiders"]}
    assert ranks == {"noise": 1, "my-hider": None}, "baselines are ranked, programs beside them"
    assert {place["team"] for place in boards["seekers"]} == {"knn", "mine"}
    assert reasons(folder) == {}
    assert verify(folder).problems == ()
    again = play(rehearsal, tmp_path / "run", seed=1, programs=programs)
    assert len(receipts(again)) == 6
    changed = {**programs, "mine": seeker()}
    with pytest.raises(FolderError, match="a run of an earlier version of mine"):
        play(rehearsal, tmp_path / "run", seed=1, programs=changed)


def test_two_programs_of_the_same_file_name_play_under_the_names_of_their_folders(
    rehearsal, tmp_path
):
    red, blue = (written(tmp_path, "release", name) / "hider.py" for name in ("red", "blue"))
    programs = read_programs(rehearsal, [red, blue])
    assert set(programs) == {"red-hider", "blue-hider"}
    folder = play(rehearsal, tmp_path / "run", seed=1, programs=programs)
    owners = folder.owners(folder.edition().track[0])
    assert sorted(owners.values()) == ["blue-hider", "noise", "red-hider"]


def test_a_program_that_fails_in_a_rehearsal_is_told_why(rehearsal, tmp_path):
    programs = read_programs(rehearsal, [written(tmp_path, "guess", "bad", "import nothing_here")])
    folder = play(rehearsal, tmp_path / "run", seed=1, programs=programs)
    assert "ModuleNotFoundError" in reasons(folder)["bad"]
    (traceback,) = tracebacks(folder.root)
    assert "No module named 'nothing_here'" in traceback.read_text()
    assert "nothing_here" not in reasons(folder)["bad"]


def test_what_cannot_play_is_refused_before_anything_is_played(rehearsal, tmp_path):
    knn, other = written(tmp_path, "guess", "knn"), tmp_path / "other.py"
    other.write_text("print(1)")
    with pytest.raises(Refused, match="another player has the name 'knn'"):
        read_programs(rehearsal, [knn])
    with pytest.raises(SubmissionError, match=r"other.py: needs seeker.py"):
        read_programs(rehearsal, [other])
    with pytest.raises(Refused, match="tiny accepts no programs"):
        read_programs(load("tiny"), [other])


def test_a_team_of_programs_is_given_examples_and_no_private_data(contest, tmp_path):
    assert not (contest.root / "teams").exists()
    with zipfile.ZipFile(io.BytesIO(kit_bytes(contest, "red"))) as kit:
        names = set(kit.namelist())
        kit.extractall(tmp_path / "kit")
    assert {"example/main/hide/hider.py", "example/main/seek/seeker.py"} < names
    assert not [name for name in names if "private" in name or "test" in name]
    rules = load(tmp_path / "kit")
    assert rules.to_bytes() == contest.edition().to_bytes(), "a kit can be played"
    upload = read_upload(tmp_path / "kit/example/main/hide", rules.limits, program=True)
    submit(contest, "red", upload, kind="release")
    hand_over(contest)
    assert list(contest.owners(contest.edition().track[0]).values()) == ["red"]
