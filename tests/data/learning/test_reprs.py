"""What a notebook prints of learned schemas and their inputs shows no cell of the people."""

import pyarrow as pa
import pytest

from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.data.learning.people import learn_people
from quintain.data.people import read_owners
from quintain.data.people_files import open_tables, read_people

WHO = [f"NAME{number}" for number in range(60)]
PEOPLE = pa.table(
    {
        "pid": WHO,
        "age": [20 + number % 7 for number in range(60)],
        "town": [f"NAMED{number % 20}" for number in range(60)],
        "note": [f"words about NAME{number}, and a few more of them" for number in range(60)],
    }
)
VISITS = pa.table({"pid": WHO * 2, "day": [number % 31 for number in range(120)]})


def things():
    yield InputTable.of(PEOPLE)
    yield learn(InputTable.of(PEOPLE))
    yield learn(PEOPLE, PEOPLE.slice(10)).decisions
    yield learn(PEOPLE, PEOPLE.slice(10)).agreed
    with open_tables({"people": PEOPLE, "visits": VISITS}) as tables:
        learned = learn_people(tables, "pid")
        yield learned
        yield read_owners(learned.schema, tables)
        yield tables


@pytest.mark.filterwarnings("ignore")
def test_a_repr_shows_no_cell():
    shown = [repr(thing) for thing in things()]
    shown.append(repr(read_people({"people": PEOPLE, "visits": VISITS}, person="pid")))
    assert not [text for text in shown if "NAME" in text]


def test_a_learned_schema_shows_its_columns():
    shown = "<learned schema of table: pid id, age integer, town category, note ->"
    assert repr(learn(PEOPLE)) == shown
