"""The audit of the accounting: planted faults are found with certainty, and no part has one."""

import json

import numpy as np
import pandas as pd
import pytest

from quintain import registry
from quintain.api.accounting import Sizes, audit_accounting, claiming_parts
from quintain.audits.accounting.neighbours import SCHEMA, made_up_rows, to_arrow
from quintain.cli.main import main
from quintain.testing.examples import example_table, people
from tests.registered import copy_registered_parts


@pytest.fixture
def planted(monkeypatch):
    monkeypatch.setattr(registry, "_parts", copy_registered_parts())
    from tests.audits.accounting.planted import PlantedCounts

    return PlantedCounts


def audit(part):
    """The audit of a part on rows with a stated schema."""
    cells = made_up_rows(45, np.random.default_rng(1))
    audited = audit_accounting(part, to_arrow(cells, ["grade"]), schema=SCHEMA)
    return audited.settings[0]


def told(found):
    """Everything that was found, in words."""
    return " | ".join(one.sentence() for one in found.findings)


@pytest.mark.parametrize("kind", ["laplace", "gaussian", "chosen"])
def test_an_honest_part_of_a_plugin_holds(planted, kind):
    found = audit(planted(noise_kind=kind))
    assert found.verdict == "holds", told(found)
    assert 0.5 < found.share <= 1


@pytest.mark.parametrize("kind", ["laplace", "gaussian", "chosen"])
@pytest.mark.parametrize("fault", ["half", "not-split"])
def test_noise_that_is_too_small_is_found(planted, kind, fault):
    found = audit(planted(fault=fault, noise_kind=kind))
    assert found.verdict == "exceeds"
    wanted = {"half": 2, "not-split": 4 if kind == "laplace" else 2}[fault]
    assert found.share > (1.25 if kind == "chosen" else 0.8 * wanted)
    assert "the answers cost epsilon" in found.findings[0].words


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("rows-in-card", "the card's methods 1 rows = "),
        ("rows-released", "the number of records = "),
        ("values-released", "the cells of 'colour' differ, although all noisy answers are equal"),
        ("warning", "warning 1 = made from "),
        ("refusal", "one table is refused and its neighbour is not: ValueError: a value that was"),
        ("scale", "the noise at planted.py:"),
        ("fraction", "the noise is whole numbers, but true values differ by 0.333333"),
    ],
)
def test_what_is_published_without_noise_is_found(planted, fault, words):
    found = audit(planted(fault=fault))
    assert found.verdict in ("shows", "exceeds")
    assert words in told(found)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("reused", "laplace noise was added to two true values: their difference has no noise"),
        ("compared", "laplace noise was compared"),
        ("escaped", "laplace noise was made an array"),
    ],
)
def test_noise_that_cannot_be_followed_is_named_and_never_holds(planted, fault, words):
    found = audit(planted(fault=fault))
    assert found.verdict == "cannot-say"
    assert found.why.startswith("planted.py:") and words in found.why


def test_a_table_of_the_user_is_tried(planted):
    table = people(example_table(rows=50))
    cells = {name: [row[name] for row in table.records()] for name in table.schema.names}
    frame = pd.DataFrame(cells)
    audited = audit_accounting(planted(fault="half"), frame, schema=table.schema)
    (found,) = audited.settings
    assert (found.setting, found.verdict) == ("your table", "exceeds")
    assert "your table: exceeds, 2 of the claim" in audited.words()


@pytest.mark.slow
def test_the_command_ends_with_a_code_and_prints_json(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(registry, "_parts", copy_registered_parts())
    monkeypatch.setenv(registry.PLUGIN_FILES, "")  # the command names its plugin there for workers
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN)
    with pytest.raises(SystemExit) as done:
        main(["--plugin", str(path), "audit", "accounting", "exact-rows", "--json"])
    assert done.value.code == 3
    made = json.loads(capsys.readouterr().out)
    first = made["settings"][0]
    assert (first["part"], first["verdict"]) == ("exact-rows", "exceeds")
    assert np.isclose(first["share"], 2)


PLUGIN = '''
"""A sanitizer with half the noise."""

import numpy as np

from quintain.data import Table
from quintain.registry import register
from quintain.releases import Claim, Release, Sanitized
from quintain.sanitizers import Sanitizer


@register("exact-rows-v1")
class ExactRows(Sanitizer):
    """Releases so many copies of one record, about."""

    shapes = ("table",)

    def claim_for(self, schema):
        return Claim(epsilon=1)

    def sanitize(self, data, *, rng, noise):
        rows = np.array([len(data)]) + noise.laplace(0.5, 1)
        first = {column.name: np.zeros(max(1, int(rows[0]))) for column in data.schema.columns}
        return Sanitized(Release(Table(data.schema, first), self.claim_for(data.schema)))
'''


@pytest.mark.slow
def test_a_part_without_defaults_is_tried_as_its_example():
    found = audit("train-dp-sgd")
    assert (found.verdict, found.parameters["label"]) == ("holds", "flag"), told(found)


def test_every_part_that_claims_is_tried():
    names = {part.name() for part in claiming_parts()}
    wanted = "independent privbayes mst aim train-dp-sgd rr markov-trips people-marginals pipeline"
    assert names >= set(wanted.split())


SMALLEST = Sizes(stated=50, measured=500, people=60)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["independent", "markov-trips", "mst", "people-marginals", "rr"])
def test_no_part_costs_more_than_it_claims(name):
    part = next(part for part in claiming_parts() if part.name() == name)
    audited = audit_accounting(part, sizes=SMALLEST)
    claimed = [one for one in audited.settings if one.claim is not None]
    assert claimed and all(one.verdict == "holds" for one in claimed), audited.words()
