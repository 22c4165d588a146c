"""Privacy noise: drawn from a secret key, never from a public seed.

Noise protects the people in a release only if nobody else can repeat it. In 2023 a contest ran
PrivBayes with seed 0, so anybody could subtract its noise. Here the noise is a separate stream:
SHAKE256 with a key of 256 secret bits. An edition commits to its key before the contest and
reveals it at the end, so that anybody can repeat and check the releases. Outside an edition the
operating system gives the key. A noise stream that starts from an ordinary seed is marked as a
test, and so is every release that uses it.

:meth:`Noise.laplace` and :meth:`Noise.gaussian` give integers. If floating-point noise is added
to a count, the low bits of the sum can reveal the count. Their probabilities, and those of
:meth:`Noise.bernoulli` and :meth:`Noise.choose`, are exact for the parameters as given: where 53
random bits do not settle a draw, further bits do (:mod:`quintain.randomness.exact`). So nothing
has to be added to delta.

References
----------
Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Callable
from fractions import Fraction
from typing import Self

import numpy as np
import numpy.typing as npt

from quintain.errors import NoiseError
from quintain.randomness.exact import Bounds, UniformNumber, choose_exactly, exponential
from quintain.randomness.seeds import Step, digest_path

KEY_BYTES = 32
_BLOCK = 1 << 16
_PRINTABLE = range(32, 127)
_CLOSE = 2.0**-48
"""More than the error of a probability that was computed with floats."""


class Noise:
    """A stream of privacy noise that nobody without its key can repeat.

    >>> Noise.from_key(b"7")
    Traceback (most recent call last):
    ...
    quintain.errors.NoiseError: a noise key is 32 secret bytes, not 1: use Noise.from_os(), ...
    >>> Noise.for_test(7).laplace(2.0, size=5).dtype
    dtype('int64')
    """

    __slots__ = ("_buffer", "_counter", "_key", "keyed", "test")

    def __init__(self, key: bytes, *, test: bool, keyed: bool = False) -> None:
        self._key = key
        self._counter = 0
        self._buffer = b""
        self.test = test
        self.keyed = keyed
        """Whether the key is somebody's own, who may give it again for other data."""

    @classmethod
    def from_os(cls) -> Self:
        """Noise with a key from the operating system, for use outside an edition."""
        return cls(secrets.token_bytes(KEY_BYTES), test=False)

    @classmethod
    def from_key(cls, key: bytes) -> Self:
        """Noise with a secret key, such as the one to which an edition has committed.

        Two releases with one stream differ by their data alone. So :func:`quintain.sanitize` takes
        a stream of its own from the key for each table and each sanitizer (:meth:`for_run`).

        >>> Noise.from_key(b"correct horse battery staple 123")
        Traceback (most recent call last):
        ...
        quintain.errors.NoiseError: this noise key is not a secret: it is a text, and texts can ...
        """
        if not isinstance(key, bytes) or len(key) != KEY_BYTES:
            size = f"{len(key)}" if isinstance(key, bytes) else f"a {type(key).__name__}"
            raise NoiseError(
                f"a noise key is {KEY_BYTES} secret bytes, not {size}: use Noise.from_os(), or "
                "Noise.for_test(seed) for a release that is marked as a test"
            )
        if len(set(key)) < 8:
            raise NoiseError(
                "this noise key is not a secret: it has fewer than 8 distinct bytes; draw 32 "
                "random bytes"
            )
        if all(byte in _PRINTABLE for byte in key):
            raise NoiseError(
                "this noise key is not a secret: it is a text, and texts can be guessed; draw 32 "
                "random bytes with secrets.token_bytes(32)"
            )
        return cls(key, test=False, keyed=True)

    @classmethod
    def for_test(cls, seed: int | np.random.Generator) -> Self:
        """Noise that anybody can repeat; releases that use it are marked as tests."""
        if isinstance(seed, np.random.Generator):
            return cls(seed.bytes(KEY_BYTES), test=True)
        return cls(hashlib.sha256(f"quintain test noise {seed}".encode()).digest(), test=True)

    def child(self, *steps: Step) -> Noise:
        """An independent stream for a path; draws from this stream do not change it."""
        return Noise(digest_path(self._key, ("noise", *steps)), test=self.test)

    def for_run(self, *facts: str) -> Noise:
        """The stream for one run; the facts are the digest of its data, and its sanitizer.

        Other facts give another stream, and so does each further run with this object.
        """
        return Noise(digest_path(self.bytes(KEY_BYTES), ("run", *facts)), test=self.test)

    def bytes(self, count: int) -> bytes:
        """The next ``count`` bytes of the stream."""
        blocks = [self._buffer]
        missing = count - len(self._buffer)
        while missing > 0:
            seed = self._key + self._counter.to_bytes(8, "big")
            blocks.append(hashlib.shake_256(seed).digest(_BLOCK))
            self._counter += 1
            missing -= _BLOCK
        stream = b"".join(blocks)
        self._buffer = stream[count:]
        return stream[:count]

    def words(self, size: int) -> npt.NDArray[np.uint64]:
        """Uniformly distributed 64-bit words."""
        return np.frombuffer(self.bytes(8 * size), dtype="<u8").astype(np.uint64)

    def uniform(self, size: int) -> npt.NDArray[np.float64]:
        """Uniform numbers in [0, 1), 53 bits each."""
        return (self.words(size) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def integers(self, high: int, size: int) -> npt.NDArray[np.int64]:
        """Uniform integers in 0..high-1, without bias."""
        if not 1 <= high <= 2**63:
            raise NoiseError(f"cannot draw an integer below {high}")
        bound = (1 << 64) // high * high
        out = self.words(size)
        if bound < 1 << 64:
            bad = np.flatnonzero(out >= np.uint64(bound))
            while len(bad):
                out[bad] = self.words(len(bad))
                bad = bad[out[bad] >= np.uint64(bound)]
        return (out % np.uint64(high)).astype(np.int64)

    def bernoulli(self, probability: npt.ArrayLike, size: int) -> npt.NDArray[np.bool_]:
        """``size`` truth values, each true with the given probability."""
        wanted = np.broadcast_to(np.asarray(probability, dtype=np.float64), size)

        def exact(place: int) -> Bounds:
            value = Fraction(float(wanted[place]))
            return lambda _: (value, value)

        return self._coins(wanted, size, exact)

    def laplace(self, scale: float, size: int) -> npt.NDArray[np.int64]:
        """Discrete Laplace noise: P(k) proportional to exp(-|k| / scale)."""
        _check_scale("Laplace", scale)
        out = np.zeros(size, np.int64)
        todo = np.arange(size)
        while len(todo):
            magnitude = self._geometric(scale, len(todo))
            negative = (self.words(len(todo)) & np.uint64(1)).astype(bool)
            # Otherwise zero would be twice as likely: drop -0 and draw again.
            keep = ~(negative & (magnitude == 0))
            out[todo[keep]] = np.where(negative, -magnitude, magnitude)[keep]
            todo = todo[~keep]
        return out

    def gaussian(self, sigma: float, size: int) -> npt.NDArray[np.int64]:
        """Discrete Gaussian noise: P(k) proportional to exp(-k**2 / (2 sigma**2))."""
        _check_scale("Gaussian", sigma)
        scale = math.floor(sigma) + 1
        out = np.zeros(size, np.int64)
        todo = np.arange(size)
        while len(todo):
            proposal = self.laplace(scale, len(todo))
            gap = np.abs(proposal) - sigma**2 / scale
            wanted = np.exp(-(gap**2) / (2 * sigma**2))
            keep = self._coins(wanted, len(todo), _gaussian_bounds(proposal, sigma, scale))
            out[todo[keep]] = proposal[keep]
            todo = todo[~keep]
        return out

    def choose(self, scores: npt.ArrayLike, epsilon: float, sensitivity: float) -> int:
        """The exponential mechanism: draws index i with probability ~ exp(epsilon u_i / (2 Delta)).

        ``scores`` are the u_i, and ``sensitivity`` is Delta: how much one person can change them.
        The probabilities are exact for the scores as given, in whatever order they are.
        """
        if not (epsilon > 0 and sensitivity > 0):
            raise NoiseError(f"epsilon {epsilon:g} and sensitivity {sensitivity:g} must be above 0")
        values = np.asarray(scores, dtype=np.float64)
        if not np.isfinite(values.max(initial=-np.inf)):
            raise NoiseError(
                "the exponential mechanism needs scores, and the largest must be finite"
            )
        draw = float(self.uniform(1)[0])
        with np.errstate(over="ignore", invalid="ignore"):
            gaps = (values.max() - values) * (epsilon / (2 * sensitivity))
        cumulative = np.cumsum(np.exp(-gaps))
        point = draw * cumulative[-1]
        # Sum, exponentials and gaps are off by at most this; most draws are farther from a border.
        margin = (4 * len(values) + 16) * 2.0**-52 * cumulative[-1]
        chosen = np.searchsorted(cumulative, [point - margin, point + margin], side="right")
        if chosen[0] == chosen[1] and not np.isnan(margin):
            return int(chosen[0])
        possible = np.flatnonzero(values > -np.inf)
        top, scale = Fraction(float(values.max())), Fraction(epsilon) / (2 * Fraction(sensitivity))
        exponents = [(top - Fraction(float(values[i]))) * scale for i in possible]
        return int(possible[choose_exactly(exponents, UniformNumber(draw, self._word))])

    def _word(self) -> int:
        return int(self.words(1)[0])

    def _coins(
        self, wanted: npt.NDArray[np.float64], size: int, exact: Callable[[int], Bounds]
    ) -> npt.NDArray[np.bool_]:
        """Truth values of probability ``wanted``; close draws are settled by ``exact`` bounds."""
        draws = self.uniform(size)
        distance = draws - wanted
        coins = distance < 0
        np.abs(distance, out=distance)
        if distance.min(initial=1) > _CLOSE:
            return coins
        for place in np.flatnonzero(distance <= _CLOSE):
            number = UniformNumber(float(draws[place]), self._word)
            coins[place] = number.is_below(exact(int(place)))
        return coins

    def _geometric(self, scale: float, size: int) -> npt.NDArray[np.int64]:
        """P(k) proportional to exp(-k / scale) for k >= 0.

        Split as k = u + t v with t = ceil(scale): u in 0..t-1 is accepted with probability
        exp(-u / scale), and v counts successes of probability exp(-t / scale).
        """
        t = max(1, math.ceil(scale))
        low = np.zeros(size, np.int64)
        todo = np.arange(size) if t > 1 else np.arange(0)
        while len(todo):
            u = self.integers(t, len(todo))
            keep = self._coins(np.exp(-u / scale), len(todo), _laplace_bounds(u, scale))
            low[todo[keep]] = u[keep]
            todo = todo[~keep]
        high, step = np.zeros(size, np.int64), np.array(math.exp(-t / scale))
        alive = np.arange(size)
        while len(alive):
            exact = _laplace_bounds(np.broadcast_to(t, len(alive)), scale)
            alive = alive[self._coins(step, len(alive), exact)]
            high[alive] += 1
        return low + t * high


def _laplace_bounds(values: npt.NDArray[np.int64], scale: float) -> Callable[[int], Bounds]:
    """Bounds of exp(-value / scale), by the place of the value."""

    def exact(place: int) -> Bounds:
        exponent = int(values[place]) / Fraction(scale)
        return lambda bits: exponential(exponent, bits)

    return exact


def _gaussian_bounds(
    proposals: npt.NDArray[np.int64], sigma: float, scale: int
) -> Callable[[int], Bounds]:
    """Bounds of the probability that a proposal of Laplace noise is accepted, by its place."""

    def exact(place: int) -> Bounds:
        variance = Fraction(sigma) ** 2
        gap = abs(int(proposals[place])) - variance / scale
        return lambda bits: exponential(gap**2 / (2 * variance), bits)

    return exact


def _check_scale(name: str, scale: float) -> None:
    if not (math.isfinite(scale) and 1e-6 <= scale < 2**40):
        raise NoiseError(f"{name} noise needs a scale between 1e-6 and 2**40, not {scale}")
