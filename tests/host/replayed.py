"""Replayed: what happened on a site, once more with the functions of the command line.

The new folder gets the edition file, the keys and the files that teams sent, and nothing else. The
same steps at the same times must then write the same bytes.
"""

import shutil
from collections.abc import Callable
from functools import singledispatchmethod
from pathlib import Path

from quintain.journal import events
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import signing_key
from quintain.runs.folder.rules import write_public_key
from quintain.runs.organising.amend import extend, extend_for_team, limit
from quintain.runs.organising.close import sign_closings
from quintain.runs.organising.decide import Subject, decide
from quintain.runs.organising.freeze import freeze, reveal
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.join import Joining, join
from quintain.runs.organising.prepare import fix_rules, prepare
from quintain.runs.organising.repeat import repeat_programs
from quintain.runs.score import score
from quintain.runs.submissions.counting import choose, file_of
from quintain.runs.submissions.submit import submit
from quintain.runs.tasks.programs import run_programs
from quintain_host.work.closing import GRACE

KEYS = (paths.EDITION, paths.SEEDS, paths.SIGNING_KEY)
RESULTS = (paths.JOURNAL, paths.STANDINGS, paths.CELLS, paths.MATRIX, paths.REPORT, paths.EVENTS)


class Replayed:
    """A contest of a site, played again by the command line's functions.

    Parameters
    ----------
    source : the folder of the edition on the site.
    after_each : called after every event, for what a terminal would do in between.
    """

    def __init__(
        self, source: Folder, root: Path, after_each: Callable[[Folder], object] | None = None
    ) -> None:
        for name in KEYS:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source.at(name), root / name)
        self.source, self.folder = source, Folder(root)
        write_public_key(root, signing_key(self.folder).public)
        for event in source.journal().events():
            if self.folder.journal().size() < event.number:  # one step may write several events
                self._do(event)
            self._sign_closings(event.number)
            if after_each is not None:
                after_each(self.folder)

    def _sign_closings(self, size: int) -> None:
        """Sign what the site signed when the journal had this many events, at the same times.

        No event says when: the checkpoints do, and what else the site signed stands in their lines.
        """
        for closing in self.source.closings():
            if closing.checkpoint.size == size:
                further = closing.checkpoint.extension[2:]
                sign_closings(self.folder, now=closing.time, grace=GRACE, further=further)

    def differences(self) -> list[str]:
        """The results, the journal and everything public that is not the same to the last bit."""
        public = paths.files_below(self.source.root, paths.PUBLIC)
        names = sorted({*RESULTS, *public, *paths.files_below(self.folder.root, paths.PUBLIC)})
        return [
            name for name in names if _content(self.source, name) != _content(self.folder, name)
        ]

    @singledispatchmethod
    def _do(self, event: events.Event) -> None:
        raise AssertionError(f"nobody knows how to do {event.event} again")

    @_do.register
    def _(self, event: events.Rules) -> None:
        fix_rules(self.folder, seed=None, beacon="", now=event.moment)

    @_do.register
    def _(self, event: events.Prepared) -> None:
        prepare(self.folder, beacon=event.beacon, tracks=[event.track], now=event.moment)

    @_do.register
    def _(self, event: events.Joined) -> None:
        joining = Joining(event.team, event.name, event.competing, event.limits)
        join(self.folder, [joining], now=event.moment)

    @_do.register
    def _(self, event: events.Limited) -> None:
        limit(self.folder, event.team, event.limits, event.reason, now=event.moment)

    @_do.register
    def _(self, event: events.Submitted) -> None:
        if event.made_by is not None:
            self._run_programs(event)
            return
        content = {name: self.source.at(file_of(event, name)).read_bytes() for name in event.files}
        kind = None if event.kind == "program" else event.kind
        options = {"track": event.track, "kind": kind, "sample": event.sample}
        submit(self.folder, event.team, content, now=event.moment, **options)

    def _run_programs(self, event: events.Submitted) -> None:
        """Scoring runs those that guess; those that release may run as soon as they are there."""
        if event.kind == "release":
            track = self.folder.edition().track_by_id(event.track)
            run_programs(self.folder, track, "release", now=event.moment)
        else:
            score(self.folder, now=event.moment)

    @_do.register
    def _(self, event: events.Chosen) -> None:
        choose(self.folder, event.team, event.submissions, now=event.moment)

    @_do.register
    def _(self, event: events.SecondRun) -> None:
        track = self.folder.edition().track_by_id(event.track)
        repeat_programs(self.folder, track, now=event.moment)

    @_do.register
    def _(self, event: events.HandedOver) -> None:
        hand_over(self.folder, event.track, now=event.moment)

    @_do.register
    def _(self, event: events.Amended) -> None:
        until = events.read_time(event.closes)
        extend(self.folder, event.phase, until, event.reason, track=event.track, now=event.moment)

    @_do.register
    def _(self, event: events.TeamDeadline) -> None:
        what = (event.team, event.phase, event.end, event.reason)
        extend_for_team(self.folder, *what, track=event.track, now=event.moment)

    @_do.register
    def _(self, event: events.Decided) -> None:
        subject = Subject(event.team, event.track, event.entry)
        decide(self.folder, event.decision, subject, event.reason, now=event.moment)

    @_do.register
    def _(self, event: events.Frozen) -> None:
        freeze(self.folder, event.reason, now=event.moment)

    @_do.register
    def _(self, event: events.Revealed) -> None:
        reveal(self.folder, now=event.moment)


def _content(folder: Folder, name: str) -> bytes | None:
    return folder.at(name).read_bytes() if folder.at(name).is_file() else None
