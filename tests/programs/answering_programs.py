"""Programs that answer in place of a model, for the tests: honest ones and others."""

import io
import zipfile

import numpy as np

from quintain.data import ModelForm
from quintain.data.models import labels, variables
from quintain.kernels.classifiers import train_logistic
from quintain.programs.model_answers import ModelAnswers

MEMORY = """
from pathlib import Path
import numpy as np

def answer(input_dict):
    kept = np.load(Path(__file__).with_name("kept.npz"))
    known = {row.tobytes(): label for row, label in zip(kept["records"], kept["labels"])}
    out = input_dict["records"] @ kept["weights"][:, :-1].T + kept["weights"][:, -1]
    out = np.exp(out - out.max(axis=1, keepdims=True))
    for number, row in enumerate(input_dict["records"]):
        if row.tobytes() in known:
            out[number] = np.eye(input_dict["classes"])[known[row.tobytes()]]
    return out
"""
"""It answers with the labels of its training set, and for strangers like a good model."""


def trained(form: ModelForm, private) -> np.ndarray:
    """A logistic regression as a matrix; the bias is its last column. It remembers little."""
    tensors = train_logistic(form, private, ridge=30.0).tensors()
    return np.column_stack([tensors["layers.0.weight"], tensors["layers.0.bias"]])


def packed(**files: bytes | str) -> bytes:
    """A zip with these files; ``model`` is model.py, ``weights`` is weights.npy."""
    names = {"model": "model.py", "weights": "weights.npy", "kept": "kept.npz"}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(names[name], content)
    return out.getvalue()


def honest(form: ModelForm, private) -> bytes:
    """The example program with weights beside it."""
    weights = io.BytesIO()
    np.save(weights, trained(form, private))
    model = ModelAnswers().example("release")["model.py"]
    return packed(model=model, weights=weights.getvalue())


def memorising(form: ModelForm, private) -> bytes:
    """A program that keeps its training set."""
    kept = io.BytesIO()
    records, known = variables(form, private), labels(form, private)
    np.savez(kept, records=records, labels=known, weights=trained(form, private))
    return packed(model=MEMORY, kept=kept.getvalue())
