"""No sentence of an audit contradicts its verdict, another sentence, or what was looked at."""

import hashlib
import html
import itertools
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from quintain.audits.checks.control import ControlCheck, RepeatedRows, doubt_control
from quintain.audits.checks.made_with_control import coin_sign, doubt_known_control
from quintain.audits.reading.coverage import Coverage
from quintain.audits.release import audit_release
from quintain.audits.report.dossier.dossier import make_dossier
from quintain.audits.report.dossier.markdown import markdown
from quintain.audits.report.notebook import notebook_view
from quintain.audits.report.page import release_page, sanitizer_page
from quintain.audits.report.risk_view import risk_views
from quintain.audits.report.tiles import p_words, tiles_of
from quintain.audits.report.words import release_words
from quintain.audits.results import ControlDrift
from quintain.audits.verdict import Effects, build_release_audit, judge
from quintain.cli.audit.summary import print_summary
from quintain.measures import Reading
from quintain.measures.pooled.detectable import smallest_share
from tests.audits.report import audit_cases, sanitizer_cases

PEOPLE = 200
WHERE = "in the columns that were compared"


# --- releases of which the truth is known ---


@dataclass(frozen=True)
class Known:
    """A release, and what is true of it.

    Parameters
    ----------
    control_is : "sound"; "hides" leaks, since its people are in the original or in the release; or
        "unlike" the original for a reason of its own, which looks like a leak.
    unlike : columns of the release that nothing can be compared with.
    constant : columns that say nothing about anybody.
    """

    original: pd.DataFrame
    release: pd.DataFrame
    control: pd.DataFrame | None
    control_is: str = "sound"
    unlike: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()


def people(seed, count=PEOPLE, older=0):
    """People of one population, with names and notes."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, count) + older
    words = np.array([f"{a}{b}{c}" for a in "klmn" for b in "aeiou" for c in ("rt", "mp", "ss")])
    return pd.DataFrame(
        {
            "age": age,
            "town": np.array(list("abcdef"))[(age // 15 + rng.integers(0, 2, count)) % 6],
            "income": np.round(rng.gamma(2, 9000, count) + 100 * age, 2),
            "sex": rng.choice(list("fm"), count),
            "name": [f"N{seed}{number:03}y" for number in range(count)],
            "note": [" ".join(rng.choice(words, 25)) for _ in range(count)],
        }
    )


def plain(seed, count=PEOPLE, older=0):
    return people(seed, count, older)[["age", "town", "income", "sex"]]


def noisy(frame, spread):
    rng = np.random.default_rng(9)
    income = frame["income"] + rng.normal(0, spread, len(frame))
    return frame.assign(income=income.round(2)).sample(frac=1, random_state=1)


def with_columns(names, change):
    """Strangers, and columns that ``change`` makes from the original."""
    inside, outside = people(1)[names], people(3)[names]
    return Known(inside, change(inside, people(2)[names]), outside)


def alone(name, shown, change):
    """A release of one column of the original, in which attacks can compare nothing."""
    inside, outside = people(1)[[name]], people(3)[[name]]
    return Known(inside, pd.DataFrame({shown: change(inside[name].to_numpy())}), outside)


def hashed(texts):
    return [hashlib.md5(text.encode()).hexdigest() for text in texts]


def shuffled_columns(frame):
    rng = np.random.default_rng(4)
    return pd.DataFrame({name: rng.permutation(frame[name]) for name in frame})


def in_order(older=0):
    """Strangers whose rows follow the age in the original, as that one's rows do."""
    inside, outside = plain(1).sort_values("age"), plain(2).sort_values("age")
    rng = np.random.default_rng(6)
    outside = outside.assign(age=(outside["age"] + rng.integers(-4, 5, PEOPLE)).clip(18, 79))
    return Known(inside, outside, plain(3))


