"""The guide makes a contest on a table of one's own, step by step, and keeps what was typed."""

import json
import re
import tomllib
from html import unescape

import pytest

from quintain_host.organising.drafts import draft
from quintain_host.organising.guide.guided import GuidedDraft
from quintain_host.organising.guide.ranking import ranked_losses
from quintain_host.web.app import make_app
from tests.host.contest_on_site import account, at, drain, visitor
from tests.host.organising.organiser_browser import Browser
from tests.host.organising.student_table import STUDENTS, students

GUIDE = "/organise/students/guide"
FIRST = {"title": "Who was in the register?", "id": "students", "header": "yes"}
TEAMS = {"who": "everybody", "rows": "same"}


@pytest.fixture
def site(one_site):
    account(one_site, "olga", operator=True)
    one_site.clock.set(at(1, 1))
    return one_site


@pytest.fixture
def olga(site):
    return Browser(site, "olga", make_app(site))


@pytest.fixture
def begun(olga):
    """A draft that the first step made."""
    answer = olga.post("/organise/new/guide", files={"file": (STUDENTS, students())}, **FIRST)
    assert answer.status_code == 303, answer.text
    assert answer.headers["location"] == f"{GUIDE}/columns"
    return olga


def table_of(site):
    """The edition file of the draft, as tables."""
    return tomllib.loads(draft(site, visitor(site, "olga"), "students").edition.toml)


def schema_of(site):
    """The columns of the schema file of the draft, by name."""
    digest = draft(site, visitor(site, "olga"), "students").digests()["schema.json"]
    columns = json.loads(site.uploads.path(digest).read_bytes())["columns"]
    return {column["name"]: column for column in columns}


def typed_in(browser, step):
    """The fields of a step as a browser would send them again."""
    text = browser.page(f"{GUIDE}/{step}")
    fields = {}
    for tag in re.findall(r"<input[^>]*>", text):
        facts = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        boxes = facts.get("type") in ("checkbox", "radio")
        if facts.get("name") and facts.get("type") != "file" and (not boxes or " checked" in tag):
            fields[facts["name"]] = unescape(facts.get("value", ""))
    for name, content in re.findall(
        r'<textarea[^>]* name="([^"]+)"[^>]*>\n(.*?)</textarea>', text, re.S
    ):
        fields[name] = unescape(content)
    for name, options in re.findall(r'<select[^>]* name="([^"]+)"[^>]*>(.*?)</select>', text, re.S):
        chosen = re.findall(r"<option(?: value=\"([^\"]*)\")? selected>([^<]*)", options)
        first = re.findall(r"<option(?: value=\"([^\"]*)\")?[^>]*>([^<]*)", options)
        value, words = (chosen or first)[0]
        fields[name] = unescape(value if (chosen or first) and 'value="' in options else words)
    fields.pop("csrf", None)
    fields.pop("stay", None)
    return fields


@pytest.mark.slow
def test_the_first_step_learns_the_columns(begun, site):
    page = begun.page(f"{GUIDE}/columns")
    assert "an id: no text appears twice" in page and "learned from your people" in page
    assert "5 ranges still come from your people" in page
    table = table_of(site)
    assert table["goal"] == {"use": "membership"}
    assert table["dataset"]["schema"] == "schema.json"
    assert "a = " not in page.partition('<details class="guide-file">')[0]


@pytest.mark.slow
def test_every_step_stores_what_it_shows(begun, site):
    """To send a step as it is changes nothing that the edition file says."""
    before = table_of(site), schema_of(site)
    for step in ("table", "columns", "attackers", "releases", "gates", "dates", "ranking"):
        begun.sent(f"{GUIDE}/{step}", **typed_in(begun, step))
    assert (table_of(site), schema_of(site)) == before


