"""Who is in a release: identities are found in plain words and in codes, and chance is not."""

import base64
import hashlib
import zlib

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from quintain.audits.checks.identities import search_identities
from quintain.audits.release import audit_release

COUNT = 60


def md5(text):
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def sha(text, name="sha256"):
    return hashlib.new(name, text.encode(), usedforsecurity=False).hexdigest()


def people(start, count=COUNT):
    """Invented people with an id, a name and a date of birth."""
    names = ["Zoé", "Anna", "Marc", "Lena", "Paul", "Nora"]
    rows = range(start, start + count)
    return pd.DataFrame(
        {
            "id": [str(7_000_003 + 7919 * (row * row % 1009) + row) for row in rows],
            "name": [
                f"{names[row % 6]} Besson{chr(97 + row % 26)}{chr(97 + row // 26)}" for row in rows
            ],
            "birth": [
                f"{1930 + row * 7 % 70}-{1 + row % 12:02}-{1 + row * 5 % 28:02}" for row in rows
            ],
            "town": [["Yarm", "Kelso", "Thun"][row % 3] for row in rows],
        }
    )


def columns(frame):
    return {name: pa.chunked_array([frame[name].astype(str).tolist()]) for name in frame}


def look(codes, **more):
    release = {"code": pa.chunked_array([[str(code) for code in codes]])}
    return search_identities(
        columns(people(0)), release, columns(people(100)), compared=("town",), **more
    )


CODES = {
    "as it is": lambda row: row["name"],
    "other spelling": lambda row: f"  {row['name'].upper()}, ",
    "part of a file name": lambda row: f"scan_{row['name'].lower().replace(' ', '-')}.jpg",
    "md5": lambda row: md5(row["name"]),
    "md5 of small letters": lambda row: md5(row["name"].lower()).upper(),
    "part of sha1": lambda row: sha(row["name"], "sha1")[:12],
    "sha512 of an id": lambda row: sha(row["id"], "sha512"),
    "pair": lambda row: sha(f"{row['name']}|{row['birth']}"),
    "pair with another date": lambda row: md5(
        row["name"].upper() + "".join(reversed(row["birth"].split("-")))
    ),
    "crc32": lambda row: zlib.crc32(row["name"].encode()),
    "base64": lambda row: base64.b64encode(row["name"].encode()).decode(),
    "hex": lambda row: row["name"].encode().hex(),
    "backwards": lambda row: row["name"][::-1],
    "behind decimals": lambda row: f"61.40{row['id']}",
}


@pytest.mark.parametrize("kind", CODES)
def test_identities_are_found_and_those_of_strangers_are_not(kind):
    found = look([CODES[kind](row) for _, row in people(0).iterrows()])
    assert len(found.proofs) == 1
    assert found.finds[0].people >= 50
    strangers = look([CODES[kind](row) for _, row in people(300).iterrows()])
    assert strangers.proofs == ()
    assert not any(sign.alarm for sign in strangers.signs)


def test_a_release_that_names_original_and_control_knows_the_control():
    everybody = pd.concat([people(0), people(100)])
    found = look([md5(name) for name in everybody["name"]])
    assert found.proofs == ()
    assert [sign.alarm for sign in found.signs] == [True]


def test_a_public_value_names_nobody():
    found = look([md5(town) for town in people(0)["town"]])
    assert found.proofs == found.notes == ()


def test_chance_agreement_is_no_proof():
    rng = np.random.default_rng(0)
    proved = 0
    for _ in range(100):
        numbers = pa.array((rng.permutation(400) + 10_000).astype(str))
        released = pa.array((rng.permutation(400)[:200] + 10_000).astype(str))
        sides = [
            {"id": pa.chunked_array([own])} for own in (numbers[:200], released, numbers[200:])
        ]
        proved += bool(search_identities(*sides).proofs)
    assert proved <= 2  # the test errs in 1 of 1,000


def test_without_a_control_hashes_are_a_proof_unless_people_share_names():
    release = {"code": pa.chunked_array([[md5(name) for name in people(0)["name"]]])}
    assert len(search_identities(columns(people(0)), release).proofs) == 1
    twice = pd.concat([people(0), people(0)])
    assert search_identities(columns(twice), release).proofs == ()


@pytest.mark.parametrize(
    ("first", "verdicts"), [(0, {"unsafe"}), (300, {"cannot-say", "nothing-found"})]
)
def test_hashed_names_decide_the_verdict(first, verdicts):
    def make(start, rng):
        frame = people(start)
        return frame.assign(x=rng.normal(size=COUNT), g=rng.choice(list("ab"), COUNT))[
            ["name", "town", "x", "g"]
        ]

    rng = np.random.default_rng(3)
    original, control, release = (make(start, rng) for start in (0, 100, first))
    release["name"] = [md5(name) for name in release["name"]]
    release["town"] = rng.permutation(release["town"])
    audit = audit_release(original, release, control, permutations=19)
    assert audit.verdict in verdicts
    assert ("md5 of 'name'" in audit.reasons[0]) == (first == 0)
