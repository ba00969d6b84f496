"""Known facts about the standard library, each with the version or platform that the docs give."""

from __future__ import annotations

import subprocess
import sys

import pytest

from optdep_lint.world import stdlib
from optdep_lint.world.stdlib import has_module, has_name, is_stdlib_root

VERSIONS = [(3, minor) for minor in range(8, 16)]
OLDEST, NEWEST = VERSIONS[0], VERSIONS[-1]
PLATFORMS = ("linux", "darwin", "win32")


def lifetime(dotted: str) -> tuple[str, str]:
    """`module` or `module:name` as the first and last Python that has it, the same on every platform."""
    module, _, name = dotted.partition(":")
    answers = {
        tuple(
            has_name(module, name, python, platform) if name else has_module(module, python, platform)
            for python in VERSIONS
        )
        for platform in PLATFORMS
    }
    assert len(answers) == 1, answers
    row = answers.pop()
    assert None not in row, row
    years = [python for python, there in zip(VERSIONS, row, strict=True) if there]
    assert len(years) == VERSIONS.index(years[-1]) - VERSIONS.index(years[0]) + 1, row
    return "{}.{}".format(*years[0]), "{}.{}".format(*years[-1])


@pytest.mark.parametrize(
    "root", "__future__ __main__ builtins sys os distutils imp tomllib winreg _thread zoneinfo".split()
)
def test_roots_of_any_version(root: str) -> None:
    assert is_stdlib_root(root)


@pytest.mark.parametrize("root", ["numpy", "setuptools", "typing_extensions", "_typeshed", "os.path", "", "*", "_*"])
def test_not_roots(root: str) -> None:
    assert not is_stdlib_root(root)


@pytest.mark.parametrize(
    ("dotted", "first", "last"),
    [
        ("os.path", "3.8", "3.15"),
        ("unittest.mock", "3.8", "3.15"),
        ("concurrent.futures", "3.8", "3.15"),
        ("sqlite3", "3.8", "3.15"),
        ("tkinter.ttk", "3.8", "3.15"),
        ("collections.abc", "3.8", "3.15"),
        ("xml.etree.cElementTree", "3.8", "3.15"),  # its removal from 3.9 was taken back
        ("formatter", "3.8", "3.9"),
        ("parser", "3.8", "3.9"),
        ("binhex", "3.8", "3.10"),
        ("distutils.core", "3.8", "3.11"),
        ("imp", "3.8", "3.11"),
        ("asyncore", "3.8", "3.11"),
        ("asynchat", "3.8", "3.11"),
        ("smtpd", "3.8", "3.11"),
        ("cgi", "3.8", "3.12"),
        ("telnetlib", "3.8", "3.12"),
        ("lib2to3.pgen2", "3.8", "3.12"),
        ("zoneinfo", "3.9", "3.15"),
        ("graphlib", "3.9", "3.15"),
        ("tomllib", "3.11", "3.15"),
        ("importlib.resources.abc", "3.11", "3.15"),
        ("dbm.sqlite3", "3.13", "3.15"),
        ("annotationlib", "3.14", "3.15"),
        ("compression.zstd", "3.14", "3.15"),
        ("concurrent.interpreters", "3.14", "3.15"),
        ("string.templatelib", "3.14", "3.15"),
        ("profiling.sampling", "3.15", "3.15"),
        ("os:PathLike", "3.8", "3.15"),
        ("inspect:getargspec", "3.8", "3.10"),
        ("asyncio:coroutine", "3.8", "3.10"),
        ("collections:Mapping", "3.8", "3.9"),
        ("fractions:gcd", "3.8", "3.8"),
        ("typing:no_type_check_decorator", "3.8", "3.14"),
        ("ast:Str", "3.8", "3.13"),
        ("pkgutil:ImpImporter", "3.8", "3.11"),
        ("unittest:makeSuite", "3.8", "3.12"),
        ("importlib.resources:files", "3.9", "3.15"),
        ("functools:cache", "3.9", "3.15"),
        ("typing:Annotated", "3.9", "3.15"),
        ("types:NoneType", "3.10", "3.15"),
        ("contextlib:aclosing", "3.10", "3.15"),
        ("typing:ParamSpec", "3.10", "3.15"),
        ("typing:Self", "3.11", "3.15"),
        ("datetime:UTC", "3.11", "3.15"),
        ("enum:StrEnum", "3.11", "3.15"),
        ("asyncio:timeout", "3.11", "3.15"),
        ("asyncio:TaskGroup", "3.11", "3.15"),
        ("typing:override", "3.12", "3.15"),
        ("itertools:batched", "3.12", "3.15"),
        ("warnings:deprecated", "3.13", "3.15"),
        ("typing:TypeIs", "3.13", "3.15"),
        ("concurrent.futures:InterpreterPoolExecutor", "3.14", "3.15"),
        ("string:templatelib", "3.14", "3.15"),
        ("xml.dom:minidom", "3.8", "3.15"),
    ],
)
def test_lifetimes(dotted: str, first: str, last: str) -> None:
    assert lifetime(dotted) == (first, last)


