"""One sanitizer or one attack on your own files: by an edition, by a schema, or learned."""

import json
from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest

from quintain.cli.main import main
from quintain.contests import load
from quintain.data import write
from quintain.releases import Release
from quintain.samples.targets import Targets
from quintain.testing import example, example_table, people


def quintain(*words):
    with pytest.raises(SystemExit) as done:
        again = ["--replace"] if "--out" in words else []  # the tests write a file several times
        main([*map(str, words), *again])
    return done.value.code


def lines(path):
    return path.read_text().splitlines()


@pytest.fixture(scope="module")
def amic(tmp_path_factory):
    """A population of 2,000 records and a sample of 1,200 of them, as AMIC writes them."""
    folder = tmp_path_factory.mktemp("amic")
    source = load("amic", quick=True).track[0].dataset
    table = source.data(np.random.default_rng(0)).take(range(2000))
    write(table, folder / "B.csv", header=False)
    write(table.take(range(1200)), folder / "C.csv", header=False)
    return folder


SAMPLE_CODES = {
    "synthetic.py": ("moments", "rows=1100"),
    "rr.py": ("rr", "keep=0.9", "draw=occurring"),
    "rrp.py": ("rrp", "keep=0.9"),
    "kanony.py": ("small-class-deletion", "k=5", 'columns=["education", "sex"]'),
    "randomsampling.py": ("partial-extraction", "share=0.1"),
}


@pytest.mark.parametrize("name", SAMPLE_CODES)
def test_the_sample_codes_of_amic_are_one_line_each(amic, tmp_path, capsys, name):
    use, *settings = SAMPLE_CODES[name]
    given = [word for one in settings for word in ("--set", one)]
    out, card = tmp_path / "D.csv", tmp_path / "card.json"
    command = ["sanitize", amic / "C.csv", "--with", use, *given, "--edition", "amic"]
    assert quintain(*command, "--out", out, "--card", card, "--seed", 1) == 0
    released = lines(out)
    assert released == sorted(released, key=lambda line: int(line.split(",")[0]))
    assert "next: quintain measure amic --original" in capsys.readouterr().out
    assert json.loads(card.read_bytes())["methods"]
    if name == "randomsampling.py":
        assert len(released) == 120
        assert Counter(released) <= Counter(lines(amic / "C.csv"))
    if name == "kanony.py":
        private = [line.split(",") for line in lines(amic / "C.csv")]
        sizes = Counter((cells[2], cells[6]) for cells in private)
        kept = [",".join(c) for c in private if sizes[c[2], c[6]] >= 5]
        assert Counter(released) == Counter(kept)


def test_attack_py_is_one_line_and_finds_everybody_in_a_copy(amic, tmp_path, capsys):
    out = tmp_path / "inference_03_07.index"
    command = ["attack", amic / "C.csv", "--with", "nearest", "--set", "distance=euclidean"]
    command += ["--population", amic / "B.csv", "--edition", "amic", "--out", out]
    assert quintain(*command) == 0
    named, population, sample = lines(out), lines(amic / "B.csv"), set(lines(amic / "C.csv"))
    assert len(set(named)) == 100
    assert all(population[int(row)] in sample for row in named)
    assert "an answer about membership-set by nearest" in capsys.readouterr().out


@pytest.fixture
def own(tmp_path):
    """A private file, targets of whom half are in it, and everybody."""
    table = people(example_table(rows=300))
    write(table, tmp_path / "everyone.csv")
    write(table.take(range(150)), tmp_path / "mine.csv")
    write(table.take([*range(20), *range(200, 220)]), tmp_path / "people.csv")
    return tmp_path


def sanitized(own, name, *more):
    assert quintain("sanitize", own / "mine.csv", "--out", own / name, *more) == 0
    return (own / name).read_bytes()


def test_a_file_without_a_schema_is_learned_and_the_owner_is_warned(own, capsys):
    release = sanitized(own, "release.csv", "--with", "k-anonymity", "--set", "k=5")
    shown = capsys.readouterr()
    assert "claimed: k-anonymity with k = 5 of colour, size, flag" in shown.out
    assert "warning: the domains were learned from the file" in shown.err
    header, *rows = release.decode().splitlines()
    assert header == "colour,size,flag"
    assert min(Counter(rows).values()) >= 5


