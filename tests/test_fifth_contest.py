"""A contest nobody thought of: one edition file and one new measure, and no other line of code."""

import json
import subprocess
import sys

EDITION = """\
id = "guess-the-income"
title = "Attribute inference: what does a target earn?"
goal = { use = "attribute", column = "income" }
repeats = 3

[dataset]
use = "adult"
rows = 2000

[sample]
use = "targets"
targets = 60
background = 300

[[sanitizer]]
use = "identity"

[[sanitizer]]
use = "rr"
grid = { keep = [0.5] }

[[baseline]]
id = "blind"
attack = { use = "random" }

[[baseline]]
id = "nearest"
attack = { use = "nearest" }

[[privacy]]
use = "excess-accuracy"

[[utility]]
use = "marginals"

[[board]]
id = "attackers"
use = "mean"
measure = "excess_accuracy"
"""

MEASURE = '''\
"""How much more of the members' secrets is guessed than of the controls'."""

from quintain.measures import PrivacyMeasure
from quintain.measures.intervals import difference
from quintain.registry import register


@register("excess-accuracy-v1")
class ExcessAccuracy(PrivacyMeasure):
    """Share of members guessed right, less the share of people who were not in the data."""

    @property
    def reads(self):
        return {"excess_accuracy": "lower"}

    def measure(self, cases):
        hits = [[0, 0], [0, 0]]
        for case in cases:
            truth, guess = case.truth.table.columns, case.guess.table.columns
            secret = list(truth)[-1]
            right = truth[secret] == guess[secret]
            for member in (0, 1):
                of = truth["member"] == member
                hits[member][0] += int(right[of].sum())
                hits[member][1] += int(of.sum())
        return {"excess_accuracy": difference(*hits[1], *hits[0], "lower")}
'''


def test_a_fifth_contest_is_one_file_and_one_measure(tmp_path):
    (tmp_path / "income.toml").write_text(EDITION)
    (tmp_path / "excess.py").write_text(MEASURE)
    command = [sys.executable, "-m", "quintain", "--plugin", tmp_path / "excess.py"]
    arguments = ["play", tmp_path / "income.toml", "--seed", "1", "--out", tmp_path / "run"]
    subprocess.run([*command, *arguments, "--workers", "2"], check=True, capture_output=True)
    standings = json.loads((tmp_path / "run/results/standings.json").read_bytes())
    places = standings["tracks"]["main"]["boards"][0]["places"]
    scores = {place["team"]: place["score"]["value"] for place in places}
    assert scores["nearest"] > 0.1 > abs(scores["blind"])
    verify = subprocess.run(
        [*command, "verify", tmp_path / "run"], check=True, capture_output=True, text=True
    )
    assert "verified" in verify.stdout
