"""Claim in words: what a sanitizer claims about privacy, in one line."""

from __future__ import annotations

from quintain.releases import Claim


def claim_words(claim: Claim) -> str:
    """A claim of differential privacy in one line.

    >>> claim_words(Claim(epsilon=10, delta=1e-5))
    'epsilon 10, delta 1e-05, one row added or removed'
    """
    delta = f", delta {claim.delta:g}" if claim.delta else ""
    change = "added or removed" if claim.neighbours == "add-remove" else "replaced"
    return f"epsilon {claim.epsilon:.4g}{delta}, one {claim.unit} {change}"
