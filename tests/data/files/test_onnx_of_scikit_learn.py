"""ONNX files as scikit-learn's converter writes them: the judge's model gives the same shares."""

import numpy as np
import pytest

from quintain.data import ModelForm, as_model
from quintain.data.files import read_bytes
from quintain.data.models import labels, model_schema, variables
from quintain.errors import Faults
from quintain.kernels.classifiers import confidences
from quintain.testing import example_table
from quintain.testing.examples import TABLE

onnx = pytest.importorskip("onnx")
to_onnx = pytest.importorskip("skl2onnx").to_onnx
ensemble, linear = (
    pytest.importorskip("sklearn.ensemble"),
    pytest.importorskip("sklearn.linear_model"),
)
networks, tree = pytest.importorskip("sklearn.neural_network"), pytest.importorskip("sklearn.tree")
preprocessing = pytest.importorskip("sklearn.preprocessing")
make_pipeline = pytest.importorskip("sklearn.pipeline").make_pipeline

COLUMNS = TABLE.private.columns
TWO, THREE = (ModelForm(label=label, columns=COLUMNS) for label in ("flag", "colour"))
RECORDS = example_table(rows=60)


def fitted(model, form=TWO, *, named=False, kind=np.float32):
    """A model of scikit-learn that learned the label, as numbers or by its names."""
    known = labels(form, RECORDS)
    return model.fit(
        variables(form, RECORDS).astype(kind), np.array(form.classes)[known] if named else known
    )


def converted(model, form=TWO, kind=np.float32, **options):
    """The ONNX file of a model."""
    return to_onnx(model, variables(form, RECORDS)[:1].astype(kind), options=options or None)


def read(made, form=TWO):
    """The model in a file, or what the reader says of it."""
    faults = Faults("release.onnx")
    data = read_bytes(made.SerializeToString(), "release.onnx", model_schema(form), faults=faults)
    return as_model(data) if data is not None else "\n".join(map(str, faults))


def shares_of(model, form, kind=np.float32):
    """What scikit-learn says, with the classes in the order of the form."""
    shares = np.zeros((len(RECORDS), len(form.classes)))
    places = [form.classes.index(c) if isinstance(c, str) else c for c in model.classes_]
    shares[:, places] = model.predict_proba(variables(form, RECORDS).astype(kind))
    return shares


