"""Model cells: the tensors of a safetensors file, or of an ONNX file, as the rows of a model.

A safetensors file is eight bytes with the length of a header, the header in JSON, and the numbers
one after the other. Nothing in it can run. Everything is counted before anything is built, and the
names of files do not matter: content decides.

References
----------
Hugging Face, safetensors: format, https://github.com/huggingface/safetensors.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import pydantic_core

from quintain.data.arrays import Array
from quintain.data.columns import Columns
from quintain.data.files.foreign import file_kind
from quintain.data.files.limits import Limits
from quintain.data.files.onnx_models import START, read_onnx
from quintain.data.models import TrainedModel
from quintain.data.readable import Lines, Readable
from quintain.data.schema import Schema
from quintain.errors import Faults
from quintain.wording.languages import tell

_LENGTH = 8
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4"}
_LONGEST_NAME = 100
_ENTRIES = {"dtype", "shape", "data_offsets"}

_WHAT_TO_DO = tell(
    "save the weights alone as safetensors, for example with safetensors.numpy.save_file"
)
_REFUSED = (
    (b"PK\x03\x04", tell("is a zip, as torch.save writes it around a pickle")),
    (b"\x80", tell("is a pickle, as torch, joblib and pickle write it")),
    (b"\x89HDF", tell("is an HDF5 file, as Keras writes it")),
)
"""Files of models that are never opened: reading a pickle runs whatever its author put into it."""


def is_model_file(content: bytes) -> bool:
    """Whether the content must be the file of a model, because it is not a text of rows.

    >>> is_model_file(b"tensor,row,column,value"), is_model_file(b"\\x80\\x04K\\x01.")
    (False, True)
    """
    known = any(content.startswith(start) for start in (START, *dict(_REFUSED)))
    return known or _is_safetensors(content) or b"\0" in content[:_LENGTH]


def read_model(content: bytes, schema: Schema, limits: Limits, faults: Faults) -> Readable | None:
    """The rows of a model from its file; notes every fault, and returns None then."""
    assert schema.model is not None  # only models are read here
    before = faults.total
    if content.startswith(START) and not _is_safetensors(content):
        tensors: Mapping[str, Array] = read_onnx(content, schema.model, faults) or {}
        _note_infinite(tensors, faults)
    else:
        tensors, _ = read_tensors(content, limits, faults)
    if faults.total > before:
        return None
    if not tensors:
        faults.add(tell("has no tensors"))
        return None
    rows = TrainedModel.from_tensors(schema.model, tensors)
    return Readable(Columns(schema, rows.columns), {}, Lines())


def _is_safetensors(content: bytes) -> bool:
    return content[_LENGTH : _LENGTH + 1] == b"{"


def read_tensors(
    content: bytes, limits: Limits, faults: Faults
) -> tuple[Mapping[str, Array], dict[str, str]]:
    """The tensors of a safetensors file and its metadata; notes every fault, and is empty then."""
    before = faults.total
    for start, words in _REFUSED:
        if content.startswith(start) and not _is_safetensors(content):
            faults.add(
                tell(
                    "%(kind)s; reading it could run its author's code, so it is not opened: "
                    "%(what_to_do)s",
                    kind=words,
                    what_to_do=_WHAT_TO_DO,
                )
            )
            return {}, {}
    header = _header(content, limits, faults)
    if header is None:
        return {}, {}
    entries = _entries(header, len(content) - _header_end(content), limits, faults)
    if faults.total > before:
        return {}, {}
    tensors = {name: _tensor(content, entry) for name, entry in entries.items()}
    _note_infinite(tensors, faults)
    if faults.total > before:
        return {}, {}
    metadata = header.get("__metadata__", {})
    texts = metadata if isinstance(metadata, dict) else {}
    return tensors, {key: value for key, value in texts.items() if isinstance(value, str)}


def _note_infinite(tensors: Mapping[str, Array], faults: Faults) -> None:
    for name, values in tensors.items():
        if not np.isfinite(values).all():
            faults.add(
                tell("%(name)s has numbers that are not finite (NaN or infinite)", name=name)
            )


def _header_end(content: bytes) -> int:
    return _LENGTH + int(struct.unpack("<Q", content[:_LENGTH])[0])


def _header(content: bytes, limits: Limits, faults: Faults) -> Mapping[str, Any] | None:
    if len(content) < _LENGTH:
        faults.add(
            tell(
                "has %(n)s bytes; a safetensors file has at least 8: %(what_to_do)s",
                n=len(content),
                what_to_do=_WHAT_TO_DO,
            )
        )
        return None
    size = _header_end(content) - _LENGTH
    if size > limits.header_bytes or size > len(content) - _LENGTH:
        kind = file_kind(content)
        if kind is not None:
            faults.add(
                tell(
                    "is %(kind)s; expected a safetensors file: %(what_to_do)s",
                    kind=tell(kind),
                    what_to_do=_WHAT_TO_DO,
                )
            )
        else:
            most = min(limits.header_bytes, len(content) - _LENGTH)
            faults.add(
                tell(
                    "says that its header has %(size)s bytes; the limit here is %(most)s",
                    size=size,
                    most=most,
                )
            )
        return None
    try:
        header = pydantic_core.from_json(content[_LENGTH : _LENGTH + size], allow_inf_nan=False)
    except ValueError as problem:
        faults.add(tell("its header is not JSON: %(problem)s", problem=problem))
        return None
    if not isinstance(header, dict):
        faults.add(tell("its header is not a table of tensors"))
        return None
    return header


def _entries(
    header: Mapping[str, Any], room: int, limits: Limits, faults: Faults
) -> dict[str, dict[str, Any]]:
    """The tensors that a header lists, each with its type, its size and its place."""
    entries: dict[str, dict[str, Any]] = {}
    numbers = 0
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        reason = _entry_fault(name, entry, room)
        if reason:
            faults.add(
                tell("tensor %(name)s: %(reason)s", name=repr(name[:_LONGEST_NAME]), reason=reason)
            )
            continue
        entries[name] = entry
        numbers += _count(entry)
    if numbers > limits.rows:
        faults.add(
            tell(
                "has %(numbers)s numbers; the limit is %(most)s", numbers=numbers, most=limits.rows
            )
        )
    places = sorted(tuple(entry["data_offsets"]) for entry in entries.values())
    ends = [0, *(end for _, end in places)]
    whole = all(start == end for (start, _), end in zip(places, ends[:-1], strict=True))
    if not faults and (not whole or ends[-1] != room):
        faults.add(tell("its tensors overlap or leave gaps; each byte must belong to one tensor"))
    return entries


def _entry_fault(name: str, entry: Any, room: int) -> str:
    """What is wrong with one entry of a header; empty if nothing is."""
    if not isinstance(entry, dict) or set(entry) != _ENTRIES:
        return f"expected {', '.join(sorted(_ENTRIES))}"
    if len(name) > _LONGEST_NAME or not name.isprintable():
        return f"its name is longer than {_LONGEST_NAME} characters, or cannot be shown"
    if entry["dtype"] not in _TYPES:
        return f"dtype {str(entry['dtype'])[:20]!r}; available: {', '.join(_TYPES)}"
    shape, offsets = entry["shape"], entry["data_offsets"]
    if not _whole(shape) or len(shape) not in (1, 2) or 0 in shape:
        return f"shape {str(shape)[:60]}; expected one or two numbers above 0"
    if not _whole(offsets) or len(offsets) != 2 or not offsets[0] <= offsets[1] <= room:
        return f"data_offsets {str(offsets)[:60]} are not places in the {room} bytes of the file"
    needed = _count(entry) * np.dtype(_TYPES[entry["dtype"]]).itemsize
    if offsets[1] - offsets[0] != needed:
        return f"has {offsets[1] - offsets[0]} bytes; its shape and type need {needed}"
    return ""


def _whole(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)


def _count(entry: Mapping[str, Any]) -> int:
    count = 1
    for size in entry["shape"]:
        count *= size
    return count


def _tensor(content: bytes, entry: Mapping[str, Any]) -> Array:
    start, end = (_header_end(content) + place for place in entry["data_offsets"])
    values = np.frombuffer(content[start:end], _TYPES[entry["dtype"]])
    return values.reshape(entry["shape"])


def model_bytes(model: TrainedModel) -> bytes:
    """A model as the content of a safetensors file, which anybody's library reads."""
    tensors = {name: values.astype(np.float32) for name, values in model.tensors().items()}
    return tensor_bytes(tensors, {"architecture": model.architecture})


def tensor_bytes(tensors: Mapping[str, Array], metadata: Mapping[str, str]) -> bytes:
    """Vectors and matrices as the content of a safetensors file, in the order of their names."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    types = {np.dtype(code): name for name, code in _TYPES.items()}
    blocks, at = [], 0
    for name, values in sorted(tensors.items()):
        block = np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()
        place = [at, at + len(block)]
        kind = types[values.dtype]
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": place}
        blocks.append(block)
        at += len(block)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _LENGTH)  # the numbers begin at a multiple of eight bytes
    return struct.pack("<Q", len(text)) + text + b"".join(blocks)
