"""Checks of shapes: data go to rows and back, and a publication hides the order alone."""

from __future__ import annotations

import numpy as np

from quintain.data import Shape, is_data, see
from quintain.data.shape import find_shape
from quintain.testing.examples import example


def check_rows(part: Shape) -> None:
    """Data have the methods of all data, and come back from their rows as they were."""
    data = example(part.name())
    assert is_data(data), f"{part.id}: its data lack a method that all data have"
    assert data.schema.shape == part.name(), f"{part.id}: the schema names another shape"
    again = part.from_rows(part.to_rows(data))
    assert again.digest() == data.digest(), f"{part.id}: rows do not give the same data"
    same = part.with_schema(data, data.schema)
    assert same.digest() == data.digest(), f"{part.id}: the same schema changes the data"
    assert part.count_persons(data) >= 1, f"{part.id} is about nobody"


def check_publishing(part: Shape) -> None:
    """The same seed publishes the same, each record once, and the private data stay unchanged."""
    data = example(part.name())
    before = data.digest()
    (once, records), (again, _) = (
        part.publish(data, rng=np.random.default_rng(3)) for _ in range(2)
    )
    assert once.digest() == again.digest(), f"{part.id} is not published reproducibly"
    assert data.digest() == before, f"{part.id} changed the data that it published"
    assert len(once) == len(records) == len(set(records.tolist())), f"{part.id}: a record twice"
    order, keys = part.hidden_order(data), part.record_keys(data)
    for name, numbers in (("hidden_order", order), ("record_keys", keys)):
        assert numbers is None or len(numbers) == len(data), f"{part.id}: {name} misses records"
    assert order is None or sorted(order.tolist()) == list(range(len(data))), f"{part.id}: order"


def check_views(part: Shape) -> None:
    """Data can be seen in every shape that it names, and a row that is a person as a table."""
    data = example(part.name())
    assert see(data, part.name()) is data
    assert not part.row_is_person or "table" in (part.name(), *part.also), (
        f"{part.id}: its rows are persons, so it must be seen as a table"
    )
    for name in part.also:
        assert not find_shape(name).lacks(data.schema)
        view = see(data, name)
        assert view is see(data, name), f"{part.id}: a view as {name} is made more than once"
        assert view.schema.shape == name, f"{part.id}: the view has another shape than {name}"
