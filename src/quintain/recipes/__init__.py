"""Recipes: in some contests teams submit no data and no code, but a list of steps.

Each step names a sanitizer that the organisers allow, with parameters inside their bounds. The
judge runs the steps on the team's private sample. What does not belong here: the sanitizers
themselves, and anything about teams.
"""

from quintain.recipes.bounds import AllowedPart, Bound
from quintain.recipes.recipe import Recipe, read_recipe

__all__ = ["AllowedPart", "Bound", "Recipe", "read_recipe"]