def test_without_a_schema_domains_are_measured_or_nothing_is_claimed(own, capsys):
    mst = ["--with", "mst", "--set", "epsilon=50"]
    sanitized(own, "r.csv", *mst, "--card", own / "card.json")
    shown = capsys.readouterr()
    assert "one row added or removed, domain measured with noise" in shown.out
    assert "warning" not in shown.err
    assert json.loads((own / "card.json").read_bytes())["claim"]["domain"] == "measured"
    sanitized(own, "r.csv", *mst, "--domain", "learned", "--card", own / "card.json")
    shown = capsys.readouterr()
    assert "no claim: the domain was learned from the data" in shown.out
    assert "warning: the domains were learned from the file" in shown.err
    card = json.loads((own / "card.json").read_bytes())
    assert card["claim"] is None and card["no_claim"] == "the domain was learned from the data"


def test_lines_of_a_schema_that_are_marked_as_learned_state_no_domain(own, capsys):
    assert quintain("schema", "learn", own / "mine.csv") == 0
    (own / "mine.json").write_text(capsys.readouterr().out)
    mst = ["--with", "mst", "--set", "epsilon=50", "--schema", own / "mine.json"]
    sanitized(own, "r.csv", *mst)
    assert "domain measured with noise" in capsys.readouterr().out
    schema = json.loads((own / "mine.json").read_bytes())
    for column in schema["columns"]:
        column.pop("learned", None)
    (own / "mine.json").write_text(json.dumps(schema))
    sanitized(own, "r.csv", *mst)
    assert "one row added or removed, public domain" in capsys.readouterr().out


def test_a_unit_makes_the_claim_one_about_persons(own, capsys):
    header, *rows = lines(own / "mine.csv")
    visits = [f"pid,{header}", *(f"p{number // 3},{row}" for number, row in enumerate(rows))]
    (own / "mine.csv").write_text("\n".join(visits) + "\n")
    mst = ["--with", "mst", "--set", "epsilon=50", "--unit", "pid"]
    release = sanitized(own, "r.csv", *mst, "--rows-per-unit", 2)
    assert "one pid with at most 2 rows added or removed" in capsys.readouterr().out
    assert release.decode().splitlines()[0] == header
    assert quintain("sanitize", own / "mine.csv", "--out", own / "r.csv", *mst) != 0
    assert "a unit and the most rows of a unit belong together" in capsys.readouterr().err


def test_a_seed_repeats_a_release_and_protects_nobody(own, capsys):
    rr = ["--with", "rr", "--set", "keep=0.5"]
    again = [sanitized(own, "r.csv", *rr, "--seed", 7) for _ in range(2)]
    assert again[0] == again[1] != sanitized(own, "r.csv", *rr, "--seed", 8)
    assert "the noise protects nobody" in capsys.readouterr().out
    assert sanitized(own, "r.csv", *rr) != sanitized(own, "r.csv", *rr)
    sanitized(own, "r.parquet", *rr)
    assert pq.read_table(own / "r.parquet").num_rows == 150


def test_an_attack_on_a_release_answers_for_each_target(own, capsys):
    sanitized(own, "r.csv", "--with", "identity")
    attack = ["attack", own / "r.csv", "--out", own / "g.csv", "--with"]
    assert quintain(*attack, "nearest", "--targets", own / "people.csv") == 0
    header, *rows = lines(own / "g.csv")
    assert (header, [row.split(",")[0] for row in rows]) == (
        "target,probability",
        [str(number) for number in range(40)],
    )
    assert quintain(*attack, "nearest", "--population", own / "everyone.csv") == 0
    assert len(lines(own / "g.csv")) == 301  # without targets, everybody is one
    secret = ["--targets", own / "people.csv", "--secret", "flag", "--knows", "colour,size"]
    assert quintain(*attack, "nearest", *secret) == 0
    assert lines(own / "g.csv")[0] == "target,flag"
    (own / "people.csv").write_text("colour\nred\n")
    assert quintain(*attack, "nearest", "--targets", own / "people.csv") == 1
    shown = capsys.readouterr().err
    assert "people.csv size: the release has this column" in shown and "people.csv flag" in shown