@pytest.mark.parametrize(
    ("module", "platforms"),
    [
        *(
            (module, "win32")
            for module in "winreg winsound msvcrt _winapi nt _overlapped asyncio.windows_events".split()
        ),
        *(
            (module, "linux darwin")
            for module in "fcntl pwd grp termios tty pty resource posix syslog readline".split()
        ),
        *(
            (module, "linux darwin")
            for module in "curses curses.ascii _posixsubprocess dbm.gnu asyncio.unix_events".split()
        ),
        ("_scproxy", "darwin"),
        ("ntpath", "linux darwin win32"),
        ("posixpath", "linux darwin win32"),
    ],
)
@pytest.mark.parametrize("python", [OLDEST, (3, 13)])
def test_modules_of_a_platform(module: str, platforms: str, python: tuple[int, int]) -> None:
    assert [platform for platform in PLATFORMS if has_module(module, python, platform)] == platforms.split()


@pytest.mark.parametrize(
    ("module", "name", "platforms"),
    [
        ("os", "startfile", "win32"),
        ("os", "fork", "linux darwin"),
        ("select", "epoll", "linux"),
        ("select", "kqueue", "darwin"),
        ("winreg", "OpenKey", "win32"),
        ("signal", "SIGKILL", "linux darwin"),
        ("asyncio", "WindowsSelectorEventLoopPolicy", "win32"),
    ],
)
def test_names_of_a_platform(module: str, name: str, platforms: str) -> None:
    answers = {platform: has_name(module, name, (3, 12), platform) for platform in PLATFORMS}
    assert answers == {platform: platform in platforms.split() for platform in PLATFORMS}


@pytest.mark.parametrize("dotted", ["email.MIMEText", "asyncio.compat", "numpy", "json.nothing"])
def test_modules_long_gone(dotted: str) -> None:
    assert has_module(dotted, (3, 9), "linux") is False


def test_names_nobody_has() -> None:
    assert has_name("json", "nothing", (3, 12), "win32") is False
    assert has_name("json", "nothing", (3, 14), "linux") is False
    assert has_name("cgi", "escape", (3, 13), "linux") is False


@pytest.mark.parametrize(
    "answer",
    [
        has_module("test.test_os", (3, 12), "linux"),
        has_module("json", (3, 12), "freebsd14"),
        has_module("json", (3, 16), "linux"),
        has_module("_nothing_yet", (3, 14), "linux") or None,
        has_name("idlelib", "anything", (3, 12), "linux"),
        has_name("json", "__file__", (3, 12), "linux"),
        has_name("ast", "nothing", (3, 12), "linux"),
        has_name("typing", "_GenericAlias", (3, 15), "linux"),
        has_name("test.support", "anything", (3, 12), "linux"),
    ],
)
def test_what_is_not_known(answer: bool | None) -> None:
    assert answer is None


def test_answers_match_the_running_interpreter() -> None:
    python = sys.version_info[:2]
    if python not in VERSIONS or sys.platform not in PLATFORMS:
        pytest.skip("an interpreter that the table does not know")
    wrong = [
        f"{module.__name__}.{name}"
        for module in map(
            sys.modules.__getitem__, ("os", "sys", "re", "json", "types", "typing", "functools", "builtins")
        )
        for name in vars(module)
        if not name.startswith("_") and has_name(module.__name__, name, python, sys.platform) is False
    ]
    assert wrong == []


def test_importing_reads_nothing() -> None:
    code = "import optdep_lint.world.stdlib as s; print(s._table.cache_info().currsize)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "0"


def test_the_table_is_small() -> None:
    assert stdlib._TABLE.stat().st_size < 300_000
