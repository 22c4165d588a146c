"""Verify: replay a contest from a revealed folder, and compare everything in it.

Anybody can run this. It trusts nothing that the organisers made: the journal must be one that the
rules allow, and everything else is made again from the revealed keys, the rules and the files that
the teams submitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from quintain.contests import Edition
from quintain.errors import QuintainError
from quintain.figures.format import count, listed
from quintain.jobs.executor import SERIAL, Executor
from quintain.journal.events import Event, Joined, Prepared, Rules, Submitted
from quintain.journal.state import State
from quintain.programs.choice import STRANGERS, Containment
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import committed_files, origin, roots
from quintain.runs.folder.secrets import Secrets
from quintain.runs.folder.withheld import Withheld, read_withheld
from quintain.runs.verification.attack_scores import AttackScores
from quintain.runs.verification.chain import (
    Comparison,
    JournalChain,
    KeptEvidence,
    read_chain,
    wrong_salts,
)
from quintain.runs.verification.committed import (
    Committed,
    Inputs,
    check_commitments,
    check_published,
    one_line,
    read_inputs,
)
from quintain.runs.verification.judgement import check_events, wrong_cohorts
from quintain.runs.verification.replay import Replay, Rerun, check_results, new_copy, same_files
from quintain.runs.verification.without import BoardPair, boards_without


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked, and every problem.

    Parameters
    ----------
    problems : whatever is not as it should be, in words.
    matches : what each piece of evidence is about.
    notes : what could not be checked, and why.
    excepted : for each team, what its programs make otherwise here; nobody knows whose doing it is.
    boards : if there are such teams, every board with them and without.
    roots : the root of each commitment, by stage.
    size, root : the number of events of the journal, and the root of its tree.
    fixed : how many of the events the evidence fixes; organisers could still change the later ones.
    chosen : what the organisers fixed when they knew the keys, in words.
    announced, beacon : what the rules announce as a beacon, and its value.
    test : whether the keys come from a public seed.
    withheld : how many committed files the archive leaves out, because the rules keep the original
        data secret.
    cells : of an archive without data, how many scores of attacks were measured again.
    """

    problems: tuple[str, ...]
    evidence: KeptEvidence = field(default_factory=KeptEvidence)
    matches: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    excepted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    boards: tuple[BoardPair, ...] = ()
    files: int = 0
    submissions: int = 0
    roots: Mapping[str, str] = field(default_factory=dict)
    size: int = 0
    root: str = ""
    fixed: int = 0
    chosen: tuple[str, ...] = ()
    announced: str = ""
    beacon: str = ""
    test: bool = False
    withheld: int = 0
    cells: int = 0

    @property
    def complete(self) -> bool:
        """Whether nothing is left open: everything was checked, and every event is fixed."""
        unsure = self.problems or self.notes or self.excepted
        return not unsure and self.fixed == self.size


def verify(
    folder: Folder,
    *,
    evidence: KeptEvidence | None = None,
    executor: Executor = SERIAL,
    fast: bool = False,
    containment: Containment = STRANGERS,
) -> Verification:
    """Check a revealed folder.

    Parameters
    ----------
    evidence : what somebody kept from the time of the contest.
    fast : compare hashes and score again, but do not make samples, releases and hand-overs again.
    containment : what contains the teams' programs when they run again.
    """
    folder.require_secrets()
    chain = read_chain(folder.at(paths.JOURNAL))
    check = _Check(folder, chain, executor, containment)
    if not chain.problems:
        check.contest(fast=fast)
    state, last = check.state, check.last_rules()
    kept = KeptEvidence() if evidence is None else evidence
    evidence = kept.with_timestamps_of(folder.root)
    comparison = Comparison(chain, roots(state), state.key, "" if last is None else origin(last))
    if chain.lines:
        check.problems += _list_problems("the evidence", comparison.compare(evidence))
        check.notes += comparison.notes
    return Verification(
        tuple(check.problems),
        evidence,
        tuple(comparison.matches),
        tuple(check.notes),
        {team: tuple(sentences) for team, sentences in check.excepted.items()},
        tuple(check.boards),
        files=len(committed_files(folder.root)),
        submissions=sum(isinstance(event, Submitted) for event in chain.events),
        roots=comparison.stages,
        size=len(chain.lines),
        root=chain.roots()[-1],
        fixed=comparison.fixed,
        chosen=tuple(_describe_choices(chain.events, check.inputs.rules)),
        announced="" if last is None else last.commitment.beacon,
        beacon=state.beacon,
        test=check.keys is not None and check.keys.test,
        withheld=check.withheld,
        cells=check.cells,
    )


def _describe_choices(events: Iterable[Event], rules: Mapping[int, Edition]) -> Iterator[str]:
    """What samples depend on and was fixed when the organisers could already compute them."""
    first = {team.id for team in rules[1].team} if 1 in rules else set()
    version = 1
    for event in events:
        match event:
            case Rules():
                version = event.version
            case Prepared() if version > 1:
                yield f"version {version} of the rules, under which track {event.track} was drawn"
            case Joined() if event.commitment and event.team not in first and not event.built_in:
                yield f"the id of team {event.team}"


