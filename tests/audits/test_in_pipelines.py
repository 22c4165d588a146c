"""Audits in pipelines: the test helper, and the workflow for GitHub Actions."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from quintain.testing import assert_audit

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/audit-in-ci"


def people(rows, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"age": rng.integers(18, 90, rows), "wage": rng.integers(0, 9999, rows), "sex": "f"}
    )


@pytest.mark.slow
def test_a_release_that_repeats_people_fails_with_its_reasons_and_the_report(tmp_path):
    original, control = people(150, 0), people(150, 1)
    report = tmp_path / "report.html"
    with pytest.raises(AssertionError) as caught:
        assert_audit(original, original, control, report=report, permutations=99)
    first, *others = str(caught.value).splitlines()
    assert first == "the release is unsafe; at most some-leakage is allowed"
    assert others[-1] == f"report: {report}"
    assert len(others) >= 4
    assert "<html" in report.read_text()


def test_a_fresh_sample_passes_and_the_audit_comes_back():
    original, control, fresh = (people(150, seed) for seed in range(3))
    audited = assert_audit(original, fresh, control, permutations=99)
    assert audited.verdict != "unsafe"
    assert audited.p is not None


def test_what_is_not_decided_fails_if_nothing_may_be_found():
    original, fresh = people(60, 0), people(60, 1)
    assert_audit(original, fresh, at_most="cannot-say")
    with pytest.raises(AssertionError, match="not decided") as caught:
        assert_audit(original, fresh, at_most="nothing-found")
    report = Path(str(caught.value).rpartition("report: ")[2])
    assert report.is_file()
    shutil.rmtree(report.parent)


def steps():
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load((EXAMPLE / "audit.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def run_steps(folder, names):
    """The commands of the workflow, as the runner would start them."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PRIVATE": "private.csv"}
    codes = {}
    for step in steps():
        if step.get("name") in names:
            done = subprocess.run(
                ["sh", "-e", "-c", step["run"]], cwd=folder, env=environment, check=False
            )
            codes[step["name"]] = done.returncode
    return codes


SPLIT = "Split off a control that the sanitizer never sees"


@pytest.mark.slow
def test_the_workflow_fails_on_a_leak_and_passes_without_one(tmp_path):
    people(3000).to_csv(tmp_path / "private.csv", index=False)
    sanitizer = tmp_path / "sanitize.py"
    shutil.copy(EXAMPLE / "sanitize.py", sanitizer)
    passed = run_steps(tmp_path, {SPLIT, "Sanitize", "Audit"})
    assert passed == {SPLIT: 0, "Sanitize": 0, "Audit": 0}
    assert {path.name for path in (tmp_path / "audit").iterdir()} == {"audit.json", "report.html"}
    shutil.rmtree(tmp_path / "audit")
    sanitizer.write_text("import shutil, sys\nshutil.copy(*sys.argv[1:3])\n")
    failed = run_steps(tmp_path, {"Sanitize", "Audit"})
    assert failed == {"Sanitize": 0, "Audit": 3}
    assert (tmp_path / "audit/report.html").is_file()


def test_the_private_parts_are_deleted_and_only_the_report_is_kept():
    kept = [s for s in steps() if "upload-artifact" in s.get("uses", "")]
    assert [step["with"]["path"] for step in kept] == ["audit/"]
    last = steps()[-1]
    assert last["if"] == "always()" and last["run"] == "rm -rf split"
