"""Filled form: a page with what was sent, and what is wrong beside each field."""

from hypothesis import given
from hypothesis import strategies as st

from quintain_host.web.pages.filled_form import Mistake, fill_form

PAGE = """<!doctype html>
<main id="main"><p>5 &lt; 6 &#38; <svg viewBox="0 0 1 1"><path d="M0 0"/></svg></p>
<form method="post" action="/extend"><input type="hidden" name="phase" value="one">
<p><label for="a">Until</label><input id="a" name="until" type="text" value="2026"></p></form>
<form method="post" action="/extend"><input type="hidden" name="phase" value="two">
<p><input id="b" name="until" type="text" value="2026" aria-describedby="hint"></p>
<p><textarea name="reason" rows="3">
old &lt;words&gt;</textarea></p>
<details><p><select name="kind"><option value="a" selected>A</option>
<option value="b">B</option></select></p>
<input type="checkbox" name="tick" value="yes" checked>
<input type="password" name="secret"></details>
</form></main>"""


def test_only_the_form_that_was_sent_is_filled_in_and_marked():
    sent = {"phase": ["two"], "until": ["tomorrow"], "kind": ["b"], "reason": ["<b>why</b>"]}
    sent["secret"] = ["hunter2"]
    html = fill_form(PAGE, "/extend", sent, [Mistake("until", "not a time"), Mistake("", "other")])
    first, second = html.split('value="two"')
    assert "tomorrow" not in first and "aria-invalid" not in first
    assert '<div class="faults" role="alert">' in first.split('action="/extend"')[-1]
    assert "<li>Other.</li>" in html
    fault = '<span class="field-fault" id="fault-until">Not a time.</span>'
    assert fault in second and 'value="tomorrow"' in second
    assert 'aria-describedby="fault-until hint" autofocus' in second
    assert "&lt;b&gt;why&lt;/b&gt;</textarea>" in second and "old" not in second
    assert '<option value="a">A' in second and '<option value="b" selected>B' in second
    assert " checked" not in second and "hunter2" not in second
    assert "<details open>" in second


def test_a_page_without_the_form_says_it_at_its_top():
    html = fill_form(PAGE, "/elsewhere", {"until": ["x"]}, [Mistake("until", "it is over")])
    assert '<main id="main">\n<div class="faults" role="alert"><ul><li>It is over.</li>' in html
    assert 'value="x"' not in html


def test_what_the_form_does_not_change_stays_byte_by_byte():
    assert fill_form(PAGE, "/elsewhere", {}, [], summary=False) == PAGE


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_leaves_its_field(typed, sentence):
    sent = {"phase": ["two"], "until": [typed], "reason": [typed]}
    html = fill_form(PAGE, "/extend", sent, [Mistake("reason", sentence)])
    assert html.count("<input") == PAGE.count("<input")
    assert html.count("<form") == 2 and html.count("</textarea>") == 1
    assert html.count("<") == PAGE.count("<") + 6  # a sentence beside the field, one before all
