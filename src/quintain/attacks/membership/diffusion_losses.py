"""Losses of diffusion: a network takes noise out of the records that it learned from more easily.

The attacker has the model (white box). They put noise on a target, at several steps and with
several draws, and ask how well the network takes it out again.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.shadows import without_ids
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Table
from quintain.data.arrays import Floats, Mask
from quintain.errors import KnowledgeError
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.kernels.linear_classifiers import logistic_weights
from quintain.kernels.networks import Device, computing
from quintain.kernels.perceptrons import as_tensors, torch_generator
from quintain.kernels.table_diffusion import TableDiffusion
from quintain.kernels.table_models import TableNetwork
from quintain.registry import register
from quintain.releases import Release

_KIND = "tabddpm"
_RIDGE = 1.0
_LEAST = 1e-6
_STRANGE = 100.0
"""The loss of a record that the model cannot have learned from."""
_CELLS = 1 << 16
"""How many noisy records the network sees at a time."""

Shares = Annotated[
    tuple[Annotated[float, Field(ge=0, lt=1)], ...], Field(min_length=1, max_length=50)
]


class DiffusionAttack(Attack):
    """An attack by the losses of a released network at steps of noise.

    Parameters
    ----------
    steps : the steps at which it asks, as shares of all steps of noise.
    draws : how often it draws noise at each step; the same noise for all targets.
    device : where to compute: "cpu" gives the same bytes for the same seed, "cuda" is a GPU, "auto"
        uses a GPU if the machine has one.
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)

    steps: Shares = (0.01, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)
    draws: Annotated[int, Field(ge=1, le=1000)] = 16
    device: Device = "auto"

    def losses(self, release: Release, records: Table, seed: int) -> Floats:
        """The mean losses of records: first of their numbers, then of their codes, by step.

        The result is records x 2 steps. A record that the model cannot have learned from, because
        it has a category that did not occur, has a large loss.
        """
        import torch

        model = TableNetwork.from_bytes(release.weights)
        if model.kind != _KIND:
            raise KnowledgeError(
                f"{self.id} attacks models of {_KIND}; the release carries one of {model.kind}"
            )
        records = records.select(model.schema.names)
        out = np.zeros((len(records), 2 * len(self.steps)))
        with computing(self.device, self.id) as device, torch.no_grad():
            network = TableDiffusion(model.weights, model.coding.sizes, model.steps, device)
            numbers, codes = as_tensors(model.coding.encode(records, rng=None), device)
            generator = torch_generator(device, rng=np.random.default_rng(seed))
            for place, share in enumerate(self.steps):
                step = min(int(share * model.steps), model.steps - 1)
                for _ in range(self.draws):
                    noise = network.noise(1, generator)
                    for start in range(0, len(records), _CELLS):
                        rows = slice(start, start + _CELLS)
                        size = len(numbers[rows])
                        losses = network.losses(
                            numbers[rows],
                            codes[rows],
                            torch.full((size,), step, dtype=torch.long, device=device),
                            *(part.expand(size, -1) for part in noise),
                        ).cpu()
                        parts = losses[:, : network.numbers], losses[:, network.numbers :]
                        for half, part in enumerate(parts):
                            at = place + half * len(self.steps)
                            out[rows, at] += part.sum(1).numpy() / self.draws
        out[model.coding.strangers(records)] = _STRANGE
        return out


