"""Signing: the published vectors come out, and nothing malformed counts as signed."""

import subprocess
import sys

import pytest

from quintain.journal.signing import SigningKey, is_signed

RFC_8032 = [  # section 7.1: seed, public key, message, signature
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701c"
        "f9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0"
        "f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f76098"
        "4dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]
KEY = SigningKey.from_seed(b"\x05" * 32)


@pytest.mark.parametrize(("seed", "public", "message", "signature"), RFC_8032)
def test_the_published_vectors_come_out(seed, public, message, signature):
    key = SigningKey.from_seed(bytes.fromhex(seed))
    assert key.public == public
    assert key.sign(bytes.fromhex(message)).hex() == signature
    assert is_signed(public, bytes.fromhex(message), bytes.fromhex(signature))


def test_another_message_key_or_signature_is_not_signed():
    signature = KEY.sign(b"accepted")
    assert is_signed(KEY.public, b"accepted", signature)
    assert not is_signed(KEY.public, b"Accepted", signature)
    assert not is_signed(SigningKey.from_seed(b"\x06" * 32).public, b"accepted", signature)
    for bit in range(8 * len(signature)):
        changed = bytearray(signature)
        changed[bit // 8] ^= 1 << bit % 8
        assert not is_signed(KEY.public, b"accepted", bytes(changed))


@pytest.mark.parametrize("public", ["", "zz", "ab", "é" * 64, "0" * 63, "0" * 66, "f" * 64])
def test_a_malformed_public_key_signed_nothing(public):
    assert not is_signed(public, b"accepted", KEY.sign(b"accepted"))
    assert not is_signed(f" {KEY.public}", b"accepted", KEY.sign(b"accepted"))


@pytest.mark.parametrize("length", [0, 1, 63, 65, 4096])
def test_a_signature_of_another_length_is_none(length):
    assert not is_signed(KEY.public, b"accepted", bytes(length))


@pytest.mark.parametrize("sign_bit", [0, 1 << 255])
@pytest.mark.parametrize("y", [1, 2**255 - 19 + 1])
def test_a_public_key_for_which_anybody_can_sign_is_refused(y, sign_bit):
    # The neutral point of the curve as R and as the key, and S = 0, satisfy S*B = R + h*A.
    one = (1).to_bytes(32, "little")
    public = (y | sign_bit).to_bytes(32, "little").hex()
    assert not is_signed(public, b"anything", one + bytes(32))


def test_a_seed_of_another_length_is_refused_and_the_seed_is_never_printed():
    with pytest.raises(ValueError, match="has 32 bytes, not 31"):
        SigningKey.from_seed(b"\x05" * 31)
    assert "05" not in repr(KEY) and "x05" not in str(KEY)


def test_nothing_imports_the_cryptography_package_before_something_is_signed():
    program = (
        "import sys, quintain.cli.main, quintain.journal.receipt\n"
        "assert not [name for name in sys.modules if name.startswith('cryptography')]"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
