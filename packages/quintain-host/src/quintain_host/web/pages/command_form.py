"""Command forms: a form on a page calls the command that programs call, and shows what follows.

A command is the function of a route of the API: its parameters say what it takes, and it checks who
may do it. JSON is one way to show its result. A page is the other one, and this is the only place
that knows how the fields of a form become the parameters of a command.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_origin

from fastapi import APIRouter, Depends, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, ValidationError
from starlette.datastructures import FormData

from quintain.errors import QuintainError
from quintain.wording.languages import say
from quintain_host.web.pages.render import redirect
from quintain_host.web.security.rate_limits import TooMany

Command = Callable[..., Any]
Facts = dict[str, Any]
"""What a page knows after a command: its parameters, the fields of what was sent, its result."""
Render = Callable[[Request, Facts], Response]
_EDITION_FILE = "toml"
"""The field with an edition file, which is stored with the line ends of a file, not of a form."""
RenderAgain = Callable[[Request, Facts, QuintainError], Response]


def add_forms(router: APIRouter, *forms: tuple[str, Command, str, str]) -> None:
    """Several forms: path, command, where a browser goes afterwards, and what it sees there."""
    for path, command, back, notice in forms:
        add_form(router, path, command, back=back, notice=notice)


async def _sent_fields(request: Request) -> FormData:
    return await request.form()


def add_form(
    router: APIRouter,
    path: str,
    command: Command,
    *,
    back: str = "",
    notice: str = "",
    names: Mapping[str, str] = {},
    from_path: Mapping[str, Any] = {},
    render: Render | None = None,
    again: RenderAgain | None = None,
) -> None:
    """Let a form do what a command of the API does.

    Parameters
    ----------
    back, notice : where a browser goes afterwards, and the sentence that it sees there; none if
        that page shows how a job goes. Both may name facts, of the page as ``{team}`` and of the
        sentence as ``%(team)s``.
    names : the names of fields in the form whose parameters have other names.
    from_path : parameters that are part of the path of the page and of the body for programs.
    render : makes another page than the one at ``back``, such as one that shows a secret once.
    again : shows the form again with the reason of a refusal.
    """
    given = inspect.signature(command, eval_str=True).parameters
    body = next((p for p in given.values() if _is_model(p.annotation)), None)

    def endpoint(**arguments: Any) -> Response:
        request, fields = arguments.pop("_request"), arguments.pop("_fields")
        facts = dict(arguments)
        for name in from_path:
            arguments.pop(name)
        if "request" in given:
            arguments["request"] = request
        if body is not None:
            model = _read_form(body.annotation, fields, names, {n: facts[n] for n in from_path})
            arguments[body.name] = facts["given"] = model
            facts |= model.model_dump()
        try:
            result = command(**arguments)
        except TooMany:
            raise
        except QuintainError as problem:
            if again is None or problem.status >= 500:
                raise
            return again(request, facts, problem)
        facts |= result.model_dump() if isinstance(result, BaseModel) else {}
        if render is not None:
            return render(request, facts)
        return redirect(request, back.format(**facts), say(notice, **facts) if notice else "")

    endpoint.__name__, endpoint.__doc__ = f"{command.__name__}_form", command.__doc__
    keyword, fields = inspect.Parameter.KEYWORD_ONLY, Annotated[FormData, Depends(_sent_fields)]
    parameters = [
        inspect.Parameter("_request", keyword, annotation=Request),
        inspect.Parameter("_fields", keyword, annotation=fields),
        *(
            parameter.replace(kind=keyword)
            for parameter in given.values()
            if parameter.name != "request" and parameter is not body
        ),
        *(inspect.Parameter(n, keyword, annotation=kind) for n, kind in from_path.items()),
    ]
    endpoint.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    described = None if body is None else _describe(body.annotation, from_path)
    router.post(path, response_model=None, openapi_extra=described)(endpoint)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _read_form(
    model: type[BaseModel], sent: FormData, names: Mapping[str, str], path: Mapping[str, str]
) -> BaseModel:
    """The body of a command, from the fields of a form.

    A field that nobody filled in has its default. A model whose form looks different from its JSON
    says so in ``read_form``.
    """
    texts: dict[str, Any] = {}
    for field in sent:
        name = names.get(field, field)
        values = [value for value in sent.getlist(field) if isinstance(value, str)]
        if name == _EDITION_FILE:
            values = [value.replace("\r\n", "\n") for value in values]
        known = model.model_fields.get(name)
        is_list = known is not None and get_origin(known.annotation) in (list, tuple)
        texts[name] = values if is_list else "".join(values[-1:])
    read = getattr(model, "read_form", None)
    fields = _filled_in(model, {**texts, **path}) if read is None else read({**texts, **path})
    try:
        return model.model_validate(fields)
    except ValidationError as problem:
        raise RequestValidationError(problem.errors()) from None


def _filled_in(model: type[BaseModel], texts: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a model that somebody filled in; the command says which ones are missing."""
    fields = {}
    for name, known in model.model_fields.items():
        kind = known.annotation
        if texts.get(name, "") != "":
            fields[name] = texts[name]
        elif known.is_required() and (kind is str or get_origin(kind) is list):
            fields[name] = "" if kind is str else []
    return fields


def _describe(model: type[BaseModel], from_path: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a form for those who read the description of a page."""
    schema = model.model_json_schema()
    required = [name for name in schema.get("required", []) if name not in from_path]
    kind = "application/x-www-form-urlencoded"
    return {"requestBody": {"content": {kind: {"schema": {**schema, "required": required}}}}}
