"""Models as data: files of strangers are refused in words, and good ones come back as they were."""

import io
import json
import pickle
import struct
import zipfile

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quintain.data import Limits, ModelForm, TrainedModel, as_model
from quintain.data.files import read_bytes, to_bytes
from quintain.data.files.subprocess_reader import cells_apart
from quintain.data.models import blank_model, count_variables, model_schema, variable_names
from quintain.errors import Faults
from quintain.testing.examples import TABLE

FORM = ModelForm(label="flag", columns=TABLE.private.columns, most_layers=2, most_width=8)
SCHEMA = model_schema(FORM)
GOOD = {"layers.0.weight": np.ones((2, 5)), "layers.0.bias": np.array([0.5, -1])}
TREE = {
    "trees.root": [0],
    "trees.feature": [4, 0, 0],
    "trees.threshold": [0.5, 0, 0],
    "trees.left": [1, -1, -1],
    "trees.right": [2, -1, -1],
    "trees.leaf": [[0.5, 0.5], [1, 0], [0, 1]],
}


def file_of(tensors, dtype="F32", **changes) -> bytes:
    """A safetensors file, made by hand; ``changes`` replace entries of its header."""
    header, blocks, at = {}, [], 0
    for name, values in tensors.items():
        block = np.asarray(values, "<f4").tobytes()
        place = [at, at + len(block)]
        header[name] = {"dtype": dtype, "shape": list(np.shape(values)), "data_offsets": place}
        blocks.append(block)
        at += len(block)
    text = json.dumps({**header, **changes}).encode()
    return struct.pack("<Q", len(text)) + text + b"".join(blocks)


def faults_of(content, limits=None) -> list[str]:
    faults = Faults("model.safetensors")
    read_bytes(content, faults.file, SCHEMA, faults=faults, limits=limits or Limits())
    return [str(fault).removeprefix("model.safetensors: ") for fault in faults]


def test_a_model_comes_back_from_each_kind_of_file():
    model = TrainedModel.from_tensors(FORM, GOOD)
    for suffix in (".csv", ".parquet", ".safetensors"):
        faults = Faults(f"model{suffix}")
        again = read_bytes(to_bytes(model, suffix), faults.file, SCHEMA, faults=faults)
        assert not faults and again.digest() == model.digest()


def test_the_file_is_what_the_library_of_the_format_reads_and_writes():
    library = pytest.importorskip("safetensors.numpy")
    tensors = library.load(to_bytes(TrainedModel.from_tensors(FORM, GOOD), ".safetensors"))
    assert {name: values.tolist() for name, values in tensors.items()} == {
        name: values.tolist() for name, values in GOOD.items()
    }
    singles = {name: np.float32(values) for name, values in GOOD.items()}
    assert faults_of(library.save(singles)) == []


@pytest.mark.parametrize("architecture", ["logistic", "network", "forest"])
def test_a_blank_model_is_valid(architecture):
    model = blank_model(FORM.model_copy(update={"architectures": (architecture,)}))
    assert model.architecture == architecture
    assert faults_of(to_bytes(model, ".safetensors")) == []


def test_a_variable_has_a_name():
    assert len(variable_names(FORM)) == count_variables(FORM) == 5


class Boom:
    """A pickle of this would run a command when it is read."""

    def __reduce__(self):
        return (exec, ("raise SystemError('the pickle ran')",))


def zip_of(content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            pickle.dumps(Boom()),
            "is a pickle, as torch, joblib and pickle write it; reading it",
        ),
        (zip_of(pickle.dumps(Boom())), "is a zip, as torch.save writes it around a pickle"),
        (zip_of(bytes(10_000_000)), "is a zip, as torch.save writes it around a pickle"),
        (b"\x89HDF\r\n\x1a\n" + bytes(99), "is an HDF5 file"),
    ],
    ids=["pickle", "torch", "zip bomb", "keras"],
)
def test_files_that_could_run_code_are_not_opened(content, words):
    (fault,) = faults_of(content)
    assert fault.startswith(words)
    assert fault.endswith("for example with safetensors.numpy.save_file")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (struct.pack("<Q", 1 << 60) + b"{}", "says that its header has 1152921504606846976 bytes"),
        (struct.pack("<Q", 5) + b"{nope", "its header is not JSON"),
        (struct.pack("<Q", 2) + b"[]", "its header is not a table of tensors"),
        (struct.pack("<Q", 2) + b"{}", "has no tensors"),
        (file_of(GOOD) + b"more", "its tensors overlap or leave gaps"),
        (file_of(GOOD)[:-4], "tensor 'layers.0.bias': data_offsets"),
        (file_of(GOOD, dtype="BF16"), "tensor 'layers.0.weight': dtype 'BF16'; available: F64"),
        (
            file_of({"layers.0.weight": np.ones((2, 5, 1))}),
            "tensor 'layers.0.weight': shape [2, 5, 1]; expected one or two numbers above 0",
        ),
        (
            file_of(GOOD, big={"dtype": "F32", "shape": [1 << 40] * 2, "data_offsets": [0, 4]}),
            "tensor 'big': has 4 bytes; its shape and type need",
        ),
        (
            file_of({**GOOD, "layers.0.bias": [np.nan, 1]}),
            "layers.0.bias has numbers that are not finite",
        ),
    ],
    ids=["header", "json", "list", "empty", "tail", "cut", "dtype", "cube", "huge", "nan"],
)
def test_a_damaged_file_is_refused_in_words(content, words):
    assert faults_of(content)[0].startswith(words)