@register("diffusion-loss-v1")
class DiffusionLoss(DiffusionAttack):
    """Guesses that a target is a member if the released network takes noise out of it easily.

    It needs the model of ``tabddpm`` and nothing else. The score is the mean loss over steps,
    draws, numbers and categories.

    Parameters
    ----------
    steps : the steps at which it asks, as shares of all steps of noise.
    draws : how often it draws noise at each step; the same noise for all targets.
    device : where to compute: "cpu" gives the same bytes for the same seed, "cuda" is a GPU, "auto"
        uses a GPU if the machine has one.

    References
    ----------
    Matsumoto, Miura and Yanai (2023), Membership inference attacks against diffusion models.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> small = {"steps": 5, "batch": 20, "hidden": (8,), "noise_steps": 20, "device": "cpu"}
    >>> carrying = q.part("sanitizer/tabddpm", **small, publish_model=True)
    >>> release = q.sanitize(carrying, everybody.take(range(30)), seed=1)
    >>> guess = q.attack("diffusion-loss", release, targets=everybody, device="cpu", seed=0)
    >>> len(guess.table)
    60
    """

    needs: ClassVar[frozenset[Fact]] = frozenset({"weights"})

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Rank the targets by their loss; the smallest comes first."""
        question = knowledge.question_as(MembershipQuestion)
        losses = self.losses(release, question.records(), int(rng.integers(2**62)))
        return question.answer_by_rank(question.by_target(-losses.mean(axis=1)))


@register("diffusion-shadows-v1")
class DiffusionShadows(DiffusionAttack):
    """Compares the losses of the released network with those of networks of the attacker's own.

    Attackers run the sanitizer on people of the population; each of their networks learns from half
    of the targets, chosen by coins, and from other people. The score of a target is its likelihood
    at the released network divided by its mean at all others, as in RMIA (whose ranks, with gamma
    1, are those of the ratio).

    The white-box tracks of MIDST were won with features of losses over noise and steps and a
    classifier of membership. ``scoring = "plain"`` does so: the attackers' own networks, for which
    they know the answer, teach a logistic regression how much the losses at each step count.
    ``scoring = "relative"`` subtracts from the losses of a target its mean losses at the networks
    that did not learn from it, and then does the same.

    Parameters
    ----------
    steps : the steps at which it asks, as shares of all steps of noise.
    draws : how often it draws noise at each step; the same noise for all targets and networks.
    device : where to compute: "cpu" gives the same bytes for the same seed, "cuda" is a GPU, "auto"
        uses a GPU if the machine has one.
    shadows : how many networks it trains.
    rows : how many records each of them learns from; by default as many as the released one.
    scoring : how losses become scores.

    References
    ----------
    MIDST: Membership inference over diffusion-models-based synthetic tabular data, IEEE SaTML 2025.
    Zarifzadeh, Liu and Shokri (2024), Low-cost high-power membership inference attacks.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> small = {"steps": 5, "batch": 20, "hidden": (8,), "noise_steps": 20, "device": "cpu"}
    >>> carrying = q.part("sanitizer/tabddpm", **small, publish_model=True)
    >>> release = q.sanitize(carrying, everybody.take(range(30)), seed=1)
    >>> known = {"targets": everybody, "population": everybody, "sanitizer": carrying}
    >>> attack = q.part("attack/diffusion-shadows", shadows=2, draws=2, device="cpu")
    >>> len(q.attack(attack, release, **known, seed=0).table)
    60
    """

    needs: ClassVar[frozenset[Fact]] = frozenset({"weights", "base", "code"})

    shadows: Annotated[int, Field(ge=2, le=1000)] = 8
    rows: Annotated[int, Field(ge=1)] | None = None
    scoring: Literal["relative", "plain", "ratio"] = "ratio"

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Train networks, compare losses, and rank the targets."""
        question = knowledge.question_as(MembershipQuestion)
        evidence = self.evidence(knowledge, release, rng=rng)
        return question.answer_by_rank(question.by_target(self.score(*evidence)))

    def evidence(
        self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator
    ) -> tuple[Floats, Floats, Mask]:
        """The losses at the released network, at each own network, and what these learned from."""
        question = knowledge.question_as(MembershipQuestion)
        seed, size = int(rng.integers(2**62)), TableNetwork.from_bytes(release.weights).size
        seen = self.losses(release, question.records(), seed)
        return seen, *self._train(knowledge, question, self.rows or size, seed, rng)

    def score(self, seen: Floats, known: Floats, inside: Mask) -> Floats:
        """How much the losses speak for each target record being inside."""
        if self.scoring == "ratio":
            usual = np.exp(-known.mean(axis=2)).mean(axis=0)
            return np.asarray(-seen.mean(axis=1) - np.log(usual + 1e-300))
        seen, known = np.log(seen + _LEAST), np.log(known + _LEAST)  # nearly normal
        if self.scoring == "relative":
            seen, known = _relative(seen, known, inside)
        features = known.reshape(-1, known.shape[2])
        middle, spread = features.mean(axis=0), features.std(axis=0) + _LEAST
        weights = logistic_weights((features - middle) / spread, inside.ravel(), _RIDGE)
        return np.asarray((seen - middle) / spread @ weights[1:])

    def _train(
        self,
        knowledge: Knowledge,
        question: MembershipQuestion,
        size: int,
        seed: int,
        rng: np.random.Generator,
    ) -> tuple[Floats, Mask]:
        """The losses of target records at each own network, and which of them it learned from."""
        records, owner = question.records(), question.target_of_row()
        base = without_ids(knowledge.population()).select(records.schema.names)
        keys = base.concat(records).row_keys()
        others = base.take(~np.isin(keys[: len(base)], keys[len(base) :]))
        targets = int(owner.max()) + 1
        inside, losses = [], []
        for _ in range(self.shadows):
            members = (rng.permutation(targets) < targets / 2)[owner]
            wanted = min(max(size - int(members.sum()), 1), len(others))
            filler = others.take(rng.choice(len(others), wanted, replace=False))
            made = knowledge.sanitizer_code()(records.take(members).concat(filler), rng=rng)
            losses.append(self.losses(made.release, records, seed))
            inside.append(members)
        return np.array(losses), np.array(inside)


def _relative(seen: Floats, known: Floats, inside: Mask) -> tuple[Floats, Floats]:
    """Losses less the mean losses at the attacker's other networks that did not see the record."""
    outside = ~inside[:, :, None]
    total, count = (known * outside).sum(axis=0), outside.sum(axis=0)
    usual = total / np.maximum(count, 1)
    # A network that did not see a record must not be compared with itself.
    rest = (total - known * outside) / np.maximum(count - outside, 1)
    return seen - usual, known - rest
