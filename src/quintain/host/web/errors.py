"""Errors: every error of ours has a status; people get a page, programs get JSON."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

from quintain.errors import QuintainError, Rejected
from quintain.host.web.pages.render import page


def add_error_pages(app: FastAPI) -> None:
    """Answer with the status and the sentence of an error."""

    @app.exception_handler(QuintainError)
    def refused(request: Request, problem: QuintainError) -> Response:
        hidden = problem.status >= 500  # such a sentence may name a path or a secret
        sentence = "the host has a problem; its operators were told" if hidden else str(problem)
        faults = [str(fault) for fault in problem.faults] if isinstance(problem, Rejected) else []
        if request.url.path.startswith("/api/"):
            content = {"detail": sentence, "faults": faults}
            return JSONResponse(content, status_code=problem.status)
        return page(request, "error.html.j2", problem.status, sentence=sentence, faults=faults)
