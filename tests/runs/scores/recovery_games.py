"""Games for attackers on feedback: every possible truth, and guesses that probe it."""

import itertools

import numpy as np

from quintain.guesses.attribute import Attribute
from quintain.guesses.hidden_columns import HiddenColumns
from quintain.guesses.linkability import Linkability
from quintain.guesses.linkage import Linkage
from quintain.guesses.membership import Membership
from quintain.guesses.membership_set import MembershipSet
from quintain.guesses.naming import Naming
from quintain.guesses.pseudonym import PseudonymGoal
from quintain.guesses.published_row import PublishedRow
from quintain.guesses.reconstruction import Reconstruction
from quintain.guesses.singling_out import SinglingOut
from quintain.guesses.trace import TraceGoal

TARGETS = 6


def named(values):
    return [f"t{number}" for number in range(len(values))]


def membership_game():
    """Every truth about a few targets; probes of single targets, of pairs, at random; resets."""
    rng, unknown = np.random.default_rng(5), [0.5] * TARGETS
    singles = [[float(i == j) for j in range(TARGETS)] for i in range(TARGETS)]
    pairs = [[1.0, 0.0, *unknown[2:]], [*unknown[2:], 1.0, 0.0]]
    probes = [*singles, *pairs, *rng.random((6, TARGETS)).tolist()]
    guesses = [unknown, *probes, unknown, *probes[:4]]
    truths = list(itertools.product([0, 1], repeat=TARGETS))
    return (
        [{"target": named(truth), "member": list(truth)} for truth in truths],
        [{"target": named(guess), "probability": guess} for guess in guesses],
    )


def attribute_game():
    """Every value of a hidden column for four targets, two of whom are members."""
    values = list(itertools.product(["red", "green", "blue"], repeat=4))
    members = [1, 1, 0, 0]
    order = np.random.default_rng(5).permutation(len(values))[:15]
    return (
        [{"target": named(v), "member": members, "colour": list(v)} for v in values],
        [{"target": named(v), "colour": list(v)} for v in (values[i] for i in order)],
    )


def hidden_columns_game():
    """Every pair of hidden values for two targets, and probes of some of them."""
    pairs = list(itertools.product(["red", "green", "blue"], ["no", "yes"]))
    truths = list(itertools.product(pairs, repeat=2))
    tables = [
        {"target": named(truth), "colour": [c for c, _ in truth], "flag": [f for _, f in truth]}
        for truth in truths
    ]
    return tables, [tables[i] for i in np.random.default_rng(5).permutation(len(tables))[:15]]


def reconstruction_game():
    """Every pair of hidden values for a member and a control, and probes of some of them."""
    truths, guesses = hidden_columns_game()
    return [{**truth, "member": [1, 0]} for truth in truths], guesses


def set_game():
    """Every set of four members among seven records, and every guess of two of them."""
    return (
        [{"row": list(rows)} for rows in itertools.combinations(range(7), 4)],
        [{"row": list(rows)} for rows in itertools.combinations(range(7), 2)],
    )


def linkage_game():
    """Every way to give four persons their pseudonyms, and guesses with one or more names."""
    persons = {"customer": ["ann", "bob", "cem", "dai"]}
    names = list(itertools.permutations(["p", "q", "r", "s"]))
    several = [("p:q", "p", "p:q:r", "s"), ("q:p", "r", "r", "s:p"), ("p", "p", "p:s", "q:r:s")]
    return (
        [{**persons, "2011-01": list(one)} for one in names],
        [{**persons, "2011-01": list(one)} for one in (*names[:9], *several)],
    )


def row_game():
    """Every way to give three of four targets one of four rows, and probes of some of them."""
    rows = [
        [*order[:absent], None, *order[absent:]]
        for absent in range(4)
        for order in itertools.permutations(range(4), 3)
    ]
    probes = [rows[i] for i in np.random.default_rng(5).permutation(len(rows))[:15]]
    return (
        [{"target": named(truth), "row": truth} for truth in rows],
        [{"target": named(guess), "row": guess} for guess in probes],
    )


def pseudonym_game(*names):
    """Every way to give four people their pseudonyms, and probes of some of them."""
    orders = [list(order) for order in itertools.permutations(names)]
    probes = [orders[i] for i in np.random.default_rng(5).permutation(len(orders))[:15]]
    return tuple(
        [{"target": named(order), "pseudonym": order} for order in some]
        for some in (orders, probes)
    )


def trace_game():
    """Every cell of four at two times of two people, and probes of some of them."""
    cells = list(itertools.product(range(2), repeat=4))
    times = ["2024-03-06 06:00", "2024-03-06 10:30"]
    tables = [
        {"target": [0, 0, 1, 1], "time": times * 2, "x": list(one), "y": [1, 1, 2, 2]}
        for one in cells
    ]
    return tables, [tables[i] for i in np.random.default_rng(5).permutation(len(tables))[:10]]


def half_game():
    """Every order of four halves, of which two belong to members, and probes of some orders."""
    orders = [list(order) for order in itertools.permutations(range(4))]
    members = [1, 0, 1, 0]
    return (
        [{"target": named(order), "member": members, "half": order} for order in orders],
        [{"target": named(order), "half": order} for order in [*orders[::2], [0, 0, 1, 1]]],
    )


def predicate_game():
    """Every choice of three members among six records, and predicates on one or two sizes."""
    alike = {"colour": ["red"] * 6, "flag": ["no"] * 6, "size": list(range(6))}
    chosen = [set(rows) for rows in itertools.combinations(range(6), 3)]
    ends = [(low, high) for low in range(6) for high in (low, low + 1)]
    probes = [(one, ends[(number + 3) % 12]) for number, one in enumerate(ends)]
    return (
        [{"member": [int(row in rows) for row in range(6)], **alike} for rows in chosen],
        [
            {
                "predicate": [0, 1],
                "column": ["size", "size"],
                "from": [str(low) for low, _ in both],
                "to": [str(high) for _, high in both],
            }
            for both in probes
        ],
    )


GAMES = {
    Membership: (Membership(), membership_game()),
    Attribute: (Attribute(column="colour"), attribute_game()),
    HiddenColumns: (HiddenColumns(columns=("colour", "flag")), hidden_columns_game()),
    Reconstruction: (Reconstruction(columns=("colour", "flag")), reconstruction_game()),
    MembershipSet: (MembershipSet(guesses=2), set_game()),
    Linkage: (Linkage(first="2011-01", months=1, guesses=3), linkage_game()),
    Linkability: (Linkability(left=("size",), right=("flag",)), half_game()),
    SinglingOut: (SinglingOut(predicates=2), predicate_game()),
    PublishedRow: (PublishedRow(absent=True), row_game()),
    Naming: (Naming(), pseudonym_game("1", "2", "3", "4")),
    PseudonymGoal: (PseudonymGoal(), pseudonym_game(0, 1, 2, 3)),
    TraceGoal: (TraceGoal(), trace_game()),
}
"""For each goal: the goal, every truth, and guesses, as columns of plain values."""