def test_an_attack_that_runs_the_sanitizer_gets_it_with_code(own, capsys):
    sanitized(own, "r.csv", "--with", "independent", "--set", "epsilon=5", "--seed", "1")
    attack = ["attack", own / "r.csv", "--with", "mama-mia", "--out", own / "g.csv"]
    attack += ["--set", "shadows=2", "--targets", own / "people.csv"]
    assert quintain(*attack) == 1
    assert "needs a population: give --population, and the sanitizer" in capsys.readouterr().err
    attack += ["--population", own / "everyone.csv"]
    assert quintain(*attack, "--code", "independent", "--code-set", "epsilon=5") == 0
    assert len(lines(own / "g.csv")) == 41


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sanitize", "mine.csv", "--with", "rr", "--team", "red"), "--team: only for a kit"),
        (
            ("attack", "mine.csv", "--with", "nearest", "--team", "a", "--task", "b"),
            "--team, --task: only for a kit",
        ),
        (
            ("sanitize", ".", "--with", "rr", "--edition", "amic"),
            "--edition: only for a single file",
        ),
        (
            ("sanitize", "kit", "--with", "rr", "--edition", "amic"),
            "--edition: only for your own data",
        ),
        (("sanitize", "kit", "--with", "rr"), "Missing option '--team'"),
        (("attack", "mine.csv", "--with", "nearest"), "give --targets, --population or both"),
        (("attack", "mine.csv", "--with", "nearest", "--code-set", "k=1"), "add --code"),
        (("attack", "mine.csv", "--with", "nearest", "--track", "x"), "add --edition"),
        (("sanitize", "mine.csv", "--with", "rr", "--set", "kep=1"), "did you mean 'keep'"),
    ],
)
def test_a_wrong_request_gets_a_sentence(own, capsys, words, message):
    (own / "kit").mkdir()
    (own / "kit/edition.toml").touch()
    command, source, *rest = words
    assert quintain(command, own / source, *rest, "--out", own / "out.csv") != 0
    assert message in capsys.readouterr().err
    assert not (own / "out.csv").exists()


def test_the_faults_of_all_files_are_listed_at_once(own, capsys):
    schema = own / "schema.json"
    schema.write_text(people(example_table(rows=5)).schema.model_dump_json())
    for name in ("people.csv", "everyone.csv"):
        text = (own / name).read_text()
        (own / name).write_text(text.replace("red", "rot", 1))
    files = ["--targets", own / "people.csv", "--population", own / "everyone.csv"]
    command = ["attack", own / "mine.csv", "--with", "nearest", "--schema", schema, *files]
    assert quintain(*command, "--out", own / "g.csv") == 1
    shown = capsys.readouterr().err
    assert "people.csv" in shown and "everyone.csv" in shown and shown.count("'rot'") == 2


def test_series_by_a_schema(tmp_path):
    series, schema = example("series"), tmp_path / "schema.json"
    schema.write_text(series.schema.model_dump_json())
    write(series, tmp_path / "everyone.csv")
    write(series.take(range(8)), tmp_path / "mine.csv")
    given = ["--schema", schema, "--out"]
    release, guess = tmp_path / "r.csv", tmp_path / "g.csv"
    noisy = ["sanitize", tmp_path / "mine.csv", "--with", "add-noise", *given, release]
    assert quintain(*noisy) == 0
    attack = ["attack", release, "--with", "series-knn", "--targets", tmp_path / "everyone.csv"]
    assert quintain(*attack, *given, guess) == 0
    assert len(lines(guess)) == len(series) + 1


