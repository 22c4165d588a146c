"""What a test can reach: the files of the repository whose change could change its result.

Imports are followed from module to module, wherever in a file they stand. What imports do not show
is added, rather too much than too little:

- a text that names a module of quintain counts as an import; one that ends in a full stop, as in
  ``f"quintain.cli.{name}"``, imports all below it;
- a module that looks parts up reaches all built-in parts of the family that it names, or all;
- data beside a module always counts; a module that knows its folder reaches all that is there;
- a test that starts a process, or has code in a text, reaches all of quintain;
- a text in a test that is a path of the repository reaches what is there.
"""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

PACKAGE = "quintain"
REGISTRY = f"{PACKAGE}.registry"
BUILTIN = f"{PACKAGE}.builtin"
LOOK_UPS = {"build", "families", "find", "find_imported", "imported", "load", "names", "parts"}
"""The functions of the registry that import parts; most take a family first."""
ALL = ""
"""Stands for all families."""
CHOOSERS = {"slow_tests.py", "reach.py"}
"""The modules that choose tests: they name all of the repository and change no result."""
_MODULE = re.compile(rf"\b{PACKAGE}(?:\.\w+)+")
_BEGINNING = re.compile(rf"{PACKAGE}(?:\.\w+)+\.")
_CODE = re.compile(rf"^\s*(?:import|from) {PACKAGE}\b", re.MULTILINE)
_PROCESSES = {"multiprocessing", "runpy", "subprocess"}


