"""Checking: the files of a submission under the rules of its track, for teams and judge alike."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from pydantic import ValidationError

from quintain.contests import Edition, Phase, Track
from quintain.contests.edition import MODEL_FILE
from quintain.contests.submitting import PDF, Artefact
from quintain.data import Data, Limits, as_table, shape_of
from quintain.data.arrays import Array, Mask, Rows
from quintain.data.columns import Columns
from quintain.data.files import read_cells, to_bytes
from quintain.data.files.subprocess_reader import cells_apart, each_apart, json_apart
from quintain.data.readable import Readable
from quintain.errors import Faults, PartError, Refused, SubmissionError
from quintain.figures.format import minute
from quintain.guesses import Goal, Guess, Question
from quintain.guesses.goal import note_rows
from quintain.journal.events import Submitted
from quintain.programs import Contract
from quintain.releases import ClaimedModel, Method, NumberedRelease, ReleaseCard
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import CARD, RECIPE_LOG, Task
from quintain.runs.submissions.admission import Admission
from quintain.runs.submissions.upload import checked_names, unzip
from quintain.wording.languages import DEFAULT, speaking, tell

# Team releases: the records in the file that a team submits, and the numbers in front of them.
#
# Where a goal or a measure has to know whose record a row is, each row of the file names the
# private record that it was made from. Nobody but the judge sees these numbers.


def split_numbers(track: Track, data: Data, private: Data) -> tuple[Data, Rows | None]:
    """The records of a release, and where each of them came from if the rows say it."""
    if not track.numbers_rows:
        return data, shape_of(data).origins(data, private)
    release = NumberedRelease.of(as_table(data))
    return release.data, release.origins


def with_numbers(track: Track, data: Data, origins: Rows | None) -> Data:
    """The records of a release, each with the number of its private record if rows have numbers.

    Records without known origins count as made up.
    """
    if not track.numbers_rows:
        return data
    numbers = np.full(len(data), -1) if origins is None else origins
    return NumberedRelease(as_table(data), numbers).with_numbers()


def release_bytes(track: Track, data: Data, origins: Rows | None, private: Data) -> bytes:
    """The file of a release of private data, as a team submits it."""
    return file_bytes(track, release_data(track, data, origins, private))


def release_data(track: Track, data: Data, origins: Rows | None, private: Data) -> Data:
    """The records of a release of private data, with the names that the rules ask for."""
    if track.needs_origins and origins is None:
        asking = next(aim.goal.id for aim in track.aims if aim.goal.needs_origins)
        raise PartError(
            f"{asking} asks for published rows, and these records stand for nobody: "
            "use a sanitizer that masks records instead of one that makes new ones"
        )
    if origins is not None:
        data = shape_of(data).name_origins(data, origins, private)
    return with_numbers(track, data, origins)


def file_bytes(track: Track, data: Data) -> bytes:
    """The content of the file of a release: rows of a table, or the tensors of a model."""
    ending = ".csv" if track.model is None else f".{MODEL_FILE}"
    return to_bytes(data, ending, header=track.files.header)


# Sample choice: which of its private samples a team releases, where it has several.


def chosen_sample(admission: Admission, files: Iterable[str], given: int | None) -> int | None:
    """The number of the sample that a release is made from; None where there is no choice.

    ``given`` is what the team says. The name of the file says it, too, if the rules put {sample}
    into it. A built-in player releases its first sample.
    """
    track = admission.track
    if admission.phase.submit != "release" or track.samples == 1:
        if given is not None:
            raise Refused(tell("there is no choice among samples here: leave --sample out"))
        return None
    named = {number for name in files if (number := named_sample(track, admission.team, name))}
    chosen = {given} - {None} | named
    if not chosen and admission.entrant.built_in:
        return 1
    if len(chosen) != 1:
        what = tell("two samples are named") if chosen else tell("no sample is named")
        raise Refused(
            tell(
                "%(what)s: say from which one you made the release, %(choices)s",
                what=what,
                choices=_choices(track),
            )
        )
    (number,) = chosen
    if number not in track.choices:
        raise Refused(
            tell(
                "sample %(number)s does not exist: choose one, %(choices)s",
                number=number,
                choices=_choices(track),
            )
        )
    return number


def named_sample(track: Track, team: str, name: str) -> int | None:
    """The number of the sample in the name of a release; None if there is none in it."""
    template = track.files.release or ""
    if "{sample}" not in template:
        return None
    before, after = template.format(track=track.id, team=team, sample="\n").split("\n", 1)
    match = re.fullmatch(f"{re.escape(before)}([0-9]{{1,4}}){re.escape(after)}", name)
    return None if match is None else int(match[1])


def _choices(track: Track) -> str:
    numbers = tell("--sample 1 to --sample %(n)s", n=track.samples)
    if _in_name(track):
        return tell("%(numbers)s; it is also in the name of the file", numbers=numbers)
    return numbers


def _in_name(track: Track) -> bool:
    return "{sample}" in (track.files.release or "")


# Free text: identifiers that a team may choose, and what a spreadsheet would make of them.
#
# The judge publishes the pseudonyms of a release. A spreadsheet runs a cell that begins with ``=``
# as a formula, and some characters change how the text around them looks.


_STARTS = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?")
_HIDDEN = ((0x00, 0x1F), (0x7F, 0x9F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x2069))
"""Control characters, spaces without a width, and marks that turn the direction of a text."""


def check_free_text(rows: Columns, faults: Faults) -> None:
    """Note every identifier that is more than text to the program that opens a published file.

    >>> from quintain.data import Column, Schema
    >>> schema, faults = Schema(columns=(Column(name="who", kind="id"),)), Faults("release.csv")
    >>> check_free_text(Columns(schema, {"who": ["p1", "=1+1", "-5"]}), faults)
    >>> print(faults.findings[0])
    release.csv:2 who='=1+1': a spreadsheet would run this text as a formula; begin it with a
    letter or a digit
    """
    for column in rows.schema.columns:
        values = rows.columns[column.name]
        if column.identifying and values.dtype.kind == "U" and len(values):
            formula = tell(
                "a spreadsheet would run this text as a formula; begin it with a letter or a digit"
            )
            _note(column.name, values, _runs(values), formula, faults)
            hidden = tell("contains a character that cannot be seen; use letters, digits and marks")
            _note(column.name, values, _hides(values), hidden, faults)


def _runs(values: Array) -> Mask:
    """Which texts begin like a formula and are not negative numbers."""
    suspicious = np.isin(values.astype("U1"), _STARTS)
    texts, where = np.unique(values[suspicious], return_inverse=True)
    formulas = np.array([not _NUMBER.fullmatch(text) for text in texts.tolist()], bool)
    suspicious[suspicious] = formulas[where]
    return suspicious


def _hides(values: Array) -> Mask:
    """Which texts contain a character that is not shown; NumPy pads texts with zeros."""
    codes = np.ascontiguousarray(values).view(np.uint32).reshape(len(values), -1)
    hidden = np.zeros(len(values), bool)
    for low, high in _HIDDEN:
        hidden |= ((codes >= max(low, 1)) & (codes <= high)).any(axis=1)
    return hidden


def _note(name: str, values: Array, bad: Mask, message: str, faults: Faults) -> None:
    rows = np.flatnonzero(bad)
    listed = rows[: faults.room()]
    for row in listed.tolist():
        faults.add(message, line=faults.line_of(row), column=name, got=str(values[row]))
    faults.count(len(rows) - len(listed))


# Artefacts: further files of a submission, which the judge stores and opens only if it must.


def check_artefacts(
    folder: Folder,
    admission: Admission,
    files: Mapping[str, bytes],
    faults: Faults,
    absent: Collection[str] = (),
) -> None:
    """Note every fault of the artefacts among the files of a submission.

    ``absent`` are files that were submitted and that nobody has any more, because the rules never
    publish them. Built-in players have nothing but their release and their guesses.
    """
    for name, artefact in admission.artefacts.items():
        if name in files:
            file_faults = Faults(name)
            _check(folder, admission, artefact, files[name], file_faults)
            faults.extend(file_faults)
        elif artefact.required and name not in absent and not admission.entrant.built_in:
            with speaking(DEFAULT):
                rules = artefact.words()
            faults.add(
                tell(
                    "the %(artefact)s is missing: submit %(file)s (%(rules)s)",
                    artefact=artefact.name,
                    file=name,
                    rules=rules,
                )
            )


def _check(
    folder: Folder, admission: Admission, artefact: Artefact, content: bytes, faults: Faults
) -> None:
    if len(content) > artefact.max_bytes:
        faults.add(
            tell("%(n)s bytes; the limit is %(most)s", n=len(content), most=artefact.max_bytes)
        )
    elif artefact.kind == "text":
        _check_text(content, faults)
    elif artefact.kind == "pdf" and not content.startswith(PDF):
        faults.add(tell("is not a PDF: it does not begin with %%PDF-"))
    elif artefact.kind == "json":
        json_apart(content, faults)
    elif artefact.kind == "table":
        track, limits = admission.track, folder.edition().limits
        form, schema = track.files, folder.private_schema(track)
        read = partial(cells_apart, header=form.header, strict=form.strict, limits=limits)
        cells = read(content, faults.file, schema, faults=faults)
        if cells is not None:
            cells.check(partial(check_free_text, cells.rows), faults)


def _check_text(content: bytes, faults: Faults) -> None:
    """Note a text that is not UTF-8, and the first line that cannot be shown."""
    try:
        text = content.decode()
    except UnicodeDecodeError as problem:
        faults.add(
            tell(
                "is not UTF-8 text: byte %(start)s is 0x%(byte)s",
                start=problem.start,
                byte=f"{content[problem.start]:02x}",
            )
        )
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.replace("\t", " ").isprintable():
            faults.add(tell("contains a character that cannot be shown"), line=number)
            return


def withheld_artefacts(edition: Edition, event: Submitted) -> Iterator[str]:
    """The files of a submission that the rules never publish."""
    for track in edition.track:
        for phase in track.phase:
            if (track.id, phase.id) == (event.track, event.phase):
                artefacts = phase.artefacts(track.id, event.team)
                never = {
                    name for name, artefact in artefacts.items() if artefact.published == "never"
                }
                yield from sorted(never & set(event.files))


# Cards: the facts that a team writes beside its release, which are published as they are.


MOST_BYTES = 64_000
MOST_METHODS, MOST_COLUMNS, LONGEST_TEXT = 100, 1_000, 2_000
"""A questionnaire asks for a few methods and models, each with its columns and a short text."""


def check_card(content: bytes, faults: Faults) -> None:
    """Note every fault of a card; it is plain text of a limited length."""
    if len(content) > MOST_BYTES:
        faults.add(tell("%(n)s bytes; the limit is %(most)s", n=len(content), most=MOST_BYTES))
        return
    before = faults.total
    values = json_apart(content, faults)
    if faults.total > before:
        return
    try:
        card = ReleaseCard.model_validate(values)
    except ValidationError as error:
        for item in error.errors():
            faults.add(item["msg"], column=".".join(str(step) for step in item["loc"]) or None)
        return
    lists: dict[str, Sequence[Method | ClaimedModel]]
    lists = {"models": card.models, "methods": card.methods}
    for place, entries in lists.items():
        if len(entries) > MOST_METHODS:
            faults.add(
                tell(
                    "%(n)s entries; the limit is %(most)s",
                    n=len(entries),
                    most=MOST_METHODS,
                ),
                column=place,
            )
        for at, entry in enumerate(entries):
            if len(entry.columns) > MOST_COLUMNS:
                message = tell(
                    "%(n)s columns; the limit is %(most)s", n=len(entry.columns), most=MOST_COLUMNS
                )
                faults.add(message, column=f"{place}.{at}.columns")
    for column, text in _texts(card):
        if len(text) > LONGEST_TEXT:
            faults.add(
                tell("%(n)s characters; the limit is %(most)s", n=len(text), most=LONGEST_TEXT),
                column=column,
            )
        if not text.replace("\n", " ").isprintable():
            faults.add(tell("contains a character that cannot be shown"), column=column, got=text)


def _texts(card: ReleaseCard) -> Iterator[tuple[str, str]]:
    """Every text of a card, with its place."""
    if card.claim is not None:
        yield "claim.unit", card.claim.unit
    yield "no_claim", card.no_claim
    for at, model in enumerate(card.models):
        yield f"models.{at}.name", model.name
        for column in model.columns:
            yield f"models.{at}.columns", column
    for at, method in enumerate(card.methods):
        yield f"methods.{at}.name", method.name
        yield f"methods.{at}.detail", method.detail
        for column in method.columns:
            yield f"methods.{at}.columns", column


# Large numbers: values of a release that exist only to make attacks fail.
#
# Where a column has no bounds, a few astronomic numbers would make distances overflow. Attacks that
# compare records would refuse the release, and it would look safe.


LARGEST = 1e100
"""Distances between numbers of this size are still finite, and so are their squares."""
_WORDS = tell(
    "too large to compare; numbers must be within %(low)s..%(high)s",
    low=f"{-LARGEST:g}",
    high=f"{LARGEST:g}",
)


def check_large_numbers(rows: Columns, faults: Faults) -> None:
    """Note every number that is too large to compare with others.

    >>> from quintain.data import Column, Schema
    >>> schema, faults = Schema(columns=(Column(name="pay", kind="real"),)), Faults("release.csv")
    >>> check_large_numbers(Columns(schema, {"pay": [1e9, -1e308]}), faults)
    >>> print(faults.findings[0])
    release.csv:2 pay='-1e+308': too large to compare; numbers must be within -1e+100..1e+100
    """
    for column in rows.schema.columns:
        values = rows.columns[column.name]
        if column.fractional:
            large = np.flatnonzero(np.abs(values) > LARGEST)
            note_rows(faults, large, column.name, values, lambda _: _WORDS)


_READ_FILES = 3
"""How many files of a release are read; with more than one it is refused in any case."""


def check(
    folder: Folder,
    track: Track,
    kind: str,
    team: str,
    files: Mapping[str, bytes],
    sample: int | None = None,
) -> None:
    """Check the files of a release or of guesses; raises with every fault."""
    faults = Faults()
    if kind == "guess":
        check_guesses(folder, track, team, files, faults)
    else:
        check_release(folder, track, team, files, faults, sample)
    faults.raise_if_any(SubmissionError)


def check_program(
    folder: Folder, track: Track, phase: Phase, files: Mapping[str, bytes], faults: Faults
) -> None:
    """Note every fault of a program, which is submitted as one file."""
    contract = phase.contract
    assert contract is not None  # programs are submitted under a contract
    noun, kind = contract.noun, contract.ending.lstrip(".")
    checked_names(files, faults)
    if len(files) != 1:
        faults.add(
            tell(
                "a %(noun)s is one %(kind)s file, not %(n)s files",
                noun=tell(noun),
                kind=kind,
                n=len(files),
            )
        )
    for name, content in files.items():
        file_faults = Faults(name)
        if not name.endswith(contract.ending):
            file_faults.add(
                tell(
                    "a %(noun)s is a %(kind)s file, with a name that ends in .%(kind)s",
                    noun=tell(noun),
                    kind=kind,
                )
            )
        program = unpack_program(contract, content, folder.edition().limits, file_faults)
        if not file_faults:
            contract.check(phase.submit, program, file_faults)
        if not file_faults:
            contract.check_columns(program, folder.private_schema(track), file_faults)
        faults.extend(file_faults)


def unpack_program(
    contract: Contract, content: bytes, limits: Limits, faults: Faults
) -> dict[str, bytes]:
    """The files of a program, which may be in folders; a file of another kind is the program."""
    if contract.ending != ".zip":
        return {f"{contract.noun}{contract.ending}": content}
    return unzip(content, limits, faults, folders=True)


def read_guess(
    folder: Folder, track: Track, task: Task, name: str, content: bytes, faults: Faults
) -> Guess | None:
    """A guess file that was accepted before; None if it has a fault.

    It is read in this process: only a file that was read apart, with limits, or that a built-in
    player wrote, is ever accepted.
    """
    goal = track.aim(task.goal).goal
    cells = _read_guess(folder, track, goal, name, content, faults)
    return None if cells is None or faults else goal.guess(as_table(cells.data()))


def _read_guess(
    folder: Folder, track: Track, goal: Goal, name: str, content: bytes, faults: Faults
) -> Readable | None:
    schema = goal.guess_schema(folder.schema(track.id))
    limits, form = folder.edition().limits, track.files
    return read_cells(
        content, name, schema, header=form.header, strict=form.strict, limits=limits, faults=faults
    )


def guess_file(track: Track, task: Task, attacker: str) -> str:
    """The name of the file with an attacker's answer to a task."""
    names = {"track": track.id, "task": task.name, "attacker": attacker}
    return track.files.guess.format(**names)


