"""Organiser: makes a contest in the browser, and leads it to its end."""

from collections.abc import Mapping
from datetime import datetime

from tests.host.browser.person import Person


class Organiser(Person):
    """Somebody who runs the site and organises one contest of it."""

    edition = ""

    def create(self, text: str, edition: str, files: Mapping[str, bytes] = {}) -> None:
        """Write an edition file into the form with its data files, and store it as a draft."""
        self.go("/organise")
        self.click("Make a contest")
        self.edition = edition
        fields = {"files": dict(files)} if files else {}
        self.send("Check and store the draft", toml=text, **fields)

    def open_page(self, name: str = "Overview") -> None:
        """Open a page of the contest for organisers."""
        if f"/organise/{self.edition}/" not in self.page.url:
            self.go(f"/organise/{self.edition}")
        menu = self.page.get_by_role("navigation", name="Organise")
        self.click(name, within=menu)

    def publish(self, **settings: object) -> None:
        """Let everybody see the contest, and let teams register."""
        self.open_page("Settings")
        self.send("Store", visible=True, registration="open", **settings)
        self.sees("The settings are stored.")

    def step(self, button: str, *texts: str, **fields: object) -> None:
        """Ask for a step of the contest, and wait until the page says that it is done."""
        self.open_page("Steps")
        self.send(button, **fields)
        self.awaits(*texts)

    def extend(self, track: str, phase: str, until: datetime, reason: str) -> None:
        """Let a phase close later."""
        self.open_page("Phases and rules")
        this = f"[name=track][value={track}]"
        self.send(f"Extend {phase}", among=this, until=f"{until:%Y-%m-%d %H:%M}", reason=reason)
        self.sees("The extension is being recorded.")

    def reveal(self, **ticks: bool) -> None:
        """Publish every secret, with a code of the second factor."""
        code = self.new_code()
        self.step("Reveal", "revealed on", confirmed=self.edition, code=code, **ticks)
