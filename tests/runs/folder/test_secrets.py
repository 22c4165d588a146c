"""The keys of an edition: three that are never mixed, secret unless a rehearsal says so."""

import numpy as np
import pytest
from pydantic import ValidationError

from quintain.errors import NoiseError
from quintain.runs.folder.secrets import Secrets

REHEARSAL = Secrets.from_seed(7)
LIVE = Secrets.fresh()


def keys(secrets):
    return secrets.draws, secrets.noise, secrets.nonces


@pytest.mark.parametrize("secrets", [REHEARSAL, LIVE])
def test_the_three_keys_are_different(secrets):
    assert len(set(keys(secrets))) == 3


def test_a_seed_gives_the_same_keys_and_another_seed_others():
    assert Secrets.from_seed(7) == REHEARSAL
    assert not set(keys(Secrets.from_seed(8))) & set(keys(REHEARSAL))


def test_fresh_keys_are_never_the_same():
    drawn = [key for _ in range(10) for key in keys(Secrets.fresh())]
    assert len(set(drawn)) == 30


def test_every_fresh_key_is_256_bits_of_the_operating_system(monkeypatch):
    drawn = iter("abc")
    monkeypatch.setattr("secrets.token_hex", lambda count: next(drawn) * 2 * count)
    assert keys(Secrets.fresh()) == ("a" * 64, "b" * 64, "c" * 64)


def test_a_rehearsal_is_marked_and_so_is_its_noise():
    assert REHEARSAL.test
    assert REHEARSAL.noise_for("main", "rr").test
    assert not LIVE.test
    assert not LIVE.noise_for("main", "rr").test


def test_keys_survive_their_file():
    for secrets in (REHEARSAL, LIVE):
        assert Secrets.from_bytes(secrets.to_bytes()) == secrets


@pytest.mark.parametrize("key", ["", "00", "g" * 64, "A" * 64, "0" * 65])
def test_what_is_no_key_is_refused(key):
    with pytest.raises(ValidationError):
        Secrets(draws=key, noise=LIVE.noise, nonces=LIVE.nonces, test=False)


def test_a_live_contest_refuses_a_noise_key_anybody_would_guess():
    guessable = Secrets(draws=LIVE.draws, noise="00" * 32, nonces=LIVE.nonces, test=False)
    with pytest.raises(NoiseError, match="this noise key is not a secret"):
        guessable.noise_for("main")


def test_every_path_has_noise_and_draws_of_its_own():
    paths = [("main", "rr", 0), ("main", "rr", 1), ("main", "mst", 0), ("other", "rr", 0), ()]
    assert len({LIVE.noise_for(*path).bytes(16) for path in paths}) == len(paths)
    assert len({int(LIVE.seeds(*path).rng().integers(2**60)) for path in paths}) == len(paths)


def test_draws_do_not_tell_the_noise():
    # The seeds of the draws may become known; the noise is keyed by another secret.
    other = LIVE.model_copy(update={"noise": Secrets.fresh().noise})
    assert other.noise_for("main").bytes(32) != LIVE.noise_for("main").bytes(32)
    assert np.array_equal(other.seeds("main").rng().random(5), LIVE.seeds("main").rng().random(5))
    assert bytes.fromhex(LIVE.draws) not in (LIVE.nonce_key(), bytes.fromhex(LIVE.noise))


def test_the_salts_come_from_a_key_of_their_own():
    assert LIVE.nonce_key() == bytes.fromhex(LIVE.nonces)
    assert len(LIVE.nonce_key()) == 32
