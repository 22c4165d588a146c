"""What DARC says about releases: items of this table only, and people who vanish."""

import pytest

from quintain.contests import load
from quintain.data.files import read_bytes
from quintain.data.sources.retail import items
from quintain.errors import Faults, SubmissionError
from quintain.runs.submissions.submit import submit
from tests.contest_folders import prepared


@pytest.fixture
def live(tmp_path):
    """A prepared contest of one team, on simulated purchases."""
    changed = {"baseline": [], "dataset": {"rows": 500}, "team": [{"id": "red"}]}
    return prepared(tmp_path / "live", load("darc", overrides=changed))


def private_rows(folder):
    text = (folder.root / "teams/red/main/private.csv").read_text()
    head, *rows = text.rstrip("\n").split("\n")
    return head, [row.split(",") for row in rows]


def hand_in(folder, head, cells):
    text = "\n".join([head, *(",".join(row) for row in cells)])
    return submit(folder, "red", {"A.csv": text.encode()}, kind="release")


def test_an_item_of_another_table_is_refused(live):
    head, cells = private_rows(live)
    sold = {row[3] for row in cells}
    cells[5][3] = next(item for item in items() if item not in sold)
    with pytest.raises(SubmissionError, match=r"A.csv:7 id_item=.* is not an item of the original"):
        hand_in(live, head, cells)


def test_a_customer_without_a_pseudonym_is_a_warning(live):
    head, cells = private_rows(live)
    gone = cells[0][0]
    people = len({row[0] for row in cells})
    changed = [["DEL", "", "", "", "", ""] if row[0] == gone else row for row in cells]
    accepted = hand_in(live, head, changed)
    assert f"1 of {people} persons have no row left: {gone}" in accepted.warnings()
    assert not hand_in(live, head, cells).warnings()


def test_a_file_may_name_its_columns_as_the_rules_do(live):
    head, cells = private_rows(live)
    assert head == "id_user,date,hours,id_item,price,qty"
    hand_in(live, "id_user,date,time,id_item,unit_price,quantity", cells)
    with pytest.raises(SubmissionError, match="price: this column appears 2 times"):
        hand_in(live, "id_user,date,price,id_item,unit_price,quantity", cells)


def test_a_guess_may_number_its_months(live):
    track = live.edition().track[0]
    schema = track.goal.guess_schema(live.schema(track.id))
    numbers = ",".join(map(str, range(13)))
    cells = ",".join(["a", *["DEL"] * 11, "b"])
    content = f"id_user,{numbers}\n12346,{cells}\n".encode()
    faults = Faults("F.csv")
    table = read_bytes(content, "F.csv", schema, faults=faults)
    assert not faults.findings and table is not None
    assert table.schema.names[1:] == tuple(track.goal.labels)
    assert table.columns["2010-12"].tolist() == ["a"]
    assert table.columns["2011-12"].tolist() == ["b"]
