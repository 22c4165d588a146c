"""What statistical offices count, as a part of an audit."""

import numpy as np
import pandas as pd
import pytest

from quintain.audits.reading.tables import read_inputs
from quintain.audits.release import audit_release
from quintain.audits.release_disclosure import measure_disclosure
from quintain.audits.results import ReleaseAudit


def people(seed, count=200):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 70, count),
            "sex": rng.choice(["f", "m"], count),
            "ill": rng.choice(["no", "yes"], count, p=[0.8, 0.2]),
        }
    )


def tables(release):
    return read_inputs(people(0), release, people(1))


def found(result):
    return {(finding.name, finding.columns): finding for finding in result.findings}


def test_a_copy_replicates_everybody_and_strangers_do_not():
    copy, strangers = tables(people(0)), tables(people(2))
    readings = [
        found(measure_disclosure(t.original, t.release, t.control, known=["age", "sex"]))[
            "replicated_uniques", ()
        ]
        for t in (copy, strangers)
    ]
    alone = people(0).groupby(["age", "sex"]).ill.transform("size") == 1
    assert readings[0].reading.value == alone.mean()
    assert readings[0].fresh == readings[1].fresh  # the same control in the place of the release
    assert readings[1].reading.low <= readings[1].fresh.value <= readings[1].reading.high


def test_attackers_know_what_was_said_and_want_what_was_said():
    t = tables(people(0))
    result = measure_disclosure(t.original, t.release, t.control, known=["age"], secrets=["ill"])
    findings = found(result)
    assert findings["disco", ("ill",)].known == ("age",)
    assert findings["fewest_secrets", ("ill",)].reading.value == 1
    assert ("disco", ("sex",)) not in findings
    assert {columns for name, columns in findings if name == "disco"} == {("ill",)}


def test_without_a_word_every_column_is_a_secret_in_turn():
    t = tables(people(0))
    findings = found(measure_disclosure(t.original, t.release, None))
    assert {c for n, c in findings if n == "disco"} == {("age",), ("sex",), ("ill",)}
    assert all(finding.fresh is None for finding in findings.values())
    assert not findings["fewest_secrets", ()].reading.measured


def test_columns_that_nobody_compares_are_no_knowledge():
    t = tables(people(0))
    result = measure_disclosure(t.original, t.release, t.control, known=["name"])
    assert not result.findings
    assert "no column is compared" in result.not_computed[0].reason


def test_wide_tables_are_looked_up_in_some_columns_and_the_audit_says_so(monkeypatch):
    monkeypatch.setattr("quintain.audits.release_disclosure._FEWEST", 1)
    monkeypatch.setattr("quintain.audits.release_disclosure._CELLS", 1)
    t = tables(people(0))
    result = measure_disclosure(t.original, t.release, t.control)
    assert len({f.columns for f in result.findings if f.name == "disco"}) == 1
    assert "1 of 3 columns" in result.not_computed[0].reason


@pytest.mark.slow
def test_people_with_several_rows_count_once():
    rows = people(0).assign(patient=[f"p{i // 2}" for i in range(200)])
    others = people(1).assign(patient=[f"c{i // 2}" for i in range(200)])
    audit = audit_release(rows, rows, others, unit="patient", permutations=99)
    assert {finding.reading.n for finding in audit.disclosure if finding.name == "disco"} == {100}
    assert ReleaseAudit.model_validate_json(audit.model_dump_json()).disclosure[0].name


def test_a_population_gives_the_sampling_fraction():
    t = tables(people(0))
    result = measure_disclosure(t.original, t.release, t.control, population=20_000)
    assert found(result)["dis", ()].reading.measured
    whole = measure_disclosure(t.original, t.release, t.control, population=200)
    assert not found(whole)["dis", ()].reading.measured
