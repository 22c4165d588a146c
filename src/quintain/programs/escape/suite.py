"""The escape suite: run every attack against a sandbox, and say what each of them got.

Pairs of programs also try to whisper through it. A diagnosis adds whether honest work goes on in
the sandbox, and what a call costs.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from quintain.jobs.progress import track
from quintain.jobs.scratch import ScratchFolder
from quintain.programs.escape.calls import Returned, call_function, call_together
from quintain.programs.escape.whispers import BITS, PAIRS, Whisper, listen
from quintain.programs.failures import ProgramError, Reason, SandboxError
from quintain.programs.limits import MIB, CallLimits
from quintain.programs.runner import call
from quintain.programs.sandbox.exchange import LONGEST_LOG
from quintain.programs.sandbox.namespaces import why_no_namespaces
from quintain.programs.sandbox.provider import Sandbox

MEMORY_MIB = 256
_SECONDS = 1.5
"""The time of the attack that never ends."""
WORK = {
    "multiply_matrices": "linear algebra",
    "use_threads": "threads",
    "use_processes": "a pool of processes",
    "run_command": "a command",
    "write_temporary_files": "temporary files",
    "fit_model": "scikit-learn",
}
"""Honest work, in words."""
_HONEST_LIMITS = CallLimits(seconds=60, memory_gib=2)
_CALLS = 3


# --- what attacks look for ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bait:
    """What attacks look for.

    Parameters
    ----------
    truth : a file of the host, with the secret in it.
    secret : a text that only the host knows; an attack that returns it has read it.
    bystander : a process of the host; its command and its environment have the secret.
    port, socket : where the host listens.
    token : a name that is used for nothing else.
    """

    truth: Path
    secret: str
    bystander: int
    port: int
    socket: str
    token: str

    @property
    def facts(self) -> dict[str, str | int]:
        """What an attack is told: everything but the secret."""
        return {
            "truth": str(self.truth),
            "bystander": self.bystander,
            "port": self.port,
            "socket": self.socket,
            "token": self.token,
        }


@contextmanager
def lay_out() -> Iterator[Bait]:
    """Lay out the bait, and remove it at the end."""
    secret, token = secrets.token_hex(16), f"quintain-{secrets.token_hex(8)}"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(ScratchFolder()))
        truth = folder / "seeds.json"
        truth.write_text(secret)
        stack.enter_context(_hold_open(truth))
        bystander = stack.enter_context(_start_bystander(folder, secret))
        port = stack.enter_context(_listen(socket.AF_INET, ("127.0.0.1", 0)))
        stack.enter_context(_listen(socket.AF_UNIX, f"\0{token}"))
        yield Bait(truth, secret, bystander.pid, port.getsockname()[1], token, token)


@contextmanager
def _hold_open(path: Path) -> Iterator[None]:
    """A file that every child would inherit if nobody closed it."""
    with path.open("rb") as file:
        os.set_inheritable(file.fileno(), True)
        yield


@contextmanager
def _start_bystander(folder: Path, secret: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-I", "-c", "input()", str(folder), secret]
    environment = {"QUINTAIN_SECRET": secret, "PATH": os.defpath}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as process:  # noqa: S603
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def _listen(family: int, address: tuple[str, int] | str) -> Iterator[socket.socket]:
    with socket.socket(family) as server:
        server.bind(address)
        server.listen()
        yield server


def kill_marked(token: str) -> int:
    """Kill every process that has a token in its command; returns how many there were."""
    killed = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if token.encode() in path.read_bytes() and int(path.parent.name) != os.getpid():
                os.kill(int(path.parent.name), signal.SIGKILL)
                killed += 1
    return killed


# --- the attacks ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attack got: nothing, if the sandbox contained it."""

    attack: str
    got: str

    @property
    def contained(self) -> bool:
        """Whether the attack got nothing."""
        return not self.got


@dataclass(frozen=True, slots=True)
class EscapeTrial:
    """A sandbox and the bait in front of it; attacks that need no call of their own share one."""

    sandbox: Sandbox
    bait: Bait
    returned: dict[str, Returned] = field(default_factory=dict)

    def share_call(self, attacks: Sequence[str]) -> None:
        """Run several attacks in one call, and keep what they return for :meth:`run`."""
        functions = {f"attacks.{attack}": attack for attack in attacks}
        got = call_together(self.sandbox, list(functions), *self._arguments(60, MEMORY_MIB))
        self.returned.update((functions[name], returned) for name, returned in got.items())

    def run(self, attack: str, *, seconds: float = 30, memory_mib: int = MEMORY_MIB) -> str:
        """What an attack returns; a ``ProgramError`` says how it was ended."""
        returned = self.returned.get(attack)
        if isinstance(returned, ProgramError):
            raise returned
        if returned is not None:
            return str(returned)
        given = self._arguments(seconds, memory_mib)
        return call_function(self.sandbox, f"attacks.{attack}", *given)

    def _arguments(
        self, seconds: float, memory_mib: int
    ) -> tuple[dict[str, str | int], CallLimits]:
        given = {**self.bait.facts, "memory_mib": memory_mib}
        return given, CallLimits(seconds=seconds, memory_gib=memory_mib / 1024)