class Reach:
    """The files that the tests of one repository can reach."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.package = root / "src" / PACKAGE
        self._next: dict[Path, set[Path]] = {}
        self._data: dict[Path, set[Path]] = {}
        self._places: dict[str, Path | None] = {}

    def of(self, test: Path) -> set[Path]:
        """Every file that a test can reach: modules, fixtures, and data beside them."""
        above = [folder for folder in test.parents if folder.is_relative_to(self.root)]
        fixtures = (folder / name for folder in above for name in ("__init__.py", "conftest.py"))
        waiting = {test, *(path for path in fixtures if path.is_file())}
        modules, data = set[Path](), {p for p in files_below(test.parent) if p.suffix != ".py"}
        while waiting:
            file = waiting.pop()
            modules.add(file)
            if file not in self._next:
                words = words_of(file)
                self._next[file] = set(self._imported(file, words))
                self._data[file] = set(self._opened(file, words))
            data |= self._data[file]
            waiting |= self._next[file] - modules
        return modules | data

    def _imported(self, file: Path, words: "Words") -> Iterator[Path]:
        """The modules that a module imports, names or finds in the registry."""
        named = {name for text in words.texts for name in _MODULE.findall(text)}
        for name in words.modules | words.bound | named:
            yield from self._along(name)
            yield from self._along(self._classes.get(name, ""))
        if any(self._is_open_door(name) for name in words.bound):
            yield from (*self._parts(ALL), *self._along(f"{PACKAGE}.api"))
        for family in words.families:
            yield from self._parts(family)
        runs = _PROCESSES & words.modules or any(_CODE.search(text) for text in words.texts)
        if runs and not file.is_relative_to(self.package):
            yield from (path for path in files_below(self.package) if path.suffix == ".py")
        for text in words.texts:
            if _BEGINNING.fullmatch(text) and (place := self._place(text[:-1])):
                yield from (path for path in files_below(place.parent) if path.suffix == ".py")
        if {"-m", PACKAGE} <= words.texts:
            yield self.package / "__main__.py"

    def _opened(self, file: Path, words: "Words") -> Iterator[Path]:
        """The files that a module can open."""
        yield from (path for path in files_beside(file.parent) if path.suffix != ".py")
        if not file.is_relative_to(self.package):
            for text in words.texts:
                if text.partition("/")[0] in self._names and (self.root / text).exists():
                    yield from files_below(self.root / text)
        elif words.knows_folder and file.parent != self.package:
            yield from files_below(file.parent)
            for text in words.texts:
                if _MODULE.fullmatch(text) and (place := self._place(text)):
                    yield from files_below(place.parent)

    def _is_open_door(self, name: str) -> bool:
        """Whether a name leads to parts by an attribute, as ``q`` does in ``q.attacks.Nearest``."""
        module, _, last = name.rpartition(".")
        if module == BUILTIN:
            return "part" in last and last != "offer_parts"
        public = module == PACKAGE and last != "__version__" and self._place(name) is None
        return public or name in (PACKAGE, BUILTIN, *self._stages)

    def _along(self, name: str) -> Iterator[Path]:
        """The modules that an import of a name runs: the packages above it, and itself."""
        steps = name.split(".")
        if steps[0] in self._tops:
            for length in range(1, len(steps) + 1):
                place = self._place(".".join(steps[:length]))
                if place is not None and place.name not in CHOOSERS:
                    yield place

    def _place(self, name: str) -> Path | None:
        if name not in self._places:
            roots = (self.root / "src", self.root)
            paths = [root.joinpath(*name.split(".")) for root in roots]
            files = (file for p in paths for file in (p.with_suffix(".py"), p / "__init__.py"))
            self._places[name] = next((file for file in files if file.is_file()), None)
        return self._places[name]

    def _parts(self, family: str) -> list[Path]:
        """What looking up a family can import: its parts, and what finds them."""
        named = [place for id, place in self._table.items() if id.startswith(f"{family}/")]
        places = named or self._table.values()  # a class may be called otherwise than its family
        modules = {BUILTIN, *(place.partition(":")[0] for place in places)}
        return [path for name in sorted(modules) for path in self._along(name)]

    @cached_property
    def _names(self) -> set[str]:
        """The names with which paths of the repository begin: all but what git ignores."""
        rules = self.root / ".gitignore"
        ignored = set(rules.read_text().replace("/", "").split()) if rules.is_file() else set()
        return {path.name for path in self.root.iterdir()} - ignored

    @cached_property
    def _tops(self) -> set[str]:
        """The names with which imports of the repository begin."""
        return {PACKAGE, *(name.removesuffix(".py") for name in self._names)}

    @cached_property
    def _table(self) -> dict[str, str]:
        path = self.package / "parts.json"
        return dict(json.loads(path.read_text())) if path.is_file() else {}

    @cached_property
    def _stages(self) -> set[str]:
        """The packages of parts."""
        return {".".join(place.split(".")[:2]) for place in self._table.values()}

    @cached_property
    def _classes(self) -> dict[str, str]:
        """The module of each part by the class of its stage: ``quintain.attacks.Nearest``."""
        places = (place.split(":") for place in self._table.values())
        return {f"{'.'.join(m.split('.')[:2])}.{name}": m for m, name in places}


@dataclass
class Words:
    """What one file of Python says, wherever in it.

    Parameters
    ----------
    modules : the modules that it imports, or imports names from.
    bound : the dotted names that it imports.
    texts : its texts, docstrings excepted.
    families : the families of parts that it looks up.
    knows_folder : whether it can open what is in its folder.
    """

    modules: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    families: set[str] = field(default_factory=set)
    knows_folder: bool = False


def words_of(file: Path) -> Words:
    """Read a file of Python."""
    words, known, looked_up = Words(), set[int](), set[tuple[str, str]]()
    for node in ast.walk(ast.parse(file.read_bytes())):
        match node:
            case ast.Import():
                words.bound |= {alias.name for alias in node.names}
                words.modules |= {alias.name for alias in node.names}
            case ast.ImportFrom():
                words.modules.add(node.module or "")
                words.bound |= {f"{node.module}.{alias.name}" for alias in node.names}
            case ast.Expr(value=ast.Constant() as docstring):
                known.add(id(docstring))
            case ast.Constant(value=str(text)) if id(node) not in known:
                words.texts.add(text)
            case ast.Call(func=function, args=[first, *_]) if family := _family(first):
                looked_up.add((_called(function), family))
                known.add(id(function))
            case ast.Name(id="__file__" | "__package__"):
                words.knows_folder = True
            case ast.Name() | ast.Attribute() if id(node) not in known:
                looked_up.add((_called(node), ALL))
    words.families = {family for function, family in looked_up if function in words.bound}
    if REGISTRY in words.bound:
        words.families |= {family for function, family in looked_up if function}
    words.knows_folder |= any("importlib.resources" in name for name in words.bound)
    return words


def _called(function: ast.expr) -> str:
    """The dotted name of what may be a function of the registry, or nothing."""
    match function:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="registry"), attr=name):
            return f"{REGISTRY}.{name}" if name in LOOK_UPS else ""
    return ""


def _family(first: ast.expr) -> str:
    """The family that an argument names, as in ``"shape"`` or ``Shape.family``."""
    match first:
        case ast.Constant(value=str(name)):
            return name
        case ast.Attribute(value=ast.Name(id=name), attr="family") if name[0].isupper():
            return name.lower()
    return ""


@cache
def files_below(place: Path) -> list[Path]:
    """A file, or all files in a folder and below it."""
    if place.is_file():
        return [place]
    paths = (path for path in place.rglob("*") if "__pycache__" not in path.parts)
    return [path for path in paths if path.is_file()]


@cache
def files_beside(folder: Path) -> list[Path]:
    """The files of a folder, and those of folders in it that are no packages."""
    inside = [path for path in folder.iterdir() if not (path / "__init__.py").exists()]
    return [file for path in inside for file in files_below(path)]
