"""Filled form: a page whose form has what somebody sent, and what is wrong beside each field.

A page is made as always, then one of its forms is filled in. So no form has to know how, and none
can forget it. Passwords and files are not filled in: browsers do not allow it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser

from quintain.figures.format import printable
from quintain.wording.languages import say
from quintain_host.languages.sentences import as_sentence

Attributes = list[tuple[str, str | None]]

_KEPT_EMPTY = ("password", "file", "hidden", "submit", "button", "reset", "image")
_TICKED = ("checkbox", "radio")
_FIELDS = ("input", "select", "textarea")


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something that cannot be used, and the name of its field; "" means the form as a whole."""

    field: str
    sentence: str

    @property
    def text(self) -> str:
        """The sentence as a page shows it."""
        sentence = "\n".join(printable(line) for line in self.sentence.split("\n"))
        return escape(as_sentence(sentence))


def fill_form(
    html: str,
    action: str,
    sent: Mapping[str, Sequence[str]],
    mistakes: Sequence[Mistake],
    *,
    summary: bool = True,
) -> str:
    """A page with one form filled in, and with the mistakes beside its fields.

    Parameters
    ----------
    action : where the form is sent to. Among forms with the same address, the hidden fields decide.
    sent : what came, by the names of the fields; where nothing came, fields stay as they are.
    mistakes : those that no field of the form has stand before the form, or at the top of the page
        if it has no such form any more.
    summary : whether the form says at its top that something is wrong; some pages do it themselves.
    """
    reader = _Outline()
    reader.feed(html)
    fitting = [known for known in reader.forms if known.action in ("", action)]
    chosen = max(fitting, key=lambda known: known.agreement(sent), default=None)
    writer = _Filling(chosen, sent, mistakes, summary=summary)
    writer.feed(html)
    writer.close()
    return "".join(writer.pieces)


@dataclass(slots=True)
class _Form:
    """A form of a page: its place among all forms, and what it has."""

    number: int
    action: str
    hidden: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    folds: set[int] = field(default_factory=set)

    def agreement(self, sent: Mapping[str, Sequence[str]]) -> int:
        """How many hidden fields have the values that came."""
        return sum(value in sent.get(name, ()) for name, value in self.hidden.items())


