"""The small changes: a comparison turned, a number moved, a condition or a result dropped."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

from tests.sources import ROOT

TURNED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
EITHER_WAY = {"min", "max", "minimum", "maximum"}
"""Calls whose arguments may change places."""
OTHER_CALL = {
    "min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor",
    "minimum": "maximum", "maximum": "minimum", "sum": "max", "sorted": "list",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change of one function.

    Parameters
    ----------
    number : of the change among all changes of the file.
    line, last : the statement that changes, without its body.
    function : its qualified name.
    text : what changes, in words.
    """

    file: Path
    number: int
    line: int
    last: int
    function: str
    text: str

    @property
    def name(self) -> str:
        """File, line, function and change."""
        place = self.file.relative_to(ROOT).as_posix()
        return f"{place}:{self.line} {self.function}: {self.text}"


def mutants_of(file: Path) -> list[Mutant]:
    """Every change of every function of a file."""
    drawing = _Changing(None)
    drawing.visit(ast.parse(file.read_text()))
    return [Mutant(file, number, *place) for number, place in enumerate(drawing.places)]


def changed_codes(mutant: Mutant) -> Iterator[tuple[CodeType, CodeType]]:
    """The code of each function as it is, and as the change makes it, where they differ."""
    source = mutant.file.read_text()
    tree = _Changing(mutant.number).visit(ast.parse(source))
    before = compile(source, str(mutant.file), "exec")
    after = compile(ast.fix_missing_locations(tree), str(mutant.file), "exec")
    yield from _different(before, after)


def _different(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    pairs = [
        [value for value in code.co_consts if isinstance(value, CodeType)]
        for code in (before, after)
    ]
    for old, new in zip(*pairs, strict=True):
        if old != new:
            yield old, new
            yield from _different(old, new)


class _Changing(ast.NodeTransformer):
    """Count the places that can change, and change the one with this number."""

    def __init__(self, chosen: int | None) -> None:
        self.chosen = chosen
        self.places: list[tuple[int, int, str, str]] = []
        self._names: list[str] = []
        self._functions = 0
        self._statement = (0, 0)

    def visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, ast.stmt):
            return super().visit(node)
        before, self._statement = self._statement, _lines(node)
        result = super().visit(node)
        self._statement = before
        return result

    def _is_chosen(self, text: str) -> bool:
        if not self._functions:
            return False
        self.places.append((*self._statement, ".".join(self._names), text))
        return len(self.places) - 1 == self.chosen

    def _named(self, node: ast.AST, *, function: bool) -> ast.AST:
        self._names.append(node.name)
        self._functions += function
        node.body = [self.visit(line) for line in node.body]
        self._functions -= function
        self._names.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._named(node, function=True)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._named(node, function=False)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node  # words that a person reads

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return ast.Pass() if self._is_chosen("raise nothing") else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        for place, operator in enumerate(node.ops):
            other = TURNED[type(operator)]
            if self._is_chosen(f"{_sign(operator)} becomes {_sign(other())}"):
                node.ops[place] = other()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        other = TURNED.get(type(node.op))
        if other and self._is_chosen(f"{_sign(node.op)} becomes {_sign(other())}"):
            node.op = other()
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        other = TURNED[type(node.op)]
        if self._is_chosen(f"{_sign(node.op)} becomes {_sign(other())}"):
            node.op = other()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not | ast.USub | ast.Invert) and self._is_chosen(
            f"no {_sign(node.op)}"
        ):
            return node.operand
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool):
            if self._is_chosen(f"{node.value} becomes {not node.value}"):
                return ast.copy_location(ast.Constant(not node.value), node)
        elif isinstance(node.value, int | float) and self._is_chosen(
            f"{node.value} becomes {node.value + 1}"
        ):
            return ast.copy_location(ast.Constant(node.value + 1), node)
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        # zip(..., strict=True) is an assertion: nothing that is right notices it.
        return node if node.arg == "strict" else self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if self._is_chosen("the condition is turned"):
            node.test = ast.UnaryOp(ast.Not(), node.test)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if self._is_chosen("the two values change places"):
            node.body, node.orelse = node.orelse, node.body
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        if node.value is not None and self._is_chosen("returns None"):
            node.value = ast.copy_location(ast.Constant(None), node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in OTHER_CALL and self._is_chosen(f"{name} becomes {OTHER_CALL[name]}"):
            if isinstance(node.func, ast.Name):
                node.func.id = OTHER_CALL[name]
            else:
                node.func.attr = OTHER_CALL[name]
        plain = not any(isinstance(given, ast.Starred) for given in node.args[:2])
        moves = len(node.args) > 1 and plain and name not in EITHER_WAY
        if moves and self._is_chosen("the first arguments change places"):
            node.args[:2] = node.args[1::-1]
        return node


def _lines(statement: ast.stmt) -> tuple[int, int]:
    """Its first and last line, without the statements inside it."""
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    last = statement.end_lineno or statement.lineno
    if body:
        first = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
        last = max(statement.lineno, first.lineno - 1)
    return statement.lineno, last


def _sign(operator: ast.AST) -> str:
    return type(operator).__name__
