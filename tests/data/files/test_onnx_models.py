"""ONNX files of models: chains and forests say what another runtime says; all else is refused."""

import numpy as np
import pytest

from quintain.data import ModelForm, as_model
from quintain.data.files import read_bytes
from quintain.data.files.subprocess_reader import read_apart
from quintain.data.models import model_schema, variables
from quintain.errors import Faults
from quintain.kernels.classifiers import confidences
from quintain.testing import example_table
from quintain.testing.examples import TABLE

onnx = pytest.importorskip("onnx")
helper, numpy_helper = onnx.helper, onnx.numpy_helper
FORM = ModelForm(label="flag", columns=TABLE.private.columns)
RNG = np.random.default_rng(1)
FIRST, SECOND = RNG.normal(size=(7, 5)), RNG.normal(size=(2, 7))
BIASES = RNG.normal(size=7), RNG.normal(size=2)
NETWORK = {"w1": FIRST, "b1": BIASES[0], "w2": SECOND, "b2": BIASES[1]}
GEMM = [
    helper.make_node("Gemm", ["x", "w1", "b1"], ["h"], transB=1),
    helper.make_node("Relu", ["h"], ["r"]),
    helper.make_node("Gemm", ["r", "w2", "b2"], ["y"], transB=1),
]
FLOAT = onnx.TensorProto.FLOAT


def graph(nodes, weights, *, inputs=("x",), outputs=("y",), kind=FLOAT):
    """A graph of nodes with these weights."""
    return helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info(name, kind, [None, 5]) for name in inputs],
        [helper.make_tensor_value_info(name, kind, [None, 2]) for name in outputs],
        [numpy_helper.from_array(np.float32(values), name) for name, values in weights.items()],
    )


def model(nodes, weights, **more):
    """A model of a graph; onnxruntime reads it, too."""
    return helper.make_model(
        graph(nodes, weights, **more), opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )


def read(tmp_path, made):
    """The model in a file, as the judge reads it: in a process of its own."""
    path = tmp_path / "release.onnx"
    path.write_bytes(made.SerializeToString())
    return as_model(read_apart(path, model_schema(FORM)))


def faults_of(made):
    """What the reader says of a file; here it runs in this process."""
    content = made if isinstance(made, bytes) else made.SerializeToString()
    faults = Faults("release.onnx")
    assert read_bytes(content, "release.onnx", model_schema(FORM), faults=faults) is None
    return "\n".join(map(str, faults))


SOFTMAX = [*GEMM[:2], helper.make_node("Gemm", ["r", "w2", "b2"], ["z"], transB=1)]
CHAINS = {
    "as torch writes it": (GEMM, NETWORK),
    "with shares at the end": (
        [*SOFTMAX, helper.make_node("Softmax", ["z"], ["y"], axis=1)],
        NETWORK,
    ),
    "with matrices and sums": (
        [
            helper.make_node("Identity", ["x"], ["x0"]),
            helper.make_node("MatMul", ["x0", "w1"], ["m"]),
            helper.make_node("Add", ["b1", "m"], ["h"]),
            helper.make_node("Relu", ["h"], ["r"]),
            helper.make_node("MatMul", ["r", "w2"], ["n"]),
            helper.make_node("Add", ["n", "b2"], ["y"]),
        ],
        {**NETWORK, "w1": FIRST.T, "w2": SECOND.T},
    ),
}


