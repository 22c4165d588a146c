"""DARC: the judge, every known loophole, and a small contest played."""

import json

import numpy as np
import pytest

from quintain.cli.main import main
from quintain.contests import load
from quintain.data.files import to_bytes
from quintain.errors import QuotaUsed, Rejected, SubmissionError
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.reidentification import Reidentification
from quintain.rankings.defence import Defence
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.score import score
from quintain.runs.standalone.measuring import measure_files
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify
from tests.contest_folders import prepared

NO_PLAYERS = {"baseline": []}


@pytest.fixture(scope="module")
def shop():
    """A small year of shopping."""
    return (
        load("darc", overrides=NO_PLAYERS)
        .track[0]
        .dataset.model_copy(update={"rows": 3000})
        .generate(np.random.default_rng(1))
    )


@pytest.fixture(scope="module")
def monthly(shop):
    """The same under a new pseudonym a month, and nothing else changed."""
    who = shop.columns["id_user"].astype(str)
    month = shop.columns["date"].astype("datetime64[s]").astype("datetime64[M]").astype(str)
    return shop.replace({"id_user": np.char.add(np.char.add(who, "-"), month)})


@pytest.fixture
def judged(shop, tmp_path):
    """Measure a release: a table, or the text of its file after a change."""

    def measure(release, change=lambda text: text, **options):
        (tmp_path / "T.csv").write_bytes(to_bytes(shop, ".csv"))
        (tmp_path / "A.csv").write_text(change(to_bytes(release, ".csv").decode()))
        track = load("darc", overrides=NO_PLAYERS, **options).track[0]
        return measure_files(track, original=tmp_path / "T.csv", release=tmp_path / "A.csv")

    return measure


def edited(column, value, row=5):
    """Change one cell of a file."""

    def change(text):
        lines = text.split("\n")
        cells = lines[row + 1].split(",")
        cells[lines[0].split(",").index(column)] = value
        lines[row + 1] = ",".join(cells)
        return "\n".join(lines)

    return change


def in_another_order(text):
    """Exchange the first and the last row of a file."""
    head, first, *rows, last, end = text.split("\n")
    return "\n".join([head, last, *rows, first, end])


def test_the_keys_outsiders_look_for(judged, monthly):
    found = judged(monthly)
    wanted = [f"E{i}" for i in range(1, 7)] + ["U"] + [f"F{i}" for i in range(1, 7)]
    assert {*wanted, "S7", "reid", "score"} <= set(found)
    assert found["U"].value == max(found[f"E{i}"].value for i in range(1, 7))
    assert found["reid"].value == max(found[f"F{i}"].value for i in range(1, 7))
    assert found["score"].value == pytest.approx((found["U"].value + found["reid"].value) / 2)


def test_out_of_all_pairs_the_same_attacks_read_less(judged, shop, monthly):
    """Rule 12 divides by 13n; only pairs with a purchase have a pseudonym to name."""
    plain, literal = judged(monthly), judged(monthly, profile="darc-1.4-pairs")
    pairs = len(set(monthly.columns["id_user"].tolist()))
    part = pairs / (13 * len(set(shop.columns["id_user"].tolist())))
    assert 0.1 < part < 0.5
    for name in ("F1", "F4", "F6", "reid"):
        assert literal[name].value == pytest.approx(part * plain[name].value)
    assert literal["U"] == plain["U"]


def test_the_profile_as_deployed(judged, monthly):
    found = judged(monthly, profile="darc-2019-deployed")
    assert found["E2"].value == 0
    assert found["reid"].value == max(found[k].value for k in ("S7", "F4", "F6"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (edited("id_user", "everybody-in-one-row"), "same customer is"),
        (edited("id_user", "a:b"), "without spaces or ':'"),
        (edited("date", "2012/06/15"), "another month"),
        (edited("price", "nan"), "price"),
        (edited("price", "inf"), "price"),
        (edited("price", "0"), "price"),
        (edited("price", "-1"), "price"),
        (edited("qty", "-3"), "qty"),
        (edited("qty", "1.5"), "qty"),
        (edited("qty", "06"), "qty"),
        (edited("id_item", "no-such-item"), "id_item"),
        (edited("hours", "25:99"), "hours"),
        (edited("price", ""), "empty in a row that is not deleted"),
        (lambda text: text[: text.rstrip().rindex("\n") + 1], "2999 rows; expected 3000"),
        (lambda text: text + text.split("\n", 2)[1] + "\n", "3001 rows; expected 3000"),
        (in_another_order, "another month"),
    ],
)
def test_a_release_that_breaks_a_rule_is_refused_with_its_place(judged, monthly, change, message):
    with pytest.raises(Rejected, match=message) as caught:
        judged(monthly, change)
    assert caught.value.faults[0].file == "A.csv"


def test_another_year_is_another_month(judged, shop, monthly):
    december = shop.columns["date"].astype("datetime64[s]").astype("datetime64[M]").astype(str)
    row = int(np.flatnonzero(december == "2010-12")[0])
    with pytest.raises(Rejected, match=f":{row + 2} date='2011/12/01': is in another month"):
        judged(monthly, edited("date", "2011/12/01", row))


