"""Followed noise: noise that knows the true values that it hides.

A sanitizer runs on a first table. Its noise is zero, or drawn anew, and a tape keeps every answer
with the true values behind it. Then it runs on a neighbour of the table, and gets the answers of
the tape. So both runs take the same way, and the differences of the true values are what the
answers cost.

The sanitizer is not changed. Its noise is an object that becomes an answer when true values are
added to it. Any other use of the noise, such as a comparison, could hide a true value from the
tape, and is refused by name and line: :class:`NotFollowed`.

*Coins* that decide who takes part (:meth:`~quintain.randomness.noise.Noise.bernoulli` and the
like) are the same in both runs. Where there are more of them in one run, because it has more
records, nobody knows which coin belongs to which record. Then all records get the same coin.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats, Ints
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import Step

Kind = Literal["gaussian", "laplace"]
"""The noises that hide numbers."""


class NotFollowed(Exception):
    """Noise was used in a way that the replay does not follow, so nothing is known of its cost."""


class Departure(Exception):
    """The neighbour was asked another question than the table, although all answers were equal."""


@dataclass(slots=True, eq=False)
class HiddenAnswers:
    """Noise of one call, and what it was added to.

    Parameters
    ----------
    kind, scale, size : what was asked for.
    line : the line of code that asked for it.
    noise : the drawn numbers.
    truth : the true values, as far as the noise was added to them; NaN elsewhere.
    factor : by what the noise was multiplied before.
    """

    kind: Kind
    scale: float
    size: int
    line: str
    noise: Floats
    truth: Floats
    factor: Floats

    @property
    def answers(self) -> Floats:
        """What the sanitizer saw."""
        return self.truth + self.factor * self.noise


@dataclass(slots=True, eq=False)
class NoisyChoice:
    """One choice of the exponential mechanism.

    Parameters
    ----------
    scores, epsilon, sensitivity : what was asked.
    picked : the place that was chosen.
    """

    scores: Floats
    epsilon: float
    sensitivity: float
    line: str
    picked: int


@dataclass(slots=True, eq=False)
class Coins:
    """Random numbers that do not hide numbers; they decide who takes part, or where to begin.

    Parameters
    ----------
    name : the method that was called.
    size : how many.
    rate : the probability of a coin; None if it is not a coin, or if coins differ.
    """

    name: str
    size: int
    rate: float | None


@dataclass(slots=True)
class Tape:
    """Everything that one run asked its noise, in order.

    Parameters
    ----------
    events : draws, choices and coins.
    seed : what random first answers are drawn from; None for noise that is zero.
    everybody : whether everybody takes part where all records get the same coin.
    together : the places of coins of which all records get the same one.
    first : the tape whose answers are played again; None in a first run.
    raised : for places of draws, how much noise a hidden answer gets instead of none.
    """

    seed: int | None
    everybody: bool = True
    together: set[int] = field(default_factory=set)
    first: Tape | None = None
    raised: dict[tuple[int, int], float] = field(default_factory=dict)
    events: list[HiddenAnswers | NoisyChoice | Coins] = field(default_factory=list)
    unequal: set[int] = field(default_factory=set)
    extra: list[Extra] = field(default_factory=list)

    def again(self) -> Tape:
        """A tape for a neighbour, which gets the answers of this one."""
        return Tape(self.seed, self.everybody, set(self.together), first=self)

    def draws(self) -> list[HiddenAnswers]:
        """The noise that hid numbers."""
        return [event for event in self.events if isinstance(event, HiddenAnswers)]

    def rng(self, place: int) -> np.random.Generator:
        """Random numbers for one event; the same in both runs."""
        return np.random.default_rng([17 if self.seed is None else self.seed, place])


@dataclass(frozen=True, slots=True)
class Extra:
    """An answer that only one of two tables is asked for, such as the count of a rare value.

    Parameters
    ----------
    event : the place of its draw on the tape.
    place : its place in the draw of the table that has it.
    longer : whether the first table has it.
    scale : the standard deviation or scale of its noise.
    kind : the noise.
    """

    event: int
    place: int
    longer: bool
    scale: float
    kind: Kind


class FollowedNoise(Noise):
    """Noise whose answers are kept on a tape, or played from the tape of a neighbour."""

    __slots__ = ("_tape",)

    def __init__(self, tape: Tape) -> None:
        super().__init__(bytes(range(32)), test=True)
        self._tape = tape

    def child(self, *steps: Step) -> Noise:
        """The same tape: every answer counts, whatever stream it comes from."""
        return self

    def gaussian(self, sigma: float, size: int) -> Any:
        """Noise that becomes an answer when true values are added."""
        return self._hide("gaussian", sigma, size)

    def laplace(self, scale: float, size: int) -> Any:
        """Noise that becomes an answer when true values are added."""
        return self._hide("laplace", scale, size)

    def choose(self, scores: npt.ArrayLike, epsilon: float, sensitivity: float) -> int:
        """The choice of the tape; in a first run the best one, or a random one."""
        tape, values = self._tape, np.asarray(scores, np.float64)
        place, line = len(tape.events), code_line()
        before: NoisyChoice | None = self._before(NoisyChoice, line)
        if before is not None and len(before.scores) != len(values):
            raise Departure(f"{line}: a choice among {len(before.scores)} or {len(values)} options")
        if before is not None:
            if (before.epsilon, before.sensitivity) != (epsilon, sensitivity):
                raise Departure(f"{line}: a choice at epsilon {before.epsilon:g} or {epsilon:g}")
            picked = before.picked
        elif tape.seed is None:
            picked = int(np.argmax(values))
        else:
            own = Noise.for_test(tape.rng(place))
            picked = own.choose(values, epsilon, sensitivity)
        tape.events.append(NoisyChoice(values.copy(), epsilon, sensitivity, line, picked))
        return picked

    def bytes(self, count: int) -> bytes:
        """Random bytes, the same in both runs."""
        made: bytes = self._toss("bytes", count, lambda rng, size: rng.bytes(size), None)
        return made

    def words(self, size: int) -> npt.NDArray[np.uint64]:
        """Random words, the same in both runs."""

        def make(rng: np.random.Generator, count: int) -> npt.NDArray[np.uint64]:
            return rng.integers(0, 2**64, count, dtype=np.uint64)

        made: npt.NDArray[np.uint64] = self._toss("words", size, make, None)
        return made

    def uniform(self, size: int) -> npt.NDArray[np.float64]:
        """Random numbers, the same in both runs."""
        made: Floats = self._toss("uniform", size, lambda rng, n: rng.random(n), None)
        return made

    def integers(self, high: int, size: int) -> npt.NDArray[np.int64]:
        """Random whole numbers, the same in both runs."""
        made: Ints = self._toss("integers", size, lambda rng, n: rng.integers(0, high, n), None)
        return made

    def bernoulli(self, probability: npt.ArrayLike, size: int) -> npt.NDArray[np.bool_]:
        """Coins, the same in both runs."""
        wanted = np.asarray(probability, np.float64)
        rate = float(wanted) if wanted.ndim == 0 else None
        tape = self._tape
        place = len(tape.events)
        draws: Floats = self._toss("bernoulli", size, lambda rng, n: rng.random(n), rate)
        if place in tape.together and rate is not None and 0 < rate < 1:
            return np.full(size, tape.everybody)
        return draws < wanted

    def _hide(self, kind: Kind, scale: float, size: int) -> Hidden:
        tape, line = self._tape, code_line()
        place = len(tape.events)
        before = self._before(HiddenAnswers, line)
        if before is not None and (before.kind, before.scale) != (kind, scale):
            raise Departure(
                f"the noise at {line} = {before.kind} of scale {before.scale:.6g} for one table, "
                f"{kind} of scale {scale:.6g} for its neighbour"
            )
        numbers = np.zeros(size)
        if before is None and tape.seed is not None:
            own = Noise.for_test(tape.rng(place))
            numbers = np.asarray(getattr(own, kind)(scale, size), np.float64)
        for (event, at), far in tape.raised.items():
            if event == place:
                numbers[at] = far
        truth = np.full(size, np.nan)
        draw = HiddenAnswers(kind, scale, size, line, numbers, truth, np.ones(size))
        tape.events.append(draw)
        return Hidden(tape, place, draw, np.arange(size), np.ones(size))

    def _toss(
        self,
        name: str,
        size: int,
        make: Callable[[np.random.Generator, int], Any],
        rate: float | None,
    ) -> Any:
        tape = self._tape
        place = len(tape.events)
        before = self._before(Coins, code_line())
        if before is not None and before.name != name:
            raise Departure(f"{code_line()}: {before.name} on one table, {name} on its neighbour")
        if before is not None and before.size != size and place not in tape.together:
            tape.unequal.add(place)
        tape.events.append(Coins(name, size, rate))
        if place not in tape.together:
            return make(tape.rng(place), size)
        one = make(tape.rng(place), 1)
        return one * size if isinstance(one, bytes) else np.repeat(one, size)

    def _before(self, kind: type[Any], line: str) -> Any:
        """What the first run asked at the same place; None in a first run."""
        tape = self._tape
        if tape.first is None:
            return None
        place = len(tape.events)
        if place >= len(tape.first.events):
            raise Departure(f"{line}: a question that was not asked about the other table")
        before = tape.first.events[place]
        if not isinstance(before, kind):
            raise Departure(f"{line}: another question than about the other table")
        return before


class Hidden:
    """Noise before true values are added; it can be reshaped, cut and multiplied by constants."""

    __array_priority__ = 1000

    def __init__(
        self, tape: Tape, event: int, draw: HiddenAnswers, places: Ints, factor: Floats
    ) -> None:
        self._tape, self._event, self._draw = tape, event, draw
        self._places, self._factor = places, factor

    # --- what leaves it noise ---

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array."""
        return self._places.shape

    @property
    def size(self) -> int:
        """As of an array."""
        return self._places.size

    @property
    def ndim(self) -> int:
        """As of an array."""
        return self._places.ndim

    @property
    def T(self) -> Hidden:  # noqa: N802 - the name of NumPy
        """As of an array."""
        return self._with(self._places.T, self._factor.T)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Any:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, index: Any) -> Hidden:
        return self._with(self._places[index], self._factor[index])

    def reshape(self, *shape: Any) -> Hidden:
        """As of an array."""
        return self._with(self._places.reshape(*shape), self._factor.reshape(*shape))

    def ravel(self) -> Hidden:
        """As of an array."""
        return self._with(self._places.ravel(), self._factor.ravel())

    flatten = ravel

    def copy(self) -> Hidden:
        """The same noise."""
        return self

    def astype(self, dtype: Any, **_: Any) -> Hidden:
        """The same noise, as numbers that lose nothing of it."""
        if np.dtype(dtype).kind not in "iuf":
            self._refuse(f"converted to {np.dtype(dtype)}")
        return self

    def __neg__(self) -> Hidden:
        return self * -1

    def __mul__(self, other: Any) -> Hidden:
        if isinstance(other, Hidden):
            self._refuse("multiplied by noise")
        factor = self._factor * np.asarray(other, np.float64)
        return self._with(np.broadcast_to(self._places, factor.shape), factor)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Hidden:
        if isinstance(other, Hidden):
            self._refuse("divided by noise")
        return self * (1 / np.asarray(other, np.float64))

    # --- what makes it an answer ---

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Hidden):
            self._refuse("added to other noise")
        return self._answer(other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Hidden):
            self._refuse("subtracted from other noise")
        return self._answer(-np.asarray(other))

    def __rsub__(self, other: Any) -> Any:
        return (-self)._answer(other)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        names: dict[Any, tuple[str, str]] = {
            np.add: ("__add__", "__radd__"),
            np.subtract: ("__sub__", "__rsub__"),
            np.multiply: ("__mul__", "__rmul__"),
            np.true_divide: ("__truediv__", ""),
        }
        out = options.pop("out", None)
        if ufunc is np.negative and method == "__call__":
            return -self
        if method != "__call__" or ufunc not in names or options or len(inputs) != 2:
            self._refuse(f"given to numpy.{ufunc.__name__}")
        forward, backward = names[ufunc]
        one, other = inputs
        if isinstance(one, Hidden):
            made = getattr(one, forward)(other)
        elif backward:
            made = getattr(self, backward)(one)
        else:
            self._refuse("a divisor")
        if out is None:
            return made
        if isinstance(made, Hidden):
            self._refuse("written into an array")
        out[0][...] = made
        return out[0]

    def __array_function__(self, function: Any, *_: Any, **__: Any) -> Any:
        self._refuse(f"given to numpy.{function.__name__}")

    def __array__(self, *_: Any, **__: Any) -> Any:
        self._refuse("made an array")

    def __int__(self) -> int:
        self._refuse("made a whole number; write int(true + noise) instead")

    def __float__(self) -> float:
        self._refuse("made a number; write float(true + noise) instead")

    def __bool__(self) -> bool:
        self._refuse("taken for true or false")

    def __lt__(self, other: Any) -> bool:
        self._refuse("compared")

    __le__ = __gt__ = __ge__ = __lt__

    def __eq__(self, other: object) -> bool:
        self._refuse("compared")

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse(f"asked for its {name!r}")

    def _with(self, places: Any, factor: Any) -> Hidden:
        return Hidden(self._tape, self._event, self._draw, np.asarray(places), np.asarray(factor))

    def _refuse(self, how: str) -> NoReturn:
        raise NotFollowed(f"{code_line()}: {self._draw.kind} noise was {how}")

    def _answer(self, given: Any) -> Any:
        """What true values plus this noise are; the tape keeps both."""
        draw, exact = self._draw, np.asarray(given)
        if exact.dtype.kind not in "iufb":
            self._refuse(f"added to {exact.dtype}")
        shape = np.broadcast_shapes(exact.shape, self._places.shape)
        places = np.broadcast_to(self._places, shape).ravel()
        factor = np.broadcast_to(self._factor, shape).ravel()
        truth = np.broadcast_to(exact, shape).astype(np.float64).ravel()
        if len(np.unique(places)) < len(places) or not np.isnan(draw.truth[places]).all():
            self._refuse("added to two true values: their difference has no noise")
        draw.truth[places], draw.factor[places] = truth, factor
        answers = truth + factor * draw.noise[places]
        first = self._tape.first
        if first is not None:
            before = first.events[self._event]
            assert isinstance(before, HiddenAnswers)  # it was compared when the noise was drawn
            answers = self._replay(before, places, truth, factor)
        whole = exact.dtype.kind in "iub" and bool((factor == np.rint(factor)).all())
        made = answers.reshape(shape)
        made = np.rint(made).astype(np.int64) if whole else made
        return made if shape else made[()]

    def _replay(self, before: HiddenAnswers, places: Ints, truth: Floats, factor: Floats) -> Floats:
        """The answers of the first run."""
        draw = self._draw
        if before.size == draw.size:
            if not np.array_equal(before.factor[places], factor):
                raise Departure(f"{draw.line}: noise was multiplied by numbers that differ")
            return before.answers[places]
        complete = len(places) == draw.size and not np.isnan(before.truth).any()
        if not complete:
            raise Departure(f"{draw.line}: {before.size} answers or {draw.size}")
        longer = before.size > draw.size
        kept = align(before.truth, truth) if longer else align(truth, before.truth)
        scale = draw.scale * float(abs(factor).max(initial=1.0))
        for place in np.setdiff1d(np.arange(max(before.size, draw.size)), kept).tolist():
            self._tape.extra.append(Extra(self._event, place, longer, scale, draw.kind))
        if longer:
            return before.answers[kept]
        answers = truth + factor * draw.noise
        answers[kept] = before.answers
        return answers


