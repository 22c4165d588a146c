"""An audit of a sanitizer: the same bytes however it is run, and every refusal in words."""

import numpy as np
import pytest

import quintain as q
from quintain.api.auditing import AuditedSanitizer
from quintain.audits.games import record
from quintain.audits.games.judging import GameEffects, judge_sanitizer
from quintain.audits.sanitizer import audit_sanitizer
from quintain.errors import PartError, QuintainError
from quintain.jobs.executor import Executor
from quintain.sanitizers.masking.randomized_response import RandomizedResponse
from quintain.sanitizers.synthetic.independent import Independent
from tests.audits.games.planted import small_table
from tests.audits.report import audit_cases, sanitizer_cases

QUICK = {"runs": 12, "targets": 10, "attacks": False}


def audited(executor=None, **changes):
    return audit_sanitizer(
        Independent(epsilon=2.0), small_table(), executor=executor, **{**QUICK, **changes}
    ).model_dump_json()


def test_settings_with_the_same_reasons_keep_their_own_parameters():
    first = sanitizer_cases.setting(1.0)
    first = first.model_copy(
        update={"bounds": tuple(b.model_copy(update={"decides": True}) for b in first.bounds)}
    )
    second = first.model_copy(update={"parameters": {"epsilon": 2.0}})
    exposed = audit_cases.share(0.0, 0.0, 200)
    effects = [GameEffects(setting, exposed, 0.55) for setting in (first, second)]
    reasons = judge_sanitizer(effects, 20).reasons
    starts = [reason.partition(":")[0] for reason in reasons]
    assert set(starts) == {"With epsilon 1.0", "With epsilon 2.0"}


@pytest.mark.slow
def test_the_number_of_workers_changes_no_byte(tmp_path):
    alone = audited(out=tmp_path / "one")
    several = audited(Executor(2), out=tmp_path / "two")
    assert alone == several
    seen = [p for p in (tmp_path / "one").rglob("*") if p.suffix in (".seen", ".facts")]
    for path in sorted(seen):
        other = tmp_path / "two" / path.relative_to(tmp_path / "one")
        assert path.read_bytes() == other.read_bytes()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_cluster_changes_no_byte(cluster):
    assert audited(Executor(cluster=cluster.scheduler_address)) == audited()


@pytest.mark.slow
def test_another_seed_gives_other_runs_and_the_same_seed_the_same():
    assert audited(seed=1) == audited(seed=1) != audited(seed=2)


def test_a_stopped_audit_goes_on(tmp_path, monkeypatch):
    whole = audited(out=tmp_path / "whole")
    real, played = record._play, []

    def stopping(game, job):
        if len(played) == 5:
            raise KeyboardInterrupt
        played.append(job.name)
        return real(game, job)

    monkeypatch.setattr(record, "_play", stopping)
    with pytest.raises(KeyboardInterrupt):
        audited(out=tmp_path / "stopped")
    played.clear()
    monkeypatch.setattr(
        record, "_play", lambda game, job: played.append(job.name) or real(game, job)
    )
    assert audited(out=tmp_path / "stopped") == whole
    assert len(played) == QUICK["runs"] - 5


@pytest.mark.slow
def test_a_sweep_has_one_setting_per_value_and_pays_for_each():
    sweep = {"epsilon": [0.5, 50.0]}
    audit = audit_sanitizer(
        Independent(epsilon=1.0), small_table(), sweep=sweep, runs=40, targets=30, attacks=True
    )
    assert [setting.parameters for setting in audit.settings] == [
        {"epsilon": 0.5},
        {"epsilon": 50.0},
    ]
    assert [setting.claim.epsilon for setting in audit.settings] == [0.5, 50.0]
    levels = {b.target: b.bound.level for s in audit.settings for b in s.bounds if b.decides}
    each = 0.05 / 2  # of two settings
    assert levels["neighbours"] == 1 - each / 2  # half of the error
    assert levels["worst-case"] == levels["average"] == 1 - each / 2 / 4  # with the exposed share
    used = [{u.name: u.reading for u in setting.utility} for setting in audit.settings]
    assert used[0]["marginals1"].value > used[1]["marginals1"].value  # lower is better
    assert {"mama-mia", "shadow-trained", "tree-ratio"} <= {f.attack for f in audit.readings}
    assert "epsilon" not in audit.parameters
    frame = AuditedSanitizer(audit).to_frame()
    attacked = set(frame[frame["about"] == "membership"]["setting"])
    assert attacked == {"epsilon 50.0"}  # the setting that gives away most


REFUSED = [
    ({"runs": 9}, "9 runs show nothing; the least is 10"),
    ({"targets": 100}, "100 targets: choose from 1 to"),
    ({"sweep": {"smell": [1]}}, "has no parameter 'smell'; available: rows"),
    ({"sweep": {"epsilon": [-1]}}, "epsilon = -1: Input should be greater than 0"),
]


@pytest.mark.parametrize(("changes", "words"), REFUSED, ids=lambda x: str(x)[:20])
def test_refusals_are_sentences(changes, words):
    with pytest.raises(QuintainError, match=words):
        audited(**changes)


def test_too_few_records_and_columns_that_a_sanitizer_refuses_are_sentences():
    with pytest.raises(QuintainError, match="the data have 12 records; an audit needs at least 20"):
        audit_sanitizer(Independent(epsilon=1.0), small_table(12), **QUICK)
    schema = q.Schema(columns=(q.Column(name="wage", kind="real"),))
    table = q.Table(schema, {"wage": np.arange(50.0)})
    with pytest.raises(PartError, match="needs bounds for every column"):
        audit_sanitizer(Independent(epsilon=1.0), table, **QUICK)


def test_a_notebook_gets_a_frame_and_a_report(tmp_path):
    table = small_table()
    audited = q.audit_sanitizer("rr", table, keep=0.2, **QUICK)
    frame = audited.to_frame()
    assert {"epsilon", "membership"} <= set(frame["about"])
    assert (frame["low"][frame["about"] == "epsilon"].dropna() >= 0).all()
    audited.save(tmp_path / "report.html")
    assert audited.verdict in (tmp_path / "report.html").read_text().replace(" ", "-")
    assert "<" in audited._repr_html_()


@pytest.mark.slow
def test_functions_of_others_are_audited_against_the_claim_of_their_makers():
    """A function that publishes its data as they are breaks any claim."""
    audited = q.audit_sanitizer(
        lambda frame: frame, small_table(), claims=1.0, runs=60, targets=10, attacks=False
    )
    assert audited.verdict == "unsafe"
    assert "The claim is wrong: the sanitizer claims epsilon 1" in audited.reasons[0]


def test_replaced_records_keep_the_number_of_records():
    sizes = set()

    class Counting(RandomizedResponse):
        id = "sanitizer/counting-v1"

        def sanitize(self, data, *, rng, noise):
            sizes.add(len(data))
            return super().sanitize(data, rng=rng, noise=noise)

    audit_sanitizer(Counting(keep=0.1), small_table(), **QUICK)
    assert sizes == {120}
