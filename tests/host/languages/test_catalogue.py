"""The catalogues have every text of the site, and their translations fit the texts."""

import re

import pytest
from scripts import catalogue as script

from quintain.wording.languages import has_words, in_context, say, speaking
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
    if re.search("[\u3041-\u30ff\u4e00-\u9fff][.,;:!?](\\s|$|[\u3041-\u9fff])", form):
        yield "signs of English in a Japanese sentence"
    if re.search("\\w[;:!?](\\s|$)", re.sub("<[^>]*>|&[^;]*;", "", form)) and not is_spaceless(
        form
    ):
        yield "no space before a sign of French"
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


@pytest.mark.parametrize(
    ("text", "form"),
    [("Send it.", "提出してください."), ("one, two", "一,二"), ("Next: %(n)s", "Suite: %(n)s")],
)
def test_signs_of_another_language_are_found(text, form):
    assert list(problems_of(text, text, form))


def test_a_text_without_words_is_in_no_catalogue(texts):
    forms = [text.id[0] if text.pluralizable else text.id for text in texts if text.id]
    assert [form for form in forms if not has_words(form)] == []


def first(text):
    return text.id[0] if text.pluralizable else text.id


def test_every_text_says_where_it_stands(texts):
    assert all(text.auto_comments[0].startswith("Here: ") for text in texts if text.id)


def test_a_small_word_says_what_it_is_about(texts):
    """A word in lower case describes something beside it: what, decides how others write it."""
    words = [text for text in texts if text.id and re.fullmatch(r"\(?[a-z]\S*", first(text))]
    notes = [len(text.auto_comments) > len({path for path, _ in text.locations}) for text in words]
    bare = [
        first(text)
        for text, has_note in zip(words, notes, strict=True)
        if not text.context and not has_note
    ]
    assert bare == [], (
        'say(in_context("a phase", "open")), or a comment "translators: ..." above it'
    )


def test_a_word_has_a_translation_in_each_context():
    with speaking("fr"):
        states = {say(in_context(of, "done")) for of in ("a job", "a step of a contest")}
        assert states == {"terminée", "faite"}
        assert say(in_context("nobody wrote this context", "done")) == "done"


def test_a_language_puts_its_own_signs_between_values():
    with speaking("ja"):
        assert (
            say("%(title)s: %(text)s (%(unit)s).", title="a", text="b", unit="c") == "a：b（c）。"
        )
    with speaking("fr"):
        assert say("%(title)s: %(text)s", title="a", text="b: c") == "a\u00a0: b: c"


def test_a_value_that_nobody_explains_is_refused():
    text = script.Text("x.py", "reads %(splitlines)s", None, "a page")
    with pytest.raises(SystemExit, match=r"%\(splitlines\)s"):
        list(script._values_of(text))


def test_every_explanation_of_a_value_is_used(texts):
    named = {
        name
        for text in texts
        for form in (text.id if text.pluralizable else (text.id,))
        for name, _ in PLACEHOLDER.findall(form)
    }
    assert set(script.PLACEHOLDERS) - named == set()


def test_the_list_has_texts_of_templates_of_code_and_of_mails(texts):
    found = {(text.id[0] if text.pluralizable else text.id) for text in texts}
    assert {"Sign in", "You have left the team.", "The results are out", "%(n)s team"} <= found
