"""What our judge and the program of a bundle say about the same file."""

from functools import cache, partial

from quintain.data import as_table
from quintain.data.files import read_cells
from quintain.errors import Faults
from quintain.kit.codabench.plan import guess_plan, written_form
from quintain.kit.codabench.program import guesses as program
from quintain.kit.codabench.program.faults import Faults as ProgramFaults
from quintain.runs.submissions.checking import check_free_text


def our_sentences(folder, track, content, at=0):
    """Every fault that the judge finds in an answer, sorted; and the guess."""
    task = folder.tasks(track)[at]
    faults, form = Faults(f"{task.name}.csv"), track.files
    cells = read_cells(
        content,
        f"{task.name}.csv",
        track.goal.guess_schema(folder.schema(track.id)),
        header=form.header,
        strict=form.strict,
        limits=folder.edition().limits,
        faults=faults,
    )
    guess = None
    if cells is not None:
        cells.check(partial(check_free_text, cells.rows), faults)
        guess = track.goal.guess(as_table(cells.data()))
        question = folder.question(track, task)
        cells.check(lambda more: track.goal.check(guess, question, more), faults)
    return sorted(map(str, faults)), guess


def program_sentences(folder, track, content, at=0):
    """Every fault that the program of a bundle finds in an answer, sorted; and the columns."""
    task, faults = folder.tasks(track)[at], ProgramFaults()
    plan = {**_plan(folder), "form": written_form(track, folder.edition().limits)}
    rows = program.read_guess(f"{task.name}.csv", content, task.name, plan, faults)
    return sorted(faults.sentences), None if rows is None else rows.values


@cache
def _plan(folder):
    (track,) = folder.edition().track
    return guess_plan(folder, track, "bundle")
