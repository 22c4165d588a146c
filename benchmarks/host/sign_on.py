"""Sign-on against a provider that others wrote and certified: npm's ``oidc-provider``.

    python -m benchmarks.host.sign_on [FOLDER]

It starts the provider with node, and lets people make an account by it, come again, and bring a
code twice. FOLDER has ``node_modules/oidc-provider`` (``npm install oidc-provider``); without one,
npm installs it into a temporary folder.
"""

import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from html import unescape
from pathlib import Path

import httpx2
from fastapi.testclient import TestClient

from quintain_host.database.upgrade import upgrade
from quintain_host.settings import Settings
from quintain_host.site import Site
from quintain_host.web.app import make_app

SITE = "http://127.0.0.1:8000"
SERVER = """
import { Provider } from 'oidc-provider';
const [port, back] = process.argv.slice(2);
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: 'site', client_secret: 'a secret', redirect_uris: [back] }],
  pkce: { required: () => true },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  findAccount: (ctx, id) => ({
    accountId: id,
    claims: () => ({ sub: id, name: id, email: `${id}@example.org`, email_verified: true }),
  }),
});
provider.listen(Number(port), '127.0.0.1', () => console.log('ready'));
"""


def installed(folder: Path) -> Path:
    """A folder in which node finds the provider."""
    if not (folder / "node_modules" / "oidc-provider").is_dir():
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder)]
        subprocess.run([*command, "oidc-provider@9"], check=True, stdout=subprocess.DEVNULL)
    return folder


def started(folder: Path, port: int) -> subprocess.Popen:
    """The provider, once it answers."""
    script = folder / "server.mjs"
    script.write_text(SERVER)
    command = ["node", str(script), str(port), f"{SITE}/sign-on/npm/back"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    return process


def back_from_provider(url: str, name: str) -> str:
    """Sign in and consent at the provider; returns the path with which the browser comes back."""
    with httpx2.Client(follow_redirects=False) as browser:
        for prompt in ("login", "consent", ""):
            while True:
                answer = browser.get(url)
                if answer.status_code not in (302, 303):
                    break
                url = str(httpx2.URL(url).join(answer.headers["location"]))
                if url.startswith(SITE):
                    return url.removeprefix(SITE)
            form = {"prompt": prompt, "login": name, "password": "any"}
            action = unescape(re.search(r'<form[^>]* action="([^"]+)"', answer.text)[1])
            answer = browser.post(str(httpx2.URL(url).join(action)), data=form)
            url = str(httpx2.URL(url).join(answer.headers["location"]))
    raise AssertionError("the provider does not come to an end")


def leave(client: TestClient) -> str:
    """Press the button; returns the address at the provider."""
    answer = client.post("/sign-on/npm")
    return unescape(re.search(r'content="0; url=([^"]+)"', answer.text)[1])


def play(site: Site) -> list[tuple[str, bool, float]]:
    """What was tried, whether it ended as it should, and the seconds of the site's own part."""
    app, rows = make_app(site), []

    def visitor() -> TestClient:
        return TestClient(app, base_url=SITE, follow_redirects=False)

    def timed(what, client, path, expected):
        begin = time.perf_counter()
        answer = client.get(path)
        seconds = time.perf_counter() - begin
        place = answer.headers.get("location", str(answer.status_code))
        rows.append((what, place == expected, seconds))

    new = visitor()
    back = back_from_provider(leave(new), "ada")
    timed("somebody new comes back", new, back, "/sign-up/sign-on")
    made = new.post("/sign-up/sign-on", data={"name": "Ada"})
    rows.append(("the account is made", made.status_code == 303, 0.0))
    known = visitor()
    back = back_from_provider(leave(known), "ada")
    timed("the same person comes again", known, back, "/")
    timed("the same answer a second time", known, back, "400")
    thief = visitor()
    code = re.search(r"code=([^&]+)", back)[1]
    other = back_from_provider(leave(thief), "eve")
    timed(
        "a used code of somebody else", thief, re.sub(r"code=[^&]+", f"code={code}", other), "400"
    )
    return rows


def main() -> None:
    """Print what a certified provider and the site say to each other."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        print("node and npm are not installed, so nothing was tried")
        return
    with tempfile.TemporaryDirectory() as place:
        folder = installed(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(place))
        with socket.create_server(("127.0.0.1", 0)) as door:
            port = door.getsockname()[1]
        provider = started(folder, port)
        table = {"id": "npm", "title": "npm", "issuer": f"http://127.0.0.1:{port}"}
        table |= {"client_id": "site", "client_secret": "a secret"}
        root = Path(place) / "site"
        root.mkdir()
        site = Site(root, settings=Settings(url=SITE, sign_on=[table]))
        try:
            upgrade(site.database)
            rows = play(site)
        finally:
            site.close()
            provider.terminate()
            provider.wait()
    print("| step | as it should be | seconds |\n|---|---|---|")
    for what, right, seconds in rows:
        print(f"| {what} | {'yes' if right else 'NO'} | {seconds:.3f} |")


if __name__ == "__main__":
    main()
