"""Pipelines: the order of the steps, their listed methods, and the claim that remains."""

import json
from typing import ClassVar

import numpy as np
import pytest

from quintain.contests import load
from quintain.contests.json_schema import edition_schema
from quintain.errors import EditionError, PartError, Rejected
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.releases import Release, Sanitized
from quintain.runs.folder.rules import read_rules
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.masking.deletion import SmallClassDeletion
from quintain.sanitizers.masking.randomized_response import RandomizedResponse
from quintain.sanitizers.pipeline import Pipeline
from quintain.testing import example_table, people

EDITION = """
include = "tiny"
id = "steps"
[[sanitizer]]
use = "pipeline"
name = "mixed"
steps = [
  { use = "small-class-deletion", k = 2, columns = ["sex", "education"] },
  { use = "rr", keep = 0.9 },
]
"""


def sanitized(*steps, data=None, seed=1):
    part = build("sanitizer", {"use": "pipeline", "steps": list(steps)})
    rng = np.random.default_rng(0)
    return sanitize(part, data or people(example_table()), rng=rng, noise=Noise.for_test(seed))


def run(*steps, **arguments):
    return sanitized(*steps, **arguments).release


def test_each_step_works_on_the_release_of_the_one_before():
    data, noise = people(example_table()), Noise.for_test(1)
    rng = np.random.default_rng(0)
    first = sanitize(SmallClassDeletion(k=3), data, rng=rng, noise=noise).release
    second = sanitize(RandomizedResponse(keep=0.5), first.data, rng=rng, noise=noise).release
    release = run({"use": "small-class-deletion", "k": 3}, {"use": "rr", "keep": 0.5})
    assert release.data.equals(second.data)
    assert release.methods == first.methods + second.methods


def test_the_claim_of_the_first_step_survives_the_others():
    result = sanitized({"use": "independent", "epsilon": 2.0}, {"use": "rrp"}, "swapping")
    release = result.release
    assert release.claim.epsilon == 2.0
    assert [m.name for m in release.methods] == [
        "synthetic data generation",
        "randomized response",
        "swapping",
    ]
    assert result.trace.focal_points


def test_the_claim_of_a_later_step_says_nothing_of_the_private_data():
    assert run({"use": "rr", "keep": 0.5}).claim is not None
    assert run("identity", {"use": "rr", "keep": 0.5}).claim is None


def test_the_text_of_an_edition_gives_the_same_pipeline_again():
    inner = {"use": "pipeline", "steps": ["identity", {"use": "rr", "keep": 0.25}]}
    part = build("sanitizer", {"use": "pipeline", "steps": [inner, "swapping"]})
    written = json.loads(json.dumps(part.spec()))
    assert written["steps"][0]["steps"][1] == {
        "use": "sanitizer/rr-v1",
        "columns": None,
        "keep": 0.25,
        "draw": "domain",
    }
    assert build("sanitizer", written) == part
    assert isinstance(part, Pipeline)
    assert part.steps[0].steps[1] == RandomizedResponse(keep=0.25)


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ([], "at least 1 item"),
        ([{"use": "rrr"}], r"unknown sanitizer 'rrr'; did you mean 'rr'\?"),
        ([{"use": "rr", "keep": 2, "colums": []}], r"keep.*at most 1.*unknown"),
        ([3], 'a step is written { use = "..." }'),
    ],
)
def test_a_wrong_step_gets_a_sentence_with_its_place(steps, sentence):
    with pytest.raises(Rejected, match=sentence) as caught:
        build("sanitizer", {"use": "pipeline", "steps": steps})
    assert "steps" in str(caught.value)


def test_a_step_that_leaves_nothing_is_named():
    with pytest.raises(PartError, match="small-class-deletion-v1 would leave nothing"):
        run("rr", {"use": "small-class-deletion", "k": 100_000})


class Aligned(Sanitizer):
    """Says that record i stands for record i."""

    aligned: ClassVar[bool] = True
    id: ClassVar[str] = "sanitizer/aligned-v1"

    def sanitize(self, data, *, rng, noise):
        return Sanitized(Release(data.take(np.arange(len(data))[::-1])))


def test_a_step_that_keeps_the_order_does_not_give_it_away():
    data = people(example_table())
    release = sanitize(
        Pipeline(steps=(Aligned(),)), data, rng=np.random.default_rng(0), noise=Noise.for_test(1)
    ).release
    assert release.data.equals(data.take(data.order()))


def test_an_edition_can_name_a_pipeline(tmp_path):
    file = tmp_path / "steps.toml"
    file.write_text(EDITION)
    edition = load(file)
    (track,) = edition.track
    assert track.entries["mixed"].steps[0] == SmallClassDeletion(k=2, columns=("sex", "education"))
    assert read_rules(edition.to_bytes()) == edition


def test_a_wrong_step_in_an_edition_gets_its_line(tmp_path):
    file = tmp_path / "steps.toml"
    file.write_text(EDITION.replace('"rr"', '"rrr"'))
    with pytest.raises(EditionError, match=r"steps.toml:\d+.*unknown sanitizer 'rrr'"):
        load(file)


FAULTY_STEPS = (
    'steps = [\n  { use = "k-anonymity", k = 0 },\n  { use = "rr", keeep = 0.5 },\n]\n',
    '[[sanitizer.steps]]\nuse = "k-anonymity"\nk = 0\n'
    '[[sanitizer.steps]]\nuse = "rr"\nkeeep = 0.5\n',
)


@pytest.mark.parametrize(("steps", "lines"), [(FAULTY_STEPS[0], (6, 7)), (FAULTY_STEPS[1], (5, 8))])
def test_every_wrong_step_gets_its_own_line_and_nothing_else_is_blamed(tmp_path, steps, lines):
    file = tmp_path / "steps.toml"
    file.write_text(f'include = "tiny"\nid = "mine"\n[[sanitizer]]\nuse = "pipeline"\n{steps}')
    with pytest.raises(EditionError) as caught:
        load(file)
    assert tuple(fault.line for fault in caught.value.faults) == lines
    assert "at least 1" in str(caught.value.faults[0])
    assert "did you mean 'keep'?" in str(caught.value.faults[1])


def test_every_step_that_refuses_the_columns_is_named():
    steps = [{"use": "rr", "columns": ["agee"]}, {"use": "pram", "columns": ["sexx"]}]
    part = Pipeline.model_validate({"steps": steps})
    reason = part.refusal(people(example_table()).schema)
    assert "step 1: sanitizer/rr-v1: unknown column 'agee'" in reason
    assert "step 2: sanitizer/pram-v1: unknown column 'sexx'" in reason


def test_editors_learn_what_a_step_is():
    schemas = edition_schema()["$defs"]["part-sanitizer"]["oneOf"]
    (pipeline,) = [
        s for s in schemas if "pipeline" in s.get("properties", {}).get("use", {}).get("enum", ())
    ]
    assert pipeline["properties"]["steps"]["items"] == {"$ref": "#/$defs/part-sanitizer"}