def bands(frame):
    return pd.DataFrame({"age": frame["age"] // 40 * 40, "sex": frame["sex"]})


def twice(frame):
    """Two rows of each person, with a column that says whose they are."""
    visits = pd.concat([frame, frame], ignore_index=True).rename(columns={"name": "patient"})
    return visits[["patient", "age", "town"]].assign(day=np.arange(len(visits)) % 17)


def with_payment(release):
    payment = np.random.default_rng(8).normal(5e4, 9e3, len(release))
    return Known(plain(1), release.assign(payment=payment), plain(3), unlike=("payment",))


def some_copies(count):
    return pd.concat([plain(1).head(count), plain(2).tail(PEOPLE - count)])


KINDS = {
    "verbatim": lambda: Known(plain(1), plain(1)[::-1], plain(3)),
    "strangers": lambda: Known(plain(1), plain(2), plain(3)),
    "a little noise": lambda: Known(plain(1), noisy(plain(1), 20), plain(3)),
    "much noise": lambda: Known(plain(1), noisy(plain(1), 20_000), plain(3)),
    "marginals alone": lambda: Known(plain(1), shuffled_columns(plain(1)), plain(3)),
    "seven copies": lambda: Known(plain(1), some_copies(7), plain(3)),
    "a column dropped": lambda: Known(plain(1), plain(2).drop(columns="income"), plain(3)),
    "constant columns": lambda: Known(
        plain(1), plain(2).assign(sex="*", version=1), plain(3), constant=("sex", "version")
    ),
    "a column more": lambda: with_payment(plain(2)),
    "a column more, and copies": lambda: with_payment(some_copies(7)),
    "notes of the original": lambda: with_columns(
        ["age", "sex", "note"], lambda inside, others: others.assign(note=inside["note"][::-1])
    ),
    "notes of strangers": lambda: with_columns(["age", "sex", "note"], lambda _, others: others),
    "hashed names": lambda: with_columns(
        ["age", "sex", "name"], lambda inside, others: others.assign(name=hashed(inside["name"]))
    ),
    "hashed strangers": lambda: with_columns(
        ["age", "sex", "name"], lambda _, others: others.assign(name=hashed(others["name"]))
    ),
    "notes alone": lambda: alone("note", "note", lambda cells: cells[::-1]),
    "hashes alone": lambda: alone("name", "key", hashed),
    "a small control": lambda: Known(plain(1), plain(2), plain(3, 30)),
    "a control of older people": lambda: Known(plain(1), plain(2), plain(3, older=12), "unlike"),
    "copies, and older people": lambda: Known(plain(1), plain(1), plain(3, older=12), "unlike"),
    "people on both sides": lambda: Known(
        plain(1), plain(2), pd.concat([plain(1).head(120), plain(3).head(80)]), "hides"
    ),
    "made with the control": lambda: Known(
        plain(1), noisy(pd.concat([plain(1), plain(3)]), 20), plain(3), "hides"
    ),
    "verbatim, no control": lambda: Known(plain(1), plain(1)[::-1], None),
    "strangers, no control": lambda: Known(plain(1), plain(2), None),
    "in the order of the original": in_order,
    "wide classes": lambda: Known(plain(1), bands(plain(1)), plain(3)),
    "people who were entered twenty times": lambda: Known(
        pd.concat([plain(1), *[plain(5, 15)] * 20], ignore_index=True), plain(2), plain(3)
    ),
    "two rows of each person": lambda: Known(
        twice(people(1)), twice(people(1)).drop(columns="patient"), twice(people(3)), "unlike"
    ),
}


# --- every sentence that an audit says ---


def sentences(text):
    text = re.sub(r"\s+", " ", text)
    return [
        sentence.strip()
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z“])", text)
        if sentence.strip()
    ]


def without_tags(page):
    page = re.sub(r"(?s)<(style|script|svg|template).*?</\1>", " ", page)
    page = re.sub(r"</(p|li|dt|dd|td|th|h\d|caption|summary|figcaption)>", ". ", page)
    return html.unescape(re.sub(r"<[^>]+>", " ", page))


def said(audit, capsys):
    """Every sentence of the verdict, of the first page and in the terminal."""
    print_summary(audit)
    terminal = re.sub(r"(?m)^\s*-\s", ". ", capsys.readouterr().out)
    words = release_words(audit)
    views = risk_views(audit.readings, audit.not_computed, audit.may_be_luck)
    told = [*audit.reasons, *audit.limits, words.headline, words.meaning, *words.steps, terminal]
    told += [tile.says for tile in tiles_of(audit)] + [view.sentence for view in views]
    return [one for text in (*told, p_words(audit)) for one in sentences(text)]


def written(audit):
    """Every sentence of the whole page, of a notebook and of the dossier."""
    texts = [without_tags(notebook_view(audit)), without_tags(release_page(audit))]
    return [one for text in (*texts, markdown(make_dossier(audit))) for one in sentences(text)]


# --- what must not stand beside what ---


@dataclass(frozen=True)
class Rule:
    """A statement, and what must be true, or be said with it, wherever it stands.

    Parameters
    ----------
    says : finds the statement in a sentence.
    condition : words of which the sentence must have one, whatever is true.
    holds : whether the statement may stand: the audit, and what is known of the release.
    """

    name: str
    says: str
    condition: str = ""
    holds: object = None


def is_leak(audit):
    return audit.p is not None and not audit.may_be_luck


