"""Markdown: texts of people look as they meant, and hostile ones do nothing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain_host.views.own_look import ShownPicture
from quintain_host.web.pages.markdown import TAGS, markdown, plain_words
from tests.host.security.people import browser

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox)",
    "[x](file:///etc/passwd)",
    "[x](//evil.example)",
    "[x](/\\evil.example)",
    "[x](<javascript:alert(1)>)",
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    '[x](https://a.example "onmouseover=alert(1)")',
    '[x](https://a.example/"onmouseover="alert(1))',
    "![x](https://evil.example/pixel.png)",
    '![x" onerror="alert(1)](y)',
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "![a][b]\n\n[b]: https://evil.example/pixel.png",
    "[![x](https://evil.example/p.png)](https://a.example)",
    "`<script>`",
    "```html\n<script>alert(1)</script>\n```",
    "```<img/onerror=alert(1)>\nx\n```",
    "<!-- --><script>alert(1)</script>",
    "<style>body{display:none}</style>",
    "<form action=https://evil.example><input name=password></form>",
    "<iframe src=https://evil.example></iframe>",
    "<meta http-equiv=refresh content=0;url=https://evil.example>",
    "<base href=https://evil.example>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "x\n<div id=main class=notice>",
    "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
    "\u202egnp.exe",
    "a\x00b\x1b[31m",
]

_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)([^>]*)>")
_ATTRIBUTES = re.compile(r' (?:href|title|start|rel)="[^"<>]*"')


def is_harmless(html):
    """Whether HTML has listed tags alone, with harmless attributes, and leads nowhere odd."""
    for _, name, attributes in _TAG.findall(html):
        assert name in TAGS, html
        assert _ATTRIBUTES.sub("", attributes).strip() == "", html
    assert html.count("<") == len(_TAG.findall(html)), html
    for url in re.findall(r'href="([^"]*)"', html):
        assert re.match(r"https?://|mailto:|/(?![/\\])|#", url), html
    return True


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_do_nothing(text):
    html = markdown(text)
    assert is_harmless(html)
    assert "\u202e" not in html and "\x00" not in html and "\x1b" not in html


@given(st.text(alphabet="<>[]()!`*_#|-\n\\\"'&;:/ ajscript=onx1", max_size=80))
def test_no_text_becomes_anything_else(text):
    assert is_harmless(markdown(text))


@given(
    st.lists(st.sampled_from(HOSTILE), min_size=2, max_size=4), st.sampled_from(["", "\n", "\n\n"])
)
def test_hostile_texts_together_do_nothing(texts, between):
    assert is_harmless(markdown(between.join(texts)))


@pytest.mark.slow
@pytest.mark.parametrize("text", ["[" * 5000, "> " * 5000, "*a " * 5000, "- " * 2500, "![" * 5000])
def test_deep_texts_come_to_an_end(text):
    assert is_harmless(markdown(text))


def test_marks_become_what_they_mean():
    html = markdown("**400** *students*, ~~old~~ `k=3`\nnext line\n\n- a\n- b\n\n1. c")
    for part in (
        "<strong>400</strong>",
        "<em>students</em>",
        "<s>old</s>",
        "<code>k=3</code>",
        "<br>",
        "<li>a</li>",
        "<ol>",
    ):
        assert part in html
    assert "<td>1</td>" in markdown("| n |\n|---|\n| 1 |")


def test_addresses_become_links_that_say_so():
    html = markdown("see https://a.example/x and [us](/contests/amic), not evil.example")
    rel = 'rel="nofollow noopener noreferrer ugc"'
    assert f'<a href="https://a.example/x" {rel}>https://a.example/x</a>' in html
    assert f'<a href="/contests/amic" {rel}>us</a>' in html
    assert html.count("<a ") == 2


def test_pictures_elsewhere_are_not_loaded():
    html = markdown("![our logo](https://a.example/logo.png)")
    assert "<img" not in html
    assert "our logo (https://a.example/logo.png)" in html


@pytest.mark.parametrize(
    ("text", "below", "tags"),
    [
        ("# a\n## b", 1, ["h2", "h3"]),
        ("#### a", 1, ["h2"]),
        ("## a\n#### b\n###### c", 2, ["h3", "h4", "h5"]),
        ("# a\n## b\n### c\n#### d", 4, ["h5", "h6", "h6", "h6"]),
    ],
)
def test_headings_stand_below_those_of_the_page(text, below, tags):
    assert re.findall(r"<(h\d)>", markdown(text, below)) == tags


def test_plain_words_have_no_marks_and_are_escaped_where_shown():
    assert plain_words("# a\n**b** <script>") == "a b <script>"


@pytest.mark.slow
def test_news_is_shown_as_markdown(one_site):
    from quintain_host.database.contests import HostedEdition, News

    now = one_site.clock.now()
    with one_site.database.writing("accounts") as session:
        session.add(
            HostedEdition(
                id="tiny", title="Tiny", toml="", call="**Come**", visible=True, created=now
            )
        )
        session.flush()
        session.add(News(edition="tiny", time=now, title="<b>", text="## A\n<img src=x>\n**b**"))
    html = browser(one_site).get("/contests/tiny/news").text
    assert "<h3>A</h3>" in html and "<strong>b</strong>" in html
    assert "&lt;img src=x&gt;" in html and "<h2>&lt;b&gt;</h2>" in html


def test_lines_of_an_edition_file_flow_together():
    text = "One\nline.\n\nAnother."
    assert markdown(text) == "<p>One<br>\nline.</p>\n<p>Another.</p>\n"
    assert markdown(text, flowing=True) == "<p>One\nline.</p>\n<p>Another.</p>\n"


PLAN = ShownPicture("plan.png", "/contests/x/pictures/plan.png?1", 30, 20, 100)


def test_a_picture_of_the_contest_is_shown_by_its_name():
    html = markdown('![the <plan>](plan.png "A plan")', pictures=(PLAN,))
    assert html.count("<img ") == 1 and 'src="/contests/x/pictures/plan.png?1"' in html
    assert 'alt="the &lt;plan&gt;"' in html and 'width="30"' in html
    assert "<img" not in markdown("![the plan](plan.png)")
    assert "href" not in markdown("[the plan](plan.png)")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_contest_with_pictures_shows_no_other_ones(text):
    html = markdown(f"{text}\n\n![x](plan.png)\n\n{text}", pictures=(PLAN,))
    rest = re.sub(r"<img [^<>]*>", "", html)
    assert is_harmless(rest)
    for source in re.findall(r'src="([^"]*)"', "".join(re.findall(r"<img [^<>]*>", html))):
        assert source == PLAN.address
