"""The contract of recipes: a TOML file with steps, which the judge runs."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from quintain.data import Data, Schema
from quintain.errors import Faults
from quintain.programs import CallLimits, Draws, Made, ReleaseContract, Role
from quintain.programs.contract import Noun, Program
from quintain.programs.sandbox.provider import Sandbox
from quintain.recipes.bounds import AllowedPart
from quintain.recipes.recipe import Recipe, read_recipe
from quintain.recipes.run import run_limited
from quintain.registry import register
from quintain.releases import ReleaseCard
from quintain.wording.languages import say, tell, to_say, write_decimal, write_number


@register("recipe-v1")
class RecipeContract(ReleaseContract):
    """A TOML file that lists sanitizers with parameters; the judge runs them in this order.

    Each ``[[step]]`` names one of the allowed sanitizers in ``use``; its other keys are parameters
    within their bounds. The judge runs the steps on the team's private sample, with random numbers
    and noise of its own, and publishes a log after the contest. Comments and spaces do not change
    what a recipe makes; another parameter draws new noise.

    Parameters
    ----------
    part : the allowed sanitizers, each as ``{ use, bounds, fixed }``.
    most_steps : how many steps a recipe may have.
    limits : {seconds, memory_gib} of one run of all steps.
    shows_sample : whether teams see their private sample. If not, they choose steps blindly.

    >>> import quintain as q
    >>> from quintain.errors import Faults
    >>> allowed = [{"use": "rr", "bounds": {"keep": {"at_least": 0.5, "at_most": 0.9}}}]
    >>> contract, faults = q.part("contract/recipe", part=allowed), Faults("recipe.toml")
    >>> contract.check("release", {"recipe.toml": b'[[step]]\\nuse = "rr"\\nkeep = 0.99'}, faults)
    >>> print(faults.findings[0])
    recipe.toml:3 step.0.keep='0.99': must be at most 0.9
    """

    shape: ClassVar[str] = "table"
    noun: ClassVar[Noun] = "recipe"
    is_code: ClassVar[bool] = False
    ending: ClassVar[str] = ".toml"

    part: Annotated[tuple[AllowedPart, ...], Field(min_length=1)]
    most_steps: Annotated[int, Field(ge=1, le=100)] = 10
    limits: CallLimits = CallLimits(seconds=600, memory_gib=4)
    shows_sample: bool = True

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        ids = [part.use for part in self.part]
        for id in ids:
            if ids.count(id) > 1:
                raise ValueError(f"{id} is allowed twice; give its bounds once")
        return self

    @classmethod
    def examples(cls) -> list[Self]:
        """Two masking steps with bounds."""
        allowed = [
            {"use": "rrp", "bounds": {"columns": {"among": ["colour", "flag"]}}},
            {"use": "integer-noise", "bounds": {"scale": {"at_least": 1.0, "at_most": 9.0}}},
        ]
        return [cls.model_validate({"part": allowed})]

    @property
    def gives_sample(self) -> bool:
        """Whether teams see their private sample, as the edition says."""
        return self.shows_sample

    def check(self, role: Role, program: Program, faults: Faults) -> None:
        """Note every fault of the recipe."""
        self._read(program, faults)

    def check_columns(self, program: Program, schema: Schema, faults: Faults) -> None:
        """Note every step that cannot work on data with these columns."""
        recipe = self._read(program, faults)
        if recipe is not None:
            recipe.check_columns(schema, faults)

    def _read(self, program: Program, faults: Faults) -> Recipe | None:
        if len(program) != 1:
            faults.add(tell("a recipe is one file, not %(n)s", n=len(program)))
            return None
        (content,) = program.values()
        return read_recipe(content, self.part, self.most_steps, faults)

    def example(self, role: Role) -> Program:
        """A recipe with the first allowed sanitizer; every parameter is within its bounds."""
        lines = ["# Each step names a sanitizer and its parameters. The judge runs them in order."]
        lines += [f"# Allowed: {part.words()}" for part in self.part]
        lines += ["", "[[step]]", f'use = "{self.part[0].name}"']
        for name in self.part[0].bounds:
            value = self.part[0].example(name)
            if value:
                lines.append(f"{name} = {value}")
        return {"recipe.toml": "\n".join([*lines, ""]).encode()}

    def release(self, program: Program, private: Data, *, draws: Draws, sandbox: Sandbox) -> Made:
        """Run the steps in a process of their own, outside any sandbox: no code of a team runs."""
        recipe = self.read_accepted(program)
        digest = recipe.digest()
        run = run_limited(
            recipe,
            private,
            rng=draws.seeds.rng(digest),
            noise=draws.noise.child(digest),
            limits=self.limits,
        )
        release, origins = run.made.release, run.made.trace.origins
        return Made(release.data, origins, ReleaseCard.of(release), run.log(recipe))

    def rules(self) -> list[str]:
        """The allowed sanitizers with the bounds of their parameters, and the limits of a run."""
        if self.shows_sample:
            text = to_say("A recipe has at most %(n)s steps. Teams see their private sample.")
        else:
            text = to_say(
                "A recipe has at most %(n)s steps. Teams do not see their private sample."
            )
        return [
            say(text, n=write_number(self.most_steps)),
            *(say("A step may be %(step)s.", step=part.words()) for part in self.part),
            say(
                "All steps together may take %(seconds)s seconds and %(memory)s GiB of memory. A "
                "log of every run is published at the end.",
                seconds=write_decimal(self.limits.seconds),
                memory=write_decimal(self.limits.memory_gib),
            ),
        ]

    def list_steps(self, program: Program) -> list[dict[str, Any]]:
        """The sanitizers of a recipe with every parameter."""
        return self.read_accepted(program).specs()

    def read_accepted(self, program: Program) -> Recipe:
        """The recipe of a program that was accepted before."""
        recipe = self._read(program, faults := Faults("recipe.toml"))
        assert recipe is not None, faults.findings  # the judge accepted it
        return recipe
