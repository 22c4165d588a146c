"""Lying recipes: each kind of lie is refused with its place, or stopped in words."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.contests.loading.load import validate
from quintain.errors import EditionError, Faults, SubmissionError
from quintain.programs.failures import ProgramError, Reason
from quintain.programs.limits import CallLimits
from quintain.randomness.noise import Noise
from quintain.recipes import AllowedPart, Recipe, read_recipe
from quintain.recipes.recipe import MOST_BYTES
from quintain.recipes.run import run_limited, run_steps
from quintain.registry import build
from quintain.runs.play import reasons
from quintain.runs.submissions.submit import submit
from quintain.runs.tasks.programs import run_new_programs
from quintain.sanitizers import Identity
from quintain.testing.examples import example
from tests.recipes.recipe_contests import ALLOWED, START, contest, edition

PARTS = [AllowedPart.model_validate(part) for part in ALLOWED]


def faults_of(text, most_steps=3):
    faults = Faults("ours.toml")
    content = text if isinstance(text, bytes) else text.encode()
    recipe = read_recipe(content, PARTS, most_steps, faults)
    assert (recipe is None) == bool(faults)
    return [str(fault) for fault in faults.findings]


STEP = '[[step]]\nuse = "rr"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[step]]\nuse = "rrr"', "ours.toml:2 step.0.use='rrr': unknown sanitizer; did you mean"),
        (
            '[[step]]\nuse = "identity"',
            "ours.toml:2 step.0.use='identity': this sanitizer is not allowed here; allowed: rr, "
            "small-class-deletion, swapping, mst",
        ),
        (f"{STEP}keep = 0.99", "ours.toml:3 step.0.keep='0.99': must be at most 0.9"),
        (f"{STEP}keep = 0.01", "ours.toml:3 step.0.keep='0.01': must be at least 0.1"),
        (f"{STEP}keep = nan", "must be at least 0.1"),
        (f"{STEP}keep = inf", "must be at most 0.9"),
        (f"{STEP}keep = true", "ours.toml:3 step.0.keep='True': True is not a number"),
        (f'{STEP}keep = "0.5"', "'0.5' is not a number; it must be at least 0.1 and at most 0.9"),
        (
            f"{STEP}kep = 0.5",
            "ours.toml:3 step.0.kep: rr has no such parameter; did you mean 'keep'",
        ),
        (f'{STEP}draw = "domain"', "recipes may not set this parameter; they may set: keep"),
        (
            '[[step]]\nuse = "small-class-deletion"\ncolumns = ["age"]',
            "ours.toml:3 step.0.columns: recipes may not set this parameter",
        ),
        (
            '[[step]]\nuse = "swapping"',
            "set share: without it, it is 1.0, and it must be at most 0.5",
        ),
        (
            '[[step]]\nuse = "swapping"\nshare = 0.1\ncolumns = ["age", "race"]',
            "ours.toml:4 step.0.columns: 'race' is not allowed; allowed: age, sex",
        ),
        (STEP * 4, "ours.toml:7 step: 4 steps; the limit is 3"),
        ("", "a recipe has steps: write [[step]]"),
        ("step = 3", "a recipe has steps: write [[step]]"),
        ("step = [3]", "a step is a table"),
        ("[[step]]\nkeep = 0.5", 'name a sanitizer: use = "..."'),
        ("[[step]]\nuse = 3", 'name a sanitizer: use = "..."'),
        (f"seed = 3\n{STEP}", "ours.toml:1 seed: unknown key"),
        ("[[step]\nuse = 3", "ours.toml:1: is not TOML: column 7: "),
        ('[[step]]\nuse = "rr', "ours.toml:2: is not TOML: "),
        ("x = " + "[" * 5000, "nested too deeply"),
        ("x = " + "9" * 5000, "is not TOML: "),
        (b"\xff\xfe", "is not UTF-8 text: byte 0 is 0xff"),
        (b"#" * (MOST_BYTES + 1), f"64001 bytes; the limit for a recipe is {MOST_BYTES}"),
    ],
)
def test_a_lie_is_refused_with_its_place(text, message):
    assert any(message in fault for fault in faults_of(text)), faults_of(text)


def test_every_fault_is_listed_at_once():
    text = f'{STEP}keep = 2\nkep = 1\n\n[[step]]\nuse = "identity"\n\n[[step]]\nuse = "mst"\nx = 1'
    lines = [fault.split(" ")[0] for fault in faults_of(text)]
    assert lines == ["ours.toml:3", "ours.toml:4", "ours.toml:7", "ours.toml:11"]


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=80) | st.binary(max_size=80))
def test_no_text_makes_the_reader_crash(text):
    faults_of(text if isinstance(text, bytes) else text.encode("utf-8", "replace"))


@settings(deadline=None)
@given(st.floats(allow_nan=True, allow_infinity=True))
def test_a_recipe_that_is_accepted_is_inside_its_bounds(keep):
    faults = Faults("ours.toml")
    recipe = read_recipe(f"{STEP}keep = {keep!r}".encode(), PARTS, 3, faults)
    assert (recipe is not None) == (0.1 <= keep <= 0.9)


def test_comments_and_spaces_change_nothing():
    one = read_recipe(f"{STEP}keep = 0.5".encode(), PARTS, 3, Faults())
    other = read_recipe(b'# ours\n[[step]]\nkeep = 0.50 # half\nuse = "rr-v1"', PARTS, 3, Faults())
    third = read_recipe(f"{STEP}keep = 0.6".encode(), PARTS, 3, Faults())
    assert one.digest() == other.digest() != third.digest()


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"use": "rrr"}, "unknown sanitizer 'rrr'"),
        ({"use": "rr", "bounds": {"kep": {}}}, "sanitizer/rr-v1 has no parameter 'kep'"),
        ({"use": "rr", "fixed": {"kep": 1}}, "has no parameter 'kep'"),
        ({"use": "rr", "fixed": {"keep": 7}}, "keep='7'"),
        ({"use": "rr", "bounds": {"keep": {"at_least": 2, "at_most": 1}}}, "is above at_most"),
        ({"use": "rr", "bounds": {"keep": {}}, "fixed": {"keep": 0.5}}, "is fixed and has bounds"),
        ({"use": "pipeline", "bounds": {"steps": {}}}, "runs other sanitizers"),
    ],
)
def test_an_edition_with_wrong_bounds_is_refused(part, message):
    with pytest.raises(EditionError, match="contract") as caught:
        edition(part=[part])
    assert message in str(caught.value)


def test_a_recipe_answers_no_question():
    rules = json.loads(edition().to_bytes())
    rules["track"][0]["phase"][1]["contract"] = {"use": "recipe", "part": [{"use": "rr"}]}
    with pytest.raises(EditionError, match="makes no guess"):
        validate(rules)


GREEDY = '''
import time
import numpy as np
from quintain.registry import register
from quintain.sanitizers.identity import Identity

@register("sleeps-an-hour-v1")
class SleepsAnHour(Identity):
    """Takes an hour."""

    def sanitize(self, data, *, rng, noise):
        time.sleep(3600)

@register("takes-much-memory-v1")
class TakesMuchMemory(Identity):
    """Takes 8 GiB."""

    def sanitize(self, data, *, rng, noise):
        np.ones(2**30)
'''


@pytest.fixture
def greedy(tmp_path, monkeypatch):
    """Two sanitizers of a plugin: one takes an hour, the other more memory than the limit."""
    from quintain import registry

    monkeypatch.setattr(registry, "_parts", {k: dict(v) for k, v in registry._parts.items()})
    monkeypatch.setenv(registry.PLUGIN_FILES, "")
    (tmp_path / "greedy.py").write_text(GREEDY)
    registry.load_file(tmp_path / "greedy.py")


def private():
    return example("table")


def limited(step, **limits):
    given = {"rng": np.random.default_rng(0), "noise": Noise.for_test(0)}
    return run_limited(Recipe((step,)), private(), limits=CallLimits(**limits), **given)


@pytest.mark.slow
def test_a_recipe_that_takes_an_hour_is_stopped(greedy):
    with pytest.raises(ProgramError) as caught:
        limited(build("sanitizer", "sleeps-an-hour"), seconds=0.5, memory_gib=4)
    assert caught.value.reason is Reason.OUT_OF_TIME
    assert caught.value.details == "it did not end in time; the limit is 0.5 seconds"


def test_a_recipe_that_needs_too_much_memory_is_stopped(greedy):
    with pytest.raises(ProgramError) as caught:
        limited(build("sanitizer", "takes-much-memory"), seconds=300, memory_gib=1)
    assert caught.value.reason is Reason.OUT_OF_MEMORY
    assert "the limit is 1 GiB" in caught.value.details


def test_a_process_gives_what_this_process_gives():
    step = build("sanitizer", {"use": "rrp", "columns": ["colour"]})
    apart = limited(step, seconds=300, memory_gib=4)
    rng, noise = np.random.default_rng(0), Noise.for_test(0)
    here = run_steps(Recipe((step,)), private(), rng=rng, noise=noise)
    assert apart.steps == here.steps
    assert apart.made.release.data.digest() == here.made.release.data.digest()


def test_a_step_that_refuses_the_data_is_named():
    step = build("sanitizer", {"use": "small-class-deletion", "k": 1000})
    rng, noise = np.random.default_rng(0), Noise.for_test(0)
    with pytest.raises(ProgramError) as caught:
        run_steps(Recipe((Identity(), step)), private(), rng=rng, noise=noise)
    assert caught.value.reason is Reason.REFUSED
    assert caught.value.details.startswith("step 2, sanitizer/small-class-deletion-v1: ")


def test_the_judge_refuses_lies_and_says_what_the_run_did(tmp_path):
    folder = contest(tmp_path / "live", limits={"seconds": 1e-9, "memory_gib": 4})
    for files, message in [
        ({"a.toml": b'[[step]]\nuse = "identity"'}, "not allowed here"),
        ({"a.csv": STEP.encode()}, "a recipe is a toml file, with a name that ends in .toml"),
        ({"a.toml": STEP.encode(), "b.toml": STEP.encode()}, "one toml file, not 2"),
        ({"../a.toml": STEP.encode()}, "begins with a"),
    ]:
        with pytest.raises(SubmissionError, match=message):
            submit(folder, "red", files, kind="release", now=START)
    submit(folder, "red", {"a.toml": f"{STEP}keep = 0.5".encode()}, kind="release", now=START)
    run_new_programs(folder, "release", now=START)
    assert reasons(folder)["red"] == "red: it did not end in time"
