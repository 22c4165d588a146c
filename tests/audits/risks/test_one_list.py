"""What reports say of risks stands with the risk: no other list has to be changed for a new one."""

import ast
import html
import inspect
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from click.testing import CliRunner

import quintain
from quintain import registry
from quintain.audits.everybody import audit_everybody
from quintain.audits.pool import Evidence
from quintain.audits.release import audit_release
from quintain.audits.report import make_dossier, release_page
from quintain.audits.report.dossier.markdown import markdown
from quintain.audits.report.tiles import tiles_of
from quintain.audits.report.words import known_risks
from quintain.audits.results import Finding, ReleaseAudit
from quintain.audits.risk import (
    AuditedRelease,
    Risk,
    RiskResult,
    RiskWords,
    every_risk,
    fitting_risks,
    risks_without_control,
)
from quintain.cli.main import cli
from quintain.guesses import MembershipQuestion, Question
from quintain.measures import Reading
from quintain.registry import register
from quintain.sanitizers import RandomizedResponse
from quintain.testing import battery, unique_people
from quintain.testing.examples import example
from tests.audits.audit_tables import three, written
from tests.registered import copy_registered_parts, forget_plugins_later

AUDITS = Path(quintain.__file__).parent / "audits"
CLI = Path(quintain.__file__).parent / "cli" / "audit"
CRITERIA = {
    "criterion of singling out": "isolation",
    "criterion of linkability": "connection",
    "criterion of inference": "deduction",
}
"""Where the dossier cites the risks that speak to a criterion."""


class Twins(Risk):
    """Whether somebody in the release has the same first value as a person."""

    harm: ClassVar[str] = "same-age"
    seed: ClassVar[str] = "twins"
    asks: ClassVar[type[Question]] = MembershipQuestion
    words: ClassVar[RiskWords] = RiskWords(
        "Twins",
        "Is somebody of the same age?",
        name="looking for twins",
        says="Whether somebody has a twin in the release.",
        criteria=("isolation",),
    )

    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Count people whose first value is in the release."""
        people, release = audited.original, audited.release.data
        name = people.schema.names[0]
        shared = np.isin(people.columns[name], release.columns[name])
        reading = Reading.exact(float(shared.mean()), len(people), "lower")
        finding = Finding(
            risk=self.harm, attack="twins", name="shared_age", says="Ages.", reading=reading
        )
        scores = () if audited.pool is None else (self.score(audited),)
        return RiskResult(scores, (finding,))

    @staticmethod
    def score(audited: AuditedRelease) -> Evidence:
        """Everybody alike, so that the joint test stays what it is."""
        return Evidence("twins", np.ones(len(audited.table_pool())))


class Neighbours(Twins):
    """The same without people to compare with."""

    needs_control: ClassVar[bool] = False


@pytest.fixture
def add_risk(monkeypatch):
    """Registers a risk for one test, as a plugin does."""
    monkeypatch.setattr(registry, "_parts", copy_registered_parts())
    return register("twins-v1")


@pytest.fixture(scope="module")
def tables():
    return tuple(table.take(range(60)) for table in three())


PLUGIN = f"""
from typing import ClassVar

import numpy as np

from quintain.audits.pool import Evidence
from quintain.audits.results import Finding
from quintain.audits.risk import AuditedRelease, Risk, RiskResult, RiskWords
from quintain.guesses import MembershipQuestion, Question
from quintain.measures import Reading
from quintain.registry import register


