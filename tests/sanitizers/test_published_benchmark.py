"""The benchmark of everything that is published: what it sees, and which bounds it gives."""

from collections import Counter

from benchmarks.audit.published import add_json, add_table, add_text, cases, judge, published

from quintain.measures.epsilon.thresholds import epsilon_bound


def runs(texts):
    out = []
    for text in texts:
        seen = Counter()
        add_text(seen, "screen", text)
        out.append(dict(seen))
    return out


def test_a_number_in_a_text_tells_the_sides_apart_where_the_texts_never_repeat():
    inside, out = (runs([f"{n} noisy, {rows} rows" for n in range(80)]) for rows in (61, 60))
    verdict = judge(inside, out, (1.0, 1e-9))
    assert verdict.bound == epsilon_bound(40, 40, 0, 40, delta=1e-9).value > 1
    assert verdict.by == "number 1 of screen > 60.5"


def test_what_is_the_same_on_both_sides_proves_nothing():
    assert judge(runs(["same"] * 40), runs(["same"] * 40), None).bound == 0


def test_delta_is_subtracted():
    inside, out = runs(["a"] * 80), runs(["b"] * 80)
    bounds = [judge(inside, out, (1.0, delta)).bound for delta in (0.0, 0.5)]
    assert bounds[0] > bounds[1] + 0.5


def test_order_size_header_and_counts_of_a_table_are_seen():
    one, other = Counter(), Counter()
    add_table(one, "t", "a,b\n1,x\n2,y\n")
    add_table(other, "t", "a,b\n2,y\n1,x\n")
    assert {name for name in one | other if one[name] != other[name]} == {
        "rows of t in order",
        *(f"{end} row of t: {row}" for end in ("first", "last") for row in ("1,x", "2,y")),
        *(f"number 0 of {end} row of t" for end in ("first", "last")),
    }
    add_table(other, "u", "a,b\n")
    assert other["rows of u"] == 0 and other["header of u: a,b"] == 1


def test_every_field_of_a_card_is_seen():
    seen = Counter()
    add_json(seen, "card", {"methods": [{"rows": 3, "detail": "x 7"}], "test": False})
    assert seen["card.methods.0.rows"] == 3
    assert seen["number 0 of card.methods.0.detail"] == 7
    assert seen["card.test: False"] == 1 and seen["size of card.methods"] == 1


def test_a_case_is_seen_with_its_claim():
    case = next(c for c in cases() if c.part == "independent")
    seen, claimed = published(case, True)
    assert claimed == (1.0, 0.0)
    assert any(name.startswith("header of release.csv: colour,age") for name in seen)
