# Written by scripts/list_parts.py: do not edit.

from quintain.samples.later import Later as Later
from quintain.samples.sample import Design as Design
from quintain.samples.sample import Sample as Sample
from quintain.samples.sample import Subset as Subset
from quintain.samples.sample import Whole as Whole
from quintain.samples.targets import Targets as Targets
