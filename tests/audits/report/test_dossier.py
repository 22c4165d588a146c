"""The dossier: every sentence has its readings, and no sentence promises anything."""

from __future__ import annotations

import re
from typing import get_args

import numpy as np
import pandas as pd
import pytest

from quintain.audits.release import audit_release
from quintain.audits.report import dossier_page, make_dossier, release_page
from quintain.audits.report.dossier import guidance
from quintain.audits.report.dossier.answers import ANSWERS, NOT_MEASURED, answer
from quintain.audits.report.dossier.dossier import Dossier
from quintain.audits.report.dossier.formats import FORMATS
from quintain.audits.report.dossier.guidance import GUIDANCE, ReadingName
from quintain.audits.report.dossier.markdown import markdown
from quintain.audits.results import Recipient, ReleaseAudit, ReleaseClasses
from quintain.audits.risk import Criterion
from quintain.measures import Reading
from tests.audits.report import audit_cases as cases
from tests.figures.html_page import check_page

ENTRIES = [(document, entry) for document in GUIDANCE for entry in document.entries]
AUDITS: dict[str, ReleaseAudit] = {
    "safe": cases.release(),
    "unsafe": cases.release("unsafe", 0.12),
    "leak": cases.release("some-leakage", 0.02),
    "undecided": cases.undecided(),
    "hostile": cases.hostile().model_copy(
        update={"recipient": Recipient(who=cases.HOSTILE[0], means=" ".join(cases.HOSTILE))}
    ),
    "empty": cases.release(readings=(), curves=(), shapes=(), utility=(), inputs=()),
}


@pytest.fixture(scope="module")
def real() -> ReleaseAudit:
    """The audit of a copy, with all that statistical offices count."""
    rng = np.random.default_rng(0)
    people = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 160),
            "sex": rng.choice(["f", "m"], 160),
            "town": rng.choice(["A", "B", "C"], 160),
            "ill": rng.choice(["no", "yes"], 160),
        }
    )
    original, control = people[:80], people[80:]
    return audit_release(
        original,
        original.sample(frac=1, random_state=0),
        control,
        known=["age", "sex", "town"],
        secrets=["ill"],
        population=5_000,
        permutations=99,
        recipient=Recipient(who="a ministry", means="a register of all people"),
    )


# --- the table of what is asked ---


@pytest.mark.parametrize(("document", "entry"), ENTRIES)
def test_every_sentence_names_readings_that_exist_or_says_that_there_is_none(document, entry):
    assert set(entry.readings) <= {*ANSWERS, *get_args(Criterion)}
    assert len(set(entry.readings)) == len(entry.readings)
    made = make_dossier(AUDITS["leak"])
    shown = next(part for part in made.documents if part.key == document.key)
    place = document.entries.index(entry)
    assert shown.entries[place].asks == entry.asks
    assert (shown.entries[place].answer == NOT_MEASURED) == (not entry.readings)


def test_every_name_of_a_reading_is_looked_up_and_cited():
    cited = {name for _, entry in ENTRIES for name in entry.readings}
    assert set(ANSWERS) == set(get_args(ReadingName))
    assert cited == {*ANSWERS, *get_args(Criterion)}


def test_documents_and_sentences_are_named_once_and_are_whole():
    keys = [document.key for document in GUIDANCE]
    assert len(set(keys)) == len(keys)
    asked = [entry.asks for _, entry in ENTRIES]
    assert len(set(asked)) == len(asked)
    sentences = [*asked, *guidance.CANNOT_SAY, *(e.note for _, e in ENTRIES if e.note)]
    assert all(re.fullmatch(r"[A-Zq].*[.?]", sentence) for sentence in sentences)


def test_something_in_every_document_speaks_to_this_kind_of_audit():
    for document in GUIDANCE:
        assert any(entry.readings for entry in document.entries), document.key


# --- what it says ---


PAIRS = [
    (name, suffix)
    for name in AUDITS
    for suffix in FORMATS
    if (name, suffix) != ("hostile", ".json")  # JSON has no half of a character
]


