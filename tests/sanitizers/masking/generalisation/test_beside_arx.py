"""Global recoding beside ARX: the optimal nodes and losses that the tests of ARX state.

They are in ``TestAnonymizationKAnonymity.java``, ``TestAnonymizationLDiversity.java`` and
``TestAnonymizationTCloseness.java`` of ARX 2.x, for the non-uniform entropy ("precomputed entropy
metric"). With its monotonic variant deletions cost nothing.
"""

import pytest

from quintain.sanitizers.masking.generalisation.generaliser import (
    KAnonymity,
    LDiversity,
    TCloseness,
)
from quintain.sanitizers.masking.generalisation.lattice import Search
from tests.sanitizers.masking.generalisation.arx_adult import HIERARCHIES, adult

QUASI = {name: levels for name, levels in HIERARCHIES.items() if name != "occupation"}


def optimum(part, *, free_deletions=False):
    search = Search(part.task(adult()), free_deletions)
    node = search.best()
    return node, search.loss(node)


@pytest.mark.parametrize(
    ("k", "suppress", "node", "bits"),
    [
        (5, 0.0, (1, 2, 1, 1, 3, 2, 2, 1, 1), 407289.5388925293),
        (100, 0.0, (0, 4, 1, 1, 3, 2, 2, 1, 1), 453196.8932458743),
        (100, 0.04, (1, 1, 1, 1, 3, 2, 2, 1, 1), 379417.3460570988),
    ],
)
def test_k_anonymity_finds_the_node_of_arx(k, suppress, node, bits):
    part = KAnonymity(k=k, suppress=suppress, hierarchies=HIERARCHIES, method="global")
    assert optimum(part, free_deletions=True) == (node, pytest.approx(bits, rel=1e-12))


def test_entropy_diversity_finds_the_node_of_arx():
    part = LDiversity(
        l=5, kind="entropy", sensitive="occupation", hierarchies=QUASI, method="global"
    )
    expected = (1, 1, 1, 1, 3, 2, 2, 1), pytest.approx(324620.5269918692, rel=1e-12)
    assert optimum(part) == expected


def test_t_closeness_with_a_hierarchy_finds_the_node_of_arx():
    part = TCloseness(t=0.2, k=5, sensitive="occupation", hierarchies=HIERARCHIES, method="global")
    expected = (0, 4, 1, 1, 3, 2, 2, 1), pytest.approx(398400.0741806447, rel=1e-12)
    assert optimum(part) == expected
