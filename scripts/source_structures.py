"""What depends on what in the built-in stand-ins: read by ``fit_sources.py``.

Each entry is an attribute and its parents, the most informative first: if too few people share all
parents, the fit drops the last one first. ``age/band`` is a coarser view of ``age``. ``head.age``
is the age of the head of the household (for a partner: of the other partner)."""

from __future__ import annotations

from collections.abc import Sequence

Structure = Sequence[tuple[str, Sequence[str]]]

ADULT_CUTS = {
    "age/band": (19, 21, 23, 25, 28, 31, 35, 40, 45, 50, 55, 60, 65, 70),
    "hours-per-week/band": (10, 20, 25, 30, 35, 40, 41, 45, 50, 55, 60, 70),
}
ADULT_GROUPS = {
    "education/level": (
        ("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th"),
        ("HS-grad",),
        ("Some-college",),
        ("Assoc-voc", "Assoc-acdm"),
        ("Bachelors",),
        ("Masters", "Prof-school", "Doctorate"),
    ),
}
ADULT: Structure = (
    ("marital-status", ()),
    ("sex", ("marital-status",)),
    ("relationship", ("marital-status", "sex")),
    ("age/band", ("marital-status", "relationship", "sex")),
    ("age", ("age/band", "marital-status", "sex")),
    ("education", ("age/band", "relationship")),
    ("occupation", ("education/level", "sex", "age/band")),
    ("workclass", ("occupation", "education/level", "relationship")),
    ("hours-per-week/band", ("age/band", "occupation", "sex")),
    ("hours-per-week", ("hours-per-week/band", "workclass")),
    ("income", ("relationship", "education/level", "hours-per-week/band")),
)

CPS_CUTS = {
    "age/band": (17, 18, 19, 20, 22, 25, 28, 31, 35, 40, 45, 50, 55, 60, 65, 70),
    "age/decade": (20, 25, 30, 40, 50, 60, 70),
    "age/young": (20, 25),
    "age/school": (17, 18, 19, 22, 25),
    "hoursut/band": (1, 10, 20, 25, 30, 35, 36, 40, 41, 45, 50, 51, 60, 61),
}
CPS_LEVELS = {
    "gradeatn/level": (8, 9, 10, 12, 13),
    "faminc/level": (5, 8, 11, 12, 13, 14),
    "ftptstat/usual": (1, 5, 10),
}
"""Groups of neighbouring categories: the codes at which a new group starts."""

CPS_DIVISIONS = (
    "CT ME MA NH RI VT",
    "NJ NY PA",
    "IL IN MI OH WI",
    "IA KS MN MO NE ND SD",
    "DE DC FL GA MD NC SC VA WV",
    "AL KY MS TN",
    "AR LA OK TX",
    "AZ CO ID MT NV NM UT WY",
    "AK CA HI OR WA",
)

CPS_AGE_GROUPS = (0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4)
"""In how many age groups somebody has children, by code of agechild: the least ownchild can be."""

CPS_HOUSEHOLD: Structure = (("type", ()), ("statefips", ("type",)))
CPS_HEAD: Structure = (
    ("wbhaom", ("statefips", "type/size")),
    ("citistat", ("wbhaom", "statefips")),
    ("one-race", ("type/size", "wbhaom", "citistat")),
    ("faminc", ("type", "wbhaom", "statefips/division")),
    ("female", ("type",)),
    ("age/band", ("type", "faminc/level")),
    ("age", ("age/band", "type/size")),
    ("agechild", ("age/decade", "age/band", "type")),
    ("ownchild", ("agechild/groups", "agechild", "age/decade")),
    ("gradeatn", ("age/young", "age/school", "faminc/level", "wbhaom", "citistat")),
    ("mocc10", ("gradeatn/level", "female", "wbhaom", "faminc/level")),
    ("mind16", ("mocc10", "gradeatn/level")),
    ("cow1", ("mind16", "mocc10")),
    ("ftptstat", ("age/decade", "mind16")),
    ("hoursut/band", ("ftptstat/usual", "ftptstat", "mocc10", "cow1")),
    ("hoursut", ("hoursut/band", "ftptstat/usual")),
)
CPS_PARTNER: Structure = (
    ("wbhaom", ("one-race", "head.wbhaom", "type/size", "statefips/division")),
    ("citistat", ("head.citistat", "wbhaom", "type/size")),
    ("female", ("head.female",)),
    ("age", ("head.age/decade", "head.age/band", "head.age")),
    ("agechild", ("head.agechild", "age/decade")),
    ("ownchild", ("agechild/groups", "agechild", "head.ownchild")),
    ("gradeatn", ("age/young", "age/school", "head.gradeatn", "citistat", "faminc/level")),
    ("mocc10", ("gradeatn/level", "head.mocc10")),
    ("mind16", ("mocc10", "head.mind16")),
    ("cow1", ("mind16", "head.cow1")),
    ("ftptstat", ("head.ftptstat", "mind16")),
    ("hoursut/band", ("ftptstat/usual", "ftptstat", "head.hoursut/band", "mocc10")),
    ("hoursut", ("hoursut/band", "ftptstat/usual")),
)
CPS_OTHER: Structure = (
    ("wbhaom", ("one-race", "head.wbhaom", "type/size", "statefips/division")),
    ("citistat", ("head.citistat", "wbhaom", "type/size")),
    ("female", ("role", "citistat")),
    ("age/band", ("role", "head.age/decade", "head.age/band", "type/size")),
    ("age", ("age/band", "role")),
    ("agechild", ("role", "age/decade", "age/band", "female")),
    ("ownchild", ("agechild/groups", "agechild", "age/decade")),
    ("gradeatn", ("age/young", "age/school", "head.gradeatn/level", "citistat")),
    ("mocc10", ("gradeatn/level", "female", "head.mocc10")),
    ("mind16", ("mocc10", "head.mind16")),
    ("cow1", ("mind16", "mocc10")),
    ("ftptstat", ("age/decade", "mocc10")),
    ("hoursut/band", ("ftptstat/usual", "ftptstat", "head.hoursut/band")),
    ("hoursut", ("hoursut/band", "ftptstat/usual")),
)
