"""Errors: every error of ours has a status; people get a page, programs get JSON."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from sqlalchemy.exc import DataError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from quintain.errors import QuintainError, Rejected
from quintain.wording.languages import say, to_say
from quintain_host.access import SecondFactorNeeded
from quintain_host.database.database import AWAY
from quintain_host.passing_faults import will_pass
from quintain_host.web.pages.form_again import misread, mistakes_in, page_again, shown_on
from quintain_host.web.pages.render import page, redirect
from quintain_host.web.security.middleware import ALWAYS
from quintain_host.web.security.rate_limits import TooMany

LOG = logging.getLogger("quintain_host.web")

_BROKEN = to_say("the host has a problem; its operators were told")
_AWAY = "the database of the host does not answer at the moment; try again in a few seconds"
_CANNOT_STORE = (
    "the host cannot store or read files at the moment; nothing was submitted. Its operators were "
    "told; try again in a few minutes"
)
_SOON = 5
"""After how many seconds a program should try again."""
_LATER = 60
"""The same, where people have to make room or to renew keys."""
_SENTENCES = {
    404: to_say("there is no page with this address"),
    405: to_say("this address cannot do that"),
}


def add_error_pages(app: FastAPI) -> None:
    """Answer with the status and the sentence of an error."""

    @app.exception_handler(SecondFactorNeeded)
    async def answer_without_second_factor(
        request: Request, problem: SecondFactorNeeded
    ) -> Response:
        if request.url.path.startswith("/api/"):
            return answer(request, problem.status, problem.say())
        return redirect(request, f"/account/second-factor?next={quote(shown_on(request))}")

    @app.exception_handler(QuintainError)
    async def answer_refusal(request: Request, problem: QuintainError) -> Response:
        if again := await page_again(request, mistakes_in(problem)):
            return again
        return await run_in_threadpool(answer_problem, request, problem)

    def answer_problem(request: Request, problem: QuintainError) -> Response:
        hidden = problem.status >= 500  # such a sentence may name a path or a secret
        sentence = say(_BROKEN) if hidden else problem.say()
        faults = [fault.say() for fault in problem.faults] if isinstance(problem, Rejected) else []
        wait = {"Retry-After": str(problem.wait)} if isinstance(problem, TooMany) else None
        return answer(request, problem.status, sentence, faults, wait)

    @app.exception_handler(ClientDisconnect)
    def answer_nobody(_request: Request, _problem: Exception) -> Response:
        return Response(status_code=408)  # nobody would read a page, and many would cost much

    @app.exception_handler(HTTPException)
    def answer_failure(request: Request, problem: HTTPException) -> Response:
        if isinstance(problem.__cause__, ClientDisconnect):
            return answer_nobody(request, problem.__cause__)
        known = _SENTENCES.get(problem.status_code)
        sentence = str(problem.detail) if known is None else say(known)
        return answer(request, problem.status_code, sentence, headers=problem.headers)

    @app.exception_handler(RequestValidationError)
    async def answer_invalid(request: Request, problem: RequestValidationError) -> Response:
        if again := await page_again(request, misread(problem.errors())):
            return again
        faults = [f"{error['loc'][-1]}: {error['msg']}" for error in problem.errors()]
        sentence = say("the request has faults")
        return await run_in_threadpool(answer, request, 422, sentence, faults)

    @app.exception_handler(DataError)
    @app.exception_handler(OverflowError)
    def unstorable(request: Request, problem: Exception) -> Response:
        # Only what somebody sent is too large for a column, or has a character of no text.
        LOG.warning("a request has a value that no database has: %s", type(problem).__name__)
        return answer(request, 422, say("a number or a text in the request cannot be used"))

    @app.exception_handler(Exception)
    def answer_fault(request: Request, problem: Exception) -> Response:
        if isinstance(problem, AWAY):
            return answer_absence(request, problem)
        return _answer_plainly(request, 500, _BROKEN)  # the web server logs the error

    def answer_absence(request: Request, problem: Exception) -> Response:
        LOG.error("the database does not answer: %s", problem)
        return _answer_plainly(request, 503, _AWAY, {"Retry-After": str(_SOON)})

    @app.exception_handler(OSError)
    def answer_full_disk(request: Request, problem: OSError) -> Response:
        if not will_pass(problem):
            raise problem  # a fault of ours
        LOG.error("files cannot be stored or read: %s", problem)
        return _answer_plainly(request, 503, _CANNOT_STORE, {"Retry-After": str(_LATER)})

    for away in AWAY:
        app.add_exception_handler(away, answer_absence)


def _answer_plainly(
    request: Request, status: int, sentence: str, more: Mapping[str, str] | None = None
) -> Response:
    """Answer with nothing that could fail as well, such as a page that names who is signed in."""
    headers = {**ALWAYS, "Cache-Control": "no-store", **(more or {})}
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": sentence, "faults": []}, status, headers)
    return PlainTextResponse(f"{sentence}\n", status, headers)


def answer(
    request: Request,
    status: int,
    sentence: str,
    faults: Sequence[str] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Tell a person or a program what is wrong."""
    if request.url.path.startswith("/api/"):
        content = {"detail": sentence, "faults": list(faults)}
        response: Response = JSONResponse(content, status_code=status)
    else:
        response = page(request, "error.html.j2", status, sentence=sentence, faults=faults)
    response.headers.update(headers or {})
    return response
