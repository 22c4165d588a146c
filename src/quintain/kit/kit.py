"""The participant's kit: data, releases, questions, a valid example answer, and a README."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np

from quintain.attacks.nearest import Nearest
from quintain.contests import Edition, Phase, Track
from quintain.contests.words import (
    artefact_lines,
    cohort_lines,
    gate_lines,
    model_lines,
    phase_dates,
    program_lines,
    release_rule_lines,
)
from quintain.data.models import blank_model
from quintain.figures.format import listed, minute
from quintain.journal.state import begins, has_begun
from quintain.randomness.seeds import SeedTree
from quintain.releases.numbered import PRIVATE_ROW
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.paths import CARD, Task
from quintain.runs.lint import rehearsal_note
from quintain.runs.submissions.checking import (
    answer_name,
    file_bytes,
    guess_file,
    release_bytes,
    release_file,
)
from quintain.runs.submissions.own_queries import own_answers, queries_file
from quintain.runs.submissions.rounds import team_files
from quintain.runs.submissions.upload import zip_bytes
from quintain.wording.languages import DEFAULT, speaking

NAMED = "files"
"""The folder of a kit with the data under the names of the rules."""


@speaking(DEFAULT)  # the same bytes for visitors of all languages
def kit_bytes(
    folder: Folder, team: str | None = None, *, now: datetime | None = None, site: str = ""
) -> bytes:
    """A zip with everything that teams may see; for a team, also what only that team gets.

    It has nothing of a round before the round begins, even if the round is prepared.

    Parameters
    ----------
    site : the address of the site that has the contest; empty for a contest of the terminal.
    """
    edition, moment = folder.edition(), now or datetime.now(UTC)
    names = list(paths.files_below(folder.root, paths.PUBLIC))
    if team is not None:
        folder.state().roster.entrant(team)
        names += own_files(folder, team)
    rounds = _rounds(folder, moment)
    hidden = [track.id for track in edition.track if track not in rounds]
    files = {
        name: folder.at(name).read_bytes() for name in names if not _belongs(name, team, hidden)
    }
    for track in rounds:
        files |= _examples(folder, track, team or "YOUR-TEAM")
        named = team_files(folder, track, team)
        files |= {f"{NAMED}/{track.id}/{name}": content for name, content in named.items()}
        files |= {} if team is None else own_answers(folder, track, team)
    cohort = "" if team is None else folder.state().roster.entrant(team).cohort
    if team is not None:  # with its own deadlines
        begun, own = {track.id for track in rounds}, folder.state().for_team
        edition = edition.model_copy(
            update={"track": tuple(own(track, team) for track in edition.track)}
        )
        rounds = [track for track in edition.track if track.id in begun]
    text = readme(edition, rounds, team, files, cohort=cohort, site=site)
    files["README.md"] = (rehearsal_note(folder) + text).encode()
    return zip_bytes(files)


def public_files(folder: Folder, track: Track) -> dict[str, bytes]:
    """What everybody may see of one track, whether it has begun or not, without any scores."""
    others = tuple(f"{paths.places(t.id)[0]}/" for t in folder.edition().track if t.id != track.id)
    names = paths.files_below(folder.root, paths.PUBLIC)
    wanted = [name for name in names if name != paths.BOARD and not name.startswith(others)]
    return {name: folder.at(name).read_bytes() for name in wanted}


def example_files(folder: Folder, track: Track, team: str = "") -> Iterator[tuple[Task, bytes]]:
    """A valid blind answer to each task, without those about releases of the team."""
    rng = SeedTree.from_int(0).rng("kit", track.id)
    if track.asks_each and not _has_questions(folder, track, team):
        return
    for task in folder.read(track).tasks_for(team):
        guess = folder.question(track, task).blind(rng=rng)
        yield task, csv_bytes(guess.table, header=track.files.header)


def _has_questions(folder: Folder, track: Track, team: str) -> bool:
    """Whether a team has questions of its own; only teams that take part have."""
    tasks = folder.read(track).tasks_for(team)
    return any(folder.attacker_files(track, task)[2].is_file() for task in tasks)


def own_files(folder: Folder, team: str) -> list[str]:
    """The files that only this team gets: its samples, and its own questions, if it has any."""
    return list(paths.files_below(folder.root, paths.team_folder(team)))


def _rounds(folder: Folder, now: datetime) -> list[Track]:
    """The tracks that are prepared and have begun."""
    done = folder.state().prepared
    return [t for t in folder.edition().track if t.id in done and has_begun(t, now)]


def _belongs(name: str, team: str | None, tracks: Sequence[str]) -> bool:
    """Whether a file is one of these tracks, be it public or of a team alone."""
    tops = [paths.PUBLIC, *([] if team is None else [paths.team_folder(team)])]
    return any(name.startswith(f"{top}/{track}/") for top in tops for track in tracks)


def _examples(folder: Folder, track: Track, team: str) -> dict[str, bytes]:
    """For each phase a valid submission to start from: a program, a release, or blind answers."""
    out: dict[str, bytes] = {}
    for phase in track.phase:
        for name, content in _example(folder, track, phase, team).items():
            out[f"example/{track.id}/{phase.id}/{name}"] = content
    return out


def _example(folder: Folder, track: Track, phase: Phase, team: str) -> Mapping[str, bytes]:
    if phase.contract is not None:
        return phase.contract.example(phase.submit)
    if phase.submit == "release":
        first = track.choices[0]
        if not folder.at(paths.team_sample(team, track.id, first)).is_file():
            return {}
        private = folder.private(track, Task(track.id, team), first)
        if track.model is not None:
            blank = file_bytes(track, blank_model(track.model.form(private.schema)))
            return {release_file(track, team, first): blank, **stand_ins(track, phase, team, b"")}
        copy = release_bytes(track, private, np.arange(len(private)), private)
        return {release_file(track, team, first): copy, **stand_ins(track, phase, team, copy)}
    answers = {
        guess_file(track, task, team): content
        for task, content in example_files(folder, track, team)
        if phase.takes(task.goal)
    }
    return {**answers, **stand_ins(track, phase, team, b"")} if answers else {}


def stand_ins(track: Track, phase: Phase, team: str, table: bytes) -> dict[str, bytes]:
    """A small valid file for each artefact that a submission must have."""
    contents = {"json": b"{}\n", "table": table, "pdf": b"%PDF-1.4\n% Put your report here.\n"}
    return {
        name: contents.get(artefact.kind, f"Put your {artefact.name} here.\n".encode())
        for name, artefact in phase.artefacts(track.id, team).items()
        if artefact.required
    }


# --- README.md -----------------------------------------------------------------------------------


def readme(
    edition: Edition,
    rounds: Collection[Track],
    team: str | None,
    files: Collection[str],
    *,
    cohort: str = "",
    site: str = "",
) -> str:
    """The text of the README, for one team or for all.

    Parameters
    ----------
    rounds : the tracks that have begun; of the others the kit has nothing.
    files : the names of the files in the kit.
    cohort : that of the team, if teams have cohorts.
    site : the address of the site that has the contest, to which teams submit.
    """
    target = f"--server {site} --contest {edition.id}" if site else "FOLDER"
    sections = [
        _section(edition, track, team, files, target) if track in rounds else _later(track)
        for track in edition.track
    ]
    return f"""# {edition.title}

