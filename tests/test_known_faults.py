"""Known faults: an advisory counts for the versions that it names, and for no other."""

import pytest
from scripts.known_faults import ROOT, is_affected, locked_versions, main

ADVISORY = {
    "id": "PYSEC-0000-1",
    "affected": [
        {
            "package": {"name": "Jinja2", "ecosystem": "PyPI"},
            "ranges": [
                {"type": "GIT", "events": [{"introduced": "0"}]},
                {
                    "type": "ECOSYSTEM",
                    "events": [{"introduced": "2.5"}, {"fixed": "2.7.3"}, {"introduced": "3.0"}],
                },
            ],
            "versions": ["2.2.1"],
        }
    ],
}


@pytest.mark.parametrize("version", ["2.2.1", "2.5", "2.7.2", "3.0", "3.1.6"])
def test_versions_in_a_range_or_in_the_list_are_affected(version):
    assert is_affected(ADVISORY, "jinja2", version)


@pytest.mark.parametrize("version", ["2.4", "2.7.3", "2.9"])
def test_other_versions_are_not(version):
    assert not is_affected(ADVISORY, "jinja2", version)


def test_other_packages_other_ecosystems_and_withdrawn_advisories_are_not():
    assert not is_affected(ADVISORY, "jinja", "2.7.2")
    assert not is_affected(ADVISORY | {"withdrawn": "2024-01-01"}, "jinja2", "2.7.2")
    (affected,) = ADVISORY["affected"]
    other = affected | {"package": {"name": "jinja2", "ecosystem": "npm"}}
    assert not is_affected({"id": "x", "affected": [other]}, "jinja2", "2.7.2")


def test_the_last_affected_version_is_affected():
    events = [{"introduced": "0"}, {"last_affected": "2.7.2"}]
    (affected,) = ADVISORY["affected"]
    one = affected | {"ranges": [{"type": "ECOSYSTEM", "events": events}], "versions": []}
    assert is_affected({"id": "x", "affected": [one]}, "jinja2", "2.7.2")
    assert not is_affected({"id": "x", "affected": [one]}, "jinja2", "2.7.3")


@pytest.mark.slow
def test_a_fault_of_the_lock_is_printed(tmp_path, capsys):
    version = locked_versions(ROOT / "uv.lock")["jinja2"]
    folder = tmp_path / "jinja2"
    folder.mkdir()
    text = 'id: PYSEC-1\ndetails: bad\npublished: "2026-01-01"\naffected:\n'
    text += f'- package: {{name: jinja2, ecosystem: PyPI}}\n  versions: ["{version}"]\n'
    (folder / "one.yaml").write_text(text)
    assert main(tmp_path) == 1
    said = capsys.readouterr().out
    assert f"jinja2 {version}: PYSEC-1: bad" in said
    assert "known faults: 1" in said
