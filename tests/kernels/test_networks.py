"""Networks for series: our recurrence beside PyTorch's, stacks that learn as if alone."""

import sys

import numpy as np
import pytest

from quintain.data import Series
from quintain.errors import MissingExtra, PartError
from quintain.kernels.networks import (
    Forecasters,
    LearningTask,
    StackedGru,
    Training,
    VendorGru,
    as_batch,
    computing,
    has_torch,
    make_gru,
    prepare_timed,
    repeat_last_row,
)
from quintain.testing import example

needs_torch = pytest.mark.skipif(not has_torch(), reason="PyTorch is not installed")


def series(rows: int = 200) -> Series:
    data = example("series", rows=rows)
    assert isinstance(data, Series)
    return data


def test_without_pytorch_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with (
        pytest.raises(MissingExtra, match=r"TimeGAN needs torch: pip install 'quintain\[torch\]'"),
        computing("auto", "TimeGAN"),
    ):
        pass


@needs_torch
def test_a_processor_computes_with_one_thread_and_a_missing_gpu_is_named(monkeypatch):
    import torch

    before = torch.get_num_threads()
    with computing("cpu", "a test") as device:
        assert device.type == "cpu"
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with (
        pytest.raises(PartError, match="a test: this machine has no GPU"),
        computing("cuda", "a test"),
    ):
        pass
    with computing("auto", "a test") as device:
        assert device.type == "cpu"


# --- arrays ---------------------------------------------------------------------------------------


def test_time_is_scaled_like_a_feature_and_comes_back():
    prepared = prepare_timed(series(), 12)
    assert prepared.values.min() == 0 and prepared.values.max() == 1
    assert prepared.values[:, 0].max() == 1
    again = prepared.restore(prepared.values)
    np.testing.assert_allclose(again.values[:, 0], series().values[:, 0], atol=1e-12)
    other = prepare_timed(series(400), 12, prepared.scaling)
    assert other.scaling is prepared.scaling


def test_the_last_row_fills_the_steps_after_it():
    prepared = prepare_timed(series(), 12)
    repeated = repeat_last_row(prepared)
    for person, (a, b) in enumerate(zip(prepared.offsets[:-1], prepared.offsets[1:], strict=True)):
        rows = prepared.values[a:b].astype(np.float32)
        np.testing.assert_array_equal(repeated[person, : b - a], rows)
        np.testing.assert_array_equal(
            repeated[person, b - a :], np.tile(rows[-1], (12 - (b - a), 1))
        )


@needs_torch
def test_a_batch_begins_at_the_first_step():
    import torch

    prepared = prepare_timed(series(), 12)
    batch = as_batch(prepared, torch.device("cpu"))
    assert batch.real.sum(1).tolist() == prepared.lengths.tolist()
    assert (batch.values[batch.real == 0] == 0).all()
    np.testing.assert_allclose(batch.values[batch.real == 1], prepared.values, atol=1e-6)
    np.testing.assert_allclose(batch.mean(), prepared.values.mean(axis=0), atol=1e-5)


# --- recurrence -----------------------------------------------------------------------------------


