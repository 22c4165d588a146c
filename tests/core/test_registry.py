"""Parts by id: versions, near misses, and plugins."""

import os
import warnings
from types import SimpleNamespace
from typing import ClassVar

import pytest

from quintain import __version__, registry
from quintain.errors import PartError
from quintain.registry import Part, find, register
from tests.core.registry_cases import Toy, make

pytestmark = pytest.mark.usefixtures("empty_registry")


def plugin(load, *, value="somebodys_plugin", dist="quintain-somebody", requires=None):
    return SimpleNamespace(
        load=load,
        value=value,
        dist=SimpleNamespace(name=dist, requires=requires) if dist else None,
    )


def install(monkeypatch, *entries):
    monkeypatch.setattr(registry, "_loaded", False)
    monkeypatch.setattr(registry, "entry_points", lambda group: list(entries))


def start_anew(monkeypatch):
    """Forget everything but the environment, as another process does."""
    monkeypatch.setattr(registry, "_parts", {})
    monkeypatch.setattr(registry, "_later", {})
    monkeypatch.setattr(registry, "_files", {})
    install(monkeypatch)


def test_a_part_gets_its_id_from_family_and_name():
    assert make("top-v1").id == "toy/top-v1"


def test_a_bare_name_means_the_newest_version():
    make("top-v2")
    newest = make("top-v10")  # by number: as text, "10" stands before "2"
    make("top-v9")
    assert find("toy", "top") is newest


def test_a_part_that_needs_a_parameter_is_asked_for_examples():
    @register("needy-v1")
    class Needy(Part):
        family: ClassVar[str] = "toy"
        column: str

    with pytest.raises(PartError, match="toy/needy-v1 needs column: give it a class method"):
        Needy.examples()


def test_an_exact_version_means_that_one():
    first, second = make("top-v1"), make("top-v2")
    assert find("toy", "top-v1") is first
    assert find("toy", "top-v2") is second


def test_a_full_id_is_as_good_as_a_name():
    top = make("spinning-top-3-v1")
    assert find("toy", "toy/spinning-top-3-v1") is top
    assert find("toy", "toy/spinning-top-3") is top


def test_an_unknown_name_is_answered_with_the_nearest():
    make("spinning-top-v1")
    make("yo-yo-v1")
    with pytest.raises(
        PartError, match=r"^unknown toy 'spinnin-top'; did you mean 'spinning-top'\?$"
    ):
        find("toy", "spinnin-top")


def test_a_name_like_nothing_is_answered_with_all_there_is():
    make("yo-yo-v1")
    make("ball-v1")
    with pytest.raises(PartError, match=r"^unknown toy 'zzz'; available: ball, yo-yo$"):
        find("toy", "zzz")


def test_an_unknown_version_is_answered_with_the_versions_there_are():
    make("top-v1")
    make("top-v3")
    with pytest.raises(PartError, match=r"^unknown toy 'top-v2'; available: top-v1, top-v3$"):
        find("toy", "top-v2")


def test_a_part_of_another_family_is_not_found():
    make("top-v1")
    with pytest.raises(PartError, match="unknown attack 'top'"):
        find("attack", "top")


@pytest.mark.parametrize("use", ["", "Top", "top v1", "top--x", "-top", "top/../x", "tøp", "top\n"])
def test_what_is_no_name_is_not_found(use):
    make("top-v1")
    with pytest.raises(PartError, match="unknown toy"):
        find("toy", use)


@pytest.mark.parametrize(
    "name", ["top", "Top-v1", "top_v1", "top-v", "-v1", "", "top-v1.2", "top-v1\n"]
)
def test_a_part_cannot_register_under_what_is_no_name_and_version(name):
    with pytest.raises(PartError, match="write it like 'my-attack-v1'"):
        make(name)


def test_an_id_cannot_be_registered_twice():
    first = make("top-v1")
    with pytest.raises(PartError, match=rf"toy/top-v1 is already registered by {first.__module__}"):
        register("top-v1")(type("Other", (Toy,), {}))
    assert find("toy", "top") is first