def tells_leaks(audit, known):
    """Whether the audit would notice leaks beside this control, and takes nothing else for one."""
    if known.control_is == "unlike":  # a large leak is seen beyond the difference
        return not is_leak(audit) or audit.verdict == "unsafe"
    return known.control_is == "sound"


RULES = (
    Rule(
        "power has its condition",
        r"noticed in 80|probably (have been noticed|notices|have seen)|notice it very probably",
        r"([Ii]f|provided that) (an attack|attacks|these attacks) can see",
    ),
    Rule(
        "power is about what was compared",
        r"have been noticed in 80|very probably notices",
        "",
        lambda audit, known: not known.unlike,
    ),
    Rule(
        "nothing is noticed beside such a control",
        r"have been noticed in 80|probably notices",
        "",
        tells_leaks,
    ),
    Rule(
        "a control that was given is there",
        r"[Nn]o control was given|[Tt]here is no control|needs a control|^Without a control, no at",
        "",
        lambda audit, known: known.control is None,
    ),
    Rule("p is no certainty", r"(is not|cannot be|too large to be) luck|whatever the luck", r"$^"),
    Rule(
        "small is said of what was looked at",
        r"effect is small|but a small one|a little away",
        "",
        lambda audit, known: audit.verdict == "some-leakage" and not known.unlike,
    ),
    Rule("the control is judged by a test", r"from another population", r"\b(may|If|if|seems?)\b"),
    Rule(
        "the release is judged by a test", r"was made with the control", r"\b(may|[Ii]f|seems?)\b"
    ),
    Rule(
        "luck explains everything, or it does not",
        r"[Nn]o attack (did|told|of .* did)|attacks found no leak",
        "",
        lambda audit, known: not is_leak(audit) and audit.verdict != "unsafe",
    ),
    Rule(
        "who tells nobody does not pick people out",
        r"picks the right one in (6\d|7\d|8\d|9\d|100) of 100 cases",
        "",
        lambda audit, known: is_leak(audit) or len(known.control) < PEOPLE,
    ),
    Rule(
        "dependence is a conclusion",
        r"release depends on who|depends on who is in the data",
        r"\b(if|[Ww]hether|how)\b",
    ),
    Rule(
        "beside a bad control, people are found on a condition",
        r"^(An attacker can name|At a false positive.*find at least|Of 100.* whom luck alone)",
        "",
        lambda audit, known: audit.verdict in ("unsafe", "some-leakage"),
    ),
    Rule(
        "attacks show nobody, not the audit",
        r"[Nn]obody is shown|can name anybody",
        r"attack that ranks",
    ),
    Rule("attacks point nobody out", r"^people can be pointed out one by one with conf", "attack"),
    Rule(
        "an advice fits",
        r"^Split a control off before sanitizing",
        "",
        lambda audit, known: audit.p is None,
    ),
    Rule(
        "order and publishing",
        r"^Publish by your usual rules",
        "",
        lambda audit, known: (
            audit.order is None
            or not audit.order.alarm
            or release_words(audit).steps[0].startswith("Shuffle")
        ),
    ),
    Rule(
        "constant columns are no gap",
        r"No attack (looked at|could compare)|could compare only",
        "",
        lambda audit, known: not known.constant,
    ),
    Rule(
        "all of it was computed",
        r"^Everything that this audit offers",
        "",
        lambda audit, known: not audit.not_computed,
    ),
    Rule(
        "nothing was sanitized",
        r"nothing was sanitized",
        "",
        lambda audit, known: not known.unlike and not known.constant,
    ),
)

PAIRS = (
    (
        r"nobody can tell a leak",
        r"^The release depends on|have been noticed in 80|^An attacker can",
    ),
    (r"overlooks? what|leaks are overlooked", r"have been noticed in 80|probably notices|is small"),
    (r"[Nn]o attack did better than luck", r"^The attacks told|: more than luck explains:"),
    (r"found no leak", r"Do not publish this release\."),
    (r"too small to conclude", r"would probably have been noticed|have been noticed in 80"),
    (r"Nobody can say what they give away", r"The effect is small\b(?! in)|gives a little away"),
    (r"^In '[^']*', the release has .* of '.*' for", r"^The verdict does not cover them"),
    (
        r"^Original and control do not differ",
        r"control may come from another population(?!.* did not notice)",
    ),
    (r"order tells who is who", r"No sign of it was found\. The row numbers"),
)


