"""Programs of teams for the tests: hiders and seekers as text and as zips, and contests of them."""

import io
import zipfile

from quintain.contests import load
from tests.contest_folders import prepared

SMALL = {"dataset": {"rows": 40, "steps": 10, "features": 4}, "baseline": []}
STEPS = {"steps": 10, "limits": {"seconds": 20}}
PHASES = [
    {"id": "hide", "submit": "release", "contract": {"use": "hide-and-seek", **STEPS}},
    {"id": "seek", "submit": "guess", "contract": {"use": "hide-and-seek", **STEPS}},
]
# Whatever the gates say of such small releases, attacks on them count.
SEEKERS = [
    {
        "id": "seekers",
        "use": "mean",
        "measure": "reidentification",
        "missing": 0.5,
        "unranked": "count",
    }
]
SEEKER = """
import numpy as np

def seeker(input_dict):
    generated = np.nan_to_num(input_dict["generated_data"])
    enlarged = np.nan_to_num(input_dict["enlarged_data"])
    g = generated.reshape(len(generated), -1)
    e = enlarged.reshape(len(enlarged), -1)
    d = np.array([np.min(np.linalg.norm(g - x, axis=1)) for x in e])
    labels = (d <= np.sort(d)[len(g) - 1]).astype(int)
    return {returned}
"""


def zipped(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.py", text)
    return out.getvalue()


def seeker(returned="labels"):
    return zipped(seeker=SEEKER.replace("{returned}", returned))


def made(root, phases, **changes):
    """A prepared contest of four teams."""
    teams = [{"id": name} for name in ("red", "blue", "green", "grey")]
    changes = {**SMALL, "phase": phases, "team": teams, **changes}
    rules = load("hide-and-seek", overrides=changes)
    return prepared(root, rules, seed=2)


def program(text, name="hider"):
    return {f"{name}.py": text.encode()}
