"""Commit and reveal: what binds the organiser, and what it gives away before (nothing)."""

import hashlib
import time
from itertools import combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quintain.commitment import NONCE_BYTES, Commitment, leaf, merkle_root, nonce, sha256
from quintain.errors import NotVerified

KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))
contents = st.binary(max_size=40)
names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
folders = st.dictionaries(names, contents, min_size=1, max_size=7)


def h(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


# --- leaves and nonces ----------------------------------------------------------------------------


def test_a_leaf_is_the_published_formula():
    salt = bytes(range(32))
    expected = hashlib.sha256(b"\x00" + salt + hashlib.sha256(b"secret").digest()).hexdigest()
    assert leaf(b"secret", salt) == expected


@pytest.mark.parametrize("size", [0, 16, 31, 33])
def test_a_nonce_of_another_size_is_refused(size):
    with pytest.raises(NotVerified, match=f"a nonce is 32 bytes, not {size}"):
        leaf(b"secret", bytes(size))


@settings(deadline=None)
@given(names, names)
def test_every_path_and_every_key_has_a_nonce_of_its_own(path, other):
    assert len(nonce(KEY, path)) == NONCE_BYTES
    assert nonce(KEY, path) != nonce(OTHER_KEY, path)
    assert (nonce(KEY, path) == nonce(KEY, other)) == (path == other)


def test_equal_files_have_different_leaves():
    commitment = Commitment.over({"a/truth.csv": b"same", "b/truth.csv": b"same"}, KEY)
    assert commitment.leaves["a/truth.csv"] != commitment.leaves["b/truth.csv"]


def balanced_truths(size):
    """Every file that says of half of the targets that they are members."""
    rows = [(f"{target},0\n".encode(), f"{target},1\n".encode()) for target in range(size)]
    for members in combinations(range(size), size // 2):
        lines = [row[0] for row in rows]
        for target in members:
            lines[target] = rows[target][1]
        yield b"target,member\n" + b"".join(lines)


@pytest.fixture(scope="module")
def candidates():
    """Every truth about 20 targets of which 10 are members."""
    return list(balanced_truths(20))


@pytest.fixture(scope="module")
def truth(candidates):
    return candidates[123_456]


@pytest.mark.slow
def test_an_unsalted_hash_of_twenty_labels_is_undone_by_trying_them_all(candidates, truth):
    assert len(candidates) == 184_756
    start = time.process_time()
    published = hashlib.sha256(truth).digest()
    matches = [file for file in candidates if hashlib.sha256(file).digest() == published]
    assert matches == [truth]
    assert time.process_time() - start < 5


def test_a_salted_leaf_of_twenty_labels_is_not_undone_before_the_reveal(candidates, truth):
    # An attacker knows the path, the formula and the public files, but no nonce.
    commitment = Commitment.over({"truth.csv": truth}, KEY)
    public = commitment.leaves["truth.csv"]
    tried = {sha256(file) for file in candidates}
    assert public not in tried
    assert commitment.root not in tried
    for salt in (bytes(32), h(b"truth.csv"), nonce(b"", "truth.csv"), bytes.fromhex(public)):
        assert leaf(truth, salt) != public


@pytest.mark.slow
def test_a_salted_leaf_fits_one_file_alone_after_the_reveal(candidates, truth):
    public = Commitment.over({"truth.csv": truth}, KEY).leaves["truth.csv"]
    salt = nonce(KEY, "truth.csv")
    assert [file for file in candidates[:150_000] if leaf(file, salt) == public] == [truth]


# --- the root -------------------------------------------------------------------------------------


@pytest.fixture
def leaves():
    return {name: sha256(name.encode()) for name in "edcba"}


def node(leaves, name):
    return h(b"\x02", name.encode(), b"\x00", bytes.fromhex(leaves[name]))


def first(leaves, count):
    return {name: leaves[name] for name in "abcde"[:count]}


def test_the_root_of_nothing_is_the_hash_of_nothing():
    assert merkle_root({}) == hashlib.sha256(b"").hexdigest()


def test_the_root_of_one_leaf_binds_its_path(leaves):
    assert merkle_root(first(leaves, 1)) == node(leaves, "a").hex()


def test_the_root_of_two_leaves_is_one_pair(leaves):
    assert merkle_root(first(leaves, 2)) == h(b"\x01", node(leaves, "a"), node(leaves, "b")).hex()


def test_a_third_leaf_goes_up_alone(leaves):
    ab = h(b"\x01", node(leaves, "a"), node(leaves, "b"))
    assert merkle_root(first(leaves, 3)) == h(b"\x01", ab, node(leaves, "c")).hex()


def test_a_fifth_leaf_goes_up_alone_twice(leaves):
    ab = h(b"\x01", node(leaves, "a"), node(leaves, "b"))
    cd = h(b"\x01", node(leaves, "c"), node(leaves, "d"))
    assert merkle_root(leaves) == h(b"\x01", h(b"\x01", ab, cd), node(leaves, "e")).hex()


def test_a_lone_leaf_is_not_the_same_as_that_leaf_twice(leaves):
    # The flaw of trees that fill up a level by repeating its last node.
    doubled = {"a": leaves["a"], "b": leaves["b"], "c": leaves["c"], "cc": leaves["c"]}
    assert merkle_root(first(leaves, 3)) != merkle_root(doubled)


def test_a_node_inside_the_tree_cannot_pass_for_a_leaf(leaves):
    ab = h(b"\x01", node(leaves, "a"), node(leaves, "b")).hex()
    assert merkle_root({"ab": ab, "c": leaves["c"]}) != merkle_root(first(leaves, 3))


@settings(deadline=None)
@given(folders, st.randoms())
def test_the_order_of_the_files_does_not_matter(files, random):
    items = list(files.items())
    random.shuffle(items)
    assert Commitment.over(dict(items), KEY) == Commitment.over(files, KEY)


@pytest.mark.slow
@settings(deadline=None)
@given(folders, st.data())
def test_any_other_content_gives_another_root(files, data):
    path = data.draw(st.sampled_from(sorted(files)))
    content = data.draw(contents)
    assume(content != files[path])
    changed = Commitment.over({**files, path: content}, KEY)
    assert changed.root != Commitment.over(files, KEY).root


@pytest.mark.slow
@settings(deadline=None)
@given(folders, names, st.data())
def test_any_other_path_gives_another_root_even_with_the_same_leaf(files, name, data):
    assume(name not in files)
    path = data.draw(st.sampled_from(sorted(files)))
    leaves = Commitment.over(files, KEY).leaves
    renamed = {name if known == path else known: value for known, value in leaves.items()}
    assert merkle_root(renamed) != merkle_root(leaves)


@settings(deadline=None)
@given(folders)
def test_any_other_key_gives_another_root(files):
    assert Commitment.over(files, OTHER_KEY).root != Commitment.over(files, KEY).root


@pytest.mark.slow
@settings(deadline=None)
@given(folders, names, contents)
def test_one_file_more_gives_another_root(files, name, content):
    assume(name not in files)
    more = Commitment.over({**files, name: content}, KEY)
    assert more.root != Commitment.over(files, KEY).root


@pytest.mark.slow
@settings(deadline=None)
@given(folders)
def test_two_files_that_change_places_give_another_root(files):
    assume(len(set(files.values())) > 1)
    one, other = next(p for p in combinations(sorted(files), 2) if files[p[0]] != files[p[1]])
    swapped = {**files, one: files[other], other: files[one]}
    assert Commitment.over(swapped, KEY).root != Commitment.over(files, KEY).root


# --- the published file ---------------------------------------------------------------------------


@settings(deadline=None)
@given(folders)
def test_every_revealed_file_checks_out(files):
    commitment = Commitment.over(files, KEY)
    assert commitment.check_root()
    assert all(
        commitment.check_digest(p, sha256(content), nonce(KEY, p)) for p, content in files.items()
    )


def test_a_file_that_was_changed_moved_or_never_committed_to_does_not_check_out():
    commitment = Commitment.over({"a": b"one", "b": b"two"}, KEY)
    assert not commitment.check_digest("a", sha256(b"onf"), nonce(KEY, "a"))
    assert not commitment.check_digest("a", sha256(b"two"), nonce(KEY, "b"))
    assert not commitment.check_digest("b", sha256(b"one"), nonce(KEY, "a"))
    assert not commitment.check_digest("a", sha256(b"one"), nonce(OTHER_KEY, "a"))
    assert not commitment.check_digest("c", sha256(b"one"), nonce(KEY, "c"))


def test_a_single_file_can_be_revealed_with_its_nonce_alone():
    commitment = Commitment.over({"red/truth.csv": b"1", "blue/truth.csv": b"0"}, KEY)
    assert commitment.check_digest("red/truth.csv", sha256(b"1"), nonce(KEY, "red/truth.csv"))
    assert not commitment.check_digest("blue/truth.csv", sha256(b"0"), nonce(KEY, "red/truth.csv"))


def test_leaves_that_do_not_give_the_root_are_found_out():
    commitment = Commitment.over({"a": b"one", "b": b"two"}, KEY)
    other = Commitment.over({"a": b"one", "b": b"TWO"}, KEY)
    assert not commitment.model_copy(update={"leaves": other.leaves}).check_root()
    assert not commitment.model_copy(update={"root": other.root}).check_root()


@settings(deadline=None)
@given(folders)
def test_a_commitment_survives_its_file(files):
    commitment = Commitment.over(files, KEY)
    assert Commitment.model_validate_json(commitment.to_bytes()) == commitment


def test_the_published_file_holds_neither_key_nor_nonce_nor_content():
    text = Commitment.over({"truth.csv": b"secret labels"}, KEY).to_bytes()
    for hidden in (KEY.hex(), nonce(KEY, "truth.csv").hex(), sha256(b"secret labels")):
        assert hidden.encode() not in text
