"""A contest nobody thought of: one edition file, and no line of code."""

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


def test_a_fifth_contest_is_one_file(tmp_path):
    (tmp_path / "income.toml").write_text(EDITION)
    command = [sys.executable, "-m", "quintain"]
    arguments = ["play", tmp_path / "income.toml", "--seed", "1", "--out", tmp_path / "run"]
    subprocess.run([*command, *arguments, "--workers", "2"], check=True, capture_output=True)
    standings = json.loads((tmp_path / "run/results/standings.json").read_bytes())
    places = standings["tracks"]["main"]["boards"][0]["places"]
    scores = {place["team"]: place["score"]["value"] for place in places}
    assert scores["nearest"] > 0.1 > abs(scores["blind"])
    assert [place["rank"] for place in places] == [1, 2]
    report = (tmp_path / "run/results/report.html").read_text()
    assert "Share of members guessed right, minus that of the control group." in report
    verify = subprocess.run(
        [*command, "verify", tmp_path / "run"], check=True, capture_output=True, text=True
    )
    assert "verified" in verify.stdout