def test_transactions_by_an_edition(tmp_path, capsys):
    track = load("darc", quick=True).track[0]
    data = track.dataset.data(np.random.default_rng(0)).take(range(900))
    write(data, tmp_path / "T.csv")
    given = ["--edition", "darc", "--out"]
    release, guess = tmp_path / "S.csv", tmp_path / "F.csv"
    assert quintain("sanitize", tmp_path / "T.csv", "--with", "pseudonyms", *given, release) == 0
    assert len(lines(release)) == len(lines(tmp_path / "T.csv"))  # every row in its place
    attack = ["attack", release, "--with", "profile-assignment"]
    assert quintain(*attack, "--population", tmp_path / "T.csv", *given, guess) == 0
    header, *rows = lines(guess)
    assert header.startswith("id_user,2010-12,2011-01")
    assert len(rows) == len(data.persons())
    schema = tmp_path / "schema.json"
    schema.write_text(data.schema.model_dump_json())
    without = ["--population", tmp_path / "T.csv", "--schema", schema, "--out", guess]
    assert quintain(*attack, *without) == 0  # about the only month in the data
    found = [line.split(",")[:2] for line in lines(guess)]
    assert found == [line.split(",")[:2] for line in [header, *rows]]


def test_a_question_file_of_a_contest_names_the_targets(tmp_path, capsys):
    track = load("snake1", quick=True).track[0]
    base = track.dataset.data(np.random.default_rng(0)).take(range(400))
    sample = Targets(targets=20, background=100).draw(base, rng=np.random.default_rng(1))
    question, _ = track.goal.ask(sample, Release(sample.private))
    release, population, targets = (tmp_path / f"{n}.csv" for n in ("release", "base", "question"))
    write(sample.private, release)
    write(base, population)
    write(question.table, targets)
    attack = ["attack", release, "--with", "nearest", "--edition", "snake1"]
    attack += ["--population", population, "--out", tmp_path / "guess.csv"]
    assert quintain(*attack) == 1
    assert "give the question file with --targets" in capsys.readouterr().err
    assert quintain(*attack, "--targets", targets) == 0
    assert len(lines(tmp_path / "guess.csv")) == 21


def test_no_release_is_written_over_its_data_or_under_a_false_name(tmp_path, capsys):
    write(example_table(), tmp_path / "mine.csv")
    before, rr = (tmp_path / "mine.csv").read_bytes(), ["--with", "rr", "--set", "keep=0.9"]
    command = ["sanitize", tmp_path / "mine.csv", *rr, "--out"]
    (tmp_path / "link.csv").symlink_to(tmp_path / "mine.csv")
    for name in ("mine.csv", "link.csv"):
        assert quintain(*command, tmp_path / name) == 2
        assert "is what the command reads, and it would be lost" in capsys.readouterr().err
    for name, ending in (("r.xlsx", ".xlsx"), ("r.TSV", ".tsv"), ("r.json", ".json")):
        assert quintain(*command, tmp_path / name) == 2
        said = f"{ending} files are not written here; name one that ends with .csv or .parquet"
        assert said in " ".join(capsys.readouterr().err.split())
    assert quintain(*command, tmp_path / "r.csv", "--card", tmp_path / "r.csv") == 2
    assert quintain(*command, tmp_path / "r.csv", "--card", tmp_path / "mine.csv") == 2
    assert (tmp_path / "mine.csv").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"mine.csv", "link.csv"}


def test_no_answer_is_written_over_the_release_or_under_a_false_name(tmp_path, capsys):
    write(example_table(), tmp_path / "r.csv")
    command = ["attack", tmp_path / "r.csv", "--with", "nearest", "--targets", tmp_path / "r.csv"]
    assert quintain(*command, "--out", tmp_path / "r.csv") == 2
    assert "it would be lost" in capsys.readouterr().err
    assert quintain(*command, "--out", tmp_path / "guess.parquet") == 2
    assert ".parquet files are not written here" in capsys.readouterr().err


def test_by_the_rules_of_a_contest_a_release_is_no_parquet_file(amic, capsys):
    command = ["sanitize", amic / "C.csv", "--with", "rrp", "--set", "keep=0.9"]
    assert quintain(*command, "--edition", "amic", "--out", amic / "D.parquet") == 2
    assert (
        ".parquet files are not written here; name one that ends with .csv"
        in capsys.readouterr().err
    )
