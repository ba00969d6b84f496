"""Files: whole or not at all, and never over somebody else's change."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from optdep_lint.cli import main
from optdep_lint.fixers.write import NotWritten, write_file

GUARDED = {
    "acme/__init__.py": "from acme import m\n",
    "acme/m.py": "import numba\n\n\ndef f(x):\n    return numba.njit(x)\n",
}


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o751)
    before = path.stat()
    write_file(path, b"new", root=tmp_path, expected=b"old")
    after = path.stat()
    assert path.read_bytes() == b"new"
    assert (stat.S_IMODE(after.st_mode), after.st_uid, after.st_gid) == (0o751, before.st_uid, before.st_gid)
    assert os.listdir(tmp_path) == ["a.py"]


def test_a_file_that_has_changed_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"newer")
    with pytest.raises(NotWritten, match="it has changed since it was read"):
        write_file(path, b"new", root=tmp_path, expected=b"old")
    assert path.read_bytes() == b"newer"
    assert os.listdir(tmp_path) == ["a.py"]


def test_links(tmp_path: Path) -> None:
    """Within the project what they point to is written, and they stay links; out of it nothing is."""
    project, outside = tmp_path / "project", tmp_path / "outside.py"
    project.mkdir()
    outside.write_bytes(b"old")
    (project / "real.py").write_bytes(b"old")
    (project / "in.py").symlink_to(project / "real.py")
    (project / "out.py").symlink_to(outside)
    write_file(project / "in.py", b"new", root=project, expected=b"old")
    assert (project / "in.py").is_symlink()
    assert (project / "real.py").read_bytes() == b"new"
    with pytest.raises(NotWritten, match="leads out of the project"):
        write_file(project / "out.py", b"new", root=project, expected=b"old")
    assert outside.read_bytes() == b"old"


@pytest.mark.parametrize(
    ("where", "name", "content"),
    [
        (tempfile, "mkstemp", b"old"),
        (os, "fsync", b"old"),
        (os, "chown", b"old"),
        (os, "chmod", b"old"),
        (os, "replace", b"old"),
        (os, "open", b"old"),
    ],
)
@pytest.mark.parametrize("after", [False, True])
def test_an_interruption_leaves_the_old_file_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: Any, name: str, content: bytes, *, after: bool
) -> None:
    """At whatever step, before it or just after it: nothing in between, and nothing left lying about."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    original = getattr(where, name)

    def stop(*arguments: Any, **keywords: Any) -> None:
        if after:
            original(*arguments, **keywords)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(where, name, stop)
        with pytest.raises(KeyboardInterrupt):
            write_file(path, b"new", root=tmp_path, expected=b"old")
    expected = b"new" if name == "replace" and after else content
    assert path.read_bytes() == expected
    left = [other for other in os.listdir(tmp_path) if other != "a.py"]
    assert not left or (after and name in ("mkstemp", "open")), "but for what nobody could know of"


CHILD = """
import sys
from pathlib import Path
from optdep_lint.fixers.write import write_file
print("ready", flush=True)
for number in range(10**6):
    for path in sorted(Path(sys.argv[1]).glob("*.py")):
        write_file(path, str(number % 10).encode() * 200_000)
"""


@pytest.mark.parametrize("seconds", [0.01, 0.03, 0.08])
def test_a_process_that_is_killed_leaves_whole_files(tmp_path: Path, seconds: float) -> None:
    for name in "abc":
        (tmp_path / f"{name}.py").write_bytes(b"0" * 200_000)
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(seconds)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    for path in tmp_path.glob("*.py"):
        content = path.read_bytes()
        assert content == content[:1] * 200_000


def test_the_command_line_follows_no_link_out_of_the_project(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link that leads out of the project is not followed, whether it is named or met."""
    root = make(GUARDED)
    outside = tmp_path.parent / f"{tmp_path.name}-outside.py"
    outside.write_bytes((root / "acme" / "m.py").read_bytes())
    (root / "acme" / "m.py").unlink()
    (root / "acme" / "m.py").symlink_to(outside)
    monkeypatch.chdir(root)
    for named in (".", "acme/m.py", "acme"):
        main(["--fix", "--isolated", "--no-cache", named])
        assert outside.read_text() == GUARDED["acme/m.py"]
        assert (root / "acme" / "m.py").is_symlink()


def test_the_command_line_leaves_a_file_that_changes_meanwhile(
    make: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Somebody saves it between the proof and the writing."""
    from optdep_lint.fixers.passes import Passes

    root = make(GUARDED)
    monkeypatch.chdir(root)
    original = Passes.run

    def run(self: Passes) -> object:
        outcome = original(self)
        (root / "acme" / "m.py").write_text("# mine\n")
        return outcome

    monkeypatch.setattr(Passes, "run", run)
    assert main(["--fix", "--isolated", "--no-cache", "."]) == 2
    assert "not written: it has changed since it was read" in capfd.readouterr().err
    assert (root / "acme" / "m.py").read_text() == "# mine\n"
