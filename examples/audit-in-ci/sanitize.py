"""An example of a sanitizer: synthetic people from noisy counts of every column on its own."""

import sys

import pandas as pd

import quintain as q

source, target = sys.argv[1:3]
# With schema= and public domains it is better: here they are measured with noise, which costs.
release = q.sanitize("independent", pd.read_csv(source), epsilon=1)
release.to_csv(target)
