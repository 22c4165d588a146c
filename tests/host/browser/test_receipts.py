"""Receipts in the browser: it believes exactly those that the command line believes."""

import base64
import hashlib
import json

import pytest

from quintain.errors import NotVerified
from quintain.journal.checkpoint import Checkpoint
from quintain.journal.receipt import Receipt
from quintain.journal.signing import SigningKey
from quintain.journal.tree import Tree, inclusion_proof, leaf_hash
from quintain_host.intake.intake import take
from quintain_host.intake.uploads_shown import receipt_for
from tests.figures.browser import NEEDED
from tests.host import contest_on_site as contest

pytestmark = NEEDED

KEY, OTHER = (SigningKey.from_seed(bytes([number] * 32)) for number in (1, 2))


def receipt(number, size, key=KEY, origin="quintain/test"):
    """The receipt of one event of a journal."""
    lines = [b'{"number": %d, "team": "red"}' % (place + 1) for place in range(size)]
    proof = inclusion_proof(list(map(leaf_hash, lines)), number - 1)
    checkpoint = Checkpoint(origin, size, Tree.of(lines).root()).signed(key)
    return Receipt(lines[number - 1], tuple(proof), checkpoint).to_bytes()


def changed(content, **fields):
    return json.dumps({**json.loads(content), **fields}).encode()


def forgeries():
    good = receipt(5, 11)
    fields = json.loads(good)
    note, proof = fields["checkpoint"], fields["proof"]
    body, _, signature = note.rpartition("\n\n")
    by_other = json.loads(receipt(5, 11, OTHER))["checkpoint"]
    other_signature = by_other.rpartition(" ")[2].strip()
    own = signature.rpartition(" ")[2].strip()
    return {
        "another team": changed(good, line=fields["line"].replace("red", "blue")),
        "another number": changed(good, line=fields["line"].replace("5", "6")),
        "a number that is no number": changed(good, line=fields["line"].replace("5", '"5"')),
        "a changed proof": changed(good, proof=[proof[0][::-1], *proof[1:]]),
        "a short proof": changed(good, proof=proof[:-1]),
        "a long proof": changed(good, proof=[*proof, proof[0]]),
        "an empty proof": changed(good, proof=[]),
        "another size": changed(good, checkpoint=note.replace("\n11\n", "\n12\n")),
        "a size with a zero": changed(good, checkpoint=note.replace("\n11\n", "\n011\n")),
        "another root": changed(good, checkpoint=json.loads(receipt(5, 12))["checkpoint"]),
        "another key": receipt(5, 11, OTHER),
        "the bytes of another signature": changed(
            good, checkpoint=note.replace(own[6:], other_signature[6:])
        ),
        "a cut signature": changed(good, checkpoint=note.replace(own, own[:-8])),
        "another origin": changed(good, checkpoint=note.replace("quintain/test", "quintain/tost")),
        "no signature": changed(good, checkpoint=f"{body}\n"),
        "a control character": changed(good, checkpoint=note.replace("\n11", "\r\n11")),
        "one more field": changed(good, more=1),
        "another format": changed(good, format="quintain.receipt/2"),
        "a list": b"[]",
        "no JSON": b"receipt",
    }


@pytest.fixture(scope="module")
def anybody(new_stage):
    """Somebody who is not signed in and opens the page for receipts."""
    person = new_stage(lanes=()).person("Ada")
    person.go("/check-receipt")
    person.page.locator("#f-contest").select_option(label="another key")
    return person


def verdict(person, content, key):
    """Whether the page calls a receipt valid."""
    result = person.page.locator("#receipt-result")
    result.evaluate("element => { delete element.dataset.valid; element.replaceChildren(); }")
    person.page.locator("#f-key").fill(key)
    file = {"name": "receipt.json", "mimeType": "application/json", "buffer": content}
    person.page.locator("#f-receipt").set_input_files(file)
    person.page.get_by_role("button", name="Check the receipt").click()
    person.page.locator("#receipt-result[data-valid]").wait_for()
    return result.get_attribute("data-valid") == "true"


def believed(content, key):
    """Whether the command line would believe a receipt."""
    try:
        return Receipt.from_bytes(content).check(key) is not None
    except NotVerified:
        return False


@pytest.mark.slow
def test_every_place_in_journals_of_every_shape_is_found(anybody):
    for size in (1, 2, 3, 4, 7, 8, 11):
        for number in {1, 2, size // 2 + 1, size - 1, size} & set(range(1, size + 1)):
            assert verdict(anybody, receipt(number, size), KEY.public), (number, size)
    anybody.sees("The receipt is valid", "quintain/test")


@pytest.mark.slow
def test_every_forgery_is_refused_as_on_the_command_line(anybody):
    assert verdict(anybody, receipt(5, 11), KEY.public)
    for name, content in forgeries().items():
        assert not believed(content, KEY.public), name
        assert not verdict(anybody, content, KEY.public), name
    assert anybody.complaints == []


WEAK = (
    "01" + "00" * 31,
    "ec" + "ff" * 30 + "7f",
    "00" * 32,
    "00" * 31 + "80",
    "ee" + "ff" * 30 + "7f",  # one, written in another way
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
)


@pytest.mark.slow
def test_keys_with_which_anybody_can_sign_are_refused(anybody):
    fields = json.loads(receipt(5, 11))
    body = fields["checkpoint"].rpartition("\n\n")[0]
    for weak in WEAK:
        public = bytes.fromhex(weak)
        number = hashlib.sha256(b"quintain/test\n\x01" + public).digest()[:4]
        for first in (bytes.fromhex(WEAK[0]), public):  # no secret key is needed for this
            signature = base64.b64encode(number + first + bytes(32)).decode()
            note = f"{body}\n\n— quintain/test {signature}\n"
            content = changed(receipt(5, 11), checkpoint=note)
            assert not believed(content, weak), weak
            assert not verdict(anybody, content, weak), weak
            anybody.sees("this public key is weak")


@pytest.mark.slow
def test_a_real_receipt_is_checked_with_the_key_of_its_contest(new_stage):
    stage = new_stage(lanes=())
    site = stage.site
    site.clock.set(contest.at(1))
    edition = contest.prepared(site)
    captain = contest.team(site, edition, "red")
    number = take(site, captain, edition, contest.release(site, edition, "red")).upload
    contest.drain(site)
    content = receipt_for(site, captain, edition, number)
    person = stage.person("Ada")
    person.go(f"/check-receipt?contest={edition}")
    key = site.folder(edition).state().key
    assert person.page.locator("#f-key").input_value() == key
    assert verdict(person, content, key)
    person.sees("release.csv", "red")
    assert not verdict(person, receipt(5, 11, KEY), key)
    assert person.complaints == []


@pytest.mark.slow
def test_a_browser_that_cannot_check_says_so(new_stage):
    person = new_stage(lanes=()).person("Ada")
    person.page.add_init_script("crypto.subtle.generateKey = () => Promise.reject(new Error())")
    person.go("/check-receipt")
    assert not verdict(person, receipt(1, 1), KEY.public)
    person.sees("cannot check signatures", "Use the command below", "quintain verify")
