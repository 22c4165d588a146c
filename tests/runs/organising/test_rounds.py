"""Rounds: prepared, handed over and shown one after the other, nothing before its time."""

import pytest

from quintain.errors import PhaseClosed, Refused
from quintain.jobs.files import write_file
from quintain.kit.kit import kit_bytes
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.organising.amend import extend
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.join import Joining, join
from quintain.runs.organising.prepare import prepare
from quintain.runs.submissions.rounds import round_files
from quintain.runs.submissions.submit import admission_for, examine, submit
from tests.kit.conftest import unpacked
from tests.runs.organising.live_cases import TWO_ROUNDS, at, everything, guess, release, two_rounds


def test_an_answer_about_the_own_release_is_told_not_to_count(contest):
    for team in ("red", "blue"):
        release(contest, team, 1)
    hand_over(contest, "pre", now=at(2))
    files = {f"{name}.csv": b"row\n0\n1\n2\n3\n4\n" for name in ("red", "blue")}
    accepted = submit(contest, "red", files, track="pre", now=at(3))
    first = accepted.warnings()[0]
    assert first == "red.csv is about your own release: the answer does not count"


def of_track(names, track):
    """The files of a track, wherever they are."""
    return [name for name in names if f"/{track}/" in name or name.endswith(f"-{track}.json")]


def opened(folder, team, now, tmp_path):
    """The kit of a team, unpacked."""
    for name, content in unpacked(kit_bytes(folder, team, now=now)).items():
        write_file(tmp_path / "kit" / name, content)
    return Folder(tmp_path / "kit")


def test_only_the_rounds_that_have_begun_are_prepared(contest):
    assert list(contest.state().prepared) == ["pre"]
    assert of_track(everything(contest.root), "main") == []
    prepare(contest, now=at(4))
    assert list(contest.state().prepared) == ["pre"]
    prepare(contest, now=at(5, 0))
    assert list(contest.state().prepared) == ["pre", "main"]


def test_before_the_contest_begins_its_first_round_is_prepared(tmp_path):
    folder = two_rounds(tmp_path / "two-rounds", now=at(-30))
    assert list(folder.state().prepared) == ["pre"]


def test_preparing_again_changes_nothing(contest):
    before = everything(contest.root)
    prepare(contest, now=at(1))
    assert everything(contest.root) == before


def test_a_round_is_handed_over_once_and_only_when_its_phase_is_over(contest):
    release(contest, "red", 1)
    before = everything(contest.root)
    with pytest.raises(PhaseClosed, match="anonymize of track pre is open until 2026-05-02 00:00"):
        hand_over(contest, "pre", now=at(1))
    with pytest.raises(Refused, match="track main is not prepared yet: run quintain prepare"):
        hand_over(contest, "main", now=at(9))
    assert everything(contest.root) == before
    assert hand_over(contest, now=at(2)) == "pre"
    with pytest.raises(Refused, match="the releases of track pre were handed over already"):
        hand_over(contest, "pre", now=at(2))


def test_the_population_is_public_after_the_hand_over_and_no_earlier(contest):
    release(contest, "red", 1)
    assert not contest.at(paths.base("pre")).exists()
    hand_over(contest, now=at(2))
    assert contest.at(paths.base("pre")).is_file()
    assert of_track(everything(contest.root), "main") == []


def test_the_hand_over_ends_a_phase_without_dates(tmp_path):
    undated = "\n".join(
        line for line in TWO_ROUNDS.splitlines() if not line.startswith(("opens", "closes"))
    )
    folder = two_rounds(tmp_path / "two-rounds", undated)
    assert list(folder.state().prepared) == ["pre", "main"]
    submit_release(folder, "red", "pre")
    hand_over(folder, "pre", now=at(2))
    before = everything(folder.root)
    with pytest.raises(
        PhaseClosed, match="the releases of track pre were handed over at 2026-05-02"
    ):
        submit_release(folder, "blue", "pre")
    assert everything(folder.root) == before
    submit_release(folder, "blue", "main")


def submit_release(folder, team, track):
    private = folder.at(paths.team_sample(team, track)).read_bytes()
    submit(folder, team, {"release.csv": private}, track=track, kind="release", now=at(2))


def test_a_round_that_is_not_prepared_cannot_be_exported(contest):
    pre, main = contest.edition().track
    assert "pre_base.csv" in round_files(contest, pre)
    with pytest.raises(Refused, match="track main is not prepared yet"):
        round_files(contest, main)


def test_nobody_submits_to_a_round_that_is_not_prepared(contest):
    with pytest.raises(PhaseClosed, match="track main is not prepared yet"):
        submit(contest, "red", {"release.csv": b""}, track="main", kind="release", now=at(5))


def test_a_kit_has_nothing_of_a_round_before_it_begins(contest):
    prepare(contest, tracks=["main"], now=at(2))  # too early, but the organisers may
    early = unpacked(kit_bytes(contest, "red", now=at(4)))
    assert of_track(early, "main") == ["public/commitments/prepare-main.json"]
    assert of_track(early, "pre") != []
    assert "It begins at 2026-05-05 00:00 UTC" in early["README.md"].decode()
    later = unpacked(kit_bytes(contest, "red", now=at(5, 0)))
    assert {"teams/red/main/private.csv", "public/main/schema.json"} < set(later)
    assert "example/main/anonymize/release.csv" in later
    assert "It begins" not in later["README.md"].decode()


def test_the_kit_of_a_late_team_knows_the_team_and_the_extended_phase(contest, tmp_path):
    join(contest, [Joining("green")], now=at(1))
    extend(contest, "anonymize", at(3, 0), "the site was down", track="pre", now=at(1))
    kit = opened(contest, "green", at(2), tmp_path)
    assert not kit.at(paths.JOURNAL).exists()
    assert kit.at(paths.CHECKPOINT).read_bytes() == contest.at(paths.CHECKPOINT).read_bytes()
    assert kit.state().roster.ids == ("red", "blue", "green")
    files = {"release.csv": kit.at(paths.team_sample("green", "pre")).read_bytes()}
    admission = admission_for(kit, "green", track="pre", now=at(2))
    assert admission.obstacles(files) == []
    assert not examine(kit, admission, files).faults
    assert admission_for(kit, "green", track="pre", now=at(4)).phase.id == "attack"


def test_what_is_handed_over_depends_on_the_journal_up_to_then(played_round):
    event = played_round.state().handed_over["pre"]
    assert event.size == 6
    assert played_round.owners(played_round.edition().track[0]) == {"blue": "blue", "red": "red"}
    with pytest.raises(PhaseClosed, match="were handed over at"):
        submit_release(played_round, "red", "pre")
    guess(played_round, "red", 3)