class _Check:
    """The steps of a verification; a step that breaks is a problem, never a crash."""

    def __init__(
        self, folder: Folder, chain: JournalChain, executor: Executor, containment: Containment
    ) -> None:
        self.folder, self.chain, self.executor = folder, chain, executor
        self.containment = containment
        self.problems, self.notes = list(chain.problems), list[str]()
        self.excepted: dict[str, list[str]] = {}
        self.boards: list[BoardPair] = []
        self.state = State() if chain.problems else State.of(chain.events)
        self.keys: Secrets | None = None
        self.withheld = self.cells = 0
        self.inputs = Inputs({}, ())

    def last_rules(self) -> Edition | None:
        """The last version of the rules, if it can be read."""
        return self.inputs.rules.get(len(self.state.rules))

    def contest(self, *, fast: bool) -> None:
        """Check everything, as far as what came before allows it."""
        folder, chain = self.folder, self.chain
        try:
            withheld = read_withheld(folder)
        except QuintainError as problem:
            self.problems.append(f"{paths.WITHHELD}: cannot be read: {one_line(problem)}")
            return
        if withheld is not None:
            self._contest_without_data(withheld)
            return
        try:
            self.keys = folder.committed_secrets()
        except QuintainError as problem:
            self.problems.append(f"{paths.SEEDS}: cannot be read: {one_line(problem)}")
            return
        salts = list(wrong_salts(chain.events, self.keys.nonce_key()))
        if len(salts) == len(chain.events):
            self.problems.append(f"{paths.SEEDS}: these are not the keys of the journal")
            return
        self.inputs = read_inputs(folder, chain.events)
        self.problems += [*salts, *self.inputs.problems]
        self.notes += self.inputs.notes
        committed = check_commitments(folder, chain.events, self.keys.nonce_key())
        if self.inputs.problems:
            self.problems += committed.all_problems()
            return
        impossible = _list_problems(paths.JOURNAL, check_events(chain.events, self.inputs.rules))
        impossible += wrong_cohorts(chain.events, self.inputs.rules, folder)
        self.problems += impossible
        if impossible:
            self.problems += committed.all_problems()
        elif fast:
            self._compare_hashes(committed)
        else:
            self._replay(committed)
        self._compare_published()

    def _compare_published(self) -> None:
        last = self.last_rules()
        if last is not None:
            published = check_published(self.folder, self.chain, self.state, last)
            self.problems += _list_problems(paths.PUBLIC, published)

    def _contest_without_data(self, withheld: Withheld) -> None:
        """Check what an archive without data has, and say what nobody outside can check."""
        folder, chain = self.folder, self.chain
        self.inputs = read_inputs(folder, chain.events, withheld)
        self.problems += self.inputs.problems
        committed = check_commitments(folder, chain.events, withheld)
        self.withheld = len(committed.withheld)
        self.problems += committed.all_problems()
        last = self.last_rules()
        if last is not None and last.reveal != "without-data":
            self.problems.append(
                f"{paths.WITHHELD}: the rules publish the data, and this archive has none"
            )
        if not self.inputs.problems:
            judged = check_events(chain.events, self.inputs.rules)
            self.problems += _list_problems(paths.JOURNAL, judged)
        if not self.problems:
            again = AttackScores(folder, self.executor)
            self.problems += _list_problems(paths.MATRIX, again.problems())
            self.cells = again.checked
        self._compare_published()
        files = count(self.withheld, "committed file")
        self.notes += [
            *self.inputs.notes,
            f"the rules keep the original data secret, so {files} are not in this archive: the "
            "data, the private samples, the full rules and the keys; their commitments are "
            "those that were published",
            *NOT_WITHOUT_DATA,
        ]

    def _compare_hashes(self, committed: Committed) -> None:
        """Score again, with every other file as it is."""
        self.problems += committed.all_problems()
        with same_files(self.folder) as copy:
            self._score(copy)

    def _replay(self, committed: Committed) -> None:
        """Make everything again, and say of every file where it differs."""
        rules = self.inputs.rules
        with new_copy(self.folder, rules) as copy:
            rerun = Rerun(self.folder, copy, self.executor, self.containment)
            again = Replay(self.folder, copy, rules, committed.leaves, self.executor, rerun)
            replayed = _list_problems(paths.JOURNAL, again.run(self.chain))
            self.problems += [
                *committed.problems,
                *_name_damage(committed.damaged, again),
                *replayed,
            ]
            self._score(copy)
            if not self.problems:
                self.problems += _list_problems(paths.JOURNAL, self._except_programs(rerun))
            self.notes += rerun.notes

    def _except_programs(self, rerun: Rerun) -> Iterator[str]:
        """Note what programs make otherwise, and the boards without it; this is not a problem."""
        for track in rerun.copy.edition().track:
            rerun.look_for_more(track, "guess")
            if self.state.frozen is not None:
                yield from rerun.look_for_answers(track)
        self.excepted = rerun.excepted
        if self.excepted:
            self.boards += boards_without(rerun.copy, self.excepted, executor=self.executor)
        yield from ()

    def _score(self, copy: Folder) -> None:
        if not self.problems:
            results = check_results(self.folder, copy, self.executor)
            self.problems += _list_problems(paths.RESULTS, results)
            self.notes += [
                f"{name}: scoring does not make this file, so nothing in it is verified"
                for name in paths.files_below(self.folder.root, paths.RESULTS)
                if name not in paths.SCORES
            ]