def test_exactly_half_must_not_be_deleted(judged, shop, monthly):
    names = monthly.columns["id_user"].copy()
    names[::2] = "DEL"
    with pytest.raises(Rejected, match="keeps 1500 of 3000 rows; more than 50%"):
        judged(monthly.replace({"id_user": names}))
    names[0] = monthly.columns["id_user"][0]
    assert judged(monthly.replace({"id_user": names}))["E6"].value == pytest.approx(1499 / 3000)


def test_a_deleted_row_is_deleted_whatever_else_it_says(judged, monthly):
    def garbage(text):
        lines = text.split("\n")
        lines[6] = "DEL,,,,,"
        lines[7] = "DEL,DEL,DEL,DEL,DEL,DEL"
        return "\n".join(lines)

    assert judged(monthly, garbage)["E6"].value == pytest.approx(2 / 3000)


def test_other_spellings_of_the_same_value_gain_nothing(judged, monthly):
    plain = judged(monthly)

    def respell(text):
        head, *rows = text.rstrip("\n").split("\n")
        cells = [row.split(",") for row in rows]
        for row in cells:
            row[4] += "0" if "." in row[4] else ".0"
        return "\n".join([head, *(",".join(row) for row in cells)]) + "\n"

    again = judged(monthly, respell)
    assert {k: r.value for k, r in again.items()} == {k: r.value for k, r in plain.items()}


def test_pseudonyms_are_text_even_if_they_look_like_something_else(judged, shop):
    names = np.array(["NA", "null", "007", "1e5", "nan"])
    _, who = np.unique(shop.columns["id_user"], return_inverse=True)
    codes = np.array([f"{names[i % 5]}{i // 5 or ''}" for i in range(who.max() + 1)])
    found = judged(shop.replace({"id_user": codes[who]}))
    assert found["E1"].value == pytest.approx(0, abs=1e-12)


def test_scaling_all_quantities_costs_all_small_ones(judged, shop):
    scaled = np.minimum(shop.columns["qty"].astype(np.int64) * 1000 + 999, 999_998)
    found = judged(shop.replace({"qty": scaled}))
    assert found["U"].value == found["E2"].value == 1.0


@pytest.fixture
def live(tmp_path):
    """A prepared contest of two teams."""
    teams = [{"id": "red"}, {"id": "blue"}]
    rules = load("darc", overrides={**NO_PLAYERS, "dataset": {"rows": 2000}, "team": teams})
    return prepared(tmp_path / "live", rules)


def named(folder, team, suffix):
    """A release with monthly pseudonyms."""
    text = (folder.root / f"teams/{team}/main/private.csv").read_text()
    head, *rows = text.rstrip("\n").split("\n")
    cells = [row.split(",") for row in rows]
    lines = [",".join([f"{c[0]}{suffix}{c[1][5:7]}{c[1][:4]}", *c[1:]]) for c in cells]
    return "\n".join([head, *lines]).encode()


def true_answer(folder, entry):
    return (folder.root / f"secret/main/tasks/{entry}/truth.csv").read_text()


@pytest.mark.slow
def test_the_last_three_tables_count_and_the_best_attempt(live):
    for i in range(4):
        submit(live, "red", {"A.csv": named(live, "red", "abcd"[i])}, kind="release")
    submit(live, "blue", {"A.csv": named(live, "blue", "x")}, kind="release")
    hand_over(live)
    track = live.edition().track[0]
    assert list(live.owners(track)) == ["blue.1", "red.2", "red.3", "red.4"]
    truth = true_answer(live, "red.3")
    blank = "\n".join(
        [
            truth.split("\n")[0],
            *(f"{line.split(',')[0]}{',DEL' * 13}" for line in truth.split()[1:]),
        ]
    )
    for text in (blank, truth, blank):
        submit(live, "blue", {"red.3.csv": text.encode()}, kind="guess")
    found = score(live)["main"]
    assert found.cells["red.3", "blue"]["reidentified"].value == 1.0
    standings = json.loads((live.root / "results/standings.json").read_bytes())
    (board, _) = standings["tracks"]["main"]["boards"]
    assert {p["team"] for p in board["places"]} <= {"red", "blue"}
    assert verify(live).problems == ()


def test_ten_attempts_at_each_table(live):
    submit(live, "red", {"A.csv": named(live, "red", "a")}, kind="release")
    hand_over(live)
    truth = true_answer(live, "red.1").encode()
    for _ in range(10):
        submit(live, "blue", {"red.1.csv": truth}, kind="guess")
    with pytest.raises(QuotaUsed, match=r"used its 10 attempts at red\.1\.csv"):
        submit(live, "blue", {"red.1.csv": truth}, kind="guess")


def test_the_published_table_has_no_deleted_row_and_another_order(live):
    text = named(live, "red", "a").decode().split("\n")
    text[3] = "DEL,,,,,"
    submit(live, "red", {"A.csv": "\n".join(text).encode()}, kind="release")
    hand_over(live)
    shown = (live.root / "public/main/tasks/red.1/release.csv").read_text().rstrip("\n").split("\n")
    assert len(shown) == len(text) - 1
    assert shown[1:] != [row for row in text[1:] if not row.startswith("DEL")]
    assert sorted(shown[1:]) == sorted(row for row in text[1:] if not row.startswith("DEL"))


