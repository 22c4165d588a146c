"""The report of an audit: safe to open, complete, and plain on its first page."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quintain.audits.report import notebook_view, release_page, sanitizer_page
from quintain.audits.report.risk_view import SHOWN
from quintain.audits.report.words import RELEASE, SANITIZER, release_words
from quintain.audits.results import ExposedRecord, ReleaseAudit
from quintain.figures.format import interval, number
from quintain.measures import Reading
from tests.audits.report import audit_cases as cases
from tests.audits.report import sanitizer_cases
from tests.figures.html_page import Page, check_page

RELEASES = {
    "safe": cases.release(),
    "unsafe": cases.release("unsafe", 0.12),
    "leak": cases.release("some-leakage", 0.02),
    "undecided": cases.undecided(),
    "hostile": cases.hostile(),
    "large": cases.large(),
    "empty": cases.release(
        readings=(), curves=(), shapes=(), utility=(), inputs=(), not_computed=()
    ),
}
SANITIZERS = {
    "one": sanitizer_cases.sanitizer(),
    "sweep": sanitizer_cases.sanitizer("some-leakage", (0.1, 1.0, 10.0, 100.0, 1000.0)),
    "none": sanitizer_cases.sanitizer("cannot-say", ()),
}
SECTIONS = ("numbers", "attacks", "roc", "utility", "threats", "not-computed", "method", "repeat")


def front(page: str) -> str:
    """The text of the first page."""
    inside = page.split('<section class="front"')[1].split("</section>")[0]
    return " ".join(re.sub(r"<[^>]+>", "", inside).split())


@pytest.mark.slow
@pytest.mark.parametrize("name", RELEASES)
def test_a_release_page_is_self_contained_and_balanced(name: str) -> None:
    page = release_page(RELEASES[name])
    assert page == release_page(RELEASES[name])
    headings(check_page(page.encode()))


@pytest.mark.parametrize("name", SANITIZERS)
def test_a_sanitizer_page_is_self_contained_and_balanced(name: str) -> None:
    headings(check_page(sanitizer_page(SANITIZERS[name]).encode()))


def headings(page: Page) -> None:
    """Headings start at 1 and skip no level; every table has a caption."""
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    tags = [tag for tag, _ in page.tags]
    assert tags.count("table") == tags.count("caption") == tags.count("thead")


def test_every_section_is_there_and_every_number_says_what_is_better() -> None:
    page = release_page(cases.release("unsafe", 0.12))
    for section in SECTIONS:
        assert f'id="{section}"' in page
    text = Page(page.encode()).text()
    for finding in cases.release("unsafe", 0.12).readings:
        assert finding.attack in text
        assert number(finding.reading.value) in text
        assert interval(finding.reading) in text
    for reading in cases.utility():
        assert reading.says in text
    assert "scikit-learn is not installed" in text
    assert "it needs the statistics that the sanitizer keeps" in text
    assert "a" * 64 in text
    assert "US 2023/0401336 A1" in text
    captions = re.findall(r' attacks stack">\n<caption>(.*?)</caption>', page)
    assert captions
    assert all("Lower is better." in caption for caption in captions)
    assert front(page).count("ower is better") >= 4


@pytest.mark.parametrize("verdict", RELEASE)
def test_page_one_says_what_the_verdict_means(verdict: str) -> None:
    audit = RELEASES["safe"].model_copy(update={"verdict": verdict})
    words = release_words(audit)
    text = front(release_page(audit))
    assert words.headline in text
    assert all(step in text for step in words.steps)
    assert "✓" not in text  # no verdict is a seal of approval
    assert not re.search(r"\bAUC\b|ROC|p-value|FDR|epsilon", text)
    words = SANITIZER[audit.verdict]
    assert words.headline in front(sanitizer_page(sanitizer_cases.sanitizer(audit.verdict)))


def test_page_one_speaks_of_people() -> None:
    text = front(release_page(cases.release("unsafe", 0.12)))
    assert "at least 12 of 100" in text
    assert "1,160 of 10,000 in all" in text
    assert "1,080 of 10,000" in text
    assert "found by attackers at a false positive rate of at most 1 %" in text
    assert "21 and 10" in text  # verbatim copies
    assert "of people nobody else is near: 11 and 0" in text
    assert "Of 100 people in the data, the attacker joins the records of 13" in text
    assert "guesses “income” right for 52; of 100 people outside the data, for 40." in text
    assert text.count("more than luck explains") == 4 + 2 + 1  # the legend, and the meaning
    assert "original.csv: 10,000 rows, 12 columns" in text


def test_what_could_be_luck_is_called_so() -> None:
    text = front(release_page(cases.release()))
    assert text.count("no more than luck explains") == 4 + 1
    assert "picks the right one in 50 of 100 cases; blind guessing does in 50." in text
    leaky = cases.release("some-leakage", 0.12, p=0.2)  # the test of the whole audit decides
    assert front(release_page(leaky)).count("no more than luck explains") == 4 + 1


def test_without_a_control_the_page_says_why() -> None:
    audit = cases.undecided().model_copy(update={"obstacle": "no control"})
    text = front(release_page(audit))
    assert "exposed people: no control was given" in text
    assert text.count("There is no figure: no control was given") == 2
    assert "not measured" in text
    assert "quintain audit split" in text


def test_hostile_names_are_only_text() -> None:
    page = Page(release_page(cases.hostile()).encode())
    for name in cases.HOSTILE[:4]:
        assert name.strip() in page.text()
    assert "turned \ufffd around \ufffd \ufffd" in page.text()
    view = notebook_view(cases.hostile())
    assert "<script" not in view
    assert "<img" not in view
    assert "&lt;script&gt;" in view


def test_many_columns_are_folded() -> None:
    page = release_page(cases.large())
    assert page.count("<details") == page.count("</details>")
    secrets = page.split("<h3>Inference</h3>")[1].split("</table>")[0]
    assert secrets.count("<tr>") == 1 + SHOWN
    assert "40 weaker findings" in page
    assert "194 more columns" in page
    assert "50 more" in page
    assert len(page) < 1_000_000


def test_records_are_shown_on_request_only() -> None:
    assert 'id="exposed"' not in release_page(cases.release())
    one = ExposedRecord(row=17, p=0.0001, attack="nearest", values={"age": 93, "town": "Ulm"})
    page = release_page(cases.release(exposed=(one,)))
    text = Page(page.encode()).text()
    assert "This part contains personal data of real people." in text
    assert "17 < 0.001 nearest age 93 town Ulm" in text
    assert "Ulm" not in front(page)


def test_long_reasons_are_shortened_on_page_one_and_complete_later() -> None:
    long = "A very long reason. " * 40
    page = release_page(cases.release(reasons=(long.strip(), "Reason 8.")))
    assert "Reason 8." not in front(page)
    assert long.strip() not in front(page)
    text = Page(page.encode()).text()
    assert "Reason 8." in text
    assert long.strip() in text


def test_a_refuted_claim_is_shown() -> None:
    honest = sanitizer_page(sanitizer_cases.sanitizer())
    assert "the claim is refuted" not in honest
    broken = (sanitizer_cases.setting(1.0, over=1.6),)
    page = sanitizer_page(sanitizer_cases.sanitizer("unsafe", settings=broken))
    assert "the claim is refuted" in page
    assert "epsilon ≥ 1.600" in front(page)
    assert page.count('class="bound over"') == 3
    assert "ceiling 4.900" in Page(page.encode()).text()


def test_a_sweep_draws_the_frontier() -> None:
    page = sanitizer_page(SANITIZERS["sweep"])
    assert page.count('class="frontier"') == 2
    for epsilon in ("0.1", "1", "10", "100", "1000"):
        assert f"epsilon {epsilon}" in Page(page.encode()).text()
    assert 'class="frontier"' not in sanitizer_page(SANITIZERS["one"])


def test_the_notebook_view_is_short() -> None:
    view = notebook_view(cases.release("unsafe", 0.12))
    assert len(view) < 4000
    assert "Do not publish this release." in view
    assert "more than luck explains" in view
    assert "mst" not in view
    assert "no leak in this sanitizer" in notebook_view(sanitizer_cases.sanitizer())


@settings(deadline=None, max_examples=12)
@example(0.0, 0.0, 5e-324, "higher")
@example(math.nan, math.nan, math.nan, "lower")
@example(math.inf, -math.inf, math.inf, "lower")
@example(-1e308, -math.inf, 1e308, "higher")
@given(st.floats(), st.floats(), st.floats(), st.sampled_from(["higher", "lower"]))
def test_no_figure_breaks_the_page(value: float, low: float, high: float, better: str) -> None:
    reading = Reading.model_validate(
        {"value": value, "low": low, "high": high, "n": 1, "better": better, "note": "why"}
    )
    finding = cases.finding("inference", "nearest", "member_hits", 0.1)
    finding = finding.model_copy(update={"reading": reading, "control": reading})
    audit: ReleaseAudit = cases.release(
        readings=(finding,),
        exposed_share=reading,
        nameable_records=reading,
        smallest_detectable=reading,
        curves=(),
        shapes=(),
        utility=(),
    )
    assert "nan" not in Page(release_page(audit).encode()).text().lower().split()