def answer_name(track: Track, goal: str) -> str:
    """What the answers to a goal are called, for people: RELEASE.member.csv."""
    task = Task(track.id, "RELEASE", goal=goal).name if goal else "{task}"
    return track.files.guess.replace("{task}", task)


def release_file(track: Track, team: str, sample: int | None = None) -> str:
    """The name of the file with a team's release; ``sample`` is the one it is made from."""
    names = {"track": track.id, "team": team, "sample": sample or 1}
    return track.release_name.format(**names)


def check_guesses(
    folder: Folder,
    track: Track,
    team: str,
    files: Mapping[str, bytes],
    faults: Faults,
    phase: Phase | None = None,
) -> None:
    """Note every fault of a team's answers; a phase may take the answers to a single goal."""
    checked_names(files, faults)
    tasks = {
        guess_file(track, task, team): task
        for task in folder.read(track).seen_by(team).tasks
        if phase is None or phase.takes(task.goal)
    }
    by_file = {name: Faults(name) for name in sorted(files)}
    for aim in track.aims:
        known = {
            name: files[name] for name in by_file if name in tasks and tasks[name].goal == aim.id
        }
        _check_answers(folder, track, aim.goal, known, tasks, by_file)
    strange = _no_task(track, list(tasks), phase)
    for name, file_faults in by_file.items():
        if name not in tasks:
            file_faults.add(strange)
        faults.extend(file_faults)


