"""Checkpoint: those of other logs can be read, ours have their form, and forgeries are refused."""

import base64
import re
from dataclasses import replace

import pytest

from quintain.errors import NotVerified
from quintain.journal.checkpoint import LONGEST_TEXT, Checkpoint, key_id
from quintain.journal.signing import SigningKey
from quintain.journal.tree import Tree

KEY = SigningKey.from_seed(b"\x05" * 32)
CHECKPOINT = Checkpoint("quintain/tiny", 3, Tree.of([b"one", b"two", b"three"]).root())
TEXT = CHECKPOINT.signed(KEY)

# A checkpoint of the public log log2025-1.rekor.sigstore.dev, with the signature of a witness.
REKOR = """log2025-1.rekor.sigstore.dev
139911860
EliTHtnx44DhEBH+5qIXBtQsSpc54Avam7mIYEvxnTA=

— log2025-1.rekor.sigstore.dev zxGZFcOra4Y7QpuiQen+CmnUvDZbxSXfBOXJzL+HKIeR9aC58QTfao58ABqkhVyB\
hQDseS+TZdDNpcnZhoRxkh7IbQ0=
— witness.stagemole.eu Z/euoAAAAABqxF18wrJCADsJ1G5Lc2JaRjZqqBwjpNqH24yQse4iJ4rKS6b5MtvHP+IbKYXw\
aWuWokdGA+BubLFi+TrwK7xpKr6XBw==
"""
REKOR_KEY = base64.b64decode("t8rlp1knGwjfbcXAYPYAkn0XiLz1x8O4t0YkEhie244=").hex()


def signed(body, key=KEY, name="quintain/tiny"):
    """Any text as a signed note, also one that is not a checkpoint."""
    content = key_id(name, key.public) + key.sign(body.encode())
    return f"{body}\n— {name} {base64.b64encode(content).decode()}\n"


def test_a_checkpoint_of_another_log_is_read():
    root = base64.b64decode("EliTHtnx44DhEBH+5qIXBtQsSpc54Avam7mIYEvxnTA=")
    expected = Checkpoint("log2025-1.rekor.sigstore.dev", 139_911_860, root)
    assert Checkpoint.read(REKOR, REKOR_KEY) == expected


def test_the_id_of_a_key_is_the_published_one():
    # The example key of golang.org/x/mod/sumdb/note: PeterNeumann+c74f20a3+ARpc2QcUPDhM...
    key = base64.b64decode("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")[1:]
    assert key_id("PeterNeumann", key.hex()).hex() == "c74f20a3"


def test_a_signed_checkpoint_has_three_lines_a_blank_one_and_a_signature():
    origin, size, root, blank, signature, rest = TEXT.split("\n")
    assert (origin, size, blank, rest) == ("quintain/tiny", "3", "", "")
    assert base64.b64decode(root) == CHECKPOINT.root
    assert signature.startswith("— quintain/tiny ")
    assert len(base64.b64decode(signature.rpartition(" ")[2])) == 4 + 64
    assert Checkpoint.read(TEXT, KEY.public) == CHECKPOINT


def test_lines_after_the_root_are_signed_and_signatures_of_others_are_ignored():
    body, blank, signature = TEXT.rpartition("\n\n")
    extended = replace(CHECKPOINT, extension=("an extension", "another one"))
    text = extended.signed(KEY)
    assert text == signed(f"{body}\nan extension\nanother one\n")
    assert Checkpoint.read(text, KEY.public) == extended
    with pytest.raises(NotVerified):
        Checkpoint.read(text.replace("another", "other"), KEY.public)
    for line in ("", "two\nlines", "a\x00b"):
        with pytest.raises(ValueError, match="a further line"):
            replace(CHECKPOINT, extension=(line,)).signed(KEY)
    witness = "— witness.example AAAABAAA\n"
    assert Checkpoint.read(f"{body}{blank}{witness}{signature}", KEY.public) == CHECKPOINT
    assert Checkpoint.read(TEXT + witness, KEY.public) == CHECKPOINT


def test_a_changed_checkpoint_is_refused():
    for old, new in [("\n3\n", "\n4\n"), ("tiny\n3", "tinx\n3"), ("\n3\n", "\n3\nmore\n")]:
        with pytest.raises(NotVerified):
            Checkpoint.read(TEXT.replace(old, new), KEY.public)
    with pytest.raises(NotVerified, match="signature of the checkpoint of quintain/tiny is wrong"):
        Checkpoint.read(TEXT.replace("\n3\n", "\n4\n"), KEY.public)


def test_the_key_of_somebody_else_is_unknown():
    other = SigningKey.from_seed(b"\x06" * 32)
    with pytest.raises(NotVerified, match="is not signed with the public key"):
        Checkpoint.read(CHECKPOINT.signed(other), KEY.public)
    # The right key under another name does not count either.
    body = TEXT.partition("\n\n")[0] + "\n"
    with pytest.raises(NotVerified, match="is not signed with the public key"):
        Checkpoint.read(signed(body, name="quintain/other"), KEY.public)
    for public in ("", "no hex", "ab"):
        with pytest.raises(NotVerified):
            Checkpoint.read(TEXT, public)


