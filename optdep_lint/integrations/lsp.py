"""The language server: findings as diagnostics when a file is opened or saved, fixes as code actions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from optdep_lint import __version__
from optdep_lint.discovery import find_project_root
from optdep_lint.findings import Edit, Finding
from optdep_lint.integrations.projects import plan, with_text


class Server(LanguageServer):
    """Knows what it last found in each open document."""

    def __init__(self, config: str | None, cache_dir: str | None) -> None:
        super().__init__("optdep-lint", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self._config, self._cache_dir = config, cache_dir
        self.found: dict[str, Sequence[Finding]] = {}

    def look(self, uri: str) -> None:
        """Judges a document as it stands in the editor, and publishes what is wrong with it."""
        document = self.workspace.get_text_document(uri)
        path = Path(os.path.abspath(document.path))
        try:
            job = with_text(plan([path.parent], self._config), path, document.source.encode(), self._config)
            self.found[uri] = job.findings(self._cache_dir).get(str(path), ())
        except Exception as error:  # noqa: BLE001  # The server outlives a broken pyproject.toml.
            message = f"optdep-lint: {' '.join(str(error).split())}"
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, message))
            self.found[uri] = ()
        diagnostics = [diagnostic_of(finding, document) for finding in self.found[uri]]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, document.version))

    def forget(self, uri: str) -> None:
        """Takes back what was published of a document that is closed."""
        self.found.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def actions(self, uri: str, wanted: types.Range) -> Iterator[types.CodeAction]:
        """The fixes of findings on some lines."""
        document = self.workspace.get_text_document(uri)
        root = find_project_root(Path(document.path))
        for finding in self.found.get(uri, ()):
            if finding.fix is None or not wanted.start.line <= finding.span.line - 1 <= wanted.end.line:
                continue
            changes: dict[str, list[types.TextEdit]] = {}
            for edit in finding.fix.edits:
                target = self.workspace.get_text_document((root / edit.path).as_uri())
                changes.setdefault(target.uri, []).append(text_edit_of(edit, target))
            yield types.CodeAction(
                title=f"{finding.code}: {finding.fix.message}"
                + (" (unsafe)" * (finding.fix.applicability == "unsafe")),
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic_of(finding, document)],
                is_preferred=finding.fix.applicability == "safe",
                edit=types.WorkspaceEdit(changes=changes),
            )


def diagnostic_of(finding: Finding, document: TextDocument) -> types.Diagnostic:
    """A finding as the editor shows it; the chain that leads to it goes along."""
    line, column, end_line, end_column = finding.span
    span = types.Range(types.Position(line - 1, column - 1), types.Position(end_line - 1, end_column - 1))
    steps = [
        types.DiagnosticRelatedInformation(
            types.Location((find_project_root(Path(document.path)) / step.path).as_uri(), _whole_line(step.line)),
            step.message,
        )
        for step in finding.because
    ]
    return types.Diagnostic(
        range=document.position_codec.range_to_client_units(document.lines, span),
        message=finding.message,
        severity=types.DiagnosticSeverity.Warning,
        code=finding.code,
        source="optdep-lint",
        related_information=steps or None,
    )


def _whole_line(line: int) -> types.Range:
    return types.Range(types.Position(line - 1, 0), types.Position(line, 0))


def text_edit_of(edit: Edit, document: TextDocument) -> types.TextEdit:
    """An edit in byte offsets as one in lines and columns."""
    content = document.source.encode()

    def place(offset: int) -> types.Position:
        before = content[:offset].decode(errors="replace")
        return types.Position(before.count("\n"), len(before) - before.rfind("\n") - 1)

    span = types.Range(place(edit.start), place(edit.end))
    return types.TextEdit(document.position_codec.range_to_client_units(document.lines, span), edit.content)


def make_server(config: str | None = None, cache_dir: str | None = None) -> Server:
    """The server with its features."""
    server = Server(config, cache_dir)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.look(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.look(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.forget(params.text_document.uri)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    def asked(params: types.CodeActionParams) -> list[types.CodeAction]:
        return list(server.actions(params.text_document.uri, params.range))

    return server


def serve(config: str | None = None, cache_dir: str | None = None) -> None:
    """Speaks with an editor over standard input and output until it says goodbye."""
    make_server(config, cache_dir).start_io()
