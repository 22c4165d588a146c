"""Person: somebody who uses the site with a browser, and knows only what the pages say."""

from pathlib import Path
from time import monotonic

from playwright.sync_api import FilePayload, Locator, Page, expect

SOON = 20.0
"""How many seconds something may take on a busy machine."""


class Person:
    """A visitor with cookies of their own.

    Parameters
    ----------
    clock : the clock on the wall, for codes of the second factor.
    """

    def __init__(self, name, page: Page, clock) -> None:
        self.name, self.page, self.clock = name, page, clock
        self.email = f"{name.lower()}@example.org"
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