class _Outline(HTMLParser):
    """Reads which forms a page has, and which folded parts hide them."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[_Form] = []
        self._open: _Form | None = None
        self._folds: list[int] = []
        self._seen = 0

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        """Note a form, a field or a folded part."""
        facts = dict(attrs)
        if tag == "details":
            self._seen += 1
            self._folds.append(self._seen)
            if self._open is not None:
                self._open.folds.add(self._seen)
        elif tag == "form":
            self._open = _Form(len(self.forms) + 1, facts.get("action") or "")
            self._open.folds |= set(self._folds)
            self.forms.append(self._open)
        elif tag in _FIELDS and self._open is not None and (name := facts.get("name")):
            if facts.get("type") == "hidden":
                self._open.hidden[name] = facts.get("value") or ""
            else:
                self._open.names.add(name)

    def handle_endtag(self, tag: str) -> None:
        """Note the end of a form or of a folded part."""
        if tag == "form":
            self._open = None
        elif tag == "details" and self._folds:
            self._folds.pop()


class _Filling(HTMLParser):
    """Writes a page again, with one form filled in."""

    def __init__(
        self,
        chosen: _Form | None,
        sent: Mapping[str, Sequence[str]],
        mistakes: Sequence[Mistake],
        *,
        summary: bool,
    ) -> None:
        super().__init__(convert_charrefs=False)
        self.pieces: list[str] = []
        self._chosen, self._sent, self._has_summary = chosen, sent, summary
        names = set() if chosen is None else chosen.names
        self._beside = {m.field: m for m in reversed(mistakes) if m.field in names}
        self._others = [m for m in mistakes if m.field not in names]
        self._forms = self._folds = 0
        self._inside = False
        self._used: dict[str, int] = {}
        self._focus = True
        self._select: list[str] | None = None
        self._muted = False

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        """Write a tag, changed where it belongs to the form."""
        text = self.get_starttag_text() or ""
        if tag == "details":
            self._folds += 1
            if self._chosen is not None and self._folds in self._chosen.folds:
                text = _tag(tag, _with(attrs, "open", None))
        elif tag == "form":
            self._forms += 1
            self._inside = self._chosen is not None and self._forms == self._chosen.number
            text += self._summary() if self._inside else ""
        elif tag == "main" and self._chosen is None:
            text += self._summary()
        elif self._inside and tag in _FIELDS:
            text = self._field(tag, attrs)
        elif self._select is not None and tag == "option":
            text = self._option(attrs, self._select)
        self.pieces.append(text)

    def _summary(self) -> str:
        """What a page says before its form."""
        if not self._has_summary:
            return ""
        general = "".join(f"<li>{mistake.text}</li>" for mistake in self._others)
        sentence = say("Nothing was changed. Look at what is marked below.")
        marked = f"<p>{escape(sentence)}</p>" if self._beside else ""
        listed = f"<ul>{general}</ul>" if general else ""
        return f'\n<div class="faults" role="alert">{marked}{listed}</div>'

    def _field(self, tag: str, attrs: Attributes) -> str:
        facts = dict(attrs)
        name, kind = facts.get("name") or "", facts.get("type") or "text"
        before, attrs = self._mark(name, facts, attrs)
        came, once = self._sent.get(name), facts.get("autocomplete") == "one-time-code"
        if tag == "input" and kind in _TICKED and self._sent and not facts.get("disabled"):
            attrs = [pair for pair in attrs if pair[0] != "checked"]
            if (facts.get("value") or "on") in (came or ()):
                attrs = _with(attrs, "checked", None)
        elif came and tag == "input" and kind not in (*_KEPT_EMPTY, *_TICKED) and not once:
            attrs = _with(attrs, "value", self._next(name, came))
        elif came and tag == "select":
            self._select = list(came)
        elif came and tag == "textarea":
            text = escape(self._next(name, came), quote=False).replace("\r\n", "\n")
            self._muted = True
            return f"{before}{_tag(tag, attrs)}\n{text}"
        return before + _tag(tag, attrs)

    def _mark(
        self, name: str, facts: Mapping[str, str | None], attrs: Attributes
    ) -> tuple[str, Attributes]:
        """The sentence before a field, and the attributes that tie the field to it."""
        mistake = self._beside.pop(name, None)
        if mistake is None:
            return "", attrs
        place = f"fault-{escape(name)}"
        described = f"{place} {facts.get('aria-describedby') or ''}".strip()
        attrs = _with(_with(attrs, "aria-invalid", "true"), "aria-describedby", described)
        if self._focus:
            self._focus, attrs = False, _with(attrs, "autofocus", None)
        return f'<span class="field-fault" id="{place}">{mistake.text}</span>\n', attrs

    def _next(self, name: str, came: Sequence[str]) -> str:
        """The value of the next field of this name."""
        number = self._used.get(name, 0)
        self._used[name] = number + 1
        return came[min(number, len(came) - 1)]

    def _option(self, attrs: Attributes, came: Sequence[str]) -> str:
        """An option, which is chosen if its value came; every option names its value."""
        rest = [pair for pair in attrs if pair[0] != "selected"]
        if dict(attrs).get("value") in came:
            rest = _with(rest, "selected", None)
        return _tag("option", rest)

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        """Write a tag without content; pictures have them."""
        self._write(self.get_starttag_text() or _tag(tag, attrs))

    def handle_endtag(self, tag: str) -> None:
        """Write the end of a tag."""
        self._muted &= tag != "textarea"
        if tag == "form":
            self._inside = False
        elif tag == "select":
            self._select = None
        self._write(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Write text as it stands."""
        self._write(data)

    def handle_entityref(self, name: str) -> None:
        """Write a character that has a name."""
        self._write(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """Write a character that has a number."""
        self._write(f"&#{name};")

    def handle_comment(self, data: str) -> None:
        """Write a comment."""
        self._write(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        """Write the type of the document."""
        self._write(f"<!{decl}>")

    def _write(self, text: str) -> None:
        if not self._muted:
            self.pieces.append(text)


def _with(attrs: Attributes, name: str, value: str | None) -> Attributes:
    return [*(pair for pair in attrs if pair[0] != name), (name, value)]


def _tag(tag: str, attrs: Attributes) -> str:
    return f"<{tag}{''.join(_write_attributes(attrs))}>"


def _write_attributes(attrs: Attributes) -> Iterator[str]:
    for name, value in attrs:
        yield f" {name}" if value is None else f' {name}="{escape(value)}"'
