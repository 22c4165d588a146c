"""A contest nobody thought of: one edition file, and no line of code."""

import json

import pytest

from quintain.cli.main import main

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


def test_a_fifth_contest_is_one_file(tmp_path, capsys):
    (tmp_path / "income.toml").write_text(EDITION)
    edition, out = str(tmp_path / "income.toml"), str(tmp_path / "run")
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["play", edition, "--seed", "1", "--out", out, "--workers", "1"])
    standings = json.loads((tmp_path / "run/results/standings.json").read_bytes())
    places = standings["tracks"]["main"]["boards"][0]["places"]
    scores = {place["team"]: place["score"]["value"] for place in places}
    assert scores["nearest"] > 0.1 > abs(scores["blind"])
    assert [place["rank"] for place in places] == [1, 2]
    report = (tmp_path / "run/results/report.html").read_text()
    assert "Share of members guessed right, minus that of the control group." in report
    capsys.readouterr()
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["verify", out])
    assert "verified" in capsys.readouterr().out