@pytest.mark.slow
def test_ranges_are_marked_until_somebody_replaces_them(begun, site):
    fields = typed_in(begun, "columns")
    assert schema_of(site)["age"]["learned"]
    low = next(
        name for name, value in fields.items() if value == str(schema_of(site)["age"]["low"])
    )
    place = low.removesuffix(".low")
    begun.sent(f"{GUIDE}/columns", **{**fields, low: "16", f"{place}.high": "99"})
    age = schema_of(site)["age"]
    assert (age["low"], age["high"]) == (16, 99) and "learned" not in age
    assert schema_of(site)["sex"]["learned"]
    fields = typed_in(begun, "columns")
    known = {f"column.{n}.public": "yes" for n in range(7)}
    page = begun.sent(f"{GUIDE}/columns", **{**fields, **known})
    assert not any("learned" in column for column in schema_of(site).values())
    assert "come from your people" not in page


@pytest.mark.slow
def test_a_number_becomes_a_category_and_a_column_leaves(begun, site):
    fields = typed_in(begun, "columns")
    kinds = [name for name in fields if name.endswith(".kind")]
    names = ["record", *list(schema_of(site))[1:]]
    at_name = dict(zip(names, kinds, strict=True))
    fields |= {at_name["semester"]: "category", at_name["grade"]: "left-out"}
    begun.sent(f"{GUIDE}/columns", **fields)
    columns = schema_of(site)
    assert columns["semester"]["kind"] == "category" and "12" in columns["semester"]["values"]
    assert "grade" not in columns
    page = begun.page(f"{GUIDE}/columns")
    assert "The columns grade, record, and your file itself" in page


def test_wrong_ranges_are_all_told_and_kept(begun, site):
    fields = typed_in(begun, "columns")
    lows = [name for name, value in fields.items() if name.endswith(".low") and value]
    kept = schema_of(site)
    wrong = {lows[0]: "ten", lows[1]: "1e9"}
    answer = begun.post(f"{GUIDE}/columns", **{**fields, **wrong})
    assert answer.status_code == 422
    assert "is not a number" in answer.text and "highest value is below" in answer.text
    assert 'value="ten"' in answer.text and 'value="1e9"' in answer.text
    assert schema_of(site) == kept


