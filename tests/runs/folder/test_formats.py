"""No format changes its name: a file of an earlier contest must be read as what it is."""

import re

from tests.sources import SOURCES

FORMATS = {
    *("accounting/1", "board/1", "codabench-plan/4", "collusion/1", "commitment/1"),
    *("comparison/1", "dossier/1", "edition/1", "entries/1", "feedback/1", "handover/1"),
    *("journal/1", "receipt/1", "recipe-log/1", "recipe-runs/1", "release-audit/1", "release/1"),
    *("sanitizer-audit/1", "schema/1", "schema/2", "seeds/1", "shares/1", "standings/1"),
    *("stored-readings/3", "tree/1", "withheld/1"),
}
"""Every format; a new one is added here, and none that people may have files of goes."""


def test_no_format_changes_its_name():
    written = set()
    for path in SOURCES:
        written |= set(re.findall(r'"quintain\.([a-z.-]+/\d+)"', path.read_text()))
    assert written == FORMATS
