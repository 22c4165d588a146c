"""Journal folder: what happened in an edition folder, read without any rules.

Commands that only look at events and teams need no more, and start at once.
"""

from __future__ import annotations

from pathlib import Path

from quintain.errors import FolderError, NotVerified
from quintain.journal.events import SUBMITTED, read_event
from quintain.journal.file_store import FileStore, lines_without
from quintain.journal.growing import Blocks, Growing
from quintain.journal.journal import Journal
from quintain.journal.state import State
from quintain.runs.folder import paths
from quintain.runs.folder.closings import last_closing_time
from quintain.runs.folder.layout import FolderLayout


class JournalFolder(FolderLayout):
    """Reads the journal of an edition folder."""

    def journal(self) -> Journal:
        """The journal; in a kit, the part of it that everybody may read."""
        return Journal(FileStore(self._journal_path()), last_closing_time(self.root))

    def _journal_path(self) -> Path:
        whole, shown = self.at(paths.JOURNAL), self.at(paths.EVENTS)
        return shown if shown.is_file() and not whole.is_file() else whole

    def state(self) -> State:
        """What the events so far make of the contest; empty as long as no rules are fixed."""
        path = self._journal_path()
        try:
            return _states(path) if path.is_file() else State()
        except NotVerified as problem:
            raise FolderError(f"{path}: damaged: {problem}") from None


def _more_events(state: State, new: Blocks) -> State:
    for _, block in new:
        for line in lines_without(block, SUBMITTED):
            state = state.after(read_event(line))
    return state


_states: Growing[State] = Growing(State(), _more_events, 2)
"""The states that were read last: a command looks at its folder's state many times."""