def _no_task(track: Track, names: Sequence[str], phase: Phase | None) -> str:
    """What to say of a file that answers no task."""
    where = tell("track %(track)s", track=track.id)
    if names:
        if phase and phase.goal:
            where = tell("phase %(phase)s", phase=phase.id)
        return tell(
            "answers no task of %(where)s; files are called %(names)s ...",
            where=where,
            names=", ".join(names[:3]),
        )
    text = tell(
        "nothing can be answered yet: the releases of %(where)s are not handed over", where=where
    )
    ends = [
        release_phase.closes
        for release_phase in track.phase
        if release_phase.submit == "release" and release_phase.closes
    ]
    if not ends:
        return text
    return text + tell("; releases were accepted until %(time)s", time=minute(max(ends)))


def _check_answers(
    folder: Folder,
    track: Track,
    goal: Goal,
    files: Mapping[str, bytes],
    tasks: Mapping[str, Task],
    by_file: Mapping[str, Faults],
) -> None:
    """Note every fault of the answers to one goal, which have the same columns."""
    form = track.files
    read = each_apart(
        files,
        goal.guess_schema(folder.schema(track.id)),
        by_file,
        header=form.header,
        strict=form.strict,
        limits=folder.edition().limits,
    )
    for name, cells in zip(files, read, strict=True):
        if cells is not None:
            _check_guess(goal, folder.question(track, tasks[name]), cells, by_file[name])