def contradictions(audit, known, told):
    """Every sentence that must not stand where it stands, with the rule that it breaks."""
    told = list(dict.fromkeys(told))
    for rule in RULES:
        for one in told:
            if not re.search(rule.says, one):
                continue
            scoped = known.unlike and WHERE in one.lower()
            said_so = not rule.condition or re.search(rule.condition, one)
            true = rule.holds is None or scoped or rule.holds(audit, known)
            if not (said_so and true):
                yield rule.name, one
    for first, second in PAIRS:
        ones, others = (
            [line for line in told if re.search(part, line)] for part in (first, second)
        )
        if ones and others:
            yield ones[0], others[0]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_sentence_of_an_audit_contradicts_another(kind, capsys):
    known = KINDS[kind]()
    audit = audit_release(known.original, known.release, known.control, permutations=99)
    told = [*said(audit, capsys), *written(audit)]
    assert len(told) > 100
    assert list(contradictions(audit, known, told)) == []


# --- the same for every verdict that effects can have ---

NOTHING = Reading.missing("lower", "not here")
DRIFT = ControlDrift(p=0.01, level=0.04, columns={"age": 0.6}, auc=NOTHING)
EQUAL = ControlDrift(p=0.5, level=0.04, auc=NOTHING)
MANY = RepeatedRows("original", 90, 100, 0, 100)
KNOWN = coin_sign("copies", "a copy", 40, 1, 1000)


def share(value):
    return Reading(value=value, low=value / 2, high=2 * value, n=1000, better="lower")


CONTROLS = {
    "sound": ("sound", ControlCheck(share(0.0), EQUAL), ()),
    "other people": ("unlike", ControlCheck(share(0.0), DRIFT), ()),
    "on both sides": ("hides", ControlCheck(share(0.5), EQUAL), ()),
    "repeated rows": ("unlike", ControlCheck(share(0.0), EQUAL, (MANY,)), ()),
    "known to the release": ("hides", ControlCheck(share(0.0), EQUAL), (KNOWN,)),
}
FOUND = {
    "nobody": {},
    "a few": {"traces": ("The release has copies of 8 people. Chance would do so rarely.",)},
    "many": {"alarms": ("The release has copies of 80 people. Chance would do so rarely.",)},
    "all": {"proofs": ("The release has the names of all people of the original.",)},
}


def every_effect():
    """The effects of audits, with the columns that none of them compared."""
    for p, exposed, size, classes, unlike, found in itertools.product(
        (None, 0.0001, 0.03, 0.4),
        (0.0, 0.03, 0.5),
        (40, 10_000),
        (None, 20),
        ((), ("payment",)),
        FOUND.values(),
    ):
        own = found if p is not None else {k: v for k, v in found.items() if k == "proofs"}
        yield Effects(
            p,
            size,
            share(exposed),
            Reading.exact(round(exposed * size), size, "lower"),
            smallest_share(size, size),
            advantage=None if p is None else share(exposed),
            laid_bare=None if p is None else audit_cases.laid_bare(0),
            p_alike=None if p is None else 0.4,
            smallest_class=classes,
            uncompared=unlike,
            **own,
        )


@pytest.mark.slow
@pytest.mark.parametrize("control", CONTROLS)
def test_no_sentence_of_any_verdict_contradicts_another(control, capsys):
    control_is, check, signs = CONTROLS[control]
    verdicts = Counter()
    for effects in every_effect():
        verdict = judge(effects)
        if effects.p is not None:
            verdict = doubt_control(verdict, effects, check)
        coverage = Coverage(3, tuple(effects.uncompared), unseen=tuple(effects.uncompared))
        verdict = doubt_known_control(coverage.limit_verdict(verdict), signs)
        limits = (*coverage.limits(), *verdict.limits)
        audit = build_release_audit(verdict, effects, limits=limits)
        known = Known(None, None, None, control_is, tuple(effects.uncompared))
        assert list(contradictions(audit, known, said(audit, capsys))) == []
        verdicts[audit.verdict] += 1
    assert verdicts["unsafe"] and verdicts["cannot-say"]


@pytest.mark.slow
@pytest.mark.parametrize("verdict", ["unsafe", "some-leakage", "nothing-found", "cannot-say"])
def test_a_page_about_a_sanitizer_speaks_of_claims_on_a_condition(verdict):
    audit = sanitizer_cases.sanitizer(verdict)
    settings = tuple(setting.model_copy(update={"claim": None}) for setting in audit.settings)
    audit = audit.model_copy(update={"settings": settings})
    told = " ".join(sentences(without_tags(sanitizer_page(audit)))[:12])
    assert "within what the sanitizer claims" not in told
    # Its attacks are the leaky ones, whatever the verdict.
    assert "no attack did better than luck" not in told.lower()
