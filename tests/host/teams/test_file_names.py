"""Downloads of a team: a private sample has the name that the rules give it."""

from types import SimpleNamespace

from quintain.contests import load
from quintain_host.teams import kits


def test_a_sample_is_downloaded_under_the_name_of_the_rules(monkeypatch):
    visitor = SimpleNamespace(team_in=lambda edition: "03")
    for edition, sample in (("amic", "pre_samplingdata_03.csv"), ("darc", "private.csv")):
        rules = load(edition, quick=True)
        monkeypatch.setattr(kits, "shown_rules", lambda site, edition, rules=rules: rules)
        own = f"{rules.track[0].id}/private.csv"
        assert kits.download_name(None, visitor, edition, own) == sample
        assert kits.download_name(None, visitor, edition, "board.json") == "board.json"
