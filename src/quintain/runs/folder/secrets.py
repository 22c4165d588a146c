"""The keys of an edition's randomness: drawn once, committed to, revealed at the end."""

from __future__ import annotations

import hmac
import secrets
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from quintain.commitment import canonical_json
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree

Key = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Secrets(BaseModel):
    """Three secret keys for three purposes, none of which may stand in for another.

    Parameters
    ----------
    draws : root of the seed tree: samples, shuffles, built-in attacks.
    noise : key of all privacy noise.
    nonces : key of the salts of the commitments.
    test : the keys come from a public seed, so nothing made with them protects anybody.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.seeds/1"] = "quintain.seeds/1"
    draws: Key
    noise: Key
    nonces: Key
    test: bool

    @classmethod
    def fresh(cls) -> Secrets:
        """Keys that nobody can guess, for a live contest."""
        return cls(
            draws=secrets.token_hex(32),
            noise=secrets.token_hex(32),
            nonces=secrets.token_hex(32),
            test=False,
        )

    @classmethod
    def from_seed(cls, seed: int) -> Secrets:
        """Keys that anybody can compute again, for a rehearsal."""
        tree = SeedTree.from_int(seed)
        return cls(
            draws=tree.key("draws").hex(),
            noise=tree.key("noise").hex(),
            nonces=tree.key("nonces").hex(),
            test=True,
        )

    @classmethod
    def from_bytes(cls, content: bytes) -> Secrets:
        """The keys from the content of their file."""
        return cls.model_validate_json(content)

    def to_bytes(self) -> bytes:
        """The content of their file."""
        return canonical_json(self.model_dump())

    def cohort_salt(self) -> bytes:
        """What decides, together with its id, to which cohort a team belongs."""
        return SeedTree(bytes.fromhex(self.draws)).key("cohorts")

    def mix(self, beacon: str, rules: str) -> Secrets:
        """The keys of a contest: these keys, mixed with what the organisers could not choose.

        Parameters
        ----------
        beacon : a public value that became known after the commitment; empty if there is none.
        rules : the hash of the rules. Two contests with the same keys and other parameters must
            not get the same noise: the difference of their releases would be free of it. The noise
            of a rehearsal protects nobody, and is that of its seed whatever the rules say.
        """
        draws, noise = self.draws, self.noise
        if beacon:
            draws, noise = _mix_key(draws, f"beacon {beacon}"), _mix_key(noise, f"beacon {beacon}")
        if not self.test:
            noise = _mix_key(noise, f"rules {rules}")
        return self.model_copy(update={"draws": draws, "noise": noise})

    def seeds(self, *path: str | int) -> SeedTree:
        """A branch of the seed tree."""
        return SeedTree(bytes.fromhex(self.draws)).child(*path)

    def noise_for(self, *path: str | int) -> Noise:
        """The noise stream of a path."""
        key = bytes.fromhex(self.noise)
        root = Noise(key, test=True) if self.test else Noise.from_key(key)
        return root.child(*path)

    def nonce_key(self) -> bytes:
        """The key of the commitments' salts."""
        return bytes.fromhex(self.nonces)


def _mix_key(key: str, text: str) -> str:
    return hmac.digest(bytes.fromhex(key), text.encode(), "sha256").hex()
