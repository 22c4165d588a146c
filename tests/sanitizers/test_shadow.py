"""Shadow: a sanitizer as an attacker runs it."""

import numpy as np

from quintain.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.shadow import Shadow
from quintain.sanitizers.synthetic.mst import Mst
from quintain.testing import example_table, people

DATA = people(example_table())


def test_a_shadow_is_the_sanitizer_with_noise_of_the_attackers_own():
    result = Shadow(Mst(epsilon=1.0))(DATA, rng=np.random.default_rng(5))
    rng = np.random.default_rng(5)
    noise = Noise.for_test(rng)
    again = sanitize(Mst(epsilon=1.0), DATA, rng=rng, noise=noise)
    assert result.release.data.equals(again.release.data)
    assert result.trace == again.trace
    assert result.trace.focal_points
    assert result.release.test, "anybody can repeat it, so it protects nobody"
