"""Which release of transactions scores best, and which attack finds most; prints tables.

    QUINTAIN_DATA=folder-with-darc_ground_truth.parquet python -m benchmarks.darc.players --real

Every player is a chain of sanitizers, judged as DARC judges: E1 to E6 and their maximum U, the
look-ups F1 to F6 (expected values, items known in full), the re-identification rate of our attacks,
and the official score (U + reid) / 2, where reid is the best attack's. Lower is better. The strict
score takes the worst of reid and the two content links in place of reid: it counts which purchases
are published, not which rows carry the name. People is the content link over the whole time per
person instead of per name: at most this share of all people is recognised by their purchases.

On the real data the cohort swap had U 0.1315, reid 0.0325 and the best score, 0.0820 (best of the
others: 0.1895, customer swap in blocks of 64). Pooled baskets with a cohort swap had the best
strict score, 0.1607 (best of the others: 0.5, names alone). That score counts names;
``benchmarks.darc.readings`` counts rows and people, too, and there it is 0.38.

Attacks know the original table. ``shadow`` also runs the sanitizers itself. CPU seconds are those
of sanitizing. Without ``--real`` the data are 300 customers of the stand-in. The benchmark keeps
finished players in ``benchmarks/results`` and does not run them again; delete the file after a
change to a part.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.kept import keep_line, kept_lines, results_folder
from quintain.attacks import Attack, Knowledge
from quintain.data import Data, Transactions, as_transactions
from quintain.data.sources.retail import Retail
from quintain.errors import Faults
from quintain.guesses.linkage import Linkage
from quintain.jobs.job import fingerprint
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.content_link import ContentLink
from quintain.measures.privacy.reidentification import Reidentification
from quintain.measures.privacy.row_baselines import ShoppingBaselines
from quintain.measures.utility.shopping import ShoppingUtility
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.releases import Release, publish
from quintain.releases.kept_rows import KeptRows
from quintain.samples.sample import Whole
from quintain.sanitizers import Sanitizer, sanitize

KEPT = "darc_players.jsonl"
SEED = 0
MONTHLY, YEARLY = {"use": "pseudonyms"}, {"use": "pseudonyms", "period": "whole"}
NOISE = [
    {"use": "date-noise", "scale": 3.0},
    {"use": "price-noise", "scale": 0.1},
    {"use": "quantity-noise", "scale": 2.0},
]
DELETION = {"use": "suppression", "share": 0.05}
STRICT = {"use": "cohort-swap", "rows": 0.43, "dates": 0.17, "prices": 0.4, "fee": 0.4}

PLAYERS: dict[str, list[dict[str, Any]]] = {
    "one name": [YEARLY],
    "monthly names": [MONTHLY],
    "dates": [{"use": "date-noise", "scale": 10.0}, YEARLY],
    "prices": [{"use": "price-noise", "scale": 0.4}, YEARLY],
    "quantities": [{"use": "quantity-noise", "scale": 2.0}, YEARLY],
    "items by prefix": [{"use": "item-swap", "share": 0.5}, YEARLY],
    "items by buyers": [{"use": "item-swap", "alike": "buyers", "share": 0.5}, YEARLY],
    "rarest deleted": [{"use": "suppression", "share": 0.3}, YEARLY],
    "random deleted": [{"use": "suppression", "share": 0.3, "choose": "random"}, YEARLY],
    "noise, one name": [*NOISE, DELETION, YEARLY],
    "noise, monthly names": [*NOISE, DELETION, MONTHLY],
    "3 under one name": [{"use": "similar-customers", "k": 3}, YEARLY],
    "3 mixed": [{"use": "similar-customers", "k": 3, "how": "mixed"}, YEARLY],
    "everything": [
        {"use": "similar-customers", "k": 3, "how": "mixed"},
        {"use": "item-swap", "share": 0.5},
        *NOISE,
        {"use": "suppression", "share": 0.3, "choose": "random"},
        MONTHLY,
    ],
    "customer swap": [{"use": "customer-swap"}],
    "customer swap, 64": [{"use": "customer-swap", "block": 64}],
    "cohort swap": [{"use": "cohort-swap"}],
    "cohort swap, 8 or more": [{"use": "cohort-swap", "smallest": 8}],
    "pooled, cohort swap": [{"use": "pooled-baskets", "pooled": 0.75}, STRICT],
}
ATTACKS: dict[str, dict[str, Any]] = {
    "profile": {"use": "profile-assignment"},
    "evidence": {"use": "evidence-assignment"},
    "dates, prices": {
        "use": "evidence-assignment",
        "evidence": ["day", "price"],
        "linked": False,
    },
    "swap-aware": {"use": "swap-aware"},
    "shadow": {"use": "shadow-evidence"},
}
MEASURES = (
    ShoppingUtility(),
    ShoppingBaselines(item_prefix=0, basket="left_out"),
    ContentLink(),
    ContentLink(by="whole"),
)


def chain(steps: list[dict[str, Any]], data: Data, noise: Noise) -> Data:
    """The data after all steps."""
    part = build("sanitizer", {"use": "pipeline", "steps": steps})
    assert isinstance(part, Sanitizer)
    return sanitize(part, data, rng=np.random.default_rng(SEED), noise=noise).release.data


def play(steps: list[dict[str, Any]], original: Transactions) -> dict[str, Any]:
    """Sanitize, measure and attack."""
    begin = time.process_time()
    release = as_transactions(chain(steps, original, Noise.for_test(SEED)))
    figures: dict[str, Any] = {"cpu": time.process_time() - begin}
    faults = Faults("release")
    KeptRows(everybody=True).check(original, release, faults)
    figures["breaks a rule"] = bool(faults)
    readings: dict[str, float] = {}
    for measure in MEASURES:
        measured = measure.measure(original, release, None, rng=reading_rng())
        readings |= {name: reading.value for name, reading in measured.items()}
    names = len(release.persons()) - int(release.deleted_rows().any())
    figures |= {"readings": readings, "names per person": names / len(original.persons())}
    figures["attacks"] = attacked(steps, original, release)
    return figures


def attacked(
    steps: list[dict[str, Any]], original: Transactions, release: Data
) -> dict[str, dict[str, float]]:
    """For each attack its re-identification rate and CPU seconds."""

    def code(data: Data, *, rng: np.random.Generator) -> Release:
        return Release(chain(steps, data, Noise.for_test(rng)))

    rng = np.random.default_rng(SEED)
    goal = Linkage(first="2010-12", months=13)
    question, truth = goal.ask(Whole().draw(original, rng=rng), Release(release))
    shown = Release(publish(release, rng=rng))
    knowledge = Knowledge(question, original, code=code)
    out = {}
    for name, spec in ATTACKS.items():
        part = build("attack", spec)
        assert isinstance(part, Attack)
        begin = time.process_time()
        guess = play_or_raise(
            part, Situation(goal, shown, knowledge), rng=np.random.default_rng([SEED, 1])
        )
        seconds = time.process_time() - begin
        reading = Reidentification().measure([Case(truth, guess)], rng=reading_rng())["reid"]
        out[name] = {"reid": reading.value, "cpu": seconds}
    return out


def collect(source: Retail) -> dict[str, dict[str, Any]]:
    """The figures of all players; plays and keeps those that are missing."""
    path = results_folder() / KEPT
    kept = {line["key"]: line["figures"] for line in kept_lines(path)}
    original: Transactions | None = None
    out = {}
    for name, steps in PLAYERS.items():
        key = fingerprint(steps, ATTACKS, source.spec(), SEED)
        if key not in kept:
            original = original or source.data(np.random.default_rng(SEED))
            kept[key] = play(steps, original)
            keep_line(path, {"key": key, "player": name, "figures": kept[key]})
        out[name] = kept[key]
    return out


def table(head: list[str], rows: list[list[Any]]) -> None:
    """Print a Markdown table; numbers with four digits."""
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        cells = [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row]
        print("| " + " | ".join(cells) + " |")
    print()


def show(players: dict[str, dict[str, Any]]) -> None:
    """Print three tables: scores, utility with look-ups, attacks."""
    losses, lookups = ("E1", "E2", "E3", "E4", "E5", "E6"), ("F1", "F2", "F3", "F4", "F5", "F6")
    scores, details, attacks = [], [], []
    for player, figures in players.items():
        name = f"{player} (breaks a rule)" if figures["breaks a rule"] else player
        read = figures["readings"]
        by_attack = {**{f: read[f] for f in lookups}}
        by_attack |= {a: got["reid"] for a, got in figures["attacks"].items()}
        best = max(by_attack, key=lambda a: by_attack[a])
        links = read["content_link"], read["content_link_whole"]
        people = min(1.0, links[1] * figures["names per person"])
        worst = max(by_attack[best], *links)
        official, strict = ((read["U"] + risk) / 2 for risk in (by_attack[best], worst))
        facts = [name, read["U"], by_attack[best], best, *links, people, read["verbatim"]]
        scores.append([*facts, official, strict, f"{figures['cpu']:.1f}"])
        details.append([name, *(read[key] for key in (*losses, *lookups))])
        attacks.append([name, *(by_attack[a] for a in ATTACKS)])
    facts = ["U", "reid", "best attack", "link, month", "link, whole", "people", "verbatim"]
    table(["player", *facts, "score", "strict score", "CPU s"], scores)
    table(["player", *losses, *lookups], details)
    table(["player", *ATTACKS], attacks)
    seconds = {a: max(p["attacks"][a]["cpu"] for p in players.values()) for a in ATTACKS}
    print("Most CPU seconds of an attack: ", end="")
    print(", ".join(f"{name} {most:.1f}" for name, most in seconds.items()) + ".")


def main() -> None:
    """Play the missing players and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--real", action="store_true", help="the data of DARC")
    source = Retail(real=True) if parser.parse_args().real else Retail(customers=300)
    show(collect(source))


if __name__ == "__main__":
    main()