{edition.description.strip()}

- `{paths.RULES}`: the rules, every default spelled out.
- `{paths.COMMITMENTS}/`: hashes that bind the organisers to their secret files. Keep a copy.
- `{paths.EVENTS}`: what happened so far: rules, teams, extended phases, decisions.
- `{paths.CHECKPOINT}`: a signed root of everything that happened. Keep it: with it, nobody can
  change the past unseen. `quintain verify ARCHIVE --checkpoint FILE` compares it with the archive
  that the organisers publish in the end.
{_closings(files)}{_cohorts(edition, cohort)}{_site(edition, site)}
{"".join(sections)}"""


def _site(edition: Edition, site: str) -> str:
    """What the README says about the site that has the contest, if one has it."""
    if not site:
        return ""
    return f"""- This kit is from <{site}/contests/{edition.id}>. Sign in once with
  `quintain login --server {site}`, then submit there from the terminal.
"""


def _closings(files: Collection[str]) -> str:
    """What the README says about checkpoints of closed phases, if there are any."""
    if not any(name.startswith(f"{paths.CHECKPOINTS}/") for name in files):
        return ""
    return f"- `{paths.CHECKPOINTS}/`: the same for every phase that has closed. Keep them, too.\n"


def _cohorts(edition: Edition, cohort: str) -> str:
    """What the README says about cohorts, if there are any."""
    if edition.cohorts is None:
        return ""
    own = [f"Your team is in cohort `{cohort}`."] if cohort else []
    lines = "\n".join([*own, *cohort_lines(edition.cohorts)])
    return f"\n{lines}\n"


def _later(track: Track) -> str:
    """What to say of a round that has not begun."""
    start = begins(track)
    when = "later" if start is None else f"at {minute(start)}"
    title = f"## Track `{track.id}`: {track.headline}"
    return f"{title}\n\nIt begins {when}; the organisers make a new kit then.\n\n"


def _section(
    edition: Edition, track: Track, team: str | None, files: Collection[str], target: str
) -> str:
    lines = [f"## Track `{track.id}`: {track.headline}", ""]
    lines += [f"- {aspect}: {sentence}" for aspect, sentence in track.threat_rows()]
    lines += ["", *_data(track, team, files), ""]
    for phase in track.phase:
        lines += _phase(edition, track, phase, team, files, target)
    return "\n".join(lines) + "\n"


def _data(track: Track, team: str | None, files: Collection[str]) -> Iterator[str]:
    """The data files of a track, as far as they are in the kit."""
    about = {
        paths.schema(track.id): "the columns of the data",
        paths.base(track.id): "the population",
        paths.test_records(track.id): "further records, for tests of utility",
    }
    for name, sentence in about.items():
        if name in files:
            yield f"- `{name}`: {sentence}."
    tasks = f"{paths.tasks(track.id)}/"
    if any(name.startswith(tasks) for name in files):
        yield from _task_files(track, tasks, team)
    named = f"{NAMED}/{track.id}/"
    if any(name.startswith(named) for name in files):
        yield f"- `{named}`: the same data, under the names that the rules give them."


def _task_files(track: Track, tasks: str, team: str | None) -> Iterator[str]:
    """What a team gets for each task; where every attacker has its own question, not for all."""
    if not track.asks_each:
        questions = listed([f"`question.{aim.id}`" for aim in track.aims if aim.id], most=12)
        question = f"one question per goal ({questions})" if questions else "the question"
        yield f"- `{tasks}TASK/`: a release, its card with facts about it, and {question}."
        return
    yield f"- `{tasks}TASK/`: a release, and its card with facts about it."
    if team is None:
        yield "- Every team has questions of its own. They are in the kit that the organisers make"
        yield "  for your team (`quintain export FOLDER kit kit.zip --team YOUR-TEAM`)."
    else:
        for aim in track.aims:
            task = Task(track.id, "TASK", goal=aim.id, attacker=team)
            *_, own = paths.attacker_files(task, *track.formats)
            yield f"- `{own}`: your question about it. Other teams are asked about other people."


def _phase(
    edition: Edition,
    track: Track,
    phase: Phase,
    team: str | None,
    files: Collection[str],
    target: str,
) -> Iterator[str]:
    """What a team submits in a phase; ``target`` says where, in the words of the terminal."""
    yield f"### Phase `{phase.id}`: submit a {phase.submit}{phase_dates(phase)}"
    yield ""
    if phase.submit == "release" and paths.handover(track.id) in files:
        yield "The attackers have the releases: this phase is over."
        yield ""
        return
    if phase.contract is not None and phase.contract.is_code:
        yield from _program(phase, track, team)
    elif phase.contract is not None:
        yield from _recipe(phase, track, team)
    elif phase.submit == "release":
        yield from _release(track, phase, team, files)
    else:
        yield from _guess(track, phase, team, files)
    example = f"example/{track.id}/{phase.id}"
    if any(name.startswith(f"{example}/") for name in files):
        who = team or "YOUR-TEAM"
        options = f"--team {who}"
        options += f" --track {track.id}" if len(edition.track) > 1 else ""
        if phase.contract is None and phase.submit == "guess":
            example = "answers"
            aims = [aim for aim in track.aims if phase.takes(aim.id)]
            attack = "nearest" if all(aim.is_answered_by(Nearest()) for aim in aims) else "random"
            yield f"    quintain attack . --use {attack} --out {example} {options}"
        options += f" --kind {phase.submit}"
        options += " --sample 1" if phase.submit == "release" and track.samples > 1 else ""
        yield f"    quintain check . {example} {options}"
        # A site knows the team by its token.
        own = options if target == "FOLDER" else options.partition(f"--team {who}")[2].strip()
        yield f"    quintain submit {target} {example} {own}"
        yield ""


def _program(phase: Phase, track: Track, team: str | None) -> Iterator[str]:
    example = f"example/{track.id}/{phase.id}"
    lines = [f"- {line}" for line in program_lines(phase)]
    if lines:
        yield from [*lines, ""]
    if phase.submit == "release" and track.shows_sample(team or ""):
        sample = paths.team_sample(team or "YOUR-TEAM", track.id, track.choices[0])
        yield f"Your private data are `{sample}`; no other team gets them."
    yield f"The organisers run your program. `{example}/` has one to start from. Play a small"
    yield "contest with it against the built-in players, check it, then submit it:"
    yield ""
    yield f"    quintain play . --out rehearsal --program {example}"


def _recipe(phase: Phase, track: Track, team: str | None) -> Iterator[str]:
    example, who = f"example/{track.id}/{phase.id}/recipe.toml", team or "YOUR-TEAM"
    yield "The judge makes your release with the steps of your recipe, a TOML file:"
    yield ""
    yield from (f"- {line}" for line in program_lines(phase))
    yield ""
    assert phase.contract is not None  # it takes recipes
    if phase.contract.gives_sample:
        yield f"`{example}` is one to start from. Try it on your private sample (your noise is not"
        yield "the judge's), check it, then submit it:"
        yield ""
        yield f"    quintain sanitize . --recipe {example} --team {who} --out release"
    else:
        yield f"`{example}` is one to start from. Play a small contest with it against the built-in"
        yield "players, check it, then submit it:"
        yield ""
        yield f"    quintain play . --out rehearsal --program {example}"


def _artefacts(track: Track, phase: Phase, team: str | None) -> Iterator[str]:
    """The further files of a submission."""
    lines = artefact_lines(phase.artefacts(track.id, team or "YOUR-TEAM"))
    if lines:
        yield "Submit beside it, in the same folder or zip:"
        yield from lines
        yield ""


def _release(track: Track, phase: Phase, team: str | None, files: Collection[str]) -> Iterator[str]:
    samples = [paths.team_sample(team or "YOUR-TEAM", track.id, i) for i in track.choices]
    private, named = samples[0], listed([f"`{name}`" for name in samples])
    if private in files:
        yield f"Your private data are {named}; no other team gets them. Sanitize them."
    else:
        yield f"Your private data are {named} in the kit that the organisers make for your team"
        yield "(`quintain export FOLDER kit kit.zip --team YOUR-TEAM`)."
    if track.samples > 1:
        yield "Choose one of these samples for your release, and say which one with `--sample`."
    header = "with a header line" if track.files.header else "without a header line"
    name = release_file(track, team or "YOUR-TEAM")
    called = f"called `{name}`" if track.files.release else f"such as `{name}`"
    if track.model is None:
        columns = f"with the columns of `{paths.schema(track.id)}`"
        yield f"Submit one file {called}, {header}, {columns};"
    else:
        yield from model_lines(track)
        yield f"Submit one file {called};"
    yield f"beside it, `{CARD}` may say what you did."
    yield ""
    if track.numbers_rows:
        yield f"In front of these columns, `{PRIVATE_ROW.name}` names the private record that a row"
        yield "was made from, counted from 0; leave it empty for a record that you made up. You may"
        yield "leave out a private record; none may appear twice. The judge removes the column"
        yield "and hides the order of the rows before attackers get the release."
        yield ""
    elif track.needs_origins:
        yield f"Keep the names in `{track.origin_column}`: they tell the judge whose rows they are."
        yield "The judge replaces them by pseudonyms before attackers get the release. You may"
        yield "leave out a person, and you may make up others with new names."
        yield ""
    yield from _artefacts(track, phase, team)
    if track.rule:
        yield "A release is refused if it breaks one of these rules:"
        yield from (f"- {line}" for line in release_rule_lines(track))
        yield ""
    gates = [f"- {line}" for line in gate_lines(track)]
    if gates:
        yield "A release that fails one of these gates is disqualified:"
        yield from gates
        yield ""
    if private in files:
        yield "A built-in sanitizer makes a first release (`quintain parts sanitizer` lists them):"
        sample = " --sample 1" if track.samples > 1 else ""
        command = f"quintain sanitize . --use NAME --team {team}{sample} --out release"
        yield f"`{command}`."
        if track.model is None:
            yield "The example is a copy of your private data: it shows the form, and hides nobody."
        else:
            yield "The example is a model of zeros: it is valid, but it predicts nothing."
        if any(artefact.required for artefact in phase.artefact):
            yield "Its other files are stand-ins."
        yield "Put your release in its place, check it, then submit it:"
        yield ""


def _guess(track: Track, phase: Phase, team: str | None, files: Collection[str]) -> Iterator[str]:
    if not any(name.startswith(f"{paths.tasks(track.id)}/") for name in files):
        yield "There is nothing to attack yet. When the releases are handed over, the organisers"
        yield "make a new kit with the tasks."
        yield ""
        return
    schema = track.dataset.data_schema()
    for aim in (aim for aim in track.aims if phase.takes(aim.id)):
        columns = listed([f"`{name}`" for name in aim.goal.guess_schema(schema).names])
        goal, about = aim.goal.name(), f" about the goal `{aim.id}`" if aim.id else ""
        called = answer_name(track, aim.id)
        yield f"Answer each task{about} with one file, called `{called}`, with the"
        yield f"columns {columns} (`quintain parts goal/{goal}` explains them). A built-in attack"
        yield f"(`quintain parts attack --goal {goal}` lists them), or your own, makes answers."
        yield ""
    yield f"The files in `example/{track.id}/{phase.id}/` are valid blind answers. Answers to some"
    yield "of the tasks are accepted; submit the rest later."
    yield ""
    if track.model is not None and track.model.own_queries is not None:
        release, who = Task(track.id, "RELEASE"), team or "YOUR-TEAM"
        budget, label = track.model.own_queries, track.model.label
        yield f"You may ask each model {budget:,} queries of your own. Submit a file"
        yield f"`{queries_file(release)}` with the columns of `{paths.schema(track.id)}` without"
        yield f"`{label}`, one line per query. When the organisers have scored, your next kit has"
        yield f"the answers in `{paths.own_answers(release, who)}`, and"
        yield "`quintain attack` with `--team` uses them."
        yield ""
    yield from _artefacts(track, phase, team)
