"""Every page has the same frame, its own files only, and errors that people can read."""

import hashlib
import re

import pytest
from fastapi import Request
from starlette.testclient import TestClient

from quintain_host.web.app import make_app
from quintain_host.web.pages.render import REPORT, SHARED, TEMPLATES, redirect
from quintain_host.web.static_files import FOLDER, static, style
from tests.figures.html_page import styled_classes

JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}")


@pytest.fixture
def client(one_site):
    app = make_app(one_site)

    @app.get("/speak")
    def speak(request: Request):
        return redirect(request, "/", notice="It is <b>done</b>.")

    with TestClient(app, "http://127.0.0.1:8000") as client:
        yield client


def test_a_page_names_no_other_host_and_has_no_inline_code(client):
    html = client.get("/").text
    assert 'href="#main"' in html and 'id="main"' in html
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", html)
    assert "style=" not in html and "<style" not in html
    assert all(" src=" in tag for tag in re.findall(r"<script[^>]*>", html))


def test_every_file_that_a_page_names_is_there_and_may_be_remembered(client):
    names = re.findall(r'(?:src|href)="(/static/[^"]+)"', client.get("/sign-in").text)
    assert len(names) >= 4
    for name in names:
        answer = client.get(name)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]


def test_the_style_of_reports_is_part_of_the_style_of_the_site():
    assert "--leak-5" in style() and ".skip" in style()
    assert static("style.css").startswith("/static/style.css?v=")


def template_classes(text):
    """The classes that a template names; of a choice, all of them."""
    for value in re.findall(r'class="((?:\{\{.*?\}\}|\{%.*?%\}|[^"{])*)"', text):
        yield from JINJA.sub(" ", value).split()
        for code in JINJA.findall(value):
            for chosen in re.findall(r'(?<!= )"([^"]*)"(?! ==)', code):
                yield from chosen.split()


@pytest.mark.parametrize("folder", [TEMPLATES, SHARED, REPORT], ids=lambda folder: folder.name)
def test_the_style_sheet_has_every_class_of_the_templates(folder):
    paths = sorted(folder.rglob("*.j2"))
    assert paths
    used = {(name, path.name) for path in paths for name in template_classes(path.read_text())}
    assert {(name, path) for name, path in used if name not in styled_classes(style())} == set()


def test_a_class_without_a_style_would_be_seen():
    text = (
        """<p class="soft{{ " odd" if state == "calm" }}"><i class="x{% if a %} long{% endif %}">"""
    )
    assert set(template_classes(text)) == {"soft", "odd", "x", "long"}
    assert "odd" not in styled_classes(style())


def test_scripts_of_others_are_the_ones_that_were_looked_at():
    lines = (FOLDER / "vendor" / "README.txt").read_text().splitlines()
    sums = dict(reversed(line.split()) for line in lines if re.match(r"[0-9a-f]{64} ", line))
    assert set(sums) == {"htmx.min.js"}
    for name, digest in sums.items():
        assert hashlib.sha256((FOLDER / "vendor" / name).read_bytes()).hexdigest() == digest


def test_a_sentence_is_shown_once_and_as_text(client):
    first = client.get("/speak").text
    assert "It is &lt;b&gt;done&lt;/b&gt;." in first
    assert "done" not in client.get("/").text


def test_a_broken_sentence_is_left_out(client):
    client.cookies.set("notice", "%%%")
    assert client.get("/").status_code == 200


def test_errors_are_pages_for_people_and_json_for_programs(client):
    answer = client.get("/nowhere")
    assert answer.status_code == 404
    assert "There is no such page" in answer.text
    assert client.get("/api/nowhere").json()["detail"] == "there is no page with this address"
