"""The simulated intensive care unit, and the loaders of real ones."""

import os
from pathlib import Path

import numpy as np
import pytest

from quintain.data.sources import icu
from quintain.data.sources.icu import PHYSIONET_FEATURES, Icu
from quintain.errors import DataError

REAL = Path(os.environ["QUINTAIN_DATA"]) / icu.PHYSIONET[0]
needs_physionet = pytest.mark.skipif(not REAL.is_file(), reason=f"{REAL} is not there")


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def gaps(series) -> np.ndarray:
    """Hours between rows of the same stay."""
    between = np.diff(series.values[:, 0])
    return np.delete(between, series.offsets[1:-1] - 1)


@pytest.fixture(scope="module")
def stays():
    return Icu(rows=600).generate(rng())


def test_simulated_stays_look_like_intensive_care(stays):
    assert 0.72 < np.isnan(stays.values[:, 1:]).mean() < 0.80
    assert 0.28 < 1 - stays.lengths.mean() / 100 < 0.40
    assert stays.lengths.min() >= 3 and stays.lengths.max() == 100
    spans = stays.values[stays.offsets[1:] - 1, 0] - stays.values[stays.offsets[:-1], 0]
    low, high = np.quantile(spans, [0.05, 0.95])
    assert 3 < low < 10 and 100 < high < 200, (low, high)
    minutes = gaps(stays) * 60
    assert minutes.min() > 0.99
    np.testing.assert_allclose(minutes, np.rint(minutes), atol=1e-6)


def test_panels_are_measured_as_often_as_they_are_ordered(stays):
    measured = 1 - np.isnan(stays.values[:, 1:]).mean(axis=0)
    names = np.array(stays.schema.names[2:])
    usual = [
        measured[np.char.startswith(names, p)].mean() for p in ("vital", "gas", "chem", "rare")
    ]
    assert usual == sorted(usual, reverse=True)
    assert usual[0] > 0.6 and usual[3] < 0.03


def test_without_leaks_all_stays_are_alike():
    plain = Icu(
        rows=300, features=6, steps=20, baseline=0, gap_spread=0, length_spread=0, missing=0
    )
    stays = plain.generate(rng())
    assert not np.isnan(stays.values).any()
    assert len(np.unique(stays.lengths)) == 1
    np.testing.assert_allclose(gaps(stays), 0.5, atol=1e-9)


def test_baseline_is_what_makes_stays_differ():
    shares = []
    for strength in (0.0, 1.0, 4.0):
        source = Icu(rows=300, features=6, steps=30, baseline=strength, missing=0)
        stays = source.generate(rng())
        levels = stays.values[:, 1:]
        levels = (levels - levels.mean(axis=0)) / levels.std(axis=0)
        means = np.add.reduceat(levels, stays.offsets[:-1]) / stays.lengths[:, None]
        shares.append(means.var())
    assert shares == sorted(shares) and shares[2] > 0.8, shares


def test_one_hospital_has_the_same_features_for_everybody():
    source = Icu(rows=400, features=8, steps=20)
    here, there = source.generate(rng(1)).values, source.test_data(rng(2)).values
    np.testing.assert_allclose(np.nanmedian(here, axis=0), np.nanmedian(there, axis=0), rtol=0.2)
    elsewhere = Icu(rows=400, features=8, steps=20, hospital=1).generate(rng(1)).values
    assert not np.allclose(np.nanmedian(here, axis=0), np.nanmedian(elsewhere, axis=0), rtol=0.2)


def test_time_comes_in_hours_or_minutes():
    hours, minutes = (Icu(rows=5, features=3, unit=u).generate(rng()) for u in ("hours", "minutes"))
    np.testing.assert_allclose(hours.values[:, 0] * 60, minutes.values[:, 0])
    assert minutes.schema["time"].unit == "minutes"


# --- real files -----------------------------------------------------------------------------------


@pytest.mark.real_data
@needs_physionet
def test_physionet_is_what_was_published():
    stays = Icu(real=True, sets=("a", "b", "c"), steps=1000).load()
    assert len(stays) == 12_000 and len(stays.values) == 898_352
    assert (stays.lengths.min(), stays.lengths.max()) == (1, 215)
    assert np.quantile(stays.lengths, [0.05, 0.5, 0.95]).tolist() == [46, 72, 115]
    missing = dict(zip(PHYSIONET_FEATURES, np.isnan(stays.values[:, 1:]).mean(axis=0), strict=True))
    assert round(missing["HR"], 2) == 0.24 and round(missing["Na"], 2) == 0.95
    assert 0.84 < np.mean(list(missing.values())) < 0.85
    first = stays.take([0]).values
    assert first[1, 0] == pytest.approx(7 / 60)
    assert first[1, 1 + PHYSIONET_FEATURES.index("Temp")] == 35.1


