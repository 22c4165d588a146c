"""The benchmarks of domains at a tiny size."""

import numpy as np
import pytest
from benchmarks.audit.games import domains as attack
from benchmarks.synthesizers import domains as error


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::quintain.data.learning.learn.LearnedSchema")
def test_a_learned_domain_shows_the_richest_person():
    seen = attack.look("learned", 6, 10.0)
    assert seen.inside.sum() > seen.outside.sum() == 0
    assert seen.facts.startswith("no privacy claimed")
    assert "domain measured with noise" in attack.line("measured", 2, 1.0)


def test_errors_are_distances_of_marginals(monkeypatch):
    monkeypatch.delenv("QUINTAIN_DATA", raising=False)
    table = error.adult().slice(0, 300)
    assert error.distances(table, table) == (0, 0)
    shuffled = table.set_column(0, "age", table.column("age").take(np.arange(300)[::-1]))
    one, two = error.distances(table, shuffled)
    assert one == 0 and two > 0.1
    assert error.line("independent", 5.0, "measured", table, 1).startswith("| independent | 5 |")
