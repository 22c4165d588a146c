"""Recipe runs: what the judge ran for every recipe, and what came out, as a log for everybody.

The log is one of the results. So it is public when the contest is over, and not before: it says
what each team did to its data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quintain.commitment import canonical_json
from quintain.contests import Track
from quintain.errors import Faults
from quintain.journal.events import Submitted
from quintain.programs import Contract
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.checking import unpack_program
from quintain.runs.submissions.counting import file_of
from quintain.runs.tasks.programs import contract_for

FORMAT = "quintain.recipe-runs/1"


@dataclass(frozen=True, slots=True)
class RecipeOutcome:
    """One recipe of a team and its run.

    Parameters
    ----------
    event : the number of the recipe in the journal.
    digest : the hash of its file.
    steps : the sanitizers with every parameter; if it ran, with the number of records that each
        made and their hash.
    made : the hash of each file that it made.
    reason : why it made nothing; empty if it made something or did not run.
    """

    event: int
    team: str
    track: str
    digest: str
    steps: Sequence[Mapping[str, Any]]
    made: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""

    @property
    def words(self) -> str:
        """What came of it, in a few words."""
        if self.reason:
            return self.reason
        return "made a release" if self.made else "did not run: a later recipe took its place"

    def table(self) -> dict[str, Any]:
        """The outcome as plain values."""
        return {
            "event": self.event,
            "team": self.team,
            "track": self.track,
            "recipe": self.digest,
            "outcome": self.words,
            "steps": list(self.steps),
            "made": dict(self.made),
        }


def recipe_outcomes(
    folder: Folder, track: Track, submitted: Sequence[Submitted]
) -> list[RecipeOutcome]:
    """Every recipe of a track in the order in which they came; none where teams submit no such."""
    contract = contract_for(track, "release")
    if contract is None or contract.is_code:
        return []
    return [
        _outcome(folder, contract, recipe, submitted)
        for recipe in submitted
        if recipe.track == track.id and recipe.kind == "program"
    ]


def _outcome(
    folder: Folder, contract: Contract, recipe: Submitted, submitted: Sequence[Submitted]
) -> RecipeOutcome:
    made = next((event for event in submitted if event.made_by == recipe.number), None)
    path = folder.at(paths.reason(recipe.number))
    ((name, digest),) = recipe.files.items()
    if made is not None:
        steps = json.loads(folder.at(file_of(made, paths.RECIPE_LOG)).read_bytes())["steps"]
    else:
        content = folder.at(file_of(recipe, name)).read_bytes()
        program = unpack_program(contract, content, folder.edition().limits, Faults(name))
        steps = [{"sanitizer": spec} for spec in contract.list_steps(program)]
    return RecipeOutcome(
        event=recipe.number,
        team=recipe.team,
        track=recipe.track,
        digest=digest,
        steps=steps,
        made={} if made is None else made.files,
        reason=" ".join(path.read_text().split()) if path.is_file() else "",
    )


def recipe_files(folder: Folder, submitted: Sequence[Submitted]) -> dict[str, bytes]:
    """The log of all tracks as a result file; nothing in a contest without recipes."""
    outcomes = list(_all_outcomes(folder, submitted))
    if not outcomes:
        return {}
    runs = [outcome.table() for outcome in outcomes]
    return {paths.RECIPE_RUNS: canonical_json({"format": FORMAT, "runs": runs})}


def _all_outcomes(folder: Folder, submitted: Sequence[Submitted]) -> Iterator[RecipeOutcome]:
    for track in folder.edition().track:
        yield from recipe_outcomes(folder, track, submitted)
