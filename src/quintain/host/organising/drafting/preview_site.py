"""Preview site: the site as it will be when a draft is launched, for the pages of the public."""

from __future__ import annotations

from pathlib import Path

from quintain.host.access import NotThere, Visitor
from quintain.host.site import Site


class PreviewSite(Site):
    """A site whose edition folders are those of previews; the rest is the site itself."""

    def __init__(self, site: Site) -> None:
        self.root, self.settings = site.root, site.settings
        self.database, self.clock, self.uploads = site.database, site.clock, site.uploads

    def edition_root(self, edition: str) -> Path:
        """Where the folder of a preview is."""
        return preview_folder(self, edition)


def preview_folder(site: Site, edition: str) -> Path:
    """Where the folder of a preview is; its keys are other ones than those of the contest."""
    return site.preview(edition) / "folder"


def preview_kit(site: Site, visitor: Visitor, edition: str) -> Path:
    """The kit of the pretend team of a preview."""
    visitor.require_organiser(edition)
    path = site.preview(edition) / "kit.zip"
    if not path.is_file():
        raise NotThere("there is no preview yet")
    return path


def previewed(site: Site, visitor: Visitor, edition: str) -> PreviewSite:
    """The site with the preview of a draft instead of its contest."""
    preview_kit(site, visitor, edition)  # it is written last, so the preview is complete
    return PreviewSite(site)
