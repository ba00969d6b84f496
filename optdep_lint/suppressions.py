"""Which findings does the user not want to see: comments in the code, and `per-file-ignores`.

`# noqa` means to us exactly what it means to flake8 7.5: the text that it is searched in is a physical line, joined with
its neighbours only within a multi-line string or after a backslash; codes are prefixes in upper case; `# flake8: noqa`
at the start of a line, with codes or without, leaves out the file. `# optdep: ignore[CODE, ...]` counts anywhere on the
lines of a statement, or alone on the line above it.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from optdep_lint.config import Config, ConfigError, code_prefix, read_toml
from optdep_lint.discovery.globs import Patterns, compile_patterns
from optdep_lint.findings import Finding, Span

MARKERS = (b"optdep:", b"OPD")
"""A file without any of these bytes holds no comment that OPD901 could judge."""
UNUSED = ("OPD901", "unused-suppression")

_NOQA = re.compile(r"# noqa(?::[\s]?(?P<codes>([A-Z]+[0-9]+(?:[,\s]+)?)+))?", re.IGNORECASE)
_NOQA_FILE = re.compile(r"^[ \t\f]*# flake8[:=]\s*noqa", re.IGNORECASE | re.MULTILINE)
_OPTDEP = re.compile(r"#\s*optdep:\s*ignore(?P<file>-file)?(?:\[(?P<codes>[^\]\n]*)\])?")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment."""

    lines: range
    """The lines whose findings it hides."""
    codes: tuple[str, ...] | None
    """Prefixes of codes, or None: everything."""
    span: Span
    ours: bool
    """`# optdep:` rather than `# noqa`."""
    is_comment: bool = True
    """Not the text of a string, where `# noqa` counts as well but nobody wrote it to hide anything."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is left of the findings."""

    kept: tuple[Finding, ...]
    suppressed: int
    unused: tuple[Finding, ...]
    """OPD901, where that is enabled."""
    noqa_paths: tuple[str, ...]
    """Files where a `# noqa` names one of our codes."""


def apply(
    findings: Iterable[Finding],
    read: Callable[[str], str | None],
    config: Config,
    *,
    enabled: Collection[str],
    candidates: Iterable[str] = (),
    noqa: bool = True,
) -> Outcome:
    """Takes out what comments and `per-file-ignores` hide.

    `read` gives the text of a file by its path in the project, or None where it cannot be read. `candidates` are the
    files that contain one of MARKERS; they matter only where OPD901 is among the `enabled` codes. Without `noqa`, only
    our own comments count: flake8 hides what the others do.
    """
    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        by_path.setdefault(finding.path, []).append(finding)
    judged = set(candidates) if UNUSED[0] in enabled else set()
    ignores = [(compile_patterns([glob]), codes) for glob, codes in config.per_file_ignores.items()]
    kept: list[Finding] = []
    unused: list[Finding] = []
    noqa_paths = []
    for path in sorted(by_path.keys() | judged):
        found = [each for each in by_path.get(path, ()) if not is_ignored(each, ignores)]
        comments = read_suppressions(read(path) or "", python=path.endswith((".py", ".pyw", ".pyi")))
        comments = comments if noqa else tuple(each for each in comments if each.ours)
        kept += [each for each in found if not any(_hides(comment, each) for comment in comments)]
        if any(not each.ours and _own_codes(each) for each in comments):
            noqa_paths.append(path)
        if path in judged:
            complaints = (each for comment in comments for each in _find_unused(path, comment, found, enabled))
            unused += [each for each in complaints if not is_ignored(each, ignores)]
    total = sum(map(len, by_path.values()))
    return Outcome(tuple(kept), total - len(kept), tuple(unused), tuple(noqa_paths))


def is_ignored(finding: Finding, ignores: Sequence[tuple[Patterns, Sequence[str]]]) -> bool:
    """Whether one of the patterns that match the finding's file names its code; all that match count."""
    return any(
        any(_names(code, finding) for code in codes) and patterns.matches(finding.path) for patterns, codes in ignores
    )