def test_faults_of_an_answer_are_named(live):
    submit(live, "red", {"A.csv": named(live, "red", "a")}, kind="release")
    hand_over(live)
    lines = true_answer(live, "red.1").rstrip("\n").split("\n")
    person, *cells = lines[1].split(",")
    wrong = [lines[0], ",".join([person, "p:q", *cells[1:]]), *lines[3:], lines[1]]
    with pytest.raises(SubmissionError) as caught:
        submit(live, "blue", {"red.1.csv": "\n".join(wrong).encode()}, kind="guess")
    said = str(caught.value)
    assert "the limit is 1 pseudonym per cell" in said
    assert "answered before, on line 2" in said
    assert "persons is missing: " in said


def test_all_pseudonyms_in_one_name_are_worth_nothing(live):
    submit(live, "red", {"A.csv": named(live, "red", "a")}, kind="release")
    hand_over(live)
    track = live.edition().track[0]
    (task,) = live.tasks(track)
    truth, question = live.truth(track, task), live.question(track, task)
    every = [c for m in question.months for c in truth.table.columns[m].astype(str)]
    trick = question.answer(np.full((len(truth.table), 13), "".join(every)))
    for credit in ("first", "falling", "shared"):
        part = Reidentification(credit=credit)
        assert part.measure([Case(truth, trick)], rng=reading_rng())["reid"].value == 0
    perfect = question.answer(
        np.stack([truth.table.columns[m].astype(str) for m in question.months], axis=1)
    )
    last = perfect.table.replace({"2011-12": np.full(len(truth.table), "")})
    full = Reidentification().measure([Case(truth, perfect)], rng=reading_rng())["reid"].value
    assert full == 1.0
    without = (
        Reidentification()
        .measure([Case(truth, type(perfect)(last))], rng=reading_rng())["reid"]
        .value
    )
    assert without < 1.0  # December 2011 counts, too


def test_credits_for_several_names():
    question_like = load("darc", overrides=NO_PLAYERS).track[0].goal
    assert question_like.guesses == 1
    part = Reidentification(credit="falling", names=3)
    right, said = np.array(["a", "a", "a", "a"]), np.array(["a:b:c", "b:a:c", "b:c:a", "b:c"])
    assert part._of_month(right, said).tolist() == pytest.approx([1, 2 / 3, 1 / 3, 0])
    shared = Reidentification(credit="shared")
    assert shared._of_month(right, said).tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


def test_on_real_data_the_reference_values_come_out(real_data, tmp_path, capsys):
    if not (real_data / "darc_ground_truth.parquet").is_file():
        pytest.skip(f"no real shopping data in {real_data}")
    shop = load("darc", overrides={**NO_PLAYERS, "dataset": {"real": True}}).track[0].dataset.load()
    who = shop.columns["id_user"].astype(str)
    month = shop.columns["date"].astype("datetime64[s]").astype("datetime64[M]").astype(str)
    monthly = shop.replace({"id_user": np.char.add(who, month)})
    (tmp_path / "T.parquet").write_bytes(to_bytes(shop, ".parquet"))
    (tmp_path / "A.parquet").write_bytes(to_bytes(monthly, ".parquet"))
    arguments = ["measure", "darc", "--set", "baseline=[]", "--json"]
    files = ["--original", str(tmp_path / "T.parquet"), "--release", str(tmp_path / "A.parquet")]
    with pytest.raises(SystemExit) as done:
        main([*arguments, *files])
    assert done.value.code == 0
    found = json.loads(capsys.readouterr().out)
    expected = {"E1": 0.6499, "E2": 0.6364, "E3": 0.5008, "E4": 0, "E5": 0, "E6": 0}
    expected |= {"F1": 0.1117, "F2": 0.0115, "F3": 0.0150, "F4": 0.0777, "F5": 0.0602, "F6": 0.2931}
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=5e-5)


def test_three_anonymizers_and_the_best_attacker_of_the_first_table_get_awards():
    edition = load("darc")
    assert [(award.board, award.places) for award in edition.award] == [
        ("main/anonymizers", 3),
        ("main/attackers", 1),
    ]
    (attackers,) = (board for board in edition.track[0].board if board.id == "attackers")
    assert (attackers.rule.board, attackers.rule.top) == ("anonymizers", 1)


def test_the_rules_as_written_rank_by_the_mean_of_utility_and_the_largest_rate():
    (board,) = (
        board for board in load("darc", profile="darc-1.4").track[0].board if "ano" in board.id
    )
    assert board.rule == Defence(measure=("reidentified", "reid"), shown="risk", utility="U")


def test_every_team_is_given_the_same_table(live):
    tables = {
        team: live.at(f"teams/{team}/main/private.csv").read_bytes() for team in ("red", "blue")
    }
    assert tables["red"] == tables["blue"]
    track = live.edition().track[0]
    assert len(tables["red"].splitlines()) == 1 + track.dataset.rows
