"""Auditing in tests: a test that fails if a release gives too much away."""

from __future__ import annotations

import tempfile
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from quintain.api.auditing import Audited, audit
from quintain.audits.results import Verdict

SEVERITY: tuple[Verdict, ...] = ("nothing-found", "cannot-say", "some-leakage", "unsafe")
"""The verdicts, the best one first, as ``quintain audit release --fail-on`` orders them."""


def assert_audit(
    original: Any,
    release: Any,
    control: Any = None,
    *,
    at_most: Literal["nothing-found", "cannot-say", "some-leakage"] = "some-leakage",
    report: PathLike[str] | str | None = None,
    **options: Any,
) -> Audited:
    """Audit a release, and fail if the verdict is worse than ``at_most``.

    A verdict "cannot-say" is worse than "nothing-found", and better than "some-leakage".

    Parameters
    ----------
    original, release, control : as for ``quintain.audit``.
    at_most : the worst verdict that passes.
    report : where the report is written (.html or .json), whatever the verdict. Without it, the
        report of a release that fails is written to a new folder for temporary files.
    options : further options of ``quintain.audit``, such as ``known``, ``schema`` and ``seed``.

    >>> from quintain.testing import unique_people
    >>> table = unique_people(rows=200)
    >>> assert_audit(table, table)
    Traceback (most recent call last):
    ...
    AssertionError: the release is unsafe; at most some-leakage is allowed
    ...
    """
    __tracebackhide__ = True  # pytest then shows the test, not this function
    audited = audit(original, release, control, **options)
    if report is not None:
        audited.save(report)
    if SEVERITY.index(audited.verdict) > SEVERITY.index(at_most):
        raise AssertionError(_message(audited, at_most, _save(audited, report)))
    return audited


def _save(audited: Audited, report: PathLike[str] | str | None) -> Path:
    if report is not None:
        return Path(report).absolute()
    path = Path(tempfile.mkdtemp(prefix="quintain-audit-")) / "report.html"
    audited.save(path)
    return path


def _message(audited: Audited, at_most: str, saved: Path) -> str:
    words = {"some-leakage": "leaking", "cannot-say": "not decided"}
    verdict = words.get(audited.verdict, audited.verdict)
    head = f"the release is {verdict}; at most {at_most} is allowed"
    facts = [f"exposed share: {audited.exposed_share}", f"nameable: {audited.nameable_records}"]
    facts += [] if audited.p is None else [f"p: {audited.p:.3g}"]
    lines = [head, *audited.reasons, *facts, f"report: {saved}"]
    return "\n".join(lines)