Judge = Callable[[EscapeTrial, str], str]
"""Says what an attack got, from what it returns and from what it did to the host."""


def says(trial: EscapeTrial, attack: str) -> str:
    """The attack itself says what it got; one that is ended by a limit got nothing."""
    try:
        return trial.run(attack)
    except ProgramError as error:
        if error.reason in (Reason.FAILED, Reason.NOTHING):
            return f"the attack went wrong: {error.details}"
        return ""


def says_in_little_memory(trial: EscapeTrial, attack: str) -> str:
    """The attack itself says what it got; it is short, because little memory is allowed."""
    try:
        return trial.run(attack, memory_mib=MEMORY_MIB // 4)
    except ProgramError as error:
        return "" if error.reason is Reason.OUT_OF_MEMORY else error.details


def reveals(trial: EscapeTrial, attack: str) -> str:
    """The attack got something if it returns the secret."""
    return "the secret" if trial.bait.secret in trial.run(attack) else ""


def finds_contest(trial: EscapeTrial, attack: str) -> str:
    """The attack got something if it returns the folder of the contest."""
    return "the contest" if str(trial.bait.truth.parent) in trial.run(attack) else ""


def changes_truth(trial: EscapeTrial, attack: str) -> str:
    """The attack got something if the host wrote through a link."""
    got = says(trial, attack)
    changed = trial.bait.truth.read_text() != trial.bait.secret
    return "a file of the host was overwritten" if changed else got


def leaves_notes(trial: EscapeTrial, attack: str) -> str:
    """The attack got something if a later program finds its notes."""
    trial.run(attack)
    trial.share_call(["files.find_notes", "files.remove_notes"])
    return trial.run("files.find_notes")


def lives_on(trial: EscapeTrial, attack: str) -> str:
    """The attack got something if a process is alive after the call."""
    trial.run(attack)
    return "a process that lives on" if kill_marked(trial.bait.token) else ""


def never_ends(trial: EscapeTrial, attack: str) -> str:
    """The attack got something if it runs far beyond its limit."""
    began = time.monotonic()
    try:
        trial.run(attack, seconds=_SECONDS)
    except ProgramError as error:
        late = time.monotonic() - began > _SECONDS + 10
        return "" if error.reason is Reason.OUT_OF_TIME and not late else error.details
    return "it ended by itself"


def floods_log(trial: EscapeTrial, attack: str) -> str:
    """The attack got something if the host kept all that it printed."""
    try:
        trial.run(attack)
    except ProgramError as error:
        kept = len(error.traceback)
        return "" if kept <= LONGEST_LOG else f"{kept // MIB} MiB of log"
    return "it ended by itself"


def floods_answer(trial: EscapeTrial, attack: str) -> str:
    """The attack got something if the host read all that it returned."""
    try:
        return f"{len(trial.run(attack)) // MIB} MiB of answer"
    except ProgramError as error:
        return "" if error.reason in (Reason.WRONG_SHAPE, Reason.OUT_OF_MEMORY) else error.details


ATTACKS: dict[str, tuple[str, Judge]] = {
    "files.read_truth": ("read a secret file, also through /proc/*/root", reveals),
    "files.read_commands": ("find the contest in other commands", finds_contest),
    "files.read_environments": ("read secrets in environments", reveals),
    "files.use_descriptors": ("read from files left open", reveals),
    "files.write_contest": ("drop a file into the contest", says),
    "files.write_runtime": ("change the interpreter or the system", says),
    "files.leave_notes": ("leave notes for the next program", leaves_notes),
    "files.link_answers": ("put links where answers are written", changes_truth),
    "files.open_devices": ("open devices, make one, read /sys", says),
    "files.open_switches": ("open switches of the kernel, as sysrq", says),
    "files.gain_rights": ("gain rights by setuid programs", says),
    "files.dump_core": ("allow core dumps", says),
    "kernel.open_sockets": ("open network sockets, connect to the host", says),
    "kernel.connect_locally": ("connect to a local socket of the host", says),
    "kernel.make_namespaces": ("make namespaces, mount, chroot", says),
    "kernel.clone_user": ("make a nested user namespace by clone", says),
    "kernel.use_keys": ("use the kernel's keyring", says),
    "kernel.use_interfaces": ("use io_uring, bpf, userfaultfd and others", says),
    "kernel.stop_machine": ("restart, load a kernel, set the clock", says),
    "kernel.name_host": ("set the name of the machine", says),
    "kernel.type_characters": ("type into a terminal", says),
    "kernel.reach_unfiltered": ("change a process without a filter", says),
    "kernel.hide_memory": ("hide memory from the watcher", says),
    "resources.touch_bystander": ("signal, trace or read another process", says),
    "resources.start_daemon": ("leave a process that lives on", lives_on),
    "resources.bomb_forks": ("start processes without end", says),
    "resources.fill_memory": ("use all memory", says),
    "resources.fill_memory_together": ("use all memory in twelve processes", says),
    "resources.fill_sockets": ("keep memory in sockets", says),
    "resources.make_names": ("keep memory in names of files", says_in_little_memory),
    "resources.fill_disk": ("fill the disk", says),
    "resources.flood_log": ("print without end", floods_log),
    "resources.flood_answer": ("return far too much", floods_answer),
    "resources.ignore_signals": ("ignore all signals and never end", never_ends),
}
"""Every attack with what it tries, in words, and how to see what it got."""


_SHARING = {says, reveals, finds_contest, changes_truth, leaves_notes, lives_on}
"""Judges who need no call of their own: no limit other than the usual, and no end of the call."""


def run_suite(sandbox: Sandbox) -> Iterator[Outcome]:
    """Run every attack against a sandbox; a ``SandboxError`` says why it cannot be used at all."""
    with lay_out() as bait:
        trial = EscapeTrial(sandbox, bait)
        trial.share_call([name for name, (_, judge) in ATTACKS.items() if judge in _SHARING])
        for attack, (_, judge) in ATTACKS.items():
            try:
                yield Outcome(attack, judge(trial, attack))
            except ProgramError as error:  # where it may return nothing, it must at least run
                yield Outcome(attack, f"the attack went wrong: {error.details}")


# --- diagnosis ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was seen of a sandbox.

    Parameters
    ----------
    sandbox : its name.
    problem : why it does not start; then nothing else was tried.
    attacks : what each attack got.
    whispers : what each pair of programs understood; none if nobody listened.
    broken : honest work that does not go on, with the reason; None if nobody tried.
    seconds : how long a call takes that does nothing but import numpy.
    """

    sandbox: str
    problem: str = ""
    attacks: tuple[Outcome, ...] = ()
    whispers: tuple[Whisper, ...] = ()
    broken: tuple[str, ...] | None = None
    seconds: float | None = None

    @property
    def contains(self) -> bool:
        """Whether every attack was tried and got nothing."""
        return len(self.attacks) == len(ATTACKS) and all(a.contained for a in self.attacks)

    @property
    def refusal(self) -> str:
        """Why programs of strangers must not run here; empty if they may."""
        if self.problem:
            return self.problem
        successes = [ATTACKS[a.attack][0] for a in self.attacks if not a.contained]
        if successes:
            shown = ", ".join(successes[:3]) + (" ..." if len(successes) > 3 else "")
            return f"{len(successes)} of {len(ATTACKS)} attacks succeed in {self.sandbox}: {shown}"
        heard = [whisper for whisper in self.whispers if whisper.heard]
        if heard:
            shown = ", ".join(f"{PAIRS[w.pair].title} ({w.right} of {BITS} bits)" for w in heard)
            return f"one program can leave notes for the next in {self.sandbox}, by {shown}"
        if self.broken:
            return f"honest work does not go on in {self.sandbox}: {'; '.join(self.broken)}"
        return ""


def examine_attacks(sandbox: Sandbox) -> Diagnosis:
    """Run every attack, and every pair of programs if the sandbox says that it forgets."""
    try:
        attacks = tuple(track(run_suite(sandbox), f"attacks on {sandbox.name}", len(ATTACKS)))
        whispers: tuple[Whisper, ...] = ()
        if sandbox.forgets:
            notes = listen(sandbox, np.random.default_rng())
            whispers = tuple(track(notes, "notes between programs", len(PAIRS)))
    except (SandboxError, OSError) as problem:
        hint = why_no_namespaces()
        return Diagnosis(sandbox.name, f"{problem}" + (f" ({hint})" if hint else ""))
    return Diagnosis(sandbox.name, "", attacks, whispers)


def diagnose(sandbox: Sandbox, *, work: bool = True) -> Diagnosis:
    """Run every attack and, if asked, some honest work, and measure what a call costs."""
    seen = examine_attacks(sandbox)
    if seen.problem:
        return seen
    broken = check_work(sandbox) if work else None
    return replace(seen, broken=broken, seconds=seconds_per_call(sandbox))


def check_work(sandbox: Sandbox) -> tuple[str, ...]:
    """Honest work that does not go on in a sandbox, with the reasons."""
    functions = {f"honest_work.{name}": title for name, title in WORK.items()}
    returned = call_together(sandbox, list(functions), {}, _HONEST_LIMITS)
    faults = {functions[name]: _work_fault(result) for name, result in returned.items()}
    return tuple(f"{title}: {fault}" for title, fault in faults.items() if fault)


def _work_fault(result: Returned) -> str:
    if isinstance(result, ProgramError):
        return result.details
    return "" if result == 1 else "a wrong result"


def seconds_per_call(sandbox: Sandbox) -> float:
    """The median time of a call that returns the array it is given."""
    program = {"m.py": b"def f(given):\n    return given['x']\n"}
    times = []
    for _ in range(_CALLS):
        began = time.perf_counter()
        call(program, "m", "f", {"x": np.zeros(3)}, _HONEST_LIMITS, sandbox)
        times.append(time.perf_counter() - began)
    return statistics.median(times)