@needs_torch
@pytest.mark.parametrize(("models", "layers", "rows"), [(1, 1, 1), (2, 3, 2), (3, 2, 7), (2, 4, 9)])
def test_the_recurrence_is_that_of_pytorch_with_its_gradient(models, layers, rows):
    import torch

    rng = np.random.default_rng(rows)
    stack = make_gru(models, 5, 4, layers, torch.device("cpu"), rng=rng)
    assert isinstance(stack, StackedGru)
    seen = torch.from_numpy(rng.random((models, 6, rows, 5)).astype(np.float32)).requires_grad_()
    weight = torch.from_numpy(rng.random((models, 6, rows, 4)).astype(np.float32))
    for repeated in stack.weights:
        repeated.requires_grad_()
    states = stack(seen)
    to_seen, to_entry, *_ = torch.autograd.grad(
        (states * weight).sum(), [seen, *stack.weights], retain_graph=True
    )
    last = torch.autograd.grad((states * weight).sum(), stack.weights)
    for model in range(models):
        plain = VendorGru([repeated[model : model + 1] for repeated in stack.weights])
        one = seen[model : model + 1].detach().requires_grad_()
        expected = plain(one)
        torch.testing.assert_close(states[model], expected[0], atol=1e-6, rtol=1e-5)
        grads = torch.autograd.grad((expected * weight[model]).sum(), [one, *plain.weights])
        torch.testing.assert_close(to_seen[model], grads[0][0], atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(to_entry[model], grads[1], atol=1e-4, rtol=1e-4)
        for layer in range(layers):
            _, own, below_bias, before_bias = grads[1 + 4 * layer : 5 + 4 * layer]
            pairs = ((2, own), (3, below_bias), (4, before_bias))
            for place, gradient in pairs:
                weights = last[place][model, layer].view_as(gradient)
                torch.testing.assert_close(weights, gradient, atol=1e-4, rtol=1e-4)
            if layer:
                below = grads[1 + 4 * layer]
                torch.testing.assert_close(last[1][model, layer - 1], below, atol=1e-4, rtol=1e-4)


@needs_torch
def test_without_learning_the_states_are_the_same():
    import torch

    stack = make_gru(2, 3, 4, 3, torch.device("cpu"), rng=np.random.default_rng(1))
    seen = torch.rand(2, 5, 6, 3, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        quick = stack(seen)
    torch.testing.assert_close(quick, stack(seen), atol=0, rtol=0)


@pytest.mark.slow
@needs_torch
def test_adam_agrees_with_the_one_of_pytorch():
    import torch

    from quintain.kernels.networks import Adam

    start = torch.linspace(-1, 1, 7)
    weights, expected = start.clone(), start.clone().requires_grad_()
    adam, other = Adam([weights], 0.05), torch.optim.Adam([expected], 0.05)
    for _ in range(20):
        adam.step((weights.sin() * weights).sum())
        other.zero_grad()
        (expected.sin() * expected).sum().backward()
        other.step()
    torch.testing.assert_close(weights.detach(), expected.detach(), atol=1e-6, rtol=1e-5)


# --- forecasters ----------------------------------------------------------------------------------


@needs_torch
def test_squares_are_those_of_plain_loops():
    import torch

    batch = as_batch(prepare_timed(series(), 12), torch.device("cpu"))
    tasks = [LearningTask(1), LearningTask()]
    models = Forecasters(tasks, batch.mean(), Training(hidden=3), rng=np.random.default_rng(1))
    missed, counts = models.squares(batch)
    net, out, bias = models._gru, models.weights[-2], models.weights[-1]
    for model, task in enumerate(tasks):
        shown = torch.from_numpy(task.inputs(3))
        with torch.no_grad():
            states = net((batch.values * shown)[None].expand(2, -1, -1, -1))[model]
        predicted = (states @ out[model] + bias[model]).numpy()
        for person in range(len(batch)):
            rows = int(batch.real[person].sum())
            wrong, count = np.zeros(3), 0
            for row in range(rows - (task.column is None)):
                target = batch.values[person, row + (task.column is None)].numpy()
                wrong += (predicted[person, row] - target) ** 2 * task.targets(3)
                count += 1
            np.testing.assert_allclose(missed[model, person], wrong, rtol=1e-4, atol=1e-6)
            assert counts[model, person] == count


@needs_torch
def test_a_network_never_sees_its_target():
    import torch

    batch = as_batch(prepare_timed(series(), 12), torch.device("cpu"))
    models = Forecasters(
        [LearningTask(2)], batch.mean(), Training(hidden=3), rng=np.random.default_rng(1)
    )
    changed = batch.values.clone()
    changed[:, :, 2] += 1
    moved = models._gru(changed[None] * models._inputs)
    torch.testing.assert_close(moved, models._gru(batch.values[None] * models._inputs))


@needs_torch
def test_forecasters_learn_and_repeat_themselves():
    rng = np.random.default_rng(3)
    lengths = np.full(120, 10)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    level = np.repeat(rng.random(120), 10)
    values = np.column_stack([np.tile(np.arange(10.0), 120), level, 1 - level])
    data = Series(series().schema, np.arange(120), offsets, values)
    training = Training(hidden=6, layers=1, epochs=15, batch=16, rate=0.01)
    with computing("cpu", "a test") as device:
        batch = as_batch(prepare_timed(data, 10), device)
        runs = [
            training.run(batch, [LearningTask(1), LearningTask()], [1, 2]).squares(batch)
            for _ in range(2)
        ]
    (missed, counted), (again, _) = runs
    assert (missed == again).all()
    error = (missed.sum((1, 2)) / counted.sum(1)).sqrt()[[0, 2]]
    assert (error < 0.3 * values[:, 1].std() / np.ptp(values[:, 1])).all()
    assert not np.allclose(missed[0], missed[2])  # another seed, another network