def test_a_file_with_too_many_numbers_is_refused_before_they_are_read():
    assert "has 12 numbers; the limit is 10" in faults_of(file_of(GOOD), Limits(rows=10))


def test_every_fault_of_the_layers_is_noted_at_once():
    wrong = {
        "layers.0.weight": np.ones((9, 4)),
        "layers.0.bias": np.ones(3),
        "layers.1.weight": np.ones((3, 9)),
    }
    assert faults_of(file_of(wrong)) == [
        "layers.0.weight is 9 by 4; expected 5 columns, as many as there are variables",
        "layers.0.weight has 9 units; the limit is 8",
        "layers.0.bias has 3 numbers; expected 9, one per unit",
        "layers.1.bias is missing",
        "layers.1.weight is 3 by 9; expected 2 rows, one per value of flag",
    ]


def test_a_model_of_another_kind_or_size_is_refused():
    deep = {f"layers.{i}.{kind}": np.ones((2, 2)) for i in range(3) for kind in ("weight", "bias")}
    assert faults_of(file_of(deep))[0] == "has 3 layers; the limit is 2"
    assert faults_of(file_of({"conv.weight": [1.0]}))[0].startswith("unknown tensors 'conv.weight'")
    assert "has tensors of several kinds of model" in faults_of(file_of({**GOOD, **TREE}))[0]
    only = FORM.model_copy(update={"architectures": ("logistic",)})
    faults = Faults("model.safetensors")
    read_bytes(file_of(TREE), faults.file, model_schema(only), faults=faults)
    assert str(faults.findings[0]).endswith("is a forest model; this contest takes logistic")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"trees.left": [0, -1, -1]}, "node 0 leads to 0 and 2; a node leads to nodes with higher"),
        ({"trees.right": [3, -1, -1]}, "node 0 leads to 1 and 3"),
        ({"trees.root": [3]}, "trees.root has numbers outside 0..2"),
        ({"trees.feature": [5, 0, 0]}, "trees.feature has numbers outside 0..4"),
        ({"trees.left": [1.5, -1, -1]}, "trees.left has numbers that are not whole"),
        ({"trees.leaf": [[0, 0], [0, 0], [-1, 2]]}, "trees.leaf has a leaf without a positive"),
        ({"trees.leaf": [[1, 0, 0]] * 3}, "trees.leaf is 3 by 3; expected 3 by 2"),
    ],
)
def test_a_tree_ends_and_reads_what_there_is(change, words):
    assert faults_of(file_of(TREE)) == []
    assert faults_of(file_of({**TREE, **change}))[0].startswith(words)


def test_rows_of_a_model_name_every_place_once():
    rows = b"tensor,row,column,value\nlayers.0.bias,0,0,1\nlayers.0.bias,9000000000,0,1\n"
    assert faults_of(rows) == [
        "layers.0.bias has 2 numbers, which do not fill 9000000001 rows of 1"
    ]


def test_a_stranger_s_file_is_read_by_another_process():
    faults = Faults("model.safetensors")
    cells = cells_apart(file_of(GOOD), faults.file, SCHEMA, faults=faults)
    assert as_model(cells.data()).architecture == "logistic" and not faults
    assert cells_apart(pickle.dumps(Boom()), faults.file, SCHEMA, faults=faults) is None
    assert "is a pickle" in str(faults.findings[0])


@example(b"\x00\x00\x00\x00\x81\x7f", 192)  # a NaN that signals
@given(st.binary(max_size=200), st.integers(0, 250))
def test_no_bytes_crash_the_reader(noise, place):
    assert faults_of(noise), "so few bytes are no model"
    good = file_of(GOOD)
    faults_of(good[:place] + noise + good[place + len(noise) :])
