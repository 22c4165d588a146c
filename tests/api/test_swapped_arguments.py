"""Somebody who gives the data before the part is told so."""

import pandas as pd
import pytest

import quintain
from quintain.errors import PartError

FRAME = pd.DataFrame({"age": [20, 40]})


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        (quintain.sanitize, "expected a sanitizer first, such as the name"),
        (quintain.attack, "expected an attack first, such as the name"),
    ],
)
def test_data_in_the_place_of_a_part_are_noticed(verb, said):
    with pytest.raises(PartError, match=said) as caught:
        verb(FRAME, "rr" if verb is quintain.sanitize else "nearest")
    assert str(caught.value).endswith("not a DataFrame; the data come after it")
