"""Lists as tables: each cell names its column, so that a phone can show a line as a card."""

from markupsafe import Markup

from quintain_host.web.pages.render import name_columns


def test_cells_name_their_columns_and_empty_ones_none():
    lines = (
        '<tr><th scope="row">red</th><td class="wrap">x</td><td>\n</td><td><bdi></bdi></td></tr>'
    )
    named = name_columns(Markup(lines), ["Team", "State", "Note", "Why"])
    assert named == lines.replace('<td class="wrap">', '<td data-label="State" class="wrap">')


def test_a_cell_over_all_columns_names_none():
    lines = Markup('<tr><td colspan="2">nothing</td></tr><tr><td>1</td><td>2</td></tr>')
    named = name_columns(lines, ["A", "B"])
    assert named.count("data-label") == 2 and '<td colspan="2">nothing' in named


def test_a_name_of_a_column_is_text():
    named = name_columns(Markup("<tr><td>1</td></tr>"), ['"><script>'])
    assert "<script>" not in named and "&lt;script&gt;" in named


def test_what_people_wrote_is_no_cell():
    lines = Markup("<tr><td>{}</td><td>2</td></tr>").format("<td>x</td><tr>")
    assert name_columns(lines, ["A", "B"]).count("data-label") == 2