@register("twins-v1")
{inspect.getsource(Twins)}
"""


def audited_by_command(tmp_path, *tables):
    """What the command prints and writes, with a plugin that is one file."""
    (tmp_path / "twins.py").write_text(PLUGIN)
    roles = ("original", "release", "control")[: len(tables)]
    files = written(tmp_path, **dict(zip(roles, tables, strict=True)))
    given = [text for role in roles for text in (f"--{role}", str(files[role]))]
    out, dossier = tmp_path / "out", tmp_path / "dossier.md"
    asked = ["audit", "release", *given, "--out", str(out), "--dossier", str(dossier)]
    done = CliRunner().invoke(cli, ["--plugin", str(tmp_path / "twins.py"), *asked])
    assert done.exit_code == 0, done.output
    page, json = ((out / name).read_text() for name in ("report.html", "audit.json"))
    return done.stdout, json, page, dossier.read_text()


@pytest.mark.slow
def test_a_plugin_of_one_file_is_in_all_that_the_command_says(monkeypatch, tables, tmp_path):
    forget_plugins_later(monkeypatch)
    printed, json, page, dossier = audited_by_command(tmp_path, *tables)
    audit = ReleaseAudit.model_validate_json(json)
    assert "same-age" in printed
    assert {finding.risk for finding in audit.readings if finding.attack == "twins"} == {"same-age"}
    assert "Is somebody of the same age?" in page and "Ages." in page
    assert "Whether somebody has a twin in the release. (twins)" in dossier
    assert "looking for twins" not in left_out(audit)
    for tile in tiles_of(audit):
        assert tile.says in html.unescape(page)


def test_without_a_control_the_command_names_the_plugin_as_left_out(monkeypatch, tables, tmp_path):
    forget_plugins_later(monkeypatch)
    printed, json, page, dossier = audited_by_command(tmp_path, *tables[:2])
    assert left_out(ReleaseAudit.model_validate_json(json)).count("looking for twins") == 1
    assert all("looking for twins" in text for text in (printed, page))
    assert "same-age: not measured by this audit" in dossier


def cited(audit, place):
    """The readings that the first document with such a place cites there."""
    documents = make_dossier(audit).documents
    entries = [entry for document in documents for entry in document.entries]
    return next(entry.readings for entry in entries if entry.place == place)


def left_out(audit):
    return [entry.what for entry in audit.not_computed]


@pytest.mark.slow
def test_a_new_risk_is_in_every_part_of_an_audit_with_a_control(add_risk, tables):
    plain = audit_release(*tables, permutations=19)
    add_risk(Twins)
    audit = audit_release(*tables, permutations=19)
    assert audit.readings[:-1] == plain.readings and audit.readings[-1].risk == "same-age"
    assert '"same-age"' in audit.model_dump_json()
    assert "Is somebody of the same age?" in release_page(audit)
    assert cited(audit, "criterion of singling out")[:2] == ("singling-out", "same-age")
    assert "Whether somebody has a twin in the release. (twins)" in markdown(make_dossier(audit))
    assert "looking for twins" not in left_out(audit)


def test_a_new_risk_is_asked_last_about_its_own_data_and_passes_the_battery(add_risk):
    add_risk(Twins)
    assert fitting_risks("table")[-1].name() == "twins"
    assert "twins" not in {risk.name() for risk in fitting_risks("series")}
    for part, check in battery(Twins):
        check(part)


def test_a_new_risk_is_named_as_left_out_without_a_control(add_risk, tables):
    add_risk(Twins)
    audit = audit_release(*tables[:2])
    assert left_out(audit).count("looking for twins") == 1
    page = release_page(audit)
    assert "looking for twins" in page and "Twins" in page
    text = markdown(make_dossier(audit))
    assert "same-age: not measured by this audit (no attack gave a figure)" in text
    assert cited(audit, "criterion of singling out")[:2] == ("singling-out", "same-age")


def test_a_risk_that_needs_no_control_is_measured_without_one(add_risk, tables):
    add_risk(Neighbours)
    audit = audit_release(*tables[:2])
    assert "looking for twins" not in left_out(audit)
    assert [finding.risk for finding in audit.readings if finding.attack == "twins"] == ["same-age"]
    assert "Is somebody of the same age?" in release_page(audit)


@pytest.mark.slow
def test_an_audit_of_everybody_names_a_new_risk_as_left_out(add_risk):
    add_risk(Twins)
    table = unique_people(rows=60)
    audit = audit_everybody(RandomizedResponse(keep=0.9), table, table, permutations=19)
    assert "looking for twins" in left_out(audit)
    assert "membership inference" not in left_out(audit)


@pytest.mark.parametrize("shape", ["series", "transactions"])
def test_a_new_risk_of_other_data_is_named_as_left_out_without_a_control(add_risk, shape):
    add_risk(type("OtherTwins", (Twins,), {"shapes": (shape,)}))
    data = example(shape, rows=40)
    assert "looking for twins" in left_out(audit_release(data, data))


def test_a_risk_that_every_report_names_is_named_where_the_data_have_no_attacks(add_risk):
    words = RiskWords("Twins", "Is somebody of the same age?", always=True, place=0)
    add_risk(type("EverywhereTwins", (Twins,), {"words": words}))
    data = example("series", rows=40)
    audit = audit_release(data, data)
    assert "twins" in left_out(audit)
    page = release_page(audit)
    assert page.index("Is somebody of the same age?") < page.index("Can somebody tell that")


@pytest.mark.parametrize("risk", every_risk(), ids=lambda risk: risk.name())
def test_every_risk_is_shown_by_each_part_of_a_report(risk, tables):
    reading = Reading.exact(0.5, 20, "lower")
    finding = Finding(risk=risk.harm, attack="somebody", name="share", says="A.", reading=reading)
    empty = audit_release(*tables[:2])
    audit = empty.model_copy(update={"readings": (finding,), "not_computed": ()})
    assert risk.words.question in release_page(audit)
    dossier = make_dossier(audit)
    assert dossier.reading(risk.harm).text.startswith(("more than luck", "no more than luck"))
    for place, criterion in CRITERIA.items():
        assert (risk.harm in cited(audit, place)) == (criterion in risk.words.criteria)
    names = risks_without_control(risk.shapes[0], one_row=False)
    assert (risk.words.noun() in names) == (risk.needs_control and not risk.only_added)


def test_readers_see_the_risks_in_one_order():
    places = [(words.place, harm) for harm, words in known_risks().items()]
    assert places == sorted(places)
    assert list(known_risks())[:2] == ["membership", "singling-out"]


def test_no_other_file_has_a_list_of_risks():
    names = {name for risk in every_risk() for name in (risk.harm, risk.words.noun())}
    theirs = {Path(inspect.getfile(type(risk))) for risk in every_risk()}
    files = [path for folder in (AUDITS, CLI) for path in sorted(folder.rglob("*.py"))]
    listed = [
        f"{path.name}:{line}: {name}"
        for path in files
        if path not in theirs
        for name, line in strings_in_lists(ast.parse(path.read_text()))
        if name in names
    ]
    assert not listed


def strings_in_lists(tree):
    """Each text that stands in a tuple, a list, a set, or as a key of a dict, and its line."""
    for node in ast.walk(tree):
        listed = getattr(node, "keys" if isinstance(node, ast.Dict) else "elts", [])
        for entry in listed:
            if isinstance(entry, ast.Constant) and isinstance(entry.value, str):
                yield entry.value, entry.lineno