def _name_damage(damaged: Mapping[str, str], again: Replay) -> Iterator[str]:
    """One sentence for each file that is not what it should be."""
    for name in sorted({*damaged, *again.changed, *again.misplaced}):
        how = again.changed.get(name, "")
        if name in damaged:
            yield f"{name}: {damaged[name]}" + (f"; {how}" if how else "")
        elif how:
            yield f"{name}: differs when made again: {how}"
        else:
            yield f"{name}: {again.misplaced[name]}"


def _list_problems(place: str, problems: Iterable[str]) -> list[str]:
    """What a check yields; what a damaged or hostile file does to it is a problem, too."""

    def each() -> Iterator[str]:
        try:
            yield from problems
        except MemoryError:  # the limit ends the whole verification; it says nothing about a file
            raise
        except Exception as error:
            yield f"{place}: cannot be checked any further: {one_line(error)}"

    return list(each())


# Verdict: what a verification means in words, and what a verifier still has to trust.


NOT_WITHOUT_DATA = (
    "nobody outside could check, without the data: that samples, releases and answers were made "
    "by the rules; utility and gates; what built-in players answer; in which cohort a team is; "
    "ranks, as far as they follow from these",
    "the salts of the journal's events could not be checked without the keys",
)
"""What an archive without data leaves open; a verifier who is shown the data can check it."""

NOT_REPLAYED = (
    "not checked, because of --fast: samples, releases, truths and hand-overs made again from the "
    "keys; the contents of submissions; what programs make"
)


def roots_in_words(verification: Verification) -> Iterator[str]:
    """The roots that a reader can compare with what was published."""
    for stage, root in verification.roots.items():
        yield f"commitment {stage}: root {root}"
    yield f"journal: {count(verification.size, 'event')}, root {verification.root}"


def verdict(verification: Verification) -> str:
    """One sentence: whether the folder is verified, and against what."""
    if verification.problems:
        return f"NOT verified: {count(len(verification.problems), 'problem')}"
    scores = (
        f"{count(verification.cells, 'score')} of attacks"
        if verification.withheld
        else "all scores and rankings"
    )
    checked = (
        f"{count(verification.files, 'committed file')}, "
        f"{count(verification.submissions, 'submission')}, {scores}"
    )
    notes = count(len(verification.notes), "note")
    limits = f"; {notes} above: not everything could be checked" if verification.notes else ""
    fixed = f"{verification.fixed} of {count(verification.size, 'event')} fixed"
    against = str(verification.evidence) or "nothing published"
    fits = "" if verification.evidence else " fit together"
    unsure = [f"the program of {team}" for team in sorted(verification.excepted)]
    excepted = f", except what {listed(unsure)} made" if unsure else ""
    far = " as far as an archive without data allows," if verification.withheld else ""
    return f"verified{far} against {against} ({fixed}){excepted}: {checked}{fits}{limits}"


def still_trusted(verification: Verification) -> Iterator[str]:
    """What no replay can show; each sentence says what would."""
    if not verification.evidence:
        yield (
            "all of it may have been made anew after the contest: give a root, a receipt or a "
            "checkpoint that somebody kept (--root, --receipt, --checkpoint)"
        )
    elif verification.fixed < verification.size:
        yield (
            f"what you gave fixes the first {verification.fixed} of "
            f"{count(verification.size, 'event')}: later ones may have been added, changed or "
            "left out since; give a later checkpoint"
        )
    if verification.evidence.only_of_the_archive:
        yield (
            "timestamps show that this history was there at their times, not that it was the only "
            "one: compare the checkpoints with those that teams kept"
        )
    if verification.test:
        yield "the keys come from a public seed: this is a rehearsal, and it protects nobody"
    elif not verification.beacon:
        yield "the keys may have been chosen: the rules announce no beacon"
    else:
        yield (
            f"the beacon is {verification.beacon!r}: check that it is what the rules announced "
            f"({verification.announced}), and that the root of rules-1 was published before"
        )
        if verification.chosen:
            yield (
                "samples depend on what was fixed after the beacon was known, and may have been "
                f"chosen by it: {', '.join(verification.chosen)}"
            )
    if verification.submissions:
        yield (
            "what was refused is in no journal: a team that was turned away wrongly has no receipt"
        )
