"""No template has a text that stands outside the catalogue."""

import re
from html.parser import HTMLParser

import pytest
from jinja2 import nodes

from quintain_host.languages.nouns import NOUNS
from quintain_host.web.pages.render import ENVIRONMENT, TEMPLATES

SHOWN = frozenset({"alt", "aria-label", "data-confirm", "data-label", "placeholder"})
NO_WORDS = frozenset({"code", "id", "pre", "script", "style"})
LITERAL = frozenset({"quintain", "SHA-256", "tab-rows"})
"""Words that no language changes, and the name of a class of the style sheet."""

WORDS_OF = {"field": (0, "hint"), "faults": (1,), "status": (0,), "menu_entry": (1,)}
"""The arguments of macros that people read."""

TEMPLATE_NAMES = sorted(str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.j2"))


class Texts(HTMLParser):
    """Collects the words of a page outside of code."""

    def __init__(self):
        super().__init__()
        self.found, self._open = [], []

    def handle_starttag(self, tag, attrs):
        if tag in NO_WORDS:
            self._open.append(tag)
        self.found += [value for name, value in attrs if name in SHOWN and value]

    def handle_endtag(self, tag):
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data):
        if not self._open:
            self.found.append(data)


def has_words(text):
    """Whether a text has words that somebody would translate."""
    return re.search(r"[A-Za-z]{2}", text) is not None and text.strip() not in LITERAL


def bare_words(source):
    """What a template says that is in no call of the catalogue."""
    tree = ENVIRONMENT.parse(source)
    page = Texts()
    for node in _outputs(tree):
        page.feed(node.data if isinstance(node, nodes.TemplateData) else "\x00")
    page.close()
    found = [text.strip(" \n\x00") for text in page.found if has_words(text)]
    return found + [text for text in _constants(tree) if has_words(text)]


def _outputs(tree):
    """The pieces of a template in their order: what it says itself, and what it fills in."""
    for output in tree.find_all(nodes.Output):
        yield from output.nodes


def _constants(tree):
    """Texts in expressions that people read: words of macros, and choices between two texts."""
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name in WORDS_OF:
            for place in WORDS_OF[call.node.name]:
                yield from _texts(_argument(call, place))
        if isinstance(call.node, nodes.Name) and call.node.name == "table":
            for argument in call.args[:2]:
                yield from _texts(argument)
    for output in tree.find_all(nodes.Output):
        for node in output.nodes:
            if isinstance(node, nodes.CondExpr | nodes.Or):
                yield from (
                    text for text in _texts(node) if text[:1].isupper() or " " in text.strip()
                )


def _argument(call, place):
    if isinstance(place, int):
        return call.args[place] if place < len(call.args) else None
    return next((pair.value for pair in call.kwargs if pair.key == place), None)


def _texts(node):
    """The texts that an expression can give, but not what it compares or looks up."""
    match node:
        case nodes.Const(value=str() as text):
            yield text
        case nodes.CondExpr():
            yield from _texts(node.expr1)
            yield from _texts(node.expr2)
        case nodes.Or() | nodes.Add():
            yield from _texts(node.left)
            yield from _texts(node.right)
        case nodes.Concat():
            for part in node.nodes:
                yield from _texts(part)
        case nodes.List() | nodes.Tuple():
            for part in node.items:
                yield from _texts(part)
        case nodes.Getitem(node=nodes.Dict(items=pairs)):
            for pair in pairs:
                yield from _texts(pair.value)


@pytest.mark.parametrize("name", TEMPLATE_NAMES)
def test_a_template_says_nothing_outside_the_catalogue(name):
    assert bare_words((TEMPLATES / name).read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        "<p>Hello</p>",
        "<p>{{ team }} wins</p>",
        "<p>{% trans %}Hello{% endtrans %} there</p>",
        '<nav aria-label="Site"></nav>',
        '{{ field("Name", "name") }}',
        '{{ field(_("Name"), "name", hint="Everybody can read it.") }}',
        '{{ field(_("Name ") ~ row ~ " of all", "name") }}',
        '{% call table("Teams", [_("Team")]) %}{% endcall %}',
        '{% call table(_("Teams"), [_("Team"), "State"]) %}{% endcall %}',
        '{{ status({"open": "open now"}[state], "live") }}',
        '{{ "Trial" if trial else _("Upload") }}',
        '{{ title or "All attacks" }}',
    ],
)
def test_words_outside_the_catalogue_are_found(source):
    assert bare_words(source)


@pytest.mark.parametrize(
    "source",
    [
        "<p>{% trans %}Hello{% endtrans %}</p><code>quintain verify</code>",
        '<nav aria-label="{{ _("Site") }}" class="pages"></nav>',
        '{{ field(_("Name"), "name", type="text") }}{{ status(_("open"), "live") }}',
    ],
)
def test_words_of_the_catalogue_are_none_of_these(source):
    assert bare_words(source) == []


def test_everything_that_templates_count_is_in_the_catalogue():
    asked = re.compile(r'count\("(\w+)"(?:, "(\w+)")?\)')
    texts = "".join((TEMPLATES / name).read_text() for name in TEMPLATE_NAMES)
    nouns = {(f"%(n)s {one}", f"%(n)s {many or one + 's'}") for one, many in asked.findall(texts)}
    assert nouns - set(NOUNS) == set()
