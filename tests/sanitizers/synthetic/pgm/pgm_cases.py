"""What the tests of graphical models share: small domains, and joint tables computed in full."""

from itertools import combinations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from quintain.sanitizers.synthetic.pgm import Domain

SEEDS = st.integers(0, 2**32 - 1)
QUICK = settings(max_examples=40, deadline=None)


@st.composite
def domains(draw, max_columns=5, max_size=4):
    sizes = draw(st.lists(st.integers(1, max_size), min_size=1, max_size=max_columns))
    return Domain.of({f"c{i}": size for i, size in enumerate(sizes)})


@st.composite
def shapes(draw, most_cliques=6, **limits):
    """Draw a domain and some sets of its columns."""
    domain = draw(domains(**limits))
    names = st.lists(st.sampled_from(domain.names), min_size=1, max_size=3, unique=True)
    cliques = draw(st.lists(names.map(domain.sort), min_size=1, max_size=most_cliques, unique=True))
    return domain, cliques


def slow_cliques(domain, cliques):
    """Remove columns by least fill-in, and compute every cost again at every step."""
    near = {name: set() for name in domain.names}
    for clique in cliques:
        for one in clique:
            near[one] |= set(clique) - {one}
    largest = []
    while near:

        def cost(name):
            missing = [p for p in combinations(near[name], 2) if p[0] not in near[p[1]]]
            return len(missing), domain.cells((name, *near[name])), domain.place(name)

        name = min(near, key=cost)
        around = near.pop(name)
        if not any({name, *around} <= other for other in largest):
            largest.append({name, *around})
        for one in around:
            near[one] = (near[one] | around) - {one, name}
    return [domain.sort(clique) for clique in largest]


def summed(joint, domain, columns):
    """Compute a marginal of a joint table; axes have the order of the columns."""
    kept = [domain.place(name) for name in columns]
    table = joint.sum(axis=tuple(a for a in range(joint.ndim) if a not in kept))
    order = sorted(kept)
    return np.transpose(table, [order.index(place) for place in kept])


def joint_of(model):
    """Compute the joint table of a model by multiplying its potentials."""
    log = np.zeros(model.domain.sizes)
    for potential in model.potentials:
        index = [slice(None) if n in potential.columns else None for n in model.domain.names]
        axes = [potential.columns.index(n) for n in model.domain.names if n in potential.columns]
        log = log + np.transpose(potential.log, axes)[tuple(index)]
    joint = np.exp(log - log.max())
    return model.total * joint / joint.sum()
