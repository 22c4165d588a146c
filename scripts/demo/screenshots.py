"""Photograph every main page of the demonstration, for people who look at them.

    python -m scripts.demo.screenshots demo build/screenshots [WORD ...]

The folder has what ``make demo`` made. Words choose pages whose name has one of them. Every page is
taken four times: at the width of a desk and of a phone, light and dark. The script says which pages
scroll sideways, and what the browser complains about.
"""

from __future__ import annotations

import shutil
import socket
import sys
import threading
import time
from pathlib import Path

import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from quintain.host.site import Site
from quintain.host.web.app import make_app

WIDTHS = {"desk": (1280, 800), "phone": (390, 844)}
PLAYED, OPEN = "/contests/amic-demo", "/contests/open-demo"
ORGANISED = "/organise/amic-demo"

EVERYBODY = {
    "home": "/",
    "overview": PLAYED,
    "overview-open": OPEN,
    "rules": f"{PLAYED}/rules",
    "standings": f"{PLAYED}/standings",
    "standings-open": f"{OPEN}/standings",
    "matrix": f"{PLAYED}/matrix",
    "teams": f"{PLAYED}/teams",
    "news": f"{PLAYED}/news",
    "trust": f"{PLAYED}/trust",
    "sign-in": "/sign-in",
    "sign-up": "/sign-up",
    "missing": "/contests/nothing",
}
CAPTAIN = {
    "account": "/account",
    "account-tokens": "/account/tokens",
    "account-second-factor": "/account/second-factor",
    "team": f"{OPEN}/team",
    "team-played": f"{PLAYED}/team",
    "team-submit": f"{OPEN}/team/submit",
    "team-uploads": f"{OPEN}/team/uploads",
    "team-history": f"{OPEN}/team/history",
    "team-description": f"{OPEN}/team/description",
    "check-receipt": "/check-receipt",
}
LATE = {"register": f"{OPEN}/register"}
ORGANISER = {
    "organise": "/organise",
    "organise-new": "/organise/new",
    "organise-overview": f"{ORGANISED}",
    "organise-open": "/organise/open-demo",
    "organise-teams": f"{ORGANISED}/teams",
    "organise-team": f"{ORGANISED}/teams/mirror-makers",
    "organise-rules": "/organise/open-demo/rules",
    "organise-rejudging": f"{ORGANISED}/rejudging",
    "organise-settings": "/organise/open-demo/settings",
    "organise-news": f"{ORGANISED}/news",
    "organise-steps": "/organise/open-demo/steps",
    "organise-jobs": f"{ORGANISED}/jobs",
    "organise-log": f"{ORGANISED}/log",
    "accounts": "/accounts",
}


def main(demo: str, target: str, *words: str) -> None:
    """Take all pictures."""
    site = Site(Path(demo) / "site")
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(make_app(site), log_config=None, ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    people = dict(line.split()[:2] for line in (Path(demo) / "people.txt").read_text().splitlines())
    roles = [
        ("", EVERYBODY),
        ("ada@example.org", CAPTAIN),
        ("dara@example.org", LATE),
        ("olga@example.org", ORGANISER),
    ]
    try:
        with sync_playwright() as playwright:
            chromium = shutil.which("chromium") or shutil.which("chromium-browser")
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for email, pages in roles:
                chosen = {k: p for k, p in pages.items() if not words or any(w in k for w in words)}
                if chosen:
                    _take(browser, url, email, people.get(email, ""), chosen, Path(target))
    finally:
        server.should_exit = True
        thread.join()
        site.close()


def _take(
    browser: Browser, url: str, email: str, password: str, pages: dict[str, str], target: Path
) -> None:
    context = browser.new_context(base_url=url)
    if email:
        _sign_in(context, email, password)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda one: complaints.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda one: complaints.append(str(one)))
    for name, path in pages.items():
        _photograph(page, name, path, target)
        for complaint in dict.fromkeys(complaints):
            _say(f"{name}: {complaint[:300]}")
        complaints.clear()
    context.close()


def _sign_in(context: BrowserContext, email: str, password: str) -> None:
    page = context.new_page()
    page.goto("/sign-in")
    page.fill("input[name=email]", email)
    page.fill("input[name=password]", password)
    page.press("input[name=password]", "Enter")
    page.wait_for_load_state()
    page.close()


def _photograph(page: Page, name: str, path: str, target: Path) -> None:
    for size, (width, height) in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            began = time.monotonic()
            answer = page.goto(path)
            taken = time.monotonic() - began
            page.wait_for_timeout(400 if "matrix" in name else 100)
            page.screenshot(path=target / f"{name}-{size}-{scheme}.png", full_page=True)
            across = page.evaluate("document.documentElement.scrollWidth")
            if across > width:
                _say(f"{name} at {width} scrolls sideways: {across}")
            if scheme == "light" and size == "desk":
                status = answer.status if answer else "?"
                _say(f"{name}: {status} {path} in {1000 * taken:.0f} ms")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
