"""Evidence: what teams kept reveals a history that was made anew, however well its parts fit."""

import pytest

from quintain.contests import load
from quintain.journal.checkpoint import Checkpoint
from quintain.journal.events import Submitted
from quintain.journal.receipt import Receipt
from quintain.journal.tree import Tree
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import signing_key
from quintain.runs.organising.amend import amend
from quintain.runs.organising.join import Joining, join
from quintain.runs.verification.chain import KeptEvidence
from quintain.runs.verification.verify import Verification, still_trusted, verdict, verify
from tests.runs.verification.forgery import day, guess, live_contest


def nothing_but_evidence(folder, *kept):
    """A folder that fits together: the problems that each piece of evidence shows, and no other."""
    alone = verify(folder)
    assert alone.problems == ()
    assert verdict(alone).startswith("verified against nothing published (0 of ")
    shown = [verify(folder, evidence=one, fast=True).problems for one in kept]
    assert all(len(problems) == 1 for problems in shown), shown
    return [problem for (problem,) in shown]


@pytest.mark.slow
def test_dropped_guesses_contradict_their_receipt_and_every_later_checkpoint(kept, forger):
    forger.events.pop(forger.find("submitted", team="blue", kind="guess"))
    folder = forger.finish(rescore=True)
    receipt, end = nothing_but_evidence(folder, kept.receipt("blue, guess"), kept.checkpoint("end"))
    assert receipt == (
        "blue, guess: the organisers showed team blue another history: event 10 of the journal is "
        "not the one that they signed"
    )
    assert (
        end == "end: says that the journal had 12 events; this journal has 11: events are missing"
    )
    assert verify(folder, evidence=kept.checkpoint("releases"), fast=True).problems == ()


@pytest.mark.slow
def test_true_answers_that_were_dated_back_into_the_phase_contradict_the_checkpoint(kept, forger):
    path = forger.at("secret/main/tasks/blue/truth.csv")
    files = forger.store({"blue.csv": guess(*path.read_text().splitlines()[1:6])})
    event = Submitted(team="red", track="main", phase="attack", kind="guess", files=files)
    forger.insert(forger.find("submitted", team="green", kind="guess"), event)
    (problem,) = nothing_but_evidence(forger.finish(rescore=True), kept.checkpoint("end"))
    assert problem == (
        "end: has another root than this journal after 12 events: somebody changed one of them"
    )


@pytest.mark.slow
def test_files_that_were_swapped_in_journal_and_scores_contradict_the_receipt(kept, forger):
    red, blue = (forger.find("submitted", team=team, kind="guess") for team in ("red", "blue"))
    files = forger.store({"green.csv": guess(140, 141, 142, 143, 144)})
    forger.change(red, files={**forger.events[red].files, **files})
    (problem,) = nothing_but_evidence(forger.finish(rescore=True), kept.receipt("red, guess"))
    assert "the organisers showed team red another history" in problem
    assert verify(forger.folder, evidence=kept.receipt("blue, guess"), fast=True).problems == ()
    assert blue < red


@pytest.fixture(scope="module")
def anew(tmp_path_factory):
    """The whole contest made anew with a luckier beacon, and signed with the same key."""
    return live_contest(tmp_path_factory.mktemp("anew") / "contest", beacon="1, 2, 3, 4, 5, 6")


@pytest.mark.slow
def test_a_contest_that_was_made_anew_contradicts_whatever_was_kept(kept, anew):
    receipt, checkpoint, root = nothing_but_evidence(
        Folder(anew.root),
        kept.receipt("red, release"),
        kept.checkpoint("releases"),
        kept.root_of("prepare-main"),
    )
    assert "the organisers showed team red another history: event 8 of the journal" in receipt
    assert "has another root than this journal after 8 events" in checkpoint
    assert root.endswith("at any size: the organisers published another history")


def test_the_verdict_names_the_evidence_and_what_is_left_to_trust(kept):
    evidence = KeptEvidence(
        (kept.roots["rules-1"], kept.roots["prepare-main"]), kept.receipts, kept.checkpoints
    )
    verification = verify(Folder(kept.root), evidence=evidence, fast=True)
    assert verdict(verification).startswith(
        "verified against 2 roots, 6 receipts and 2 checkpoints (12 of 12 events fixed): "
    )
    assert len(verification.matches) == 10
    assert verification.matches[0].endswith("is that of the commitment rules-1")
    assert verification.beacon == "8, 15, 23, 31, 40, 44"
    assert not any("made anew" in sentence for sentence in still_trusted(verification))


def test_a_root_of_the_journal_is_named_with_its_size(kept):
    lines = (kept.root / paths.JOURNAL).read_bytes().splitlines()
    root = Tree.of(lines[:5]).root().hex()
    verification = verify(Folder(kept.root), evidence=KeptEvidence((root,)), fast=True)
    assert verification.problems == ()
    assert verification.matches == (f"root {root} is that of the journal after 5 events",)


