"""Receipt: a team can prove its submission, and nobody can make up a proof."""

import json

import pytest

from quintain.errors import NotVerified
from quintain.journal.checkpoint import Checkpoint
from quintain.journal.receipt import LONGEST_RECEIPT, Receipt
from quintain.journal.signing import SigningKey
from quintain.journal.tree import Tree, inclusion_proof, leaf_hash

KEY = SigningKey.from_seed(b"\x05" * 32)


def line(number, **fields):
    return json.dumps({"number": number, "team": "red", **fields}, sort_keys=True).encode()


LINES = [line(number) for number in range(1, 12)]


def receipt(number, size=11, of=None):
    """The receipt of one event in a journal of a given size."""
    lines = LINES[:size]
    checkpoint = Checkpoint("quintain/tiny", size, Tree.of(lines).root()).signed(KEY)
    proof = inclusion_proof([leaf_hash(text) for text in lines], number - 1)
    return Receipt(LINES[number - 1] if of is None else of, tuple(proof), checkpoint)


def test_every_event_of_every_journal_has_a_receipt_that_holds():
    for size in range(1, len(LINES) + 1):
        for number in range(1, size + 1):
            read = Receipt.from_bytes(receipt(number, size).to_bytes())
            assert read == receipt(number, size)
            assert read.check(KEY.public) == Checkpoint(
                "quintain/tiny", size, Tree.of(LINES[:size]).root()
            )


def test_the_receipt_of_the_newest_event_needs_no_other_line():
    before = Tree.of(LINES[:10])
    after = before.append(leaf_hash(LINES[10]))
    text = Checkpoint("quintain/tiny", 11, after.root()).signed(KEY)
    assert Receipt(LINES[10], tuple(before.proof_of_next()), text) == receipt(11)


def test_the_file_of_a_receipt_is_readable_json():
    fields = json.loads(receipt(2, 3).to_bytes())
    assert fields["format"] == "quintain.receipt/1"
    assert fields["line"] == LINES[1].decode()
    assert [len(value) for value in fields["proof"]] == [64, 64]
    assert receipt(2, 3).to_bytes() == receipt(2, 3).to_bytes()


def test_a_line_that_the_journal_does_not_have_is_refused():
    for false in (line(2, files={}), LINES[1] + b" "):
        with pytest.raises(NotVerified, match="event 2 of the receipt is not in the journal of q"):
            receipt(2, of=false).check(KEY.public)


def test_the_number_of_the_event_is_its_place():
    with pytest.raises(NotVerified, match="event 3 of the receipt is not in the journal"):
        receipt(2, of=LINES[2]).check(KEY.public)
    for number in (0, -1, 12, "2", 2.0, True, None, 10**40):
        with pytest.raises(NotVerified, match="a number from 1 to 11"):
            receipt(2, of=line(number)).check(KEY.public)


def test_the_checkpoint_must_be_signed_by_the_right_key():
    with pytest.raises(NotVerified, match="is not signed with the public key"):
        receipt(2).check(SigningKey.from_seed(b"\x06" * 32).public)


def with_field(**fields):
    return json.dumps({**json.loads(receipt(2).to_bytes()), **fields}).encode()


MALFORMED = {
    b"": "not JSON",
    b"\xff\xfe": "not JSON",
    b"[" * 100_000: "not JSON",
    b"[]": "expected a JSON object",
    b"{}": "the format is None; this version of quintain reads 'quintain.receipt/1'",
    b" " * (LONGEST_RECEIPT + 1): "the limit is 1000000",
    with_field(format="quintain.receipt/2"): "the format is 'quintain.receipt/2'",
    with_field(more=1): "expected the fields checkpoint, format, line, proof",
    with_field(line=3): "must be text",
    with_field(line="\ud800"): "half a character",
    with_field(checkpoint=None): "must be text",
    with_field(proof="ab" * 32): "list of hashes",
    with_field(proof=["ab"]): "list of hashes",
    with_field(proof=["AB" * 32]): "list of hashes",
    with_field(proof=[None]): "list of hashes",
}


@pytest.mark.parametrize("content", MALFORMED, ids=range(len(MALFORMED)))
def test_a_malformed_file_is_refused_in_words(content):
    with pytest.raises(NotVerified, match="this is not a receipt: ") as refusal:
        Receipt.from_bytes(content)
    assert MALFORMED[content] in str(refusal.value)


def test_a_line_that_is_no_json_is_refused_in_words():
    with pytest.raises(NotVerified, match="not JSON"):
        receipt(2, of=b"no json").check(KEY.public)
