"""Planted secrets in notes: how many does the audit find in a release, and how many by mistake?

    python -m benchmarks.audit.notes [SEEDS [PEOPLE]]

Each seed draws clinical notes from a grammar for an original, a control and strangers. Secrets
(canaries) are planted in some notes of the original and of the control. The release are the notes
of strangers, into which the secrets of the original are put: word by word, in capitals, with one
word in eight changed, or a fragment of six words. A secret is found if the audit says that the
release repeats a passage of the person. Everybody else whom it names is a mistake, and so is
everybody whom it names in a release of strangers alone. At the end it takes the time for 100,000
notes in each table.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from quintain.audits.texts.passages import Repeated, find_repeated
from quintain.audits.texts.words import number_words
from quintain.data.arrays import Mask
from quintain.measures.intervals import clopper_pearson

SEEDS, PEOPLE, SECRETS, MANY = 20, 500, 40, 100_000
FIRST = [
    "Anna",
    "Ben",
    "Carla",
    "David",
    "Eva",
    "Finn",
    "Greta",
    "Hans",
    "Ida",
    "Jonas",
    "Klara",
    "Lars",
    "Maria",
    "Nils",
    "Olga",
    "Paul",
]
ENDINGS = [
    "mann",
    "berg",
    "wald",
    "bach",
    "stein",
    "horn",
    "hoff",
    "thal",
    "heim",
    "feld",
    "brink",
    "dorf",
]
STEMS = [
    "Acker",
    "Birken",
    "Dorn",
    "Eichen",
    "Feld",
    "Gold",
    "Hasel",
    "Immen",
    "Korn",
    "Linden",
    "Mühl",
    "Nuss",
    "Ober",
    "Rosen",
]
COMPLAINTS = [
    "severe headache",
    "chest pain",
    "shortness of breath",
    "swollen ankles",
    "a dry cough",
    "fever and chills",
    "pain in the left knee",
    "blurred vision",
    "loss of appetite",
    "dizziness on standing",
    "nausea",
    "back pain",
    "a rash on both arms",
    "trouble sleeping",
    "numb fingers",
    "palpitations",
]
DRUGS = [
    "aspirin",
    "ramipril",
    "metformin",
    "ibuprofen",
    "bisoprolol",
    "torasemide",
    "simvastatin",
    "insulin",
]
PLANS = [
    "blood was taken for the laboratory",
    "an X-ray of the chest was ordered",
    "the dose stays the same",
    "an appointment with the cardiologist was made",
    "physiotherapy twice a week",
    "rest for three days",
    "a control of blood pressure at home",
    "return at once if the symptoms get worse",
]
SENTENCES: tuple[str, ...] = (
    "{first} {last}, aged {age}, reports {complaint} for {days} days.",
    "The patient complains of {complaint} and {complaint2} since the {day}.{month}.{year}.",
    "Blood pressure {high} over {low}, pulse {pulse}, temperature {warm} degrees.",
    "Takes {drug} {dose} mg in the morning and {drug2} {dose2} mg at night.",
    "Referred by Dr {last2}; telephone of the family 0{area} {phone}.",
    "Plan: {plan}, and {plan2}.",
    "No known allergies, lungs clear on both sides, abdomen soft.",
)
SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "qui",
    "ro",
    "su",
    "ta",
    "ve",
    "wi",
    "xo",
    "zu",
]


def note(rng: np.random.Generator) -> str:
    """A clinical note of about 50 words."""

    def draw(words: Sequence[str]) -> str:
        return words[int(rng.integers(len(words)))]

    def number(low: int, high: int) -> int:
        return int(rng.integers(low, high))

    order = rng.permutation(len(SENTENCES))[:6]
    text = " ".join(SENTENCES[place] for place in order)
    return text.format(
        first=draw(FIRST),
        last=draw(STEMS) + draw(ENDINGS),
        last2=draw(STEMS) + draw(ENDINGS),
        age=number(18, 95),
        complaint=draw(COMPLAINTS),
        complaint2=draw(COMPLAINTS),
        days=number(1, 15),
        day=number(1, 29),
        month=number(1, 13),
        year=number(2015, 2026),
        high=number(100, 180),
        low=number(60, 110),
        pulse=number(50, 120),
        warm=number(36, 40),
        drug=draw(DRUGS),
        drug2=draw(DRUGS),
        dose=5 * number(1, 40),
        dose2=5 * number(1, 40),
        area=number(30, 99),
        phone=number(100_000, 1_000_000),
        plan=draw(PLANS),
        plan2=draw(PLANS),
    )


def secret(rng: np.random.Generator) -> str:
    """Twelve words that nobody would write by chance."""
    syllables = [SYLLABLES[int(place)] for place in rng.integers(len(SYLLABLES), size=16)]
    made = ["".join(syllables[start : start + 2]).capitalize() for start in range(0, 16, 2)]
    code = int(rng.integers(1000, 10_000))
    return (
        f"the {made[0]} {made[1]} keeps {made[2]} {code} for {made[3]} {made[4]} in {made[5]} "
        f"{made[6]}"
    )


def changed(text: str, rng: np.random.Generator) -> str:
    """A text with one word in eight replaced, at random places."""
    words = text.split()
    for place in rng.choice(len(words), max(1, len(words) // 8), replace=False):
        words[int(place)] = "another"
    return " ".join(words)


def fragment(text: str, rng: np.random.Generator) -> str:
    """Six words in a row."""
    words = text.split()
    start = int(rng.integers(len(words) - 5))
    return " ".join(words[start : start + 6])


WAYS: dict[str, Callable[[str, np.random.Generator], str]] = {
    "word by word": lambda text, _: text,
    "in capitals": lambda text, _: text.upper(),
    "one word in eight changed": changed,
    "a fragment of six words": fragment,
}


@dataclass(frozen=True, slots=True)
class Planted:
    """Notes with secrets: the first people of the original and of the control have one."""

    original: list[str]
    control: list[str]
    strangers: list[str]
    secrets: list[str]


def plant(people: int, secrets: int, *, rng: np.random.Generator) -> Planted:
    """Draw notes, and put a secret into some of them."""
    original, control, strangers = ([note(rng) for _ in range(people)] for _ in range(3))
    planted = [secret(rng) for _ in range(2 * secrets)]
    for number, text in enumerate(planted):
        side = original if number < secrets else control
        side[number % secrets] = inserted(side[number % secrets], text, rng)
    return Planted(original, control, strangers, planted[:secrets])


def inserted(text: str, more: str, rng: np.random.Generator) -> str:
    """A note with more words somewhere in it."""
    words = text.split()
    place = int(rng.integers(len(words) + 1))
    return " ".join([*words[:place], more, *words[place:]])


def replay(planted: Planted, *, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """The notes of strangers with the secrets of the original, and the way of each secret."""
    release, ways = list(planted.strangers), list(WAYS)
    for number, text in enumerate(planted.secrets):
        said = WAYS[ways[number % len(ways)]](text, rng)
        place = int(rng.integers(len(release)))
        release[place] = inserted(release[place], said, rng)
    return release, [ways[number % len(ways)] for number in range(len(planted.secrets))]


def look(planted: Planted, release: list[str]) -> Repeated:
    """What the audit finds in a release of notes."""
    pool = [*planted.original, *planted.control]
    return find_repeated(number_words(pa.array([*pool, *release])), np.arange(len(pool)), len(pool))


def search(seed: int, people: int, secrets: int) -> tuple[dict[str, list[bool]], int, int]:
    """By way which secrets are found, and the mistakes with and without secrets in the release."""
    rng = np.random.default_rng(seed)
    planted = plant(people, secrets, rng=rng)
    release, ways = replay(planted, rng=rng)
    named: Mask = look(planted, release).passages
    found = {way: [bool(named[i]) for i in range(secrets) if ways[i] == way] for way in WAYS}
    mistakes = int(named[secrets:].sum())
    return found, mistakes, int(look(planted, planted.strangers).passages.sum())


def seconds(notes: int, rng: np.random.Generator) -> float:
    """The processor time for so many notes in each of three tables."""
    some = [note(rng) for _ in range(3 * min(notes, 20_000))]
    texts = [f"{some[place % len(some)]} Case {place}." for place in range(3 * notes)]
    begin = time.process_time()
    find_repeated(number_words(pa.array(texts)), np.arange(2 * notes), 2 * notes)
    return time.process_time() - begin


def main() -> None:
    """Print both tables."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    people = int(sys.argv[2]) if len(sys.argv) > 2 else PEOPLE
    searched = [search(seed, people, SECRETS) for seed in range(seeds)]
    print(f"{seeds} seeds, {people} people in each table, {SECRETS} secrets\n")
    print("| the secret is repeated | found | share | exact 95 % interval |\n|---|---|---|---|")
    for way in WAYS:
        hits = [hit for found, _, _ in searched for hit in found[way]]
        low, high = clopper_pearson(sum(hits), len(hits))
        share = sum(hits) / len(hits)
        print(f"| {way} | {sum(hits)} of {len(hits)} | {share:.3f} | {low:.3f} to {high:.3f} |")
    for words, place in (("with secrets", 1), ("of strangers alone", 2)):
        count = sum(int(one[place]) for one in searched)
        print(f"\nPeople named by mistake in releases {words}: {count} of {2 * people * seeds:,}")
    took = seconds(MANY, np.random.default_rng(0))
    print(f"\n{MANY:,} notes in each of three tables: {took:.1f} s")


if __name__ == "__main__":
    main()