FOREST = ensemble.RandomForestClassifier(5, random_state=1)
PAIRS = {
    "a forest": (FOREST, TWO, {}),
    "a forest that knows the names": (FOREST, TWO, {"named": True}),
    "more classes, one of which nobody has": (FOREST, THREE, {"named": True}),
    "numbers of 64 bits": (FOREST, TWO, {"kind": np.float64}),
    "extra trees": (ensemble.ExtraTreesClassifier(5, random_state=1), THREE, {}),
    "one tree": (tree.DecisionTreeClassifier(random_state=1), TWO, {}),
    "a logistic regression": (linear.LogisticRegression(), TWO, {"named": True}),
    "scaled before": (
        make_pipeline(preprocessing.StandardScaler(), linear.LogisticRegression()),
        TWO,
        {},
    ),
    "a network": (
        networks.MLPClassifier((4, 3), max_iter=20, random_state=1),
        TWO,
        {"named": True},
    ),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_model_of_scikit_learn_gives_the_shares_that_it_gave_there(name):
    model, form, how = PAIRS[name]
    fitted(model, form, **how)
    kind = how.get("kind", np.float32)
    for options in ({}, {"zipmap": False}):
        released = read(converted(model, form, kind, **options), form)
        assert not isinstance(released, str), released
        assert np.allclose(confidences(released, RECORDS), shares_of(model, form, kind), atol=1e-6)


def test_a_forest_is_published_as_plain_arrays():
    released = read(converted(fitted(FOREST)))
    assert released.architecture == "forest"
    tensors = released.tensors()
    assert len(tensors["trees.root"]) == 5
    ends = tensors["trees.left"] == -1
    assert np.allclose(tensors["trees.leaf"][ends].sum(axis=1), 1)


def test_classes_keep_their_names_in_any_order():
    """The class that comes first in the file is the second of the label."""
    turned = ModelForm(
        label="flag",
        columns=[
            c.model_copy(update={"values": tuple(reversed(c.values))}) if c.name == "flag" else c
            for c in COLUMNS
        ],
    )
    model = fitted(FOREST, named=True)
    here, there = (confidences(read(converted(model), form), RECORDS) for form in (TWO, turned))
    assert np.array_equal(here, there[:, ::-1])


def changed(**settings):
    """The file of a forest in which some settings of its operator have other values."""
    made = converted(fitted(FOREST), zipmap=False)
    (operator,) = (node for node in made.graph.node if node.op_type == "TreeEnsembleClassifier")
    for name, change in settings.items():
        places = [at for at, part in enumerate(operator.attribute) if part.name == name]
        old = onnx.helper.get_attribute_value(operator.attribute[places[0]]) if places else None
        for at in places:
            del operator.attribute[at]
        operator.attribute.append(onnx.helper.make_attribute(name, change(old)))
    return made


def swapped(values, change):
    """A list in which some places have other values."""
    return [change.get(at, value) for at, value in enumerate(values)]


HOSTILE = {
    "boosted trees": (
        {"post_transform": lambda _: "LOGISTIC"},
        "post_transform is LOGISTIC, as in boosted trees; expected a forest",
    ),
    "a base": ({"base_values": lambda _: [0.5]}, "a forest adds nothing to the shares"),
    "short lists": (
        {"nodes_values": lambda values: values[:-1]},
        "its lists of nodes have different lengths",
    ),
    "other branches": (
        {"nodes_modes": lambda values: swapped(values, {0: b"BRANCH_EQ"})},
        "branches by BRANCH_EQ; expected BRANCH_LEQ",
    ),
    "a node that is not there": (
        {"nodes_truenodeids": lambda values: swapped(values, {0: 10**6})},
        "leads to a node that its tree does not have",
    ),
    "a node below itself": (
        {"nodes_truenodeids": lambda values: swapped(values, {0: 0})},
        "has nodes that lead to each other in a circle",
    ),
    "one node below two": (
        {"nodes_truenodeids": lambda values: swapped(values, {0: 2})},
        "nodes do not lead from one root to every other node",
    ),
    "two nodes with one id": (
        {"nodes_nodeids": lambda values: swapped(values, {1: 0})},
        "has two nodes with one id in a tree",
    ),
    "negative ids": (
        {"nodes_nodeids": lambda values: swapped(values, {1: -1})},
        "ids of nodes that are negative or too large",
    ),
    "negative shares": (
        {"class_weights": lambda values: swapped(values, {0: -0.1})},
        "its leaves have negative shares",
    ),
    "NaN": (
        {"class_weights": lambda values: swapped(values, {0: float("nan")})},
        "its leaves have negative shares",
    ),
    "no shares": (
        {"class_weights": lambda values: [9.0 for _ in values]},
        "the shares of a leaf, times the number of trees, sum up to 45; expected 1",
    ),
    "a class that is not there": (
        {"class_ids": lambda values: swapped(values, {0: 7})},
        "its leaves name a tree or a class that does not exist",
    ),
    "a variable that is not there": (
        {"nodes_featureids": lambda values: [99 for _ in values]},
        "trees.feature has numbers outside 0..4, the places of the variables",
    ),
    "other classes": (
        {"classlabels_int64s": lambda _: [0, 5]},
        "its classes are 0, 5; expected those of flag: no, yes, or 0 to 1",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_forest_is_refused_in_words(name):
    settings, words = HOSTILE[name]
    assert words in read(changed(**settings))


def test_classes_that_are_named_in_two_ways_are_refused():
    made = converted(fitted(FOREST))
    (pairing,) = (node for node in made.graph.node if node.op_type == "ZipMap")
    pairing.attribute[0].CopyFrom(onnx.helper.make_attribute("classlabels_int64s", [1, 0]))
    assert "names its classes twice, in two ways" in read(made)


def test_a_forest_of_too_many_nodes_is_refused_before_it_is_built():
    small = TWO.model_copy(update={"most_nodes": 10})
    assert "nodes; the limit is 10" in read(converted(fitted(FOREST)), small)


def test_scaled_variables_of_trees_are_refused():
    model = make_pipeline(preprocessing.StandardScaler(), FOREST)
    assert "a forest reads the variables as they are" in read(converted(fitted(model)))


def test_a_chain_must_know_every_class():
    model = fitted(linear.LogisticRegression(), THREE, named=True)
    assert "knows nothing of never seen" in read(converted(model, THREE), THREE)


def test_a_circle_ends():
    """Four nodes more lead to each other, each to one that leads back or ends, and from no root."""
    made = changed(
        nodes_treeids=lambda values: [*values, 0, 0, 0, 0],
        nodes_nodeids=lambda values: [*values, 900, 901, 902, 903],
        nodes_featureids=lambda values: [*values, 0, 0, 0, 0],
        nodes_values=lambda values: [*values, 0.5, 0.5, 0, 0],
        nodes_modes=lambda values: [*values, b"BRANCH_LEQ", b"BRANCH_LEQ", b"LEAF", b"LEAF"],
        nodes_truenodeids=lambda values: [*values, 901, 900, 0, 0],
        nodes_falsenodeids=lambda values: [*values, 902, 903, 0, 0],
        class_treeids=lambda values: [*values, 0, 0],
        class_nodeids=lambda values: [*values, 902, 903],
        class_ids=lambda values: [*values, 0, 0],
        class_weights=lambda values: [*values, 0.1, 0.1],
    )
    assert "has nodes that lead to each other in a circle" in read(made)
