"""An example of a sanitizer: synthetic people from noisy counts of every column on its own."""

import sys

import pandas as pd

import quintain as q

source, target = sys.argv[1:3]
# Give schema= with public domains in earnest: here they are learned from the private table.
release = q.sanitize("independent", pd.read_csv(source), epsilon=1)
release.to_csv(target)