def test_one_wrong_signature_of_our_key_spoils_a_right_one():
    wrong = signed("other text\n").rpartition("\n\n")[2]
    with pytest.raises(NotVerified, match="is wrong"):
        Checkpoint.read(TEXT + wrong, KEY.public)


ROOT = base64.b64encode(CHECKPOINT.root).decode()
MALFORMED = [
    "",
    "\n",
    "\n\n",
    TEXT[:-1],
    TEXT.replace("\n\n", "\n"),
    TEXT.replace("\n", "\r\n"),
    TEXT.replace("—", "-"),
    TEXT.replace("— ", "—  "),
    TEXT + "\n",
    TEXT + "no signature\n",
    TEXT + "— witness.example no-base64\n",
    TEXT + "— wit+ness AAAABAAA\n",
    TEXT.replace("tiny", "ti\udc80ny"),
    TEXT.replace("tiny", "ti\x1b[2Jny"),
    "x" * (LONGEST_TEXT + 1),
    signed("quintain/tiny\n3\n"),
    signed(f"\n3\n{ROOT}\n"),
    signed(f"quintain/ tiny\n3\n{ROOT}\n"),
    signed(f"quintain/\u202etiny\n3\n{ROOT}\n"),
    signed(f"quintain/tiny\n03\n{ROOT}\n"),
    signed(f"quintain/tiny\n-3\n{ROOT}\n"),
    signed(f"quintain/tiny\n٣\n{ROOT}\n"),
    signed(f"quintain/tiny\n{'9' * 19}\n{ROOT}\n"),
    signed(f"quintain/tiny\n{'9' * 5000}\n{ROOT}\n"),
    signed(f"quintain/tiny\n3\n{ROOT[:-4]}\n"),
    signed(f"quintain/tiny\n3\n{ROOT}=\n"),
    signed(f"quintain/tiny\n3\n{ROOT} \n"),
    signed(f"quintain/tiny\n3\n\n{ROOT}\n"),
]


@pytest.mark.parametrize("text", MALFORMED, ids=range(len(MALFORMED)))
def test_a_malformed_text_is_refused_in_words(text):
    with pytest.raises(NotVerified, match="this is not a checkpoint: "):
        Checkpoint.read(text, KEY.public)


def test_a_root_has_one_spelling():
    # The last digit before the padding has unused bits; another digit would decode to the same.
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    other = ROOT[:-2] + digits[digits.index(ROOT[-2]) ^ 1] + "="
    assert base64.b64decode(other) == CHECKPOINT.root
    with pytest.raises(NotVerified, match="is not Base64"):
        Checkpoint.read(signed(f"quintain/tiny\n3\n{other}\n"), KEY.public)


@pytest.mark.parametrize("origin", ["", "a b", "a+b", "a\nb", "a\u2028b"])
def test_an_origin_that_would_break_the_format_is_refused(origin):
    with pytest.raises(ValueError, match="has a space"):
        Checkpoint(origin, 0, bytes(32))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (TEXT + "x" * (LONGEST_TEXT + 1 - len(TEXT)), f"it has {LONGEST_TEXT + 1} characters"),
        (TEXT.replace("\n", "\r\n", 1), "it has a control character"),
        ("quintain/tiny", "expected a blank line, then lines with signatures"),
        (TEXT[:-1], "expected a blank line, then lines with signatures"),
        (TEXT.replace("— ", "- "), "expected a signature line"),
        (TEXT.replace("— quintain/tiny", "— quintain/tiny x"), "expected a signature line"),
        (signed("one\n2\n"), "expected three lines: origin, size, root"),
        (signed("a b\n2\nAAAA\n"), "the origin has a space"),
        (signed("tiny\n-2\nAAAA\n"), "the size '-2' is not the number of lines"),
        (signed("tiny\n99999999999999999999\nAAAA\n"), "the size '99999999999999999999' is not"),
        (signed("tiny\n2\nAAAA\n"), "the root does not have 32 bytes"),
        (signed("tiny\n2\nAAAA=\n"), "'AAAA=' is not Base64"),
    ],
)
def test_each_fault_of_a_checkpoint_is_named(text, problem):
    with pytest.raises(NotVerified, match=re.escape(problem)):
        Checkpoint.read(text, KEY.public)


def test_the_longest_checkpoint_is_read():
    room = LONGEST_TEXT - len(TEXT) - len("\n")
    longest = replace(CHECKPOINT, extension=("x" * room,)).signed(KEY)
    assert len(longest) == LONGEST_TEXT
    assert Checkpoint.read(longest, KEY.public).extension == ("x" * room,)
