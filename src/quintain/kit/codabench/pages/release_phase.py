"""The pages of the phases in which teams submit releases, and the README of the starting kit."""

from __future__ import annotations

from collections.abc import Mapping

from quintain.contests import Edition, Track
from quintain.contests.words import gate_lines, release_rule_lines
from quintain.kit.codabench.pages.shared import artefacts_text, page_files, rules_page
from quintain.kit.codabench.plan import sample_file
from quintain.runs.folder import paths
from quintain.runs.folder.paths import CARD

_FAIR_PLAY = """- Show your private data to nobody: the attackers must not have them.
- The releases that count are given to all teams in the guess phase."""


def release_pages(edition: Edition, track: Track, roots: Mapping[str, str]) -> dict[str, bytes]:
    """Every page of the site, by its path in the bundle."""
    texts = {
        "overview": _overview(edition, track),
        "data": _data(track),
        "evaluation": _evaluation(track),
        "rules": rules_page(track, "release", _FAIR_PLAY, roots),
    }
    return page_files(edition, texts)


def _overview(edition: Edition, track: Track) -> str:
    cite = f"\n\nReference: {edition.cite}" if edition.cite else ""
    return f"""# {edition.title}

{edition.description.strip()}

{track.title or track.goal.summary()}

In this phase every team sanitizes its own private data and submits the release. In the next phase
the teams attack the releases of the others.{cite}
"""


def _data(track: Track) -> str:
    threat = "\n".join(f"- {aspect}: {sentence}" for aspect, sentence in track.threat.rows())
    return f"""# Data

Your private data are not on this site. The organisers send each team a kit that only this team
gets, with its private data and these public data, which are below `{paths.places(track.id)[0]}/`:

- `schema.json`: the columns.

What attackers will want and know:

{threat}

`{paths.RULES}` has the rules with every default spelled out; `{paths.COMMITMENTS}/` has the
hashes that bind the organisers to their secret files.
"""


def _evaluation(track: Track) -> str:
    header = "with" if track.files.header else "without"
    further = _choice(track) + artefacts_text(track, "release")
    rules = "\n".join(f"- {line}" for line in release_rule_lines(track)) or "- none"
    gates = "\n".join(f"- {line}" for line in gate_lines(track)) or "- none"
    return f"""# Evaluation

Submit one zip with one CSV file in its root, {header} a header line. It has the columns of the
schema. A file `{CARD}` beside it may say what you did.{further}

Check the zip before you submit it: `python3 score.py --check release.zip`, from the starting kit.

A release must keep these rules:

{rules}

A release that fails one of these gates is disqualified:

{gates}

This site checks the format, and the rules that need no private data. Quintain checks everything
with the kit of your team, and measures the gates: `quintain check . release.csv --team YOUR-TEAM`.
The organisers do the same before they hand the releases to the attackers.

The column "Valid" is 1 for a valid release; the board ranks nobody.
"""


def _choice(track: Track) -> str:
    """How a team says which of its samples it released."""
    names = [f"`{sample_file(number)}`" for number in track.choices if number is not None]
    if not names:
        return ""
    listed = ", ".join(names)
    return f" You have {len(names)} samples: call the file after the one you chose, {listed}."


def release_readme(edition: Edition) -> bytes:
    """The README of the starting kit."""
    return f"""# {edition.title}: starting kit

    python3 score.py --check release.zip      checks a release: a zip, or a folder with its files

You need Python 3.7 or later and no packages. Your private data are in the kit that the organisers
send to your team. With quintain installed, `quintain check` measures the release, too.
""".encode()