@pytest.mark.real_data
@needs_physionet
def test_physionet_is_cut_and_split():
    source = Icu(real=True, rows=50, steps=40, unit="minutes")
    stays, test = source.data(rng()), source.test_data(rng())
    assert len(stays) == len(test) == 50
    assert stays.lengths.max() == 40
    assert not set(stays.ids) & set(test.ids)
    assert stays.values[:, 0].max() > 48
    assert Icu(real=True, sets=("a", "b", "c")).test_data(rng()) is None


def test_a_file_that_is_not_physionet_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("QUINTAIN_DATA", str(tmp_path))
    with pytest.raises(DataError, match=r"not found .*physionet\.org"):
        Icu(real=True).load()
    path = tmp_path / icu.PHYSIONET[0]
    names, sets = np.array(["time", "HR"]), np.array(["a", "b"])
    np.savez(path, M=np.zeros((3, 2)), off=[0, 1, 3], ids=[1, 2], sets=sets, names=names)
    with pytest.raises(DataError, match="SHA-256 is"):
        Icu(real=True).load()
    with pytest.raises(DataError) as caught:
        icu.load_physionet(path, Icu(real=True).data_schema(), ("a",))
    words = str(caught.value)
    assert "other columns" in words and "3 rows, expected 898352" in words
    assert "1 stays in set b, expected 4000" in words and "0 stays in set c" in words


AMSTERDAM = """,admissionid,time,6640,8874
0,9,0,80,
1,9,30,,37.5
2,4,5,70,36.5
3,9,60,90,
"""


def test_a_file_shaped_like_amsterdam(tmp_path, monkeypatch):
    monkeypatch.setenv("QUINTAIN_DATA", str(tmp_path))
    file = tmp_path / icu.AMSTERDAM
    source = Icu(real=True, real_set="amsterdamumcdb", steps=2)
    for text in (AMSTERDAM, "\n".join(line.split(",", 1)[1] for line in AMSTERDAM.splitlines())):
        file.write_text(text)
        stays = source.load()
        assert stays.schema == source.data_schema()
        assert stays.schema.names == ("stay", "time", "6640", "8874")
        assert stays.ids.tolist() == [4, 9]
        assert stays.lengths.tolist() == [1, 2]
        np.testing.assert_array_equal(
            stays.values, [[5, 70, 36.5], [0, 80, np.nan], [30, np.nan, 37.5]]
        )
    assert len(source.test_data(rng())) == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,time,1\n1,2,3\n", "line must name admissionid, time and features"),
        ("admissionid,time,5,5\n1,2,3,4\n", "each of them once"),
        ("admissionid,time\n1,2\n", "must name admissionid, time and features"),
        ("admissionid,time,5\n1,2,high\n", r"csv:2 5='high': expected a number, or empty"),
        ("admissionid,time,5\n1,,3\n1,2,3\n", r"csv:2 time='': expected a number"),
        ("admissionid,time,5\n1,2,3,4\n", "not a readable CSV file"),
    ],
)
def test_a_broken_file_gets_a_sentence(tmp_path, monkeypatch, text, words):
    monkeypatch.setenv("QUINTAIN_DATA", str(tmp_path))
    (tmp_path / icu.AMSTERDAM).write_text(text)
    with pytest.raises(DataError, match=words):
        Icu(real=True, real_set="amsterdamumcdb").load()


def test_every_fifth_stay_of_a_file_shaped_like_amsterdam_is_kept_back(tmp_path, monkeypatch):
    rows = "".join(f"{stay},0,{stay}.5\n" for stay in range(10, 22))
    (tmp_path / "train_longitudinal_data.csv").write_text("admissionid,time,pulse\n" + rows)
    monkeypatch.setenv("QUINTAIN_DATA", str(tmp_path))
    source = Icu(real=True, real_set="amsterdamumcdb")
    assert source.test_data(rng()).values[:, 1].tolist() == [14.5, 19.5]
    assert len(source.load()) == 10
    assert not {14.5, 19.5} & set(source.load().values[:, 1])