@pytest.mark.parametrize(("name", "suffix"), PAIRS)
def test_no_dossier_promises_anything(name: str, suffix: str) -> None:
    text = FORMATS[suffix](make_dossier(AUDITS[name])).lower()
    assert not re.findall(r"\bcompl(?:y|ies|iant|iance)\b|certif(?:y|ied)|guaranteed", text)
    assert NOT_MEASURED in text


@pytest.mark.parametrize("name", AUDITS)
def test_every_cited_reading_has_its_text_in_every_format(name: str) -> None:
    made = make_dossier(AUDITS[name])
    text = markdown(made)
    for document in made.documents:
        assert document.title in text
        assert all(entry.asks in text for entry in document.entries)
        for entry in document.entries:
            assert all(made.reading(cited).short for cited in entry.readings)


@pytest.mark.slow
def test_json_reads_back(real: ReleaseAudit) -> None:
    text = FORMATS[".json"](make_dossier(real))
    assert Dossier.model_validate_json(text).model_dump_json(indent=2) + "\n" == text


@pytest.mark.parametrize("name", AUDITS)
def test_the_page_is_self_contained_and_balanced(name: str) -> None:
    page = dossier_page(make_dossier(AUDITS[name]))
    assert page == dossier_page(make_dossier(AUDITS[name]))
    check_page(page.encode())
    assert "<script" not in page
    assert "<img" not in page


def test_text_from_outside_is_text_in_markdown() -> None:
    text = markdown(make_dossier(AUDITS["hostile"]))
    assert r"\<script\>" in text
    assert "<script" not in text.replace("\\<", "")
    assert "\u202e" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6}


def test_without_a_recipient_the_dossier_says_that_none_was_given() -> None:
    made = make_dossier(AUDITS["leak"])
    assert made.reading("recipient").text.startswith("none was given")
    assert "- Recipient: none was given\n- Means: none was given\n" in markdown(made)
    assert "none was given" in dossier_page(made)


def test_the_recipient_and_the_means_are_named(real: ReleaseAudit) -> None:
    made = make_dossier(real)
    assert made.reading("recipient").text == "a ministry; means: a register of all people"
    assert "- Recipient: a ministry\n- Means: a register of all people\n" in markdown(made)
    assert "age, sex and town" in made.known[0]


def test_what_the_audit_cannot_say_is_listed_with_its_own_limits(real: ReleaseAudit) -> None:
    text = markdown(make_dossier(real))
    assert all(sentence in text for sentence in (*guidance.CANNOT_SAY, *real.limits))


def test_a_real_audit_answers_nearly_everything(real: ReleaseAudit) -> None:
    made = make_dossier(real)
    missing = {cited.name for cited in made.readings if NOT_MEASURED in cited.text}
    assert missing <= {"repeated texts", "population uniques", "order of rows"}
    assert made.reading("replicated uniques").reading.n == 80
    assert "a fresh sample" in made.reading("DiSCO").text
    assert made.reading("p").text == "0.010"


@pytest.mark.parametrize(
    ("smallest", "words"), [(1, "1, above 0.09"), (12, "0.083, not above 0.09")]
)
def test_the_threshold_of_clinical_data_stands_beside_the_smallest_class(smallest, words) -> None:
    alone = Reading.exact(0.0, 100, "lower")
    classes = ReleaseClasses(
        columns=("age",),
        rows=100,
        smallest=smallest,
        median=20,
        unique_rows=alone,
        people=100,
        unique_people=alone,
        population=None,
        population_uniques=Reading.missing("lower", "nobody is alone"),
    )
    audit = AUDITS["safe"].model_copy(update={"classes": classes})
    assert answer("risk of the smallest class", audit).text == words
    assert answer("population uniques", audit).text == f"{NOT_MEASURED} (nobody is alone)"


# --- in the report ---


def test_the_report_has_the_dossier_and_what_offices_count(real: ReleaseAudit) -> None:
    page = release_page(real)
    check_page(page.encode())
    assert 'id="dossier"' in page
    assert 'id="disclosure"' in page
    assert page.count("EDPS v SRB") == 1
    assert "replicated uniques" in page
    assert 'id="disclosure"' not in release_page(AUDITS["safe"])
