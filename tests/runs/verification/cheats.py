"""Seventeen cheats of organisers who have all keys, write valid files, and sign everything again.

Each function changes a copy of a contest that took place. What it needs of another cheat's means,
it takes from :class:`tests.runs.verification.forgery.Forger`.
"""

import numpy as np

from quintain.journal.events import Decided, Submitted, TeamDeadline
from quintain.journal.signing import SigningKey
from quintain.runs.folder import paths
from quintain.runs.folder.folder import csv_bytes
from quintain.runs.folder.rules import write_public_key
from tests.runs.verification.forgery import guess, live_contest
from tests.runs.verification.test_forged_files import other_hand_over

LATE = "2026-05-20T00:00:01Z"
LAST_HOUR = "2026-05-19T23:00:00Z"


def true_answers(forger):
    """A submission of red that names five rows of blue's sample."""
    rows = forger.at("secret/main/tasks/blue/truth.csv").read_text().splitlines()[1:6]
    files = forger.store({"blue.csv": guess(*rows)})
    return Submitted(team="red", track="main", phase="attack", kind="guess", files=files)


def replaced_release(forger):
    """At the hand-over, the release of red is replaced by another one."""
    others = forger.at("teams/blue/main/private.csv").read_bytes().splitlines(keepends=True)
    other_hand_over(forger, "red", others[:37])
    forger.finish(rescore=True)


def chosen_truth(forger):
    """The truth about green is chosen after its release was seen."""
    path = forger.at("secret/main/tasks/green/truth.csv")
    header, *rows = path.read_text().splitlines()
    outside = [row for row in range(150) if row not in set(map(int, rows))]
    path.write_text("\n".join([header, *map(str, outside[: len(rows)])]) + "\n")
    forger.recommit(forger.find("handed-over"))
    forger.finish(rescore=True)


def dropped_guesses(forger):
    """The guesses of blue are dropped, and the journal is numbered and signed anew."""
    forger.events.pop(forger.find("submitted", team="blue", kind="guess"))
    forger.finish(rescore=True)


def line_of_1999(forger):
    """The true answers are appended for red, dated 1999."""
    forger.insert(len(forger.events), true_answers(forger), "1999-01-01T00:00:00Z")
    forger.finish()


def picked_sample(forger):
    """The private sample of red is picked by hand."""
    folder = forger.folder
    track = folder.edition().track[0]
    easy = folder.base("main").take(np.arange(40))
    private = easy.select(folder.private_schema(track).names)
    forger.at("teams/red/main/private.csv").write_bytes(csv_bytes(private, header=False))
    forger.recommit(forger.find("joined", team="red"))
    forger.finish()


def other_rules(forger):
    """Other rules lie beside the first ones, under an extra commitment."""
    rules = forger.at("public/rules/1.json").read_bytes()
    changed = rules.replace(b'"competing": true', b'"competing": false')
    forger.at("public/rules/2.json").write_bytes(changed)
    commitment = forger.at("public/commitments/rules-1.json").read_bytes()
    forger.at("public/commitments/rules-2.json").write_bytes(commitment)
    forger.finish()


def made_anew(forger):
    """The whole contest is made anew, with a luckier beacon and the same key."""
    root = forger.folder.root.with_name("anew")
    forger.folder = type(forger.folder)(live_contest(root, beacon="1, 2, 3, 4, 5, 6").root)


def dated_back(forger):
    """The true answers are added for red, dated back between two submissions."""
    forger.insert(forger.find("submitted", team="green", kind="guess"), true_answers(forger))
    forger.finish(rescore=True)


def replaced_file(forger):
    """A file of red's guesses is replaced, in the journal and in the scores."""
    red = forger.find("submitted", team="red", kind="guess")
    files = forger.store({"green.csv": guess(140, 141, 142, 143, 144)})
    forger.change(red, files={**forger.events[red].files, **files})
    forger.finish(rescore=True)


def left_out_release(forger):
    """The release of red, which came in time, is left out at the hand-over."""
    before = forger.events[forger.find("submitted", team="red")].number - 1
    forger.change(forger.find("handed-over"), size=before)
    forger.finish()


def late_submission(forger):
    """The true answers are added for red, a second after the phase has closed."""
    forger.insert(len(forger.events), true_answers(forger), LATE)
    forger.finish()


def added_at_the_end(forger):
    """The true answers are added for red after everybody else, dated before the phase closed."""
    forger.insert(len(forger.events), true_answers(forger), LAST_HOUR)
    forger.finish(rescore=True)


def extension_for_a_friend(forger):
    """An extension for red is dated back, and the true answers are added within it."""
    longer = TeamDeadline(
        team="red",
        track="main",
        phase="attack",
        closes="2026-05-21T00:00:00Z",
        reason="red was ill",
    )
    forger.insert(len(forger.events), longer, LAST_HOUR)
    forger.insert(len(forger.events), true_answers(forger), LATE)
    forger.finish(rescore=True)


def invented_disqualification(forger):
    """Blue is disqualified with an invented reason, dated back before the end of the phase."""
    reason = "blue showed its guesses to another team"
    forger.insert(
        len(forger.events), Decided(decision="disqualified", team="blue", reason=reason), LAST_HOUR
    )
    forger.finish(rescore=True)


def swapped_names(forger):
    """The names of red and blue, which are in the rules, are swapped after the end."""
    red, blue = (forger.find("joined", team=team) for team in ("red", "blue"))
    forger.change(red, name="Team Blue")
    forger.change(blue, name="Team Red")
    forger.finish(rescore=True)


def other_key(forger):
    """Everything is signed anew with another key, so that no receipt seems to belong to it."""
    key = SigningKey.from_seed(bytes(range(32)))
    forger.at(paths.SIGNING_KEY).write_text(bytes(range(32)).hex())
    write_public_key(forger.folder.root, key.public)
    for number, event in enumerate(forger.events):
        if event.event == "rules":
            forger.change(number, key=key.public)
            forger.recommit(number)
    forger.finish(rescore=True)


def other_results(forger):
    """The tables of the results name another winner; journal, secrets and files are honest."""
    standings = forger.at(paths.STANDINGS).read_text()
    swapped = standings.replace('"red"', '"?"').replace('"blue"', '"red"').replace('"?"', '"blue"')
    forger.at(paths.STANDINGS).write_text(swapped)


CHEATS = (
    replaced_release,
    chosen_truth,
    dropped_guesses,
    line_of_1999,
    picked_sample,
    other_rules,
    made_anew,
    dated_back,
    replaced_file,
    left_out_release,
    late_submission,
    added_at_the_end,
    extension_for_a_friend,
    invented_disqualification,
    swapped_names,
    other_key,
    other_results,
)
