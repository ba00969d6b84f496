"""The language server, spoken to as an editor does: JSON over its standard input and output."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

PROJECT = "[project]\nname = 'acme'\nversion = '1'\noptional-dependencies = { fast = ['numba'] }\n"


class Editor:
    """One conversation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "optdep_lint", "server"],
            cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._number = 0

    def tell(self, method: str, params: object, **more: object) -> None:
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def ask(self, method: str, params: object) -> Any:
        self._number += 1
        self.tell(method, params, id=self._number)
        return self.hear(lambda message: message.get("id") == self._number)["result"]

    def hear(self, wanted: Any) -> Any:
        assert self.process.stdout is not None
        while True:
            length = 0
            while (line := self.process.stdout.readline().strip()) != b"":
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(self.process.stdout.read(length))
            if wanted(message):
                return message

    def diagnostics(self) -> list[dict[str, Any]]:
        published = self.hear(lambda message: message.get("method") == "textDocument/publishDiagnostics")
        found: list[dict[str, Any]] = published["params"]["diagnostics"]
        return found


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    (tmp_path / "acme").mkdir()
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "acme" / "__init__.py").write_text("")
    editor = Editor(tmp_path)
    editor.ask("initialize", {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}})
    editor.tell("initialized", {})
    yield editor
    editor.ask("shutdown", None)
    editor.tell("exit", None)
    with editor.process:
        editor.process.wait(20)


def test_a_document(editor: Editor) -> None:
    uri = (editor.folder / "acme" / "__init__.py").as_uri()
    text = 'smile = "😀"; import numba\n'
    document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    editor.tell("textDocument/didOpen", {"textDocument": document})
    (found,) = editor.diagnostics()
    assert found["code"] == "OPD101"
    assert found["range"]["start"] == {"line": 0, "character": text.index("import") + 1}, "counted in UTF-16"
    where = {"textDocument": {"uri": uri}, "range": found["range"], "context": {"diagnostics": [found]}}
    for action in editor.ask("textDocument/codeAction", where) or []:
        assert action["edit"]["changes"]
    editor.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert editor.diagnostics() == []


def test_a_broken_project(editor: Editor) -> None:
    (editor.folder / "pyproject.toml").write_text("[project\n")
    uri = (editor.folder / "acme" / "__init__.py").as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": "import numba\n"}
    editor.tell("textDocument/didOpen", {"textDocument": document})
    assert "pyproject.toml" in editor.hear(lambda each: each.get("method") == "window/logMessage")["params"]["message"]
    assert editor.diagnostics() == []
