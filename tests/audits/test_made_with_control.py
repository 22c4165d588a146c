"""A release that was made with the control must not pass; an honest one must not be accused."""

import json

import numpy as np
import pytest

from quintain.audits.checks.copies import identical
from quintain.audits.checks.made_with_control import control_signs
from quintain.audits.release import audit_release
from quintain.audits.report import release_page
from quintain.data import Column, Schema, Table
from quintain.data.sources.adult import Adult
from quintain.kernels.neighbours import Distance, k_nearest
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic.mst import Mst
from tests.audits.audit_tables import people, three, written

QUICK = {"permutations": 99}


def shuffled(table, rng):
    return table.take(rng.permutation(len(table)))


def averaged(table, rng):
    """Each person's numbers, averaged with those of the most similar other person."""
    _, near = k_nearest(table, table, 2, Distance("gower"))
    other = np.where(near[:, 0] == np.arange(len(table)), near[:, 1], near[:, 0])
    columns = dict(table.columns)
    for column in table.schema.columns:
        if column.kind != "category":
            mine, theirs = columns[column.name], columns[column.name][other]
            mean = (mine + theirs) / 2
            columns[column.name] = mean.astype(mine.dtype)
    return shuffled(Table(table.schema, columns), rng)


def alarms(signs):
    return {sign.name for sign in signs if sign.alarm}


@pytest.mark.slow
@pytest.mark.parametrize("made", [shuffled, averaged])
def test_a_release_of_everybody_is_unsafe(made):
    original, _, control = three(200)
    release = made(original.concat(control), np.random.default_rng(0))
    audit = audit_release(original, release, control, permutations=19)
    assert audit.verdict == "unsafe"
    assert "made with the control" in audit.reasons[0]
    assert "quintain audit split" in audit.reasons[0]


@pytest.mark.parametrize("seed", range(10))
def test_a_release_of_everybody_knows_the_control(seed):
    original, _, control = three(300, seed)
    everybody, rng = original.concat(control), np.random.default_rng(seed)
    whole = shuffled(everybody, rng)
    for release, expected in (
        (whole, {"copies", "near copies"}),
        (whole.take(range(300)), {"copies", "near copies"}),
        (averaged(everybody, rng), {"near copies"}),
    ):
        assert expected <= alarms(control_signs(original, release, control, rng=rng))


@pytest.mark.slow
def test_the_numbers_are_in_the_json_and_in_the_report():
    original, _, control = three(100, seed=5)
    audit = audit_release(original, original.concat(control), control, permutations=19)
    plain = json.loads(audit.model_dump_json())["control_signs"]
    assert [sign["name"] for sign in plain] == ["copies", "near copies", "links", "fit"]
    assert plain[0]["only_release"] > 20
    assert plain[0]["only_original"] == 0
    page = release_page(audit)
    assert "Was the release made with the control?" in page
    assert plain[0]["says"] in page
    assert plain[3]["only_release"] is None
    assert page.count("compares shares, not people") == 2  # the row of the fit


@pytest.mark.slow
def test_links_or_a_fit_alone_mean_that_nobody_can_say(monkeypatch):
    from quintain.audits.shapes import tables as module

    tables = three(200, seed=6)
    signs = control_signs(*tables, rng=np.random.default_rng(0))
    assert not alarms(signs)
    told = tuple(
        sign.model_copy(update={"alarm": True, "p": 1e-6}) if sign.name == "links" else sign
        for sign in signs
    )
    monkeypatch.setattr(module, "control_signs", lambda *_args, **_options: told)
    audit = audit_release(*tables, permutations=19)
    assert audit.verdict == "cannot-say"
    assert audit.reasons[0].startswith("The release seems to have been made with the control.")
    assert "audit the sanitizer" in audit.reasons[0]


def _mst(epsilon):
    def release(table, rng):
        noise = Noise.for_test(int(rng.integers(1 << 32)))
        return sanitize(Mst(epsilon=epsilon), table, rng=rng, noise=noise).release.data

    return release


def _bootstrap(table, rng):
    return table.take(rng.integers(len(table), size=len(table)))


def _different(table, _rng):
    return table.take(np.unique(table.row_keys(), return_index=True)[1])


