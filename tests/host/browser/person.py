"""Person: somebody who uses the site with a browser, and knows only what the pages say."""

from pathlib import Path
from time import monotonic

import pyotp
from playwright.sync_api import FilePayload, Locator, Page, expect

SOON = 20.0
"""How many seconds something may take on a busy machine."""

PASSWORD = "a horse between two stables"


class Person:
    """A visitor with cookies of their own.

    Parameters
    ----------
    clock : the clock on the wall, for codes of the second factor.
    """

    def __init__(self, name, page: Page, clock) -> None:
        self.name, self.page, self.clock = name, page, clock
        self.email = f"{name.lower()}@example.org"
        self.secret = ""
        self.complaints: list[str] = []
        page.set_default_timeout(1000 * SOON)
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _note(self, message) -> None:
        if message.type == "error":
            self.complaints.append(f"{self.page.url}: {message.text}")

    # --- looking ----------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """What the page says."""
        return self.page.locator("body").inner_text()

    def go(self, path: str) -> None:
        """Open a page of the site."""
        self.page.goto(path)

    def sees(self, *texts: str) -> None:
        """The page has these texts, or will have them in a moment."""
        for text in texts:
            expect(self.page.locator("body")).to_contain_text(text, timeout=1000 * SOON)

    def sees_not(self, *texts: str) -> None:
        """The page has none of these texts."""
        shown = self.text
        assert not [text for text in texts if text in shown], shown

    def awaits(self, *texts: str) -> None:
        """Load the page again until it has these texts: a worker is busy."""
        end = monotonic() + SOON
        while not all(text in self.text for text in texts):
            assert monotonic() < end, f"{self.page.url} has not all of {texts}:\n{self.text}"
            self.page.reload()

    # --- the account ------------------------------------------------------------------------------

    def sign_up(self) -> None:
        """Make an account, from wherever the site asks to sign in."""
        self.click("Sign in")
        self.click("Make an account")
        self.fill(email=self.email, name=self.name, password=PASSWORD)
        self.click("Make the account")
        self.sees("Welcome. You are signed in.")

    def set_password(self, link: str) -> None:
        """Set a password with a link from the operators."""
        self.go(link)
        self.fill(password=PASSWORD)
        self.click("Set the password")
        self.sees("Your password is set.")

    def sign_in(self) -> None:
        """Sign in, with a code of the second factor if there is one."""
        self.go("/sign-in")
        self.fill(email=self.email, password=PASSWORD)
        self.page.locator("main").get_by_role("button", name="Sign in").click()
        if self.secret:
            self.fill(code=self._code())
            self.click("Continue")

    def turn_on_second_factor(self) -> None:
        """Bring the secret of the page to a phone, and show a code of it."""
        self.go("/account")
        self.click("set up a second factor")
        self.secret = self.page.locator("li code").inner_text()
        self.fill(password=PASSWORD, code=self._code())
        self.click("Turn it on")
        self.sees("Your second factor is on")

    def _code(self) -> str:
        return pyotp.TOTP(self.secret).at(self.clock.now())

    # --- acting -----------------------------------------------------------------------------------

    def click(self, name: str, *, within: Locator | None = None) -> None:
        """Follow a link or press a button, by what is written on it."""
        place = within or self.page
        button = place.get_by_role("button", name=name, exact=True)
        link = place.get_by_role("link", name=name, exact=True)
        button.or_(link).first.click()

    def fill(self, **fields: str) -> None:
        """Write into the fields of a form, by their names."""
        for name, value in fields.items():
            self.page.locator(f"[name={name.replace('_', '-')}], [name={name}]").first.fill(value)

    def attach(self, **files: bytes) -> None:
        """Choose files for the upload of a form."""
        payload = [
            FilePayload(name=name, mimeType="application/octet-stream", buffer=content)
            for name, content in files.items()
        ]
        self.page.locator("input[type=file]").first.set_input_files(payload)

    def download(self, name: str, folder: Path) -> Path:
        """Follow a link to a file; returns where the file is."""
        with self.page.expect_download() as waiting:
            self.click(name)
        target = folder / waiting.value.suggested_filename
        waiting.value.save_as(target)
        return target
