"""Captain: registers a team in the browser, and plays for it."""

from collections.abc import Mapping
from pathlib import Path

from tests.host.browser.person import Person


class Captain(Person):
    """Somebody who plays; ``team`` is the id of the team."""

    edition = team = ""

    def open_page(self, name: str = "") -> None:
        """Open the page of the own team, and follow a link there."""
        path = f"/contests/{self.edition}/team"
        if not (name and self.page.url.endswith(path)):
            self.go(path)
        if name:
            self.click(name)

    def register(self, edition: str, team: str) -> None:
        """Come to a contest, make an account and register a team."""
        self.edition, self.team = edition, team
        self.go(f"/contests/{edition}")
        self.click("Register a team")
        self.sign_up()
        self.send("Register the team", name=f"Team {team}", id=team, affiliation="University")
        self.awaits("Kit and data")

    def invite(self) -> str:
        """A link with which one person joins the team."""
        self.open_page()
        self.send("Make a link")
        return self.page.locator("#new-link").inner_text()

    def join(self, link: str) -> None:
        """Follow the link of a captain, make an account, and join the team."""
        self.edition = link.split("/contests/")[1].split("/")[0]
        self.go(link)
        self.sign_up()
        self.send("Join the team")
        self.sees("You are in the team.")

    def kit(self, folder: Path) -> Path:
        """Download the newest kit, once a worker has made it."""
        self.open_page()
        self.awaits("Download the kit")
        return self.download("Download the kit", folder)

    def submit(self, files: Mapping[str, bytes], phase: str = "", **fields: str) -> None:
        """Upload files, and wait until the intake worker has looked at them.

        Parameters
        ----------
        phase : which one, as the page calls it, if several are open.
        """
        self.open_page("Submit")
        if phase:
            self.click(phase)
        self.send("Submit", file=dict(files), **fields)
        self.awaits("What came")

    def receipt(self, folder: Path) -> Path:
        """The receipt of what was just submitted."""
        return self.download("Download the receipt", folder)

    def kept_checkpoint(self, folder: Path) -> Path:
        """The newest checkpoint, copied from the page that asks everybody to keep it."""
        self.go(f"/contests/{self.edition}")
        self.click("Trust")
        path = folder / "checkpoint.txt"
        path.write_text(self.page.locator("#checkpoint").text_content())
        return path