@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_of_layers_answers_as_another_runtime_does(name, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    made, records = model(*CHAINS[name]), example_table(rows=20)
    session = runtime.InferenceSession(made.SerializeToString())
    (scores,) = session.run(None, {"x": np.float32(variables(FORM, records))})
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares = scores if "shares" in name else odds / odds.sum(axis=1, keepdims=True)
    read_model = read(tmp_path, made)
    assert read_model.architecture == "network"
    assert np.allclose(confidences(read_model, records), shares, atol=1e-5)


def test_weights_of_torch_mean_the_same(tmp_path):
    torch = pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    state = {name: values.detach().numpy() for name, values in net.state_dict().items()}
    weights = {"w1": state["0.weight"], "b1": state["0.bias"]}
    weights |= {"w2": state["2.weight"], "b2": state["2.bias"]}
    records = example_table(rows=9)
    inputs = torch.tensor(variables(FORM, records), dtype=torch.float32)
    shares = torch.softmax(net(inputs), dim=1).detach().numpy()
    assert np.allclose(
        confidences(read(tmp_path, model(GEMM, weights)), records), shares, atol=1e-5
    )


def test_the_score_of_the_second_of_two_classes_is_a_model(tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    ending = [helper.make_node("Sub", ["one", "s"], ["f"])]
    ending += [helper.make_node("Concat", ["f", "s"], ["y"], axis=1)]
    pair, alone = model([*ONE, *ending], {**SCORE, "one": [1.0]}), model(ONE, SCORE, outputs=("s",))
    records = example_table(rows=20)
    session = runtime.InferenceSession(pair.SerializeToString())
    (shares,) = session.run(None, {"x": np.float32(variables(FORM, records))})
    for made in (pair, alone):
        assert np.allclose(confidences(read(tmp_path, made), records), shares, atol=1e-6)


def external():
    made = model(GEMM, NETWORK)
    tensor = made.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="../../secret/seeds.json")
    return made


def huge_shape():
    made = model(GEMM, NETWORK)
    made.graph.initializer[0].dims[:] = [1 << 40, 1 << 40]
    return made


def short_weights():
    made = model(GEMM, NETWORK)
    made.graph.initializer[0].raw_data = b"\0" * 8
    return made


def loop():
    made = model(GEMM, NETWORK)
    body = graph([helper.make_node("Identity", ["x"], ["y"])], {})
    made.graph.node.append(helper.make_node("Loop", ["", "y"], ["z"], body=body))
    return made


def own_function():
    made = model(GEMM, NETWORK)
    made.functions.append(
        helper.make_function("mine", "Gemm", ["a"], ["b"], [], [helper.make_opsetid("", 17)])
    )
    return made


def own_domain():
    made = model([*GEMM[:2], helper.make_node("Evil", ["r"], ["y"], domain="mine")], NETWORK)
    made.opset_import.append(helper.make_opsetid("mine", 1))
    return made


def with_outputs(kind):
    """A network whose outputs have a type of numbers."""
    made = model(GEMM, NETWORK)
    for value in made.graph.output:
        value.type.tensor_type.elem_type = kind
    return made


SCORE = {"w": SECOND[:1, :5], "b": BIASES[1][:1]}
ONE = [
    helper.make_node("Gemm", ["x", "w", "b"], ["z"], transB=1),
    helper.make_node("Sigmoid", ["z"], ["s"]),
]


def node(kind, *inputs, **settings):
    return helper.make_node(kind, list(inputs), ["y"], **settings)


HOSTILE = {
    "external data": (external, "tensor 'w1': its numbers are in another file"),
    "a huge shape": (huge_shape, "expected one or two numbers in 1..4096"),
    "weights that are not there": (short_weights, "has 8 bytes; its shape and type need 140"),
    "a loop": (loop, "'Loop' has a graph of its own, as branches and loops have"),
    "a function": (own_function, "defines operators of its own ('Gemm'), which nobody runs"),
    "a custom operator": (own_domain, "operator 'mine.Evil' is not accepted"),
    "a domain": (own_domain, "uses operators of 'mine'"),
    "another operator": (
        lambda: model([*GEMM[:2], node("Sin", "r")], NETWORK),
        "operator 'Sin' is not accepted; accepted: Gemm, MatMul",
    ),
    "two inputs": (lambda: model(GEMM, NETWORK, inputs=("x", "q")), "has 2 inputs; expected one"),
    "no output": (lambda: model(GEMM, NETWORK, outputs=()), "has 0 outputs; expected one"),
    "texts": (lambda: model(GEMM, NETWORK, kind=8), "is not a tensor of numbers with a point"),
    "a branch": (
        lambda: model([*GEMM[:2], node("Add", "r", "x")], NETWORK),
        "does not read the result of the operator before it alone",
    ),
    "a dead end": (
        lambda: model([*GEMM, helper.make_node("Identity", ["y"], ["z"])], NETWORK),
        "operator 3 (Identity) leads to no output",
    ),
    "a circle": (
        lambda: model([node("Identity", "y")], {}),
        "does not read the result of the operator before it alone",
    ),
    "the class alone": (
        lambda: with_outputs(onnx.TensorProto.INT64),
        "its outputs name a class alone; save the model with the shares of classes",
    ),
    "a share of three classes": (
        lambda: model([*SOFTMAX, node("Sigmoid", "z")], NETWORK),
        "must follow a layer of one unit, the score of the second of two classes",
    ),
    "a share without its pair": (
        lambda: model([*ONE, node("Sub", "r", "s")], {**SCORE, "one": np.float32(1)}),
        "expected one less the share of the second class",
    ),
    "no layers": (lambda: model([node("Identity", "x")], {}), "through layers"),
    "many operators": (
        lambda: model([node("Identity", "x")] * 101, {}),
        "has 101 operators or tensors; the limit is 100",
    ),
    "another width": (
        lambda: model(GEMM, {**NETWORK, "w1": FIRST[:, :4]}),
        "layers.0.weight is 7 by 4; expected 5 columns, as many as there are variables",
    ),
    "another number of classes": (
        lambda: model(GEMM, {**NETWORK, "w2": np.ones((3, 7)), "b2": np.ones(3)}),
        "layers.1.weight is 3 by 7; expected 2 rows, one per value of flag",
    ),
    "a bias of another layer": (
        lambda: model(GEMM, {**NETWORK, "b1": np.ones(3)}),
        "has 3 biases for 7 units",
    ),
    "NaN": (
        lambda: model(GEMM, {**NETWORK, "b1": np.full(7, np.nan)}),
        "layers.0.bias has numbers that are not finite",
    ),
    "a scale": (
        lambda: model([helper.make_node("Gemm", ["x", "w"], ["y"], alpha=2.0)], {"w": FIRST.T}),
        "transA must be 0, alpha and beta 1",
    ),
    "a rectifier at the end": (
        lambda: model([*SOFTMAX, node("Relu", "z")], NETWORK),
        "has a rectifier after its last layer",
    ),
    "no file": (lambda: b"\x08\x07\xff\xff\xff" + b"\xff" * 99, "cannot be read as one"),
    "nothing but zeros": (lambda: b"\x08\x08" + bytes(9_000), "cannot be read as one"),
    "too many bytes": (
        lambda: b"\x08\x08" + bytes(20_000_000),
        "is an ONNX file of 20,000,002 bytes; the limit is 20,000,000",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_words(name):
    make, words = HOSTILE[name]
    assert words in faults_of(make())


def test_every_fault_comes_at_once():
    made = external()
    made.graph.node.append(helper.make_node("Sin", ["y"], ["z"]))
    text = faults_of(made)
    assert "its numbers are in another file" in text
    assert "operator 'Sin' is not accepted" in text
