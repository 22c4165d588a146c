"""The benchmark of membership attacks: its reference agrees with the attack on a small table."""

from benchmarks.audit.membership import gen_lra_lines

from quintain.testing import example_table, people


def test_the_reference_gives_the_same_scores():
    table = people(example_table(rows=90))
    (line,) = gen_lra_lines(table.take(range(30)), table.take(range(30, 90)), 60)
    assert "equal with the same 10 people" in line
