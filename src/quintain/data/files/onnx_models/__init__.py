"""Classifiers in ONNX files, taken out of their graphs of operators without running them."""

from quintain.data.files.onnx_models.graph import START, read_onnx

__all__ = ["START", "read_onnx"]
