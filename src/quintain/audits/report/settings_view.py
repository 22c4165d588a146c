"""Settings view: what a sanitizer gives away and what is left of the use, setting by setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from quintain.audits.games.judging import refuted_words
from quintain.audits.results import EpsilonBound, SanitizerAudit, Setting
from quintain.figures.epsilon_plot import EpsilonRow, epsilon_plot
from quintain.figures.matrix import Chance, Matrix
from quintain.figures.trade_off import TradeOff, Utility, trade_off
from quintain.measures import Reading
from quintain.rankings import Contestant, Entry, Results

PRIVACY = "attacker's success"
"""How the drawing calls the privacy reading: an AUC."""
_PLOTS = 4
_ATTACKER = Contestant("strongest", "the strongest attack")


@dataclass(frozen=True, slots=True)
class SettingView:
    """One setting of a sanitizer.

    Parameters
    ----------
    utility : its utility readings by name; None where there is none.
    bounds : a drawing of all bounds on epsilon; None if there is none.
    worst : the highest bound on which the verdict may rest; None if nothing was measured.
    missing : the bounds that were not computed, each with the reason.
    design : what runs of this number refute, in a sentence; empty without a claim.
    """

    label: str
    setting: Setting
    claim: str
    utility: Mapping[str, Reading | None]
    bounds: Markup | None
    worst: EpsilonBound | None
    missing: list[str]
    design: str

    @property
    def refuted(self) -> bool:
        """Whether a bound is above the claim."""
        claim, worst = self.setting.claim, self.worst
        return claim is not None and worst is not None and worst.bound.value > claim.epsilon


def deciding(setting: Setting) -> list[EpsilonBound]:
    """The bounds on which the verdict may rest; all of them if none says so."""
    return [bound for bound in setting.bounds if bound.decides] or list(setting.bounds)


def setting_views(audit: SanitizerAudit) -> list[SettingView]:
    """Every setting of the audit, in its order."""
    names = list(utilities_of(audit.settings))
    return [_view(audit, setting, names, i) for i, setting in enumerate(audit.settings, start=1)]


def utilities_of(settings: Sequence[Setting]) -> dict[str, Utility]:
    """The utility readings of some settings, by name."""
    return {
        _name(finding.name, finding.columns): Utility(
            _name(finding.name, finding.columns), finding.reading.better, finding.says, ()
        )
        for setting in settings
        for finding in setting.utility
    }


def frontiers(audit: SanitizerAudit, views: Sequence[SettingView]) -> list[TradeOff]:
    """Privacy against utility, one drawing per utility reading; none for a single setting."""
    if len(views) < 2:
        return []
    entries = tuple(
        Entry(view.label, None, {n: r for n, r in view.utility.items() if r is not None})
        for view in views
    )
    cells = {(view.label, _ATTACKER.id): {PRIVACY: view.setting.privacy} for view in views}
    matrix = Matrix(
        PRIVACY,
        "lower",
        "How often the strongest attack picks the right one of two people.",
        Results(entries, (_ATTACKER,), cells),
        (_ATTACKER,),
        Chance(value=0.5),
        {_ATTACKER.id: _ATTACKER.name},
    )
    chosen = list(utilities_of(audit.settings).values())[:_PLOTS]
    return [
        trade_off(matrix, utility, f"frontier-{i}", joined=True)
        for i, utility in enumerate(chosen, start=1)
    ]


def parameter_words(parameters: Mapping[str, Any]) -> str:
    """Parameters in a line.

    >>> parameter_words({"epsilon": 1.0, "keep_all": True})
    'epsilon 1, keep all yes'
    """
    given = {key: value for key, value in parameters.items() if value is not None}
    return ", ".join(f"{key.replace('_', ' ')} {_value_text(v)}" for key, v in given.items())


def _view(audit: SanitizerAudit, setting: Setting, names: list[str], number: int) -> SettingView:
    label = parameter_words(setting.parameters) or audit.sanitizer
    readings = {
        _name(finding.name, finding.columns): finding.reading for finding in setting.utility
    }
    claim = setting.claim
    claimed = None if claim is None else claim.epsilon
    rows = [
        EpsilonRow(
            f"{bound.method}, {_target(bound)}, {bound.attack}",
            bound.bound,
            bound.ceiling,
            bound in deciding(setting),
        )
        for bound in sorted(setting.bounds, key=lambda bound: not bound.decides)
    ]
    measured = [bound for bound in deciding(setting) if bound.bound.measured]
    return SettingView(
        label,
        setting,
        "" if claim is None else claim.words(),
        {name: readings.get(name) for name in names},
        epsilon_plot(rows, claimed, f"epsilon-{number}") if rows else None,
        max(measured, key=lambda bound: (bound.bound.value, bound.ceiling), default=None),
        [f"{b.method}: {b.bound.note}" for b in setting.bounds if not b.bound.measured],
        f"{words[0].upper()}{words[1:]}."
        if setting.refutes is not None and (words := refuted_words(setting))
        else "",
    )


def _target(bound: EpsilonBound) -> str:
    words = {
        "neighbours": "two neighbours",
        "worst-case": "worst case",
        "average": "average person",
    }
    return words[bound.target]


def _name(name: str, columns: Sequence[str]) -> str:
    return f"{name} ({', '.join(columns)})" if columns else name


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