def read_answer(
    folder: Folder, track: Track, goal: Goal, question: Question, content: bytes, faults: Faults
) -> Guess | None:
    """A stranger's answer to any question, read apart with limits; None if it has a fault."""
    form = track.files
    (cells,) = each_apart(
        {faults.file: content},
        goal.guess_schema(folder.schema(track.id)),
        {faults.file: faults},
        header=form.header,
        strict=form.strict,
        limits=folder.edition().limits,
    )
    if cells is not None:
        _check_guess(goal, question, cells, faults)
    return None if cells is None or faults else goal.guess(as_table(cells.data()))


def check_own_guess(
    folder: Folder, track: Track, task: Task, question: Question, name: str, content: bytes
) -> None:
    """Check an answer of a built-in attack; raises with every fault.

    It is read in this process, which wrote it.
    """
    goal, faults = track.aim(task.goal).goal, Faults(name)
    cells = _read_guess(folder, track, goal, name, content, faults)
    if cells is not None:
        _check_guess(goal, question, cells, faults)
    faults.raise_if_any(SubmissionError)


def _check_guess(goal: Goal, question: Question, cells: Readable, faults: Faults) -> None:
    """Check one answer; the goal checks every cell that can be read."""
    cells.check(partial(check_free_text, cells.rows), faults)
    guess = goal.guess(as_table(cells.data()))
    cells.check(lambda more: goal.check(guess, question, more), faults)