def align(longer: Floats, shorter: Floats) -> Ints:
    """The places of the longer list that the shorter one has, so that they differ least.

    >>> align(np.array([5.0, 1, 7, 2]), np.array([5.0, 8, 2])).tolist()
    [0, 2, 3]
    """
    extra = len(longer) - len(shorter)
    # best[k] is the least difference of what comes before, with k places left out so far.
    best = np.full(extra + 1, np.inf)
    best[0] = 0.0
    left_out = np.zeros((len(longer), extra + 1), bool)
    for place, value in enumerate(longer):
        aligned, skipped = np.full(extra + 1, np.inf), np.full(extra + 1, np.inf)
        for k in range(min(extra, place) + 1):
            if 0 <= place - k < len(shorter):
                aligned[k] = best[k] + abs(value - shorter[place - k])
        skipped[1:] = best[:-1]
        left_out[place] = skipped < aligned
        best = np.minimum(aligned, skipped)
    kept, k = [], extra
    for place in range(len(longer) - 1, -1, -1):
        if left_out[place, k]:
            k -= 1
        else:
            kept.append(place)
    return np.array(kept[::-1], np.int64)


def code_line() -> str:
    """The file and the line of the sanitizer that uses noise."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        name = frame.f_code.co_filename
        if name != __file__ and "numpy" not in Path(name).parts and not name.startswith("<"):
            break
        frame = frame.f_back
    parts = Path(frame.f_code.co_filename).parts
    short = parts[parts.index("quintain") + 1 :] if "quintain" in parts[:-1] else parts[-1:]
    return f"{'/'.join(short)}:{frame.f_lineno}"