def test_an_id_cannot_be_registered_by_a_class_that_only_has_the_same_name():
    first = make("top-v1")
    twin = type(first.__name__, (Toy,), {"__module__": "somebodys_plugin", "__doc__": "Other."})
    with pytest.raises(PartError, match="toy/top-v1 is already registered"):
        register("top-v1")(twin)
    assert find("toy", "top") is first


def test_one_name_may_be_used_in_two_families():
    class Game(Part):
        """A game."""

        family: ClassVar[str] = "game"

    toy, game = make("top-v1"), register("top-v1")(Game)
    assert find("toy", "top") is toy
    assert find("game", "top") is game


def test_parts_come_by_name_and_version():
    for name in ("yo-yo-v1", "ball-v10", "ball-v2"):
        make(name)
    assert [part.id for part in registry.parts("toy")] == [
        "toy/ball-v2",
        "toy/ball-v10",
        "toy/yo-yo-v1",
    ]
    assert registry.families() == ["toy"]
    assert list(registry.parts("no such family")) == []


def test_a_superseded_version_still_works_and_says_what_supersedes_it():
    old = make("top-v1", superseded_by="toy/top-v2")
    make("top-v2")
    with pytest.warns(UserWarning, match=r"^toy/top-v1 is superseded by toy/top-v2$"):
        assert find("toy", "top-v1") is old


def test_a_bare_name_never_gives_the_superseded_version():
    make("top-v1", superseded_by="toy/top-v2")
    new = make("top-v2")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find("toy", "top") is new


def test_the_newest_version_can_be_superseded_by_another_name():
    old = make("old-v1", superseded_by="toy/new-v1")
    with pytest.warns(UserWarning, match=r"^toy/old-v1 is superseded by toy/new-v1$"):
        assert find("toy", "old") is old


def test_a_broken_plugin_is_left_out_with_a_warning_that_names_its_distribution(monkeypatch):
    def broken():
        raise ImportError("no module named 'gone'")

    install(
        monkeypatch,
        plugin(broken, dist="quintain-broken"),
        plugin(lambda: make("top-v1"), dist="quintain-good"),
    )
    words = "plugin quintain-broken cannot be loaded and is left out: ImportError: no module"
    with pytest.warns(UserWarning, match=words):
        registry.load()
    assert find("toy", "top").id == "toy/top-v1"


@pytest.mark.filterwarnings("ignore:plugin quintain-old")
def test_why_a_plugin_is_left_out_stands_beside_a_name_that_is_unknown(monkeypatch):
    def broken():
        raise ImportError("no module named 'gone'")

    requires = ["quintain-extra>=2", "pandas", "quintain<0.1"]
    install(monkeypatch, plugin(broken, dist="quintain-old", requires=requires))
    make("ball-v1")
    reason = (
        "plugin quintain-old cannot be loaded: ImportError: no module named 'gone' "
        f"(it asks for quintain<0.1; this is quintain {__version__})"
    )
    assert registry.left_out() == [reason]
    for use in ("top", "ball-v2"):
        with pytest.raises(PartError) as caught:
            find("toy", use)
        assert str(caught.value) == f"unknown toy {use!r}; {reason}; available: " + (
            "ball" if use == "top" else "ball-v1"
        )


def test_a_broken_plugin_without_a_distribution_is_named_by_its_module(monkeypatch):
    def broken():
        raise RuntimeError("boom")

    install(monkeypatch, plugin(broken, value="lonely_module", dist=None))
    with pytest.warns(UserWarning, match="plugin lonely_module cannot be loaded"):
        registry.load()


def test_broken_built_in_parts_are_an_error(monkeypatch):
    def broken():
        raise RuntimeError("boom")

    install(monkeypatch, plugin(broken, value="quintain.builtin", dist="quintain"))
    with pytest.raises(RuntimeError, match="boom"):
        registry.load()


def test_plugins_are_loaded_once(monkeypatch):
    loaded = []
    install(monkeypatch, plugin(lambda: loaded.append("again")))
    for _ in range(3):
        registry.load()
    assert loaded == ["again"]