@pytest.mark.parametrize(
    ("name", "fixed"),
    [("releases", "the first 8 of 12 events"), ("red, release", "the first 8 of 12 events")],
)
def test_the_verdict_says_how_much_of_the_journal_the_evidence_fixes(kept, name, fixed):
    early = kept.receipt(name) if name in kept.receipts else kept.checkpoint(name)
    first, *_ = still_trusted(verify(Folder(kept.root), evidence=early, fast=True))
    assert first.startswith(f"what you gave fixes {fixed}: later ones may have been added")


def test_a_root_of_a_commitment_fixes_no_later_event(kept):
    verification = verify(Folder(kept.root), evidence=kept.root_of("rules-1"), fast=True)
    assert "the first 0 of 12 events" in next(still_trusted(verification))


def test_evidence_about_a_journal_without_events_proves_nothing(kept):
    folder, nothing = Folder(kept.root), Tree.EMPTY.root()
    empty = KeptEvidence((nothing.hex(),), checkpoints={"none": signed(folder, 0, nothing)})
    root, checkpoint = verify(folder, evidence=empty, fast=True).problems
    assert "the organisers published another history" in root
    assert checkpoint == "none: is about a journal without events, so it proves nothing"


def test_what_was_fixed_after_the_keys_were_known_is_named(forger):
    join(forger.folder, [Joining("white")], now=day(20))
    verification = verify(forger.folder, fast=True)
    assert verification.chosen == ("the id of team white",)


def test_what_is_left_to_trust_depends_on_beacon_and_evidence():
    alone, chosen, refused = still_trusted(Verification((), submissions=3))
    assert alone.startswith("all of it may have been made anew after the contest")
    assert chosen == "the keys may have been chosen: the rules announce no beacon"
    assert refused.startswith("what was refused is in no journal")
    drawn, *_ = still_trusted(
        Verification((), KeptEvidence(("ab",)), beacon="7", announced="the dice of 1 May")
    )
    assert drawn == (
        "the beacon is '7': check that it is what the rules announced (the dice of 1 May), and "
        "that the root of rules-1 was published before"
    )


def signed(folder, size, root, origin="quintain/two-roles"):
    return Checkpoint(origin, size, root).signed(signing_key(folder)).encode()


def test_two_checkpoints_that_contradict_each_other_are_found_without_the_journal(kept):
    folder = Folder(kept.root)
    other = signed(folder, 8, bytes(32))
    evidence = KeptEvidence(checkpoints={"one": kept.checkpoints["releases"], "two": other})
    problems = verify(folder, evidence=evidence, fast=True).problems
    assert "one and two contradict each other: the organisers signed two histories" in problems
    evidence = KeptEvidence(checkpoints={"early": other, "end": kept.checkpoints["end"]})
    problems = verify(folder, evidence=evidence, fast=True).problems
    assert "early and end contradict each other: the organisers signed two histories" in problems


@pytest.mark.slow
def test_a_receipt_of_another_contest_is_not_taken_for_one_of_this(kept, tmp_path):
    other = live_contest(tmp_path / "other", seed=12)
    (problem,) = verify(Folder(kept.root), evidence=other.receipt("red, guess"), fast=True).problems
    assert problem.startswith("red, guess: the checkpoint of quintain/two-roles is not signed with")
    assert problem.endswith("it is from another contest, or somebody changed it")


def test_a_receipt_that_a_team_invented_is_refused(kept):
    receipt = Receipt.from_bytes(kept.receipts["red, guess"])
    invented = Receipt(receipt.line.replace(b"05-14", b"05-13"), receipt.proof, receipt.checkpoint)
    evidence = KeptEvidence(receipts={"invented": invented.to_bytes()})
    (problem,) = verify(Folder(kept.root), evidence=evidence, fast=True).problems
    assert problem.startswith("invented: event 12 of the receipt is not in the journal of")


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b"hello\n5\nAAAA\n\n"])
def test_evidence_that_cannot_be_read_is_a_problem_in_words(kept, content):
    evidence = KeptEvidence(("xyz",), {"receipt": content}, {"checkpoint": content})
    problems = verify(Folder(kept.root), evidence=evidence, fast=True).problems
    assert [problem.partition(":")[0] for problem in problems] == [
        "the root 'xyz' does not have 64 hexadecimal digits",
        "receipt",
        "checkpoint",
    ]


@pytest.mark.slow
def test_a_version_of_the_rules_that_was_hidden_contradicts_the_checkpoint(kept, forger):
    folder = forger.folder
    rules = load(folder.at(paths.EDITION), overrides={"title": "Everybody sanitizes"})
    amend(folder, rules, "a shorter title", now=day(16))
    published = folder.at(paths.CHECKPOINT).read_bytes()
    assert verify(folder, evidence=kept.checkpoint("end")).problems[0].startswith("results/")
    folder.at("public/rules/2.json").unlink()
    folder.at("public/commitments/rules-2.json").unlink()
    (problem,) = nothing_but_evidence(
        forger.finish(rescore=True), KeptEvidence(checkpoints={"amended": published})
    )
    assert problem.startswith("amended: says that the journal had 13 events; this journal has 12")