def _names(selector: str, finding: Finding) -> bool:
    text = selector.strip()
    return text.upper() == "ALL" or text == finding.name or finding.code.startswith(code_prefix(text))


def _hides(comment: Suppression, finding: Finding) -> bool:
    if finding.span.line not in comment.lines:
        return False
    return comment.codes is None or finding.code.startswith(comment.codes)


def _own_codes(comment: Suppression) -> tuple[str, ...]:
    return tuple(code for code in comment.codes or () if code.startswith("OPD"))


def _find_unused(
    path: str, comment: Suppression, found: Sequence[Finding], enabled: Collection[str]
) -> Iterator[Finding]:
    """OPD901 for the codes of a comment that hide none of the findings; codes of rules that are off are not judged."""
    if not comment.is_comment:
        return
    here = [each for each in found if each.span.line in comment.lines]
    for code in _own_codes(comment):
        is_judged = any(each.startswith(code) for each in enabled)
        if is_judged and code != UNUSED[0] and not any(each.code.startswith(code) for each in here):
            yield Finding(*UNUSED, path, comment.span, f"unused suppression: {code} reports nothing here")
    if comment.ours and comment.codes is None and not here:
        yield Finding(*UNUSED, path, comment.span, "unused suppression: nothing is reported here")


def read_suppressions(text: str, *, python: bool = True) -> tuple[Suppression, ...]:
    """Every comment in `text` that hides findings; in other files than Python's a comment counts for its own line."""
    lines = text.splitlines(keepends=True) if not python else io.StringIO(text).readlines()
    everything = range(len(lines) + 2)
    found: list[Suppression] = []
    file_noqa = _NOQA_FILE.search(text) if "flake8" in text else None
    if file_noqa is not None:
        line = text.count("\n", 0, file_noqa.end()) + 1
        found.append(Suppression(everything, None, Span(line, 1, line, 1), ours=False))
    if "optdep:" not in text and "noqa" not in text.lower():
        return tuple(found)
    segments = _Segments(lines) if python else None
    found += _read_noqa(lines, segments)
    found += _read_own(lines, segments, everything)
    return tuple(found)