PLUGIN = '''
from typing import ClassVar
from quintain.registry import Part, register

@register("{name}-v1")
class FromFile(Part):
    """From a file."""

    family: ClassVar[str] = "toy"
'''


def test_a_plugin_can_be_a_single_file_that_workers_load_too(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(PLUGIN.format(name="mine"))
    registry.load_file(tmp_path / "mine.py")
    registry.load_file(tmp_path / "mine.py")
    assert find("toy", "mine").id == "toy/mine-v1"
    assert os.environ[registry.PLUGIN_FILES] == str(tmp_path / "mine.py")

    # A worker process starts from nothing but the environment.
    start_anew(monkeypatch)
    assert find("toy", "mine").id == "toy/mine-v1"


def test_a_plugin_file_that_a_worker_cannot_load_is_left_out_with_its_reason(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(PLUGIN.format(name="mine"))
    registry.load_file(tmp_path / "mine.py")
    (tmp_path / "mine.py").unlink()
    start_anew(monkeypatch)
    with (
        pytest.warns(UserWarning, match=r"plugin mine\.py cannot be loaded and is left out"),
        pytest.raises(
            PartError, match=r"'mine'; plugin mine\.py cannot be loaded: is not a Python"
        ),
    ):
        find("toy", "mine")


def test_a_worker_loads_the_same_plugin_files_as_the_process_that_sends_work(tmp_path, monkeypatch):
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN.format(name="mine"))
    registry.load_file(path)
    first = registry.loaded_files()
    assert list(first) == [str(path)]

    start_anew(monkeypatch)
    make("ball-v1")
    assert registry.names("toy") == ["ball", "mine"]  # a worker that lives on: all is loaded
    path.write_text(PLUGIN.format(name="another"))
    with pytest.raises(PartError, match=r"reads another plugin .*mine\.py than this command"):
        registry.load_same_files({str(path): "0" * 64})
    registry.load_same_files(registry.loaded_files())
    assert registry.names("toy") == ["another", "ball", "mine"]
    path.unlink()
    with pytest.raises(PartError, match=r"does not see the plugin .*mine\.py; share it"):
        registry.load_same_files(first)
    registry.load_same_files({})
    assert registry.plugin_files() == []


def test_a_plugin_file_may_look_for_parts_while_a_worker_loads_it(tmp_path, monkeypatch):
    looks = "from quintain.registry import find\nassert find('toy', 'mine') is FromFile\n"
    (tmp_path / "mine.py").write_text(PLUGIN.format(name="mine") + looks)
    registry.load_file(tmp_path / "mine.py")
    files = registry.loaded_files()
    start_anew(monkeypatch)
    assert find("toy", "mine").id == "toy/mine-v1"
    start_anew(monkeypatch)
    registry.load_same_files(files)
    assert registry.loaded_files() == files


def test_two_plugin_files_are_both_remembered(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(PLUGIN.format(name=name))
        registry.load_file(tmp_path / f"{name}.py")
    assert os.environ[registry.PLUGIN_FILES].split(os.pathsep) == [
        str(tmp_path / "one.py"),
        str(tmp_path / "two.py"),
    ]


def test_a_plugin_file_that_registers_nothing_is_refused(tmp_path):
    (tmp_path / "empty.py").write_text("class Attack:\n    pass\n")
    with pytest.raises(PartError, match="registers no part; put @register"):
        registry.load_file(tmp_path / "empty.py")
    assert "empty.py" not in os.environ.get(registry.PLUGIN_FILES, "")


@pytest.mark.parametrize("name", ["gone.py", "notes.txt"])
def test_a_plugin_file_must_be_python(tmp_path, name):
    (tmp_path / "notes.txt").write_text("not python")
    with pytest.raises(PartError, match=f"{name}: is not a Python file"):
        registry.load_file(tmp_path / name)


def test_a_promised_part_counts_for_its_family_before_it_is_imported():
    registry.register_later("toy/top-v1", "a_module_that_is_not_there")
    assert registry.families() == ["toy"]


def test_a_promise_of_another_part_is_not_kept():
    top = make("top-v1")
    registry.register_later("toy/top-hat-v1", "a_module_that_is_not_there")
    assert find("toy", "top") is top
