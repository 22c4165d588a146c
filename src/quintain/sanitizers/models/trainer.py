"""Trainer: a sanitizer whose release is a model of private records, and never the records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Self

import numpy as np

from quintain.data import Data, ModelForm, Schema, Table, TrainedModel
from quintain.data.models import form_fault, model_schema
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer


class Trainer(Sanitizer, ABC):
    """Trains a classifier on private records.

    Parameters
    ----------
    label : the category that the model predicts from all other columns.
    """

    shapes: ClassVar[tuple[str, ...]] = ("table",)

    label: str

    @classmethod
    def examples(cls) -> list[Self]:
        """A trainer for the table of the battery."""
        return [cls(label="flag")]

    def require(self, schema: Schema) -> None:
        """The label must be a category, and numbers must have bounds."""
        super().require(schema)
        fault = form_fault(self.label, schema)
        if fault:
            raise PartError(f"{self.id}: {fault}")

    def form(self, schema: Schema) -> ModelForm:
        """What the model reads and predicts."""
        return ModelForm(label=self.label, columns=schema.attributes)

    def release_schema(self, schema: Schema) -> Schema:
        """The schema of its models."""
        return model_schema(self.form(schema))

    @abstractmethod
    def train(self, records: Table, *, rng: np.random.Generator, noise: Noise) -> TrainedModel:
        """The trained model."""

    @abstractmethod
    def recipe(self) -> str:
        """How the model was trained, in a few words."""

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Train a model; its card says how."""
        table: Table = self.see(data)
        model = self.train(table, rng=rng, noise=noise)
        claim = self.claim_for(table.schema)
        # How many records there are is private where a claim is about one record more.
        rows = len(table) if claim is None else None
        method = Method(name="training", rows=rows, detail=self.recipe())
        return Sanitized(Release(model, claim, (method,)))