@pytest.mark.slow
def test_a_range_that_cells_do_not_fit_is_told_with_its_rows(begun, site):
    fields = typed_in(begun, "columns")
    ages = next(n for n in fields if n.endswith(".low") and fields[n]).removesuffix(".low")
    answer = begun.post(f"{GUIDE}/columns", **{**fields, f"{ages}.low": "30", f"{ages}.high": "31"})
    assert answer.status_code == 422
    assert "students.csv" in answer.text and "age" in answer.text


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("students.csv", b"", "students.csv"),
        ("students.csv", b"a,b\n1,2\n", "has 1 rows; a contest needs 40"),
        ("students.csv", b"a,b\n" + b"1\n" * 50, "students.csv"),
        ("students.csv", b"\x00\xff\xfe" * 500, "students.csv"),
        ("students.csv", b'a,b\n"' + b"x" * 5000, "students.csv"),
        ("students.exe", b"a,b\n1,2\n", "choose a CSV or Parquet file"),
        ("../edition.toml", b"a,b\n1,2\n", "choose a CSV or Parquet file"),
        ("", b"", "choose a file"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_with_every_fault(olga, name, content, sentence):
    files = {"file": (name, content)} if name else None
    wrong = {"id": "Not An Id", "title": "", "header": "yes", "description": "A <b>text</b>"}
    answer = olga.post("/organise/new/guide", files=files, **wrong)
    assert answer.status_code == 422, answer.text
    assert sentence in answer.text
    assert "use lower-case letters" in answer.text and "write something here" in answer.text
    assert 'value="Not An Id"' in answer.text and "A &lt;b&gt;text&lt;/b&gt;" in answer.text


def test_a_good_file_is_kept_while_other_fields_have_faults(olga, site):
    answer = olga.post(
        "/organise/new/guide", files={"file": (STUDENTS, students())}, **{**FIRST, "title": ""}
    )
    assert answer.status_code == 422 and f"Your file {STUDENTS} is kept" in answer.text
    mark = unescape(re.findall(r'name="kept" value="([^"]+)"', answer.text)[0])
    wrong = olga.post("/organise/new/guide", **{**FIRST, "id": "No Id", "kept": mark})
    assert f"Your file {STUDENTS} is kept" in wrong.text  # also after a second fault
    forged = mark.replace(mark[:2], "xx", 1)
    refused = olga.post("/organise/new/guide", **FIRST, kept=forged)
    assert refused.status_code == 422 and "choose a file" in refused.text.lower()
    assert olga.post("/organise/new/guide", **FIRST, kept=mark).status_code == 303
    assert table_of(site)["dataset"]["path"] == STUDENTS


@pytest.mark.slow
def test_rows_can_stay_secret_after_the_contest(begun, site):
    assert "reveal" not in table_of(site)
    assert "rows never become public" not in begun.page(f"{GUIDE}/columns")
    begun.sent(f"{GUIDE}/table", **{**typed_in(begun, "table"), "without_data": "yes"})
    assert table_of(site)["reveal"] == "without-data"
    page = begun.page(f"{GUIDE}/columns")
    assert "its rows never become public, nor do the keys" in page
    assert typed_in(begun, "table")["without_data"] == "yes"
    fields = typed_in(begun, "table")
    del fields["without_data"]
    begun.sent(f"{GUIDE}/table", **fields)
    assert "reveal" not in table_of(site)


@pytest.mark.slow
def test_names_of_columns_are_shown_as_text(olga, site):
    rows = "".join(f"{n % 7},<i>{n % 3}</i>\n" for n in range(60))
    content = ('<script>alert(1)</script>,"a"" = 1"\n' + rows).encode()
    answer = olga.post("/organise/new/guide", files={"file": (STUDENTS, content)}, **FIRST)
    assert answer.status_code == 303, answer.text
    page = olga.page(f"{GUIDE}/columns")
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page and "<i>0" not in page
    fields = {"goal.use": "attribute", "goal.column": 'a" = 1', "sample.rows": "30"}
    known = {"goal.knows.<script>alert(1)</script>": "yes", "sample.targets": "10"}
    olga.sent(f"{GUIDE}/attackers", **fields, **known)
    assert table_of(site)["goal"]["column"] == 'a" = 1'


def test_a_title_cannot_write_other_keys(olga, site):
    title = 'x"\nid = "other'
    answer = olga.post(
        "/organise/new/guide", files={"file": (STUDENTS, students())}, **{**FIRST, "title": title}
    )
    assert answer.status_code == 303
    assert table_of(site)["title"] == title


@pytest.mark.slow
def test_an_id_that_exists_is_a_fault_of_its_field(begun):
    answer = begun.post("/organise/new/guide", files={"file": (STUDENTS, students())}, **FIRST)
    assert answer.status_code == 422 and "choose another id" in answer.text


@pytest.mark.slow
def test_each_question_brings_what_belongs_to_it(begun, site):
    sizes = {"sample.rows": "100", "sample.targets": "20"}
    begun.sent(
        f"{GUIDE}/releases",
        who="organisers",
        **{"use.mst": "yes", "value.mst": "1", "use.rr": "yes", "value.rr": "0.9"},
    )
    begun.sent(
        f"{GUIDE}/attackers", **{"goal.use": "published-row", "goal.knows.age": "yes"}, **sizes
    )
    table = table_of(site)
    assert table["sample"] == {"use": "subset", "rows": 100}
    assert table["privacy"] == [{"use": "rows-found"}]
    assert [board["measure"] for board in table["board"]] == ["rows_found"]
    assert [spec["use"] for spec in table["sanitizer"]] == ["rr"], "synthetic rows are nobody's"
    hidden = {"goal.use": "attribute", "goal.column": "faculty", "goal.knows.age": "yes"}
    begun.sent(f"{GUIDE}/attackers", **hidden, **sizes)
    assert table_of(site)["goal"] == {"use": "attribute", "column": "faculty", "knows": ["age"]}
    given = {"goal.use": "membership", "knowledge.base": "yes"}
    begun.sent(f"{GUIDE}/attackers", **given, **sizes)
    assert "base" in table_of(site)["knowledge"]["gives"]
    assert "everybody, when the round begins" in begun.page(f"{GUIDE}/columns")


@pytest.mark.slow
def test_wrong_questions_keep_what_was_typed(begun):
    wrong = {
        "goal.use": "attribute",
        "goal.column": "",
        "sample.rows": "many",
        "sample.targets": "0",
    }
    answer = begun.post(f"{GUIDE}/attackers", **wrong)
    assert answer.status_code == 422
    for sentence in ("choose one of the list", "tick at least one", "&#39;many&#39; is not"):
        assert sentence in answer.text
    assert 'value="many"' in answer.text
    too_many = {"goal.use": "published-row", "goal.knows.age": "yes", "sample.rows": "5000"}
    answer = begun.post(f"{GUIDE}/attackers", **too_many)
    assert answer.status_code in (303, 422)


@pytest.mark.slow
def test_teams_make_releases(begun, site):
    begun.sent(f"{GUIDE}/releases", **TEAMS, **{"use.identity": "yes"})
    table = table_of(site)
    assert [phase["submit"] for phase in table["phase"]] == ["release", "guess"]
    assert [board["id"] for board in table["board"]] == ["anonymizers", "attackers"]
    assert "sanitizer" not in table and table["rule"] == [{"use": "rows", "same": True}]
    assert table["board"][1]["trim"] == 0.5, "a friend among the teams moves a median by little"
    assert typed_in(begun, "ranking")["attackers.use"] == "median"
    begun.sent(
        f"{GUIDE}/ranking",
        **{
            "anonymizers.attackers": "mean",
            "anonymizers.utility": "tv2",
            "attackers.use": "count-wins",
        },
    )
    board, attacking = table_of(site)["board"]
    assert (attacking["use"], "trim" in attacking) == ("count-wins", False)
    assert (board["attackers"], board["utility"], board["shown"]) == ("mean", "tv2", "risk")
    begun.sent(f"{GUIDE}/releases", who="organisers", **{"use.identity": "yes"})
    assert [phase["submit"] for phase in table_of(site)["phase"]] == ["guess"]
    answer = begun.post(f"{GUIDE}/releases", **TEAMS)
    assert answer.status_code == 422 and "tick at least one sanitizer" in answer.text
    answer = begun.post(f"{GUIDE}/releases", **TEAMS, **{"use.rr": "yes", "value.rr": "much"})
    assert answer.status_code == 422 and 'value="much"' in answer.text


def test_the_number_of_rows_is_a_choice(begun, site):
    """Synthetic data have as many rows as a noisy count says, so they could not play otherwise."""
    shown = typed_in(begun, "releases")
    assert (shown["rows"], shown["rows.most"]) == ("any", "200")
    begun.sent(f"{GUIDE}/releases", **{**shown, "who": "everybody"})
    assert table_of(site)["rule"] == [{"use": "rows", "most": 200}]
    sizes = {"goal.use": "membership", "sample.rows": "80", "sample.targets": "20"}
    begun.sent(f"{GUIDE}/attackers", **sizes)
    assert table_of(site)["rule"] == [{"use": "rows", "most": 160}], "it follows the sample"
    found = {"goal.use": "published-row", "goal.knows.age": "yes", "sample.rows": "80"}
    begun.sent(f"{GUIDE}/attackers", **found)
    assert table_of(site)["rule"] == [{"use": "rows", "same": True}], "each row is somebody's"
    begun.sent(f"{GUIDE}/attackers", **sizes)
    chosen = {**typed_in(begun, "releases"), "rows": "any", "rows.most": "90"}
    begun.sent(f"{GUIDE}/releases", **chosen)
    begun.sent(f"{GUIDE}/attackers", **{**sizes, "sample.targets": "30"})
    assert table_of(site)["rule"] == [{"use": "rows", "most": 90}], "what somebody wrote stays"
    answer = begun.post(f"{GUIDE}/releases", **{**chosen, "rows.most": "79"})
    assert answer.status_code == 422 and 'value="79"' in answer.text
    begun.sent(f"{GUIDE}/releases", **{**chosen, "rows.most": ""})
    assert "rule" not in table_of(site)
    assert typed_in(begun, "releases")["rows.most"] == ""
    begun.sent(f"{GUIDE}/releases", **typed_in(begun, "releases"))
    assert "rule" not in table_of(site)


@pytest.mark.slow
def test_a_wrong_date_keeps_what_was_typed(begun, site):
    fields = {
        "phase.0.opens": "tomorrow",
        "phase.0.closes": "2026-05-09 12:00",
        "phase.0.per_day": "0",
        "registration": "open",
        "team_size": "none",
    }
    answer = begun.post(f"{GUIDE}/dates", **fields)
    assert answer.status_code == 422
    assert "&#39;tomorrow&#39; is not a time" in answer.text and 'value="tomorrow"' in answer.text
    assert 'value="2026-05-09 12:00"' in answer.text
    assert answer.text.count("field-fault") == 3
    assert "opens" not in table_of(site)["phase"][0]
    fields |= {"phase.0.opens": "2026-05-10T12:00", "phase.0.per_day": "", "team_size": ""}
    answer = begun.post(f"{GUIDE}/dates", **fields)
    assert answer.status_code == 422 and "closes before it opens" in answer.text
    begun.sent(f"{GUIDE}/dates", **{**fields, "phase.0.opens": "2026-05-02 12:00"})
    assert f"{table_of(site)['phase'][0]['opens']:%d %H}" == "02 12"
    assert draft(site, visitor(site, "olga"), "students").edition.registration == "open"


@pytest.mark.slow
def test_a_contest_gets_a_second_round_and_loses_it_again(begun, site):
    first = {"phase.0.opens": "2026-05-02 12:00", "phase.0.closes": "2026-05-09 12:00"}
    page = begun.sent(f"{GUIDE}/dates", registration="open", rounds="2", **first)
    assert "Look at the dates of every round." in page
    table = table_of(site)
    assert [track["title"] for track in table["track"]] == ["Round 1", "Round 2"]
    assert f"{table['track'][1]['phase'][0]['opens']:%d %H}" == "09 12"  # as the first one closes
    assert table["overall"][0]["boards"] == {"round-1/attackers": 1, "round-2/attackers": 1}
    fields = typed_in(begun, "dates")
    early = {"track.0.title": "Warm-up", "track.1.phase.0.opens": "2026-05-08T12:00"}
    answer = begun.post(f"{GUIDE}/dates", **{**fields, **early})
    assert answer.status_code == 422 and "opens before the one above closes" in answer.text
    begun.sent(f"{GUIDE}/dates", **{**fields, "track.0.title": "Warm-up"})
    before = table_of(site)
    for step in ("attackers", "releases", "gates", "dates", "ranking"):
        begun.sent(f"{GUIDE}/{step}", **typed_in(begun, step))
    assert table_of(site) == before and before["track"][0]["title"] == "Warm-up"
    begun.sent(f"{GUIDE}/ranking", **{**typed_in(begun, "ranking"), "overall": "last"})
    begun.sent(f"{GUIDE}/releases", **TEAMS, **{"use.identity": "yes"})
    table = table_of(site)
    assert "overall" not in table
    assert [phase["submit"] for phase in table["track"][1]["phase"]] == ["release", "guess"]
    begun.sent(f"{GUIDE}/dates", **{**typed_in(begun, "dates"), "rounds": "1"})
    assert "track" not in table_of(site) and len(table_of(site)["phase"]) == 2


@pytest.mark.slow
def test_rounds_where_the_lowest_score_wins_add_up_their_ranks(begun, site):
    begun.sent(f"{GUIDE}/releases", **TEAMS, **{"use.identity": "yes"})
    begun.sent(f"{GUIDE}/dates", registration="open", rounds="2")
    begun.sent(f"{GUIDE}/ranking", **{**typed_in(begun, "ranking"), "anonymizers.utility": "tv2"})
    attackers, anonymizers = table_of(site)["overall"]
    assert (attackers["use"], anonymizers["use"]) == ("weighted-sum", "inverse-rank-sum")


@pytest.mark.slow
def test_rounds_with_rules_of_their_own_are_beyond_the_guide(begun, site):
    begun.sent(f"{GUIDE}/dates", registration="open", rounds="2")
    own = draft(site, visitor(site, "olga"), "students").edition.toml
    other = own.replace('title = "Round 2",', 'title = "Round 2", repeats = 2,')
    begun.sent("/organise/students/draft", toml=other)
    assert "its rounds differ in more than their dates" in begun.page(GUIDE)
    other = own.replace('"round-2/attackers" = 1', '"round-2/attackers" = 9')
    begun.sent("/organise/students/draft", toml=other)
    assert "it has boards of its own over all rounds" in begun.page(GUIDE)


@pytest.mark.slow
def test_the_file_and_the_guide_agree(begun, site):
    own = draft(site, visitor(site, "olga"), "students").edition.toml
    changed = own.replace('use = "rr", keep = 0.8', 'use = "rr", keep = 0.7')
    text = "# our own words\n" + changed
    begun.sent("/organise/students/draft", toml=text)
    assert 'value="0.7"' in begun.page(f"{GUIDE}/releases")
    begun.sent(f"{GUIDE}/gates", **{"use.one-way": "yes", "bound.one-way": "0.3"})
    changed = draft(site, visitor(site, "olga"), "students").edition.toml
    assert changed.startswith("# our own words\n")
    assert table_of(site)["utility"] == [{"use": "marginals", "ways": 1, "at_most": 0.3}]
    answer = begun.post(f"{GUIDE}/gates", **{"use.one-way": "yes", "bound.one-way": "nan"})
    assert answer.status_code == 422 and 'value="nan"' in answer.text


def test_the_guide_says_what_it_cannot_show(olga):
    olga.sent("/organise/new/start", builtin="tiny", name="small")
    assert "it includes another contest" in olga.page("/organise/small/guide")
    assert olga.post("/organise/small/guide/dates", registration="open").status_code == 409
    assert olga.get("/organise/small/guide/nothing").status_code == 404


@pytest.mark.slow
def test_built_in_teams_rehearse_and_the_contest_opens(begun, site):
    sizes = {"sample.rows": "60", "sample.targets": "20"}
    begun.sent(f"{GUIDE}/attackers", **{"goal.use": "membership"}, **sizes)
    players = {"use.identity": "yes", "use.rank-swapping": "yes"}
    begun.sent(f"{GUIDE}/releases", **TEAMS, **players)
    begun.sent(f"{GUIDE}/gates", **{"use.two-way": "yes", "bound.two-way": "0.2"})
    drain(site)
    page = begun.page(f"{GUIDE}/gates")
    assert "Rank swapping" in page and "✓ passes" in page
    begun.sent(f"{GUIDE}/rehearsal")
    drain(site)
    page = begun.page(f"{GUIDE}/rehearsal")
    assert "Set the dates" in page and "Replace the ranges" in page
    assert "Anonymizers" in page and "Exact match" in page
    begun.sent(f"{GUIDE}/table", title="Another title")
    assert "has changed since this rehearsal" in begun.page(f"{GUIDE}/rehearsal")
    assert begun.post(f"{GUIDE}/mend", check="no-dates").status_code == 404

    refused = begun.post(f"{GUIDE}/open")
    assert refused.status_code == 422 and refused.text.count("tick this, or go back") == 3
    ticks = {"publish_data": "yes", "undated": "yes", "learned": "yes", "visible": "yes"}
    begun.sent(f"{GUIDE}/open", **ticks)
    drain(site)
    assert Browser(site, "", begun.client.app).get("/contests/students").status_code == 200
    assert "its rules are fixed" in begun.page(GUIDE)


def test_a_built_in_team_that_is_out_is_the_first_finding(begun, site):
    """A rehearsal in which nobody counts has findings, and the last step says so."""
    sizes = {"sample.rows": "60", "sample.targets": "20"}
    begun.sent(f"{GUIDE}/attackers", **{"goal.use": "membership"}, **sizes)
    players = {"use.mst": "yes", "value.mst": "0.2", "use.identity": "yes"}
    begun.sent(f"{GUIDE}/releases", **TEAMS, **players)
    begun.sent(f"{GUIDE}/gates", **{"use.one-way": "yes", "bound.one-way": "-1"})
    drain(site)
    tried = begun.page(f"{GUIDE}/gates")
    assert "as many as the original" in tried, "the trial knows the rules, too"
    begun.sent(f"{GUIDE}/rehearsal")
    drain(site)
    findings = begun.page(f"{GUIDE}/rehearsal").split('class="guide-finding"')[1:]
    first, second = (unescape(text) for text in findings[:2])
    assert "Synthetic data (MST) does not count" in first and "Change the releases" in first
    assert "Publish everything as it is does not count" in second and "tv1 is 0" in second
    assert "must be mended" in first and "Change the gates" in second
    last = begun.page(f"{GUIDE}/open")
    assert f"The rehearsal has {len(findings)} findings" in last and "no faults" not in last


@pytest.mark.slow
def test_a_finding_is_mended_by_its_button(begun, site):
    hidden = {"goal.use": "attribute", "goal.column": "faculty", "goal.knows.age": "yes"}
    sizes = {"sample.rows": "60", "sample.targets": "20", "knowledge.base": "yes"}
    begun.sent(f"{GUIDE}/attackers", **hidden, **sizes)
    begun.sent(f"{GUIDE}/rehearsal")
    drain(site)
    assert "Do not give attackers the table" in begun.page(f"{GUIDE}/rehearsal")
    begun.sent(f"{GUIDE}/mend", check="known-answers")
    drain(site)
    assert "base" not in table_of(site)["knowledge"]["gives"]
    assert "Do not give attackers the table" not in begun.page(f"{GUIDE}/rehearsal")


@pytest.mark.slow
def test_only_organisers_see_the_guide(begun, site):
    account(site, "red")
    red = Browser(site, "red", begun.client.app)
    for path in (GUIDE, f"{GUIDE}/columns", f"{GUIDE}/rehearsal"):
        assert red.get(path).status_code == 403
        assert Browser(site, "", begun.client.app).get(path).status_code in (401, 303)
    assert red.post(f"{GUIDE}/dates", registration="open").status_code == 403
    assert red.post(f"{GUIDE}/open").status_code == 403
    assert red.get("/organise/new/guide").status_code == 403


def test_a_measure_without_its_ways_can_be_ranked_as_the_one_that_it_is():
    def losses(*utility):
        return ranked_losses(GuidedDraft(None, {"utility": utility}))

    assert losses({"use": "marginals"}, {"use": "marginals", "ways": 2}) == ["tv1", "tv2"]
    assert losses("association", {"use": "equal-cells"}, {"use": "unknown"}) == ["association"]
