"""Person: somebody who uses the site with a browser, and knows only what the pages say."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import pyotp
from playwright.sync_api import FilePayload, Locator, Page, TimeoutError, expect

SOON = 300.0
"""How many seconds something may take on a busy machine."""

MEANT = ("status of 401", "status of 422")
"""Answers that ask people to sign in or to correct something; a browser calls them errors."""

PASSWORD = "a horse between two stables"


class Person:
    """A visitor with cookies of their own.

    ``window`` is how the window of the browser differs from others: its size, its language.

    Parameters
    ----------
    clock : the clock on the wall, for codes of the second factor.
    settle : waits until the workers of the site have nothing to do.
    """

    window: ClassVar[Mapping[str, object]] = {}

    def __init__(self, name, page: Page, clock, settle) -> None:
        self.name, self.page, self.clock, self.settle = name, page, clock, settle
        self.email = f"{name.lower()}@example.org"
        self.secret = ""
        self.complaints: list[str] = []
        page.set_default_timeout(1000 * SOON)
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _note(self, message) -> None:
        if message.type == "error" and not any(one in message.text for one in MEANT):
            self.complaints.append(f"{self.page.url}: {message.text}")

    # --- looking ----------------------------------------------------------------------------------

    def word(self, text: str) -> str:
        """A text of the site as this person reads it."""
        return text

    def label(self, text: str) -> str | re.Pattern[str]:
        """What is written on a button or a link, as this person reads it."""
        return self.word(text)

    def look(self) -> None:
        """Look at a page that has just opened; some people look closer."""

    @property
    def text(self) -> str:
        """What the page says."""
        shown = self.page.locator("body").inner_text()
        assert "\x04" not in shown, "the context of a text is for translators"
        return shown

    def go(self, path: str) -> None:
        """Open a page of the site."""
        self.page.goto(path)
        self.look()

    def sees(self, *texts: str) -> None:
        """The page has these texts, or will have them in a moment."""
        for text in map(self.word, texts):
            expect(self.page.locator("body")).to_contain_text(text, timeout=1000 * SOON)

    def sees_not(self, *texts: str) -> None:
        """The page has none of these texts."""
        shown = self.text
        assert not [text for text in map(self.word, texts) if text in shown], shown

    def awaits(self, *texts: str) -> None:
        """The page has these texts when the workers are ready and somebody loads it again."""
        wanted = [*map(self.word, texts)]
        if not all(text in self.text for text in wanted):
            self.settle()
            self.page.reload()
            self.look()
        missing = [text for text in wanted if text not in self.text]
        assert not missing, f"{self.page.url} has no {missing}:\n{self.text}"

    # --- the account ------------------------------------------------------------------------------

    def sign_up(self) -> None:
        """Make an account, from wherever the site asks to sign in."""
        self.click("Sign in")
        self.click("Make an account")
        self.fill(email=self.email, name=self.name, password=PASSWORD)
        self.click("Make the account")
        self.sees("Now sign in.")
        self.send("Sign in", email=self.email, password=PASSWORD)

    def set_password(self, link: str) -> None:
        """Set a password with a link from the operators."""
        self.go(link)
        self.fill(password=PASSWORD)
        self.click("Set the password")
        self.sees("Your password is set.")

    def sign_in(self) -> None:
        """Sign in, with a code of the second factor if there is one."""
        self.go("/sign-in")
        self.send("Sign in", email=self.email, password=PASSWORD)
        if self.secret:
            self.fill(code=self.new_code())
            self.click("Continue")

    def turn_on_second_factor(self) -> None:
        """Bring the secret of the page to a phone, and show a code of it."""
        self.go("/account")
        self.click("set up a second factor")
        self.show_code_of_new_phone()

    def show_code_of_new_phone(self) -> None:
        """Do what the page says that sets up a second factor."""
        self.secret = self.page.locator("li code").inner_text()
        self.fill(password=PASSWORD, code=self.new_code())
        self.click("Turn it on")
        self.sees("Your second factor is on")

    def new_code(self) -> str:
        """The code that the phone shows now."""
        return pyotp.TOTP(self.secret).at(self.clock.now())

    # --- acting -----------------------------------------------------------------------------------

    def click(self, name: str, *, within: Locator | None = None) -> None:
        """Follow a link or press a button that leads to a page, by what is written on it."""
        with self.page.expect_navigation():
            self._named(name, within).click()
        self.look()

    def _named(self, name: str, within: Locator | None = None) -> Locator:
        place, label = within or self.page, self.label(name)
        button = place.get_by_role("button", name=label, exact=True)
        return button.or_(place.get_by_role("link", name=label, exact=True)).first

    def fill(self, **fields: str) -> None:
        """Write into the fields of the only form of a page, by their names."""
        self._fill(self.page.locator("main"), fields)

    def send(self, button: str, *, among: str = "", **fields: object) -> None:
        """Fill in one of the forms of a page, and press its button.

        Parameters
        ----------
        among : what only this form has, as a selector, if several have such a button.
        fields : by name; contents by name for files, True or False for boxes to tick.
        """
        label = self.label(button)
        pressed = self.page.get_by_role("button", name=label, exact=True, include_hidden=True)
        form = self.page.locator("form").filter(has=pressed)
        if among:
            form = form.filter(has=self.page.locator(among))
        form.first.wait_for(state="attached")
        self._unfold(form)
        self._fill(form.first, fields)
        with self.page.expect_navigation():
            form.first.get_by_role("button", name=label, exact=True).click()
        self.look()

    def _unfold(self, hidden: Locator) -> None:
        """Open the part of a page that has something."""
        folded = self.page.locator("details:not([open])", has=hidden)
        if folded.count():
            folded.first.locator("summary").first.click()

    def _fill(self, place: Locator, fields: dict) -> None:
        for name, value in fields.items():
            field = place.locator(f"[name='{name}']").first
            self._unfold(self.page.locator(f"[name='{name}']"))
            match value:
                case bool():
                    field.set_checked(value)
                case dict():
                    field.set_input_files([_payload(*file) for file in value.items()])
                case _ if field.evaluate("node => node.tagName") == "SELECT":
                    field.select_option(str(value))
                case _ if field.get_attribute("type") == "hidden":  # there is only one choice
                    assert field.input_value() == str(value)
                case _:
                    field.fill(str(value))

    def download(self, name: str, folder: Path) -> Path:
        """Follow a link to a file; returns where the file is.

        A page that renews a part of itself can swallow a click; people load it and click again.
        """
        for _ in range(10):
            try:
                with self.page.expect_download(timeout=100 * SOON) as waiting:
                    self._named(name).click()
            except TimeoutError:
                self.page.reload()
                continue
            target = folder / waiting.value.suggested_filename
            waiting.value.save_as(target)
            return target
        raise AssertionError(f"{self.page.url}: {name!r} gives no file")


def _payload(name: str, content: bytes) -> FilePayload:
    return FilePayload(name=name, mimeType="application/octet-stream", buffer=content)