HONEST = {
    "itself": shuffled,
    "bootstrap": _bootstrap,
    "averaged": averaged,
    "different records": _different,
    "one record": lambda table, _rng: table.take(np.zeros(len(table), np.int64)),
    "five times": lambda table, _rng: table.take(np.tile(np.arange(len(table)), 5)),
    "a tenth": lambda table, _rng: table.take(range(len(table) // 10)),
}


@pytest.mark.parametrize("kind", HONEST)
@pytest.mark.parametrize("source", ["own", "adult"])
def test_honest_releases_are_not_accused(kind, source):
    accused = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        table = people(900, seed) if source == "own" else Adult(rows=900).data(rng)
        original, strangers, control = (table.take(range(i, i + 300)) for i in (0, 300, 600))
        for whose in (original, strangers):
            release = HONEST[kind](whose, rng)
            accused += alarms(control_signs(original, release, control, rng=rng))
    assert not accused


@pytest.mark.parametrize("epsilon", [1, 1000])
def test_honest_mst_is_not_accused(epsilon):
    accused = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        table = Adult(rows=600).data(rng)
        original, control = table.take(range(300)), table.take(range(300, 600))
        release = _mst(epsilon)(original, rng)
        accused += alarms(control_signs(original, release, control, rng=rng))
    assert not accused


@pytest.mark.parametrize("values", [(8, 8, 8), (6, 6, 4)])
def test_every_possible_record_once_is_no_copy_of_the_control(values):
    """Such a release has a copy of nearly everybody, and knows nobody."""
    schema = Schema(
        columns=tuple(
            Column(name=f"c{place}", kind="category", values=tuple(map(str, range(count))))
            for place, count in enumerate(values)
        )
    )
    rng = np.random.default_rng(0)

    def drawn(count):
        cells = {
            name: np.minimum(rng.geometric(0.35, count) - 1, size - 1)
            for name, size in zip(schema.names, values, strict=True)
        }
        return Table(schema, cells)

    grid = np.indices(values).reshape(len(values), -1)
    every = Table(schema, dict(zip(schema.names, grid, strict=True)))
    for _ in range(5):
        signs = control_signs(drawn(500), every, drawn(500), rng=rng)
        assert not alarms(signs)


def test_a_control_that_was_drawn_to_be_like_the_original_is_no_sign():
    """Neighbours in the sorted table go to both sides, so the shares are nearly equal."""
    table = people(600, seed=8)
    table = table.take(table.order())
    original, control = table.take(range(0, 600, 2)), table.take(range(1, 600, 2))
    signs = control_signs(original, original, control, rng=np.random.default_rng(0))
    assert "fit" not in alarms(signs)


@pytest.mark.slow
@pytest.mark.parametrize("control", [True, False])
def test_an_honest_generalisation_is_no_breach(tmp_path, control):
    """Age in two bands, sex and illness: the rows agree, and every class is large."""
    original, _, others = three(600, seed=2)
    paths = written(tmp_path, original=original, **({"control": others} if control else {}))
    bands = np.where(original.columns["age"] < 50, "0-49", "50-99")
    sex, ill = (
        ["" if code < 0 else original.schema[name].values[code] for code in original.columns[name]]
        for name in ("sex", "ill")
    )
    lines = ["age,sex,ill", *map(",".join, zip(bands, sex, ill, strict=True))]
    paths["release"] = tmp_path / "release.csv"
    paths["release"].write_text("\n".join(lines) + "\n")
    audit = audit_release(**paths, **QUICK)
    assert audit.verdict != "unsafe"
    assert not any("nothing was sanitized" in reason for reason in audit.reasons)


def test_equal_rows_are_a_breach_only_where_most_are_unique():
    table = people(300)
    assert identical(table, shuffled(table, np.random.default_rng(0)))
    assert not identical(table.select(["sex", "ill"]), table.select(["sex", "ill"]))


def test_series_of_everybody_are_unsafe():
    from quintain.testing import example

    everybody = example("series", rows=400)
    half = len(everybody) // 2
    original = everybody.take(range(half))
    control = everybody.take(range(half, len(everybody)))
    audit = audit_release(original, everybody, control, permutations=19)
    assert audit.verdict == "unsafe"
    assert audit.control_signs[0].alarm
    assert "made with the control" in audit.reasons[0]


def test_a_table_of_one_column_has_signs():
    town = Schema(columns=(Column(name="town", kind="category", values=tuple("abcdefgh")),))
    draw = np.random.default_rng(0)
    sides = [Table(town, {"town": draw.integers(8, size=50)}) for _ in range(3)]
    signs = control_signs(*sides, rng=np.random.default_rng(1))
    assert [sign.name for sign in signs] == ["copies", "near copies", "fit"]
    assert not any(sign.alarm for sign in signs)