class _Segments:
    """The lines of a Python file, joined as flake8 joins them, and as statements."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.physical: list[range] = []
        """As flake8 joins lines for `# noqa`: ended by each newline token, those within brackets as well."""
        self.statements: list[range] = []
        """The lines of each statement (of its head, where it is a compound one)."""
        self.comments: dict[int, int] = {}
        """For each line with a comment, the column from 0 where it starts."""
        self._read(lines)
        covered = {line for each in self.physical for line in each}
        self.physical += [range(line, line + 1) for line in range(1, len(lines) + 1) if line not in covered]

    def _read(self, lines: Sequence[str]) -> None:
        feed = iter(lines)
        first = last = start = 0
        try:
            for kind, _, (line, column), (end, _), _ in tokenize.generate_tokens(lambda: next(feed, "")):
                if kind in (tokenize.ENDMARKER, tokenize.DEDENT, tokenize.INDENT):
                    continue
                first, last = first or line, max(last, end)
                if kind == tokenize.COMMENT:
                    self.comments[line] = column
                elif kind == tokenize.NEWLINE:
                    self.statements.append(range(start or first, line + 1))
                    start = 0
                elif kind != tokenize.NL:
                    start = start or line
                if kind in (tokenize.NL, tokenize.NEWLINE):
                    self.physical.append(range(first, last + 1))
                    first = last = 0
        except (tokenize.TokenError, SyntaxError):
            return  # What follows is taken line by line.

    def hidden_by(self, line: int) -> range:
        """The lines that a comment of ours on `line` covers: its statement, or the next one where it stands alone."""
        for statement in self.statements:
            if line in statement:
                return statement
            if statement.start > line:
                return range(line, statement.stop)
        return range(line, line + 1)


def _each_line(lines: Sequence[str]) -> list[range]:
    return [range(number, number + 1) for number in range(1, len(lines) + 1)]


def _read_noqa(lines: Sequence[str], segments: _Segments | None) -> Iterator[Suppression]:
    for segment in _each_line(lines) if segments is None else segments.physical:
        text = "".join(lines[segment.start - 1 : segment.stop - 1])
        match = _NOQA.search(text)
        if match is None:
            continue
        written = match["codes"]
        codes = None if written is None else tuple(code for code in re.split(r"[,\s]+", written) if code)
        line = segment.start + text.count("\n", 0, match.start())
        column = match.start() - (text.rfind("\n", 0, match.start()) + 1) + 1
        span = Span(line, column, line, column + len(match[0].rstrip()))
        is_comment = segments is None or column > segments.comments.get(line, column)
        yield Suppression(segment, codes, span, ours=False, is_comment=is_comment)


def _read_own(lines: Sequence[str], segments: _Segments | None, everything: range) -> Iterator[Suppression]:
    for line, text in enumerate(lines, 1):
        if "optdep:" not in text:
            continue
        start = 0 if segments is None else segments.comments.get(line)
        match = None if start is None else _OPTDEP.search(text, start)
        if match is None:
            continue
        written = match["codes"]
        codes = None if written is None else tuple(code_prefix(code) for code in written.split(",") if code.strip())
        span = Span(line, match.start() + 1, line, match.end() + 1)
        if match["file"]:
            hidden = everything
        else:
            hidden = range(line, line + 1) if segments is None else segments.hidden_by(line)
        yield Suppression(hidden, codes, span, ours=True)


def annotate(content: bytes, text: str, findings: Iterable[Finding], reason: str = "") -> bytes:
    """`content`, which decodes to `text`, with a `# optdep: ignore[...]` comment on each statement with findings."""
    segments = _Segments(io.StringIO(text).readlines())
    wanted: dict[int, set[str]] = {}
    for finding in findings:
        statement = segments.hidden_by(finding.span.line)
        wanted.setdefault(statement.stop - 1, set()).add(finding.code)
    lines = re.split(rb"(?<=\n)", content)
    for number, codes in wanted.items():
        if number <= len(lines):
            lines[number - 1] = _with_comment(lines[number - 1], codes, reason)
    return b"".join(lines)


def _with_comment(line: bytes, codes: Collection[str], reason: str) -> bytes:
    body = line.rstrip(b"\r\n")
    ending = line[len(body) :]
    existing = re.search(rb"(#\s*optdep:\s*ignore\[)([^\]]*)\]", body)
    if existing is not None:
        both = {code.strip() for code in existing[2].decode("ascii", "replace").split(",")} | set(codes)
        merged = ", ".join(sorted(both)).encode()
        return body[: existing.start(2)] + merged + body[existing.end(2) :] + ending
    comment = f"  # optdep: ignore[{', '.join(sorted(codes))}] {reason}".rstrip()
    return body.rstrip() + comment.encode("ascii", "replace") + ending


def ruff_removes_our_codes(root: Path) -> str | None:
    """A warning where the project lets ruff treat `# noqa: OPD101` as a mistake (and delete it), else None."""
    for name in ("pyproject.toml", "ruff.toml", ".ruff.toml"):
        path = root / name
        try:
            content: object = read_toml(path) if path.is_file() else {}
        except ConfigError:
            continue
        keys = ("tool", "ruff") if name == "pyproject.toml" else ()
        for key in keys:
            content = content.get(key) if isinstance(content, dict) else None
        if isinstance(content, dict) and content and not _has_external(content):
            return f'{name}: ruff deletes `# noqa: OPD...` comments unless lint.external = ["OPD"] is set'
    return None


def _has_external(ruff: dict[str, object]) -> bool:
    lint = ruff.get("lint")
    settings = lint if isinstance(lint, dict) else ruff
    external = settings.get("external", ruff.get("external"))
    return isinstance(external, list) and any(str(code).startswith(("O", "OPD")) for code in external)
