"""Verdict in words: what a verdict means for people who decide, and what they do next."""

from __future__ import annotations

from dataclasses import dataclass

from quintain.audits.results import Verdict


@dataclass(frozen=True, slots=True)
class VerdictWords:
    """A verdict for people who decide.

    Parameters
    ----------
    label : the verdict in two or three words.
    mark : a sign, so that nobody depends on colours.
    headline : the verdict as an answer.
    meaning : what follows from it, in two sentences.
    steps : what to do next, in order.
    unmeasured : what is said of risks without a figure.
    """

    label: str
    mark: str
    headline: str
    meaning: str
    steps: tuple[str, ...]
    unmeasured: str = "No attack of this audit measured this risk."


RELEASE: dict[Verdict, VerdictWords] = {
    "unsafe": VerdictWords(
        "Unsafe",
        "✕",
        "Do not publish this release.",
        "Somebody who holds the release can recognise people in the original data, or learn "
        "something about them that the release should hide. The effect is too large to be luck, "
        "and large enough to harm people.",
        (
            "Keep the release inside. If it is already public, treat that as a possible data "
            "breach and ask your data protection officer.",
            "Sanitize again with a stronger setting: more noise, coarser values, fewer columns. "
            "If records were copied, find out why.",
            "Audit the new release with the same split before anybody publishes it.",
        ),
    ),
    "some-leakage": VerdictWords(
        "Some leakage",
        "!",
        "This release gives a little away. Somebody has to decide.",
        "The attacks found a difference between people in the data and others, but a small one. "
        "The figures below say how many people it can touch.",
        (
            "Compare the number of people below with what the release is for, and with how "
            "sensitive the data are.",
            "If that is too many, use a stronger setting and audit again. If not, limit who gets "
            "the release where you can.",
            "Write the decision down and keep this report with it.",
        ),
    ),
    "nothing-found": VerdictWords(
        "Nothing found",
        "✓",
        "The attacks found no leak in this release.",
        "No attack did better than luck explains, and the audit was large enough to notice a leak "
        "of the size stated below. That is good news, but no proof: other attackers may know more.",
        (
            "Publish by your usual rules. This audit does not replace them.",
            "Keep this report and the hashes of the files with the release.",
            "Audit again whenever the data, the columns or the settings change.",
        ),
    ),
    "cannot-say": VerdictWords(
        "Cannot say",
        "?",
        "This audit cannot decide whether the release is safe.",
        "The reasons are below. Do not read it as a good sign: a leak may be there that this "
        "audit could not have noticed.",
        (
            "Do not take this audit as a reason to publish.",
            "Split a control off before sanitizing (quintain audit split), sanitize the other "
            "part and audit that release. More people in the control make the audit sharper.",
            "If that is impossible, rely on a sanitizer with a proven guarantee.",
        ),
    ),
}

_ONE_GAME = "This audit plays one game: who is in the data? Audit a release to see this risk."

SANITIZER: dict[Verdict, VerdictWords] = {
    "unsafe": VerdictWords(
        "Unsafe",
        "✕",
        "Do not use this sanitizer with these settings.",
        "Attackers who see its releases can recognise people, or the sanitizer protects less than "
        "it claims. Releases that it made in this way are not safe, either.",
        (
            "Stop publishing releases that were made with these settings.",
            "If a bound is above the claim, the program is wrong: report it to its authors with "
            "the settings and seeds below.",
            "Try a stronger setting, or another sanitizer, and audit again.",
        ),
        _ONE_GAME,
    ),
    "some-leakage": VerdictWords(
        "Some leakage",
        "!",
        "This sanitizer gives a little away. Somebody has to decide.",
        "Attackers do somewhat better than luck, within what the sanitizer claims. The figures "
        "below say by how much.",
        (
            "Compare the risk with what the releases are for; the settings below show what more "
            "protection costs.",
            "Audit the release itself before you publish it: one release can be worse than the "
            "average.",
            "Write the decision down and keep this report with it.",
        ),
        _ONE_GAME,
    ),
    "nothing-found": VerdictWords(
        "Nothing found",
        "✓",
        "The attacks found no leak in this sanitizer.",
        "Over all runs, no attack did better than luck explains, and no bound contradicts the "
        "claim. That is good news, but no proof: the bounds have a ceiling, which is shown.",
        (
            "Audit the release itself before you publish it.",
            "Keep this report with the settings and versions below.",
            "Audit again whenever the program, the data or the settings change.",
        ),
        _ONE_GAME,
    ),
    "cannot-say": VerdictWords(
        "Cannot say",
        "?",
        "This audit cannot decide whether the sanitizer is safe.",
        "The reasons are below. Do not read it as a good sign: a leak may be there that so few "
        "runs could not have shown.",
        (
            "Do not take this audit as a reason to publish.",
            "Run the audit again with more runs or more people.",
            "If that is impossible, rely on a sanitizer with a proven guarantee.",
        ),
        _ONE_GAME,
    ),
}
