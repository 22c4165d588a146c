"""An agent without a model: it tries built-in attacks on practice games, and plays what won there.

For each task it draws practice games from public data and lets every attack play a few of them. The
best play more games, and the best of these still more. Attacks that are slow or refuse drop out.
Then it looks at the best attack alone and at averages of the last few, and plays whichever had the
highest mean score over all games. It needs the standard library only.
"""

import csv
import io
import time

ROUNDS = ((3, 8), (4, 4), (8, 4))
"""How many practice games each round adds, and how many attacks stay in after it."""
SLOWEST = 20.0
"""An attack that took more seconds than this in a game drops out."""
MOST_TOGETHER = 4
"""How many attacks at most play together; so many queries are kept for the task itself."""


def play(given):
    """Answer every task of the kit, each with an equal share of the queries."""
    ask, left = given["ask"], given["queries"]
    tasks = ask("tasks")["tasks"]
    for place, task in enumerate(tasks):
        purse = Purse(ask, left // (len(tasks) - place))
        name = task["task"]
        try:
            chosen = choose(purse, name, task["attacks"])
        except ValueError:  # the rules do not tell enough to practise
            chosen = task["attacks"][:1]
        guesses = [purse("attack", task=name, use=attack)["guess"] for attack in chosen]
        ask("guess", task=name, guess=blend(guesses))
        left -= purse.used


class Purse:
    """Asks tools that have a price, and counts what is left of a share of the queries."""

    def __init__(self, ask, share):
        self.ask, self.share, self.used = ask, share, 0

    def __call__(self, tool, **given):
        self.used += 1
        return self.ask(tool, **given)

    @property
    def for_practice(self):
        """How many queries are left before those for the task itself."""
        return self.share - MOST_TOGETHER - self.used


def choose(purse, task, attacks):
    """The attacks to play together: those whose blend had the best mean score in practice."""
    games, played, left = [], {attack: [] for attack in attacks}, attacks
    for more, stay in ROUNDS:
        more = min(more, purse.for_practice // (1 + len(left)))
        if more < 1 or not left:
            break
        first = len(games)
        fresh = [purse("practise", task=task, seed=first + i)["task"] for i in range(more)]
        games += fresh
        for attack in left:
            played[attack] += trial(purse, attack, fresh)
        able = [attack for attack in left if len(played[attack]) == len(games)]
        left = sorted(able, key=lambda attack: -score_of(played[attack]))[:stay]
    if not games or not left:
        return attacks[:1]
    best, highest = left[:1], score_of(played[left[0]])
    for size in range(2, min(len(left), MOST_TOGETHER) + 1):
        if purse.for_practice < len(games):
            break
        together = [played[attack] for attack in left[:size]]
        try:
            blends = [blend([one[i][0] for one in together]) for i in range(len(games))]
        except ValueError:  # guesses that are not numbers cannot be averaged
            break
        told = [
            purse("score", task=game, guess=one) for game, one in zip(games, blends, strict=True)
        ]
        scores = [(one, answer["score"]) for one, answer in zip(blends, told, strict=True)]
        if score_of(scores) > highest:
            best, highest = left[:size], score_of(scores)
    return best


def score_of(results):
    """The mean score of some guesses."""
    return mean([score for _, score in results])


def trial(purse, attack, games):
    """The guess and the score of an attack in each game; empty if it cannot play them all."""
    results = []
    for game in games:
        began = time.monotonic()
        try:
            told = purse("attack", task=game, use=attack)
        except ValueError:  # the attack refuses
            return []
        if told["score"] is None or time.monotonic() - began > SLOWEST:
            return []
        results.append((told["guess"], told["score"]))
    return results


def blend(guesses):
    """One guess: that of the only attack, or for each row the mean of the ranks of its number."""
    if len(guesses) == 1:
        return guesses[0]
    tables = [list(csv.reader(io.StringIO(guess))) for guess in guesses]
    head, rows = tables[0][0], tables[0][1:]
    keys = [row[:-1] for row in rows]
    if any([row[:-1] for row in table[1:]] != keys for table in tables):
        raise ValueError("guesses about other things cannot be averaged")
    ranks = [to_ranks([float(row[-1]) for row in table[1:]]) for table in tables]
    means = [mean(column) for column in zip(*ranks, strict=True)]
    out = io.StringIO()
    lines = [head, *([*key, repr(value)] for key, value in zip(keys, means, strict=True))]
    csv.writer(out, lineterminator="\n").writerows(lines)
    return out.getvalue()


def to_ranks(values):
    """Where each value stands among all, from 0 to 1; equal values stand at the same place."""
    order = sorted(values)
    first = {value: place for place, value in reversed(list(enumerate(order)))}
    last = {value: place for place, value in enumerate(order)}
    return [(first[value] + last[value]) / (2 * max(len(values) - 1, 1)) for value in values]


def mean(values):
    """The mean of some numbers."""
    return sum(values) / len(values)
