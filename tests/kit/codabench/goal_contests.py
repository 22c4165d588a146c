"""One small contest per goal that can be exported, with guesses that are partly right."""

import numpy as np

from quintain.contests import load
from quintain.data import Table
from quintain.guesses import Guess
from tests.contest_folders import SMALL, prepared

_TINY = {**SMALL, "baseline": [], "team": [{"id": "red"}], "utility": []}


def _board(measure):
    return [{"id": "attackers", "use": "mean", "measure": measure}]


def _contest(measure, reading, **changes):
    return {**_TINY, "privacy": [measure], "board": _board(reading), **changes}


_LINKAGE = {
    "dataset": {"use": "retail", "rows": 400},
    "sample": {"use": "whole"},
    "sanitizer": [{"use": "pseudonyms"}, {"use": "pseudonyms", "period": "whole", "name": "year"}],
    "knowledge": {"gives": ["base"]},
    "repeats": 1,
}
CONTESTS = {
    "membership-set": _contest(
        {"use": "hit-rate"},
        "hit_rate",
        goal={"use": "membership-set", "guesses": 15},
        sample={"use": "subset", "rows": 60},
    ),
    "attribute": _contest(
        {"use": "excess-accuracy"},
        "excess_accuracy",
        goal={"use": "attribute", "column": "education"},
    ),
    "attribute of a number": _contest(
        {"use": "excess-accuracy"},
        "excess_accuracy",
        goal={"use": "attribute", "column": "age"},
    ),
    "a number nearly right": _contest(
        {"use": "excess-within", "tolerance": 3},
        "excess_within",
        goal={"use": "attribute", "column": "age", "knows": ["sex", "education"]},
    ),
    "published row": _contest(
        {"use": "rows-found"},
        "rows_found",
        goal={"use": "published-row", "absent": True},
        sanitizer=[{"use": "identity"}, {"use": "rr", "keep": 0.9}],
    ),
    "naming": _contest(
        {"use": "people-named"},
        "people_named",
        goal={"use": "naming", "absent": True, "rows_known": 2},
        dataset={"use": "clinic", "rows": 80},
        sanitizer=[{"use": "new-pseudonyms"}, {"use": "row-dropping"}],
    ),
    "pseudonym": _contest(
        {"use": "people-named"},
        "people_named",
        goal={"use": "pseudonym"},
        dataset={"use": "trips", "rows": 60},
        sample={"use": "later", "days": 7, "people": 20},
        sanitizer=[{"use": "identity"}, {"use": "coarse-places"}],
    ),
    "linkability": _contest(
        {"use": "halves-linked"},
        "linked_excess",
        goal={"use": "linkability", "left": ["age", "sex"], "right": ["education", "income"]},
    ),
    "singling out": _contest(
        {"use": "isolation"},
        "isolated",
        goal={"use": "singling-out", "predicates": 12},
        sample={"use": "subset", "rows": 60},
    ),
    "hidden columns": _contest(
        {"use": "cells-found"},
        "cells_found",
        goal={"use": "hidden-columns", "columns": ["sex", "education", "age"]},
    ),
    "reconstruction": _contest(
        {"use": "cells-exact"},
        "exact_memorised",
        goal={"use": "reconstruction", "columns": ["sex", "education", "age"]},
    ),
    "reconstruction of near numbers": _contest(
        {"use": "cells-near", "tolerance": 0.1},
        "near_memorised",
        goal={"use": "reconstruction", "columns": ["age", "income"], "knows": ["sex"]},
    ),
    "reconstruction by rarity": _contest(
        {"use": "cells-by-rarity", "tolerance": 0.03},
        "rarity_memorised",
        goal={"use": "reconstruction", "columns": ["education", "age"]},
    ),
    "linkage": _contest(
        {"use": "reidentification"},
        "reid",
        goal={"use": "linkage", "first": "2010-12", "months": 13, "absent": "DEL"},
        **_LINKAGE,
    ),
    "linkage, falling credit": _contest(
        {"use": "reidentification", "credit": "falling", "names": 3},
        "reid",
        goal={"use": "linkage", "first": "2010-12", "months": 12, "guesses": 3},
        **_LINKAGE,
    ),
    "linkage, shared credit": _contest(
        {"use": "reidentification", "credit": "shared"},
        "reid",
        goal={"use": "linkage", "first": "2011-01", "months": 3, "guesses": 9},
        **_LINKAGE,
    ),
}


def contest(root, name):
    """A prepared contest of this goal."""
    return prepared(root, load("tiny", overrides=CONTESTS[name]))


def mixed(folder, task, rng):
    """An answer that is right in about half of its rows."""
    (track,) = folder.edition().track
    truth = folder.truth(track, task).table
    blind = folder.question(track, task).blind(rng=rng).table
    kind = track.goal.asks.about()
    return Guess(_MIXED[kind](truth, blind, track.goal, rng))


def _mixed_rows(truth, blind, goal, rng):
    members = rng.permutation(truth.columns["row"])[: goal.guesses // 2]
    others = np.setdiff1d(blind.columns["row"], members)[: goal.guesses - len(members)]
    return Table(blind.schema, {"row": rng.permutation(np.concatenate([members, others]))})


def _mixed_values(truth, blind, goal, rng):
    right = rng.random(len(truth)) < np.where(truth.columns["member"], 0.8, 0.3)
    guesses = np.where(right, truth.columns[goal.column], blind.columns[goal.column])
    order = rng.permutation(len(truth))
    columns = {"target": truth.columns["target"][order], goal.column: guesses[order]}
    return Table(blind.schema, columns)


def _mixed_columns(truth, blind, goal, rng):
    shares = np.where(truth.columns.get("member", np.ones(len(truth))), 0.7, 0.2)
    right = rng.random(len(truth)) < shares
    columns = {
        name: np.where(right, truth.columns[name], blind.columns[name])
        for name in blind.schema.names[1:]
    }
    return Table(blind.schema, {"target": truth.columns["target"], **columns})


def _mixed_names(truth, blind, goal, rng):
    person, *months = truth.schema.names
    order = rng.permutation(len(truth))
    columns = {person: truth.columns[person].astype(str)[order]}
    for month in months:
        names = truth.columns[month].astype(str)
        drawn = [
            ":".join(
                dict.fromkeys(n for n in rng.choice(names, rng.integers(goal.guesses + 1)) if n)
            )
            for _ in order
        ]
        columns[month] = np.where(rng.random(len(order)) < 0.5, names[order], drawn)
    return Table(blind.schema, columns)


def _mixed_predicates(truth, blind, goal, rng):
    """Half of the predicates describe a member; the others are blind."""
    members = truth.take(np.flatnonzero(truth.columns["member"] == 1)).records()
    rows = [row for row in blind.records() if row["predicate"] % 2]
    for number in range(0, goal.predicates, 2):
        record = members[int(rng.integers(len(members)))]
        for name in ("age", "education", "sex"):
            cell = {"predicate": number, "column": name, "from": str(record[name])}
            rows.append({**cell, "to": "" if name == "age" else str(record[name])})
    names = blind.schema.names
    return Table.of(
        blind.schema,
        {n: [row[n] or "" if n in ("from", "to") else row[n] for row in rows] for n in names},
    )


_MIXED = {
    "singling-out": _mixed_predicates,
    "membership-set": _mixed_rows,
    "attribute": _mixed_values,
    "published-row": _mixed_columns,
    "naming": _mixed_columns,
    "pseudonym": _mixed_columns,
    "linkability": _mixed_columns,
    "hidden-columns": _mixed_columns,
    "reconstruction": _mixed_columns,
    "linkage": _mixed_names,
}
