"""The catalogues have every text of the site, and their translations fit the texts."""

import re

import pytest
from scripts import catalogue as script

from quintain_host.languages.catalogue import DEFAULT, FOLDER, LANGUAGES, read_catalogue

OTHERS = [language for language in LANGUAGES if language != DEFAULT]

PLACEHOLDER = re.compile(r"%\((\w+)\)([a-z])")
TAG = re.compile(r"<[^>]*>")


@pytest.fixture(scope="module")
def texts():
    return script.texts()


@pytest.mark.slow
def test_the_list_of_texts_is_up_to_date(texts):
    """Run scripts/catalogue.py after a change of a text."""
    assert script.template_bytes(texts) == (FOLDER / script.TEMPLATE).read_bytes()


@pytest.mark.parametrize("language", OTHERS)
def test_a_catalogue_is_up_to_date(texts, language):
    path = FOLDER / f"{language}.po"
    assert script.updated_bytes(texts, language, path) == path.read_bytes()


def test_a_translation_stays_when_a_text_is_added(texts, tmp_path):
    path = tmp_path / "fr.po"
    path.write_text(
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
        'msgid "Sign in"\nmsgstr "Se connecter"\n\nmsgid "Zyxw 9876 qqq"\nmsgstr "disparue"\n'
    )
    updated = script.updated_bytes(texts, "fr", path).decode()
    assert 'msgid "Sign in"\nmsgstr "Se connecter"' in updated
    assert "disparue" not in updated and "Sign out" in updated


def translated():
    """Every text with each form of its translation."""
    for language in OTHERS:
        for message in read_catalogue(language):
            if not message.id or message.fuzzy:
                continue
            one, many = message.id if message.pluralizable else (message.id, message.id)
            forms = message.string if message.pluralizable else (message.string,)
            for form in filter(None, forms):
                yield language, one, many, form


def problems_of(one, many, form):
    """What is wrong with one form of a translation."""
    known = set(PLACEHOLDER.findall(one)) | set(PLACEHOLDER.findall(many))
    needed = set(PLACEHOLDER.findall(one)) & set(PLACEHOLDER.findall(many))
    there = set(PLACEHOLDER.findall(form))
    if there - known:
        yield f"unknown values {there - known}"
    if needed - there - {("n", "s"), ("num", "s")}:
        yield f"values are missing: {needed - there}"
    if re.search(r"%(?!\(\w+\)[a-z])", form.replace("%%", "")):
        yield "a percent sign is written twice"
    if sorted(TAG.findall(form)) not in (sorted(TAG.findall(one)), sorted(TAG.findall(many))):
        yield "other tags than in the text"
    if set(TAG.sub("", form)) & set('<>"') - set(TAG.sub("", one + many)):
        yield "a sign that breaks the page"
    mine, given = ((text[:1] == " ", text[-1:] == " ") for text in (form, many))
    if mine != given and not is_spaceless(form):
        yield "another space at its beginning or end"


def is_spaceless(text):
    """Whether a text is Japanese, which has no spaces between words."""
    return bool(re.search("[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]", text))


def test_every_translation_has_the_values_and_the_tags_of_its_text():
    wrong = [
        (language, many, form, problem)
        for language, one, many, form in translated()
        for problem in problems_of(one, many, form)
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("at most %(most)s", "au plus %(max)s"),
        ("at most %(most)s", "au plus"),
        ("half", "50 %"),
        ("<b>bold</b>", "<i>gras</i>"),
        ("open", 'dit "ouvert"'),
        ("open", "ouvert "),
    ],
)
def test_a_translation_that_does_not_fit_is_found(text, form):
    assert list(problems_of(text, text, form))


def test_the_list_has_texts_of_templates_of_code_and_of_mails(texts):
    found = {(text.id[0] if text.pluralizable else text.id) for text in texts}
    assert {"Sign in", "You have left the team.", "The results are out", "%(n)s team"} <= found
