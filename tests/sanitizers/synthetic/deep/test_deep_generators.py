"""Deep generators: mixed columns, what each learns, and their models as safetensors."""

import numpy as np
import pytest
from safetensors.numpy import load

import quintain as q
from quintain.data import Column, Schema, to_pandas
from quintain.errors import DataError, PartError, Rejected
from quintain.sanitizers.synthetic.deep.ctgan import Ctgan
from quintain.sanitizers.synthetic.deep.latent_diffusion import LatentDiffusion
from quintain.sanitizers.synthetic.deep.tabddpm import TabDdpm, TabDdpmModel
from quintain.sanitizers.synthetic.deep.tvae import Tvae, TvaeModel

from ..mixed_tables import MIXED, mixed, nominal, released
from ..model_cases import assert_survives_its_file, oddly_named

SMALL = {"batch": 100, "hidden": (32, 32), "device": "cpu"}
GENERATORS = [
    Tvae(steps=150, latent=16, **SMALL),
    Ctgan(steps=60, latent=16, pack=5, **SMALL),
    TabDdpm(steps=150, noise_steps=20, **SMALL),
    LatentDiffusion(steps=200, rate=3e-3, noise_steps=15, **SMALL),
]
EACH = pytest.mark.parametrize("generator", GENERATORS, ids=lambda part: part.id)
SHORT = pytest.mark.parametrize(
    "generator", [part.with_parameter("steps", 2) for part in GENERATORS], ids=lambda part: part.id
)


class OtherDeepModel(TvaeModel):
    """A model of another kind."""

    kind = "other"


@pytest.mark.slow
@EACH
def test_all_kinds_of_columns_with_missing_values(generator):
    data = mixed()
    made = released(generator, data)
    assert made.schema == data.schema
    before, after = (to_pandas(table) for table in (data, made))
    assert len(after) == len(before)
    for name in ("town", "age", "pay", "day"):
        assert 0.02 < after[name].isna().mean() < 0.6
    assert not after["visits"].isna().any()
    assert after["empty"].isna().all()
    assert set(after["same"]) == {"y"}
    for name in ("age", "visits", "pay", "day"):
        assert after[name].min() >= before[name].min()
        assert after[name].max() <= before[name].max()
    pay = after["pay"].dropna()
    assert np.array_equal(pay.round(2), pay)


@pytest.mark.slow
@SHORT
def test_the_same_seed_gives_the_same_release(generator):
    data = mixed(40)
    assert released(generator, data).equals(released(generator, data))
    assert not released(generator, data).equals(released(generator, data, seed=2))


@SHORT
@pytest.mark.parametrize("rows", [1, 2])
def test_one_or_two_people_are_enough(generator, rows):
    assert len(released(generator, mixed(rows))) == rows


@SHORT
def test_a_model_survives_its_file(generator):
    model = generator.fit(oddly_named(50), rng=np.random.default_rng(1))
    assert_survives_its_file(model, OtherDeepModel)
    tensors = load(model.to_bytes())  # the reader of the people who made the format
    for name, weight in model.weights.items():
        assert np.array_equal(tensors[f"net.{name}"], weight)


@SHORT
def test_tables_without_numbers_or_without_categories(generator):
    data = mixed(50)
    for names in (["town"], ["visits"], ["empty"], ["pay", "day"]):
        assert released(generator, data.select(names)).schema.names == tuple(names)


def test_a_broken_file_is_refused_with_its_fault():
    model = GENERATORS[2].with_parameter("steps", 1).fit(mixed(20), rng=np.random.default_rng(1))
    content = model.to_bytes()
    with pytest.raises(DataError, match="overlap or leave gaps"):
        TabDdpmModel.from_bytes(content + b"more")
    with pytest.raises(DataError, match="is a pickle"):
        TabDdpmModel.from_bytes(b"\x80\x04K\x01.")


@EACH
def test_a_strong_dependence_is_learned(generator):
    """Two categories are the same; if columns were independent, a sixth would agree."""
    longer = generator.with_parameter("steps", 250).with_parameter("rate", 4e-3)
    made = to_pandas(released(longer, nominal()))
    assert (made["x"].astype(str) == made["y"].astype(str)).mean() > 1 / 3


def test_rare_values_are_conditions_of_ctgan_and_occur_about_as_often():
    data = nominal()
    model = Ctgan(steps=3, latent=16, pack=1, **SMALL).fit(data, rng=np.random.default_rng(1))
    shares = np.bincount(data.columns["x"], minlength=6) / len(data)
    assert np.allclose(model.weights["frequency"][:6], shares)


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("tvae", {"steps": 0}, "steps"),
        ("tvae", {"latent": 1}, "latent"),
        ("ctgan", {"pack": 0}, "pack"),
        ("ctgan", {"batch": 1}, "batch"),
        ("tabddpm", {"noise_steps": 1}, "noise_steps"),
        ("tabddpm", {"hidden": ()}, "hidden"),
        ("latent-diffusion", {"rate": 0}, "rate"),
        ("latent-diffusion", {"device": "tpu"}, "device"),
    ],
)
def test_bad_parameters_are_refused_by_name(name, parameters, words):
    with pytest.raises(Rejected, match=words):
        q.part(f"sanitizer/{name}", **parameters)


@SHORT
def test_ids_are_refused_in_words(generator):
    schema = Schema(columns=(Column(name="who", kind="id"), MIXED["same"]))
    with pytest.raises(PartError, match="draws no ids: leave out who"):
        generator.require(schema)