def check_release(
    folder: Folder,
    track: Track,
    team: str,
    files: Mapping[str, bytes],
    faults: Faults,
    sample: int | None = None,
) -> Data | None:
    """Note every fault of a team's release; returns the release if it has none."""
    checked_names(files, faults)
    data_files = sorted(name for name in files if name not in (CARD, *log_of(track)))
    if len(data_files) != 1:
        names = ", ".join(data_files) or "none"
        faults.add(
            tell(
                "a release is one file, with %(card)s beside it if you like; this has %(n)s: "
                "%(names)s",
                card=CARD,
                n=len(data_files),
                names=names,
            )
        )
    data = None
    for name in data_files[:_READ_FILES]:
        file_faults = Faults(name)
        if track.files.release and name != release_file(track, team, sample):
            file_faults.add(
                tell(
                    "must be called %(file)s",
                    file=release_file(track, team, sample),
                )
            )
        original = folder.private(track, Task(track.id, team), sample)
        data = _check_rules(folder, track, original, files[name], file_faults)
        faults.extend(file_faults)
    if CARD in files:
        file_faults = Faults(CARD)
        check_card(files[CARD], file_faults)
        faults.extend(file_faults)
    return None if faults else data


def log_of(track: Track) -> list[str]:
    """The log of a recipe, which the judge writes beside a release; none where teams release."""
    phase = track.phase_for("release")
    by_parts = phase is not None and phase.contract is not None and not phase.contract.is_code
    return [RECIPE_LOG] if by_parts else []


def _check_rules(
    folder: Folder, track: Track, original: Data, content: bytes, faults: Faults
) -> Data | None:
    """Read a release; the rules check every cell that can be read."""
    schema, form = folder.release_schema(track), track.files
    cells = cells_apart(
        content,
        faults.file,
        schema,
        header=form.header,
        strict=form.strict,
        limits=folder.edition().limits,
        faults=faults,
    )
    if cells is None:
        return None
    cells.check(partial(check_free_text, cells.rows), faults)
    cells.check(partial(check_large_numbers, cells.rows), faults)
    if not cells.check_links(faults):
        return None
    release = cells.data()
    data, origins = split_numbers(track, release, original)
    if origins is not None and track.numbers_rows:
        cells.check(partial(NumberedRelease(as_table(data), origins).check, len(original)), faults)
    for rule in track.rule:
        cells.check(partial(rule.check, original, data), faults)
    return release
