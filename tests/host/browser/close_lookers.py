"""Close lookers: captains who note what is wrong with every page that they come to."""

import re
from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from quintain_host.languages.catalogue import read_catalogue
from tests.host.browser.captain import Captain

PHONE = 390
"""How many pixels wide a small phone is."""

_ENGLISH = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (parent.closest("bdi, code, pre, script, style, noscript, [lang]:not(html)")) continue;
    if (!parent.checkVisibility()) continue;
    const text = walker.currentNode.data.trim();
    if (/[A-Za-z]{2,}[,;]? [a-z]{2,}/.test(text)) found.push(text);
  }
  return found;
}"""

_MISFITS = """(width) => {
  const TAPPED = "a[href], button, input, select, textarea, summary", found = [];
  const across = document.documentElement.scrollWidth;
  if (across > width) found.push(`scrolls sideways: ${across}`);
  const small = (box) => box.width < 24 || box.height < 24;
  const name = (node) => `${node.tagName} ${(node.innerText || node.name || "").slice(0, 40)}`;
  const inSentence = (node) => getComputedStyle(node).display === "inline"
    && node.parentElement.innerText.trim() !== node.innerText.trim();
  for (const node of document.querySelectorAll(TAPPED)) {
    if (node.type === "hidden" || !node.checkVisibility()) continue;
    let box = node.getBoundingClientRect();
    if (!box.width || box.right < 0 || node.tagName === "A" && inSentence(node)) continue;
    const label = node.labels && node.labels[0];
    if (small(box) && label) box = label.getBoundingClientRect();
    const size = `${box.width.toFixed()}x${box.height.toFixed()}`;
    if (small(box)) found.push(`tap target ${size}: ${name(node)}`);
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
    if (!text || !parent.checkVisibility() || parent.closest("script, style, .hidden")) continue;
    const drawn = parent.ownerSVGElement && parent.getScreenCTM();
    const scale = drawn ? Math.hypot(drawn.a, drawn.b) : 1;
    const size = parseFloat(getComputedStyle(parent).fontSize) * scale;
    if (size < 11.95) found.push(`text of ${size.toFixed(1)} px: ${text.slice(0, 40)}`);
  }
  return [...new Set(found)];
}"""


@cache
def _whole(text: str) -> str:
    """The text of the catalogue that is this one, or begins with it."""
    known = {message.id for message in read_catalogue("ja") if isinstance(message.id, str)}
    if text in known:
        return text
    return next((one for one in sorted(known) if one.startswith(text)), text)


@cache
def _japanese(text: str) -> str:
    """The words for a text; where it has several contexts, the words that most of them have."""
    words = [message.string for message in read_catalogue("ja") if message.id == text]
    return max(filter(None, words), key=words.count, default=text)


@cache
def _sentences() -> tuple[str, ...]:
    """The English of translated texts, cut where values and tags stand, if it is a sentence."""
    translated = [message.id for message in read_catalogue("ja") if message.string]
    texts = [text for one in translated for text in (one if isinstance(one, tuple) else (one,))]
    parts = {part.strip() for text in texts for part in re.split(r"<[^>]*>|%\(\w+\)s", text)}
    return tuple(sorted(part for part in parts if part.count(" ") > 1))


@cache
def _linked() -> dict[str, set[str]]:
    """The Japanese words of links within longer texts, by the English ones."""
    known: dict[str, set[str]] = {}
    for message in read_catalogue("ja"):
        if isinstance(message.id, str) and "<a " in message.id and message.string:
            texts = (message.id, message.string)
            links = (re.findall("<a [^>]*>(.*?)</a>", text) for text in texts)
            for english, japanese in zip(*links, strict=True):
                known.setdefault(english, set()).add(japanese)
    return known


class CloseLooker(Captain):
    """A captain who notes what is wrong with each page, in ``noted`` by its address."""

    noted: dict[str, list[str]]
    seen: set[str]

    def __init__(self, *facts) -> None:
        super().__init__(*facts)
        self.noted, self.seen = {}, set()

    def wrong(self) -> list[str]:
        """What is wrong with the page that is open."""
        raise NotImplementedError

    def look(self) -> None:
        """Note what is wrong with the page that is open."""
        self.page.wait_for_load_state()
        path = self.page.url.removeprefix("http://").partition("/")[2].partition("?")[0]
        self.seen.add(path)
        if wrong := self.wrong():
            self.noted[path] = wrong


class JapaneseCaptain(CloseLooker):
    """Somebody who reads Japanese, and English only where the site has no translation.

    ``foreign`` are all English texts that were seen, for translators.
    """

    window: ClassVar[Mapping[str, object]] = {"locale": "ja-JP"}
    foreign: dict[str, list[str]]

    def __init__(self, *facts) -> None:
        super().__init__(*facts)
        self.foreign = {}

    def word(self, text: str) -> str:
        """The Japanese words for a text of the site, or for a longer one that begins with it."""
        return _japanese(_whole(text))

    def label(self, text: str) -> re.Pattern[str]:
        """The Japanese words on a button or a link, which may stand in a longer text."""
        known = {self.word(text), *_linked().get(text, ())}
        return re.compile(f"^({'|'.join(map(re.escape, sorted(known)))})$")

    def wrong(self) -> list[str]:
        """The English sentences that have a translation, and whether the page scrolls sideways."""
        across = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        sideways = [f"scrolls sideways: {across} too wide"] if across > 0 else []
        self.foreign[self.page.url] = found = self.page.evaluate(_ENGLISH)
        return sideways + [text for text in found if any(one in text for one in _sentences())]


class PhoneCaptain(CloseLooker):
    """Somebody with a small phone."""

    window: ClassVar[Mapping[str, object]] = {
        "viewport": {"width": PHONE, "height": 844},
        "is_mobile": True,
        "has_touch": True,
    }

    def wrong(self) -> list[str]:
        """Sideways scrolling, tap targets under 24 pixels, text under 12."""
        return self.page.evaluate(_MISFITS, PHONE)
