"""What the command line says: one parser for each verb."""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn

from optdep_lint.config import PLATFORMS, SEVERITIES, did_you_mean
from optdep_lint.reporters import format_names

VERBS = {
    "check": "report (and repair) what would break where a dependency is missing",
    "matrix": "tell for every module whether it can be imported, with nothing optional installed",
    "verify": "import every module with the optional roots blocked, and compare (this runs the project's code)",
    "rule": "explain a rule, or all rules",
    "config": "list the settings, or print their JSON schema",
    "clean": "remove the caches",
    "server": "run the language server (needs the extra lsp)",
    "version": "print the version",
}


class Parser(argparse.ArgumentParser):
    """Tells of a mistake in one line."""

    def error(self, message: str) -> NoReturn:
        """Ends the process with status 2."""
        prefix = "unrecognized arguments: "
        if message.startswith(prefix):
            word = message.removeprefix(prefix).split()[0]
            known = [option for action in self._actions for option in action.option_strings]
            message += did_you_mean(word.partition("=")[0], known)
        print(f"error: {message} (see `{self.prog} --help`)", file=sys.stderr)
        raise SystemExit(2)


def top_parser() -> Parser:
    """The parser of `optdep-lint --help`."""
    verbs = "\n".join(f"  {verb:<8} {text}" for verb, text in VERBS.items())
    return Parser(
        prog="optdep-lint",
        usage="optdep-lint [VERB] [OPTIONS] [PATH ...]",
        description=f"verbs (without one: check):\n{verbs}",
        epilog="`optdep-lint VERB --help` lists the options of a verb. Exit status: 0 clean, 1 findings, 2 an error.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _parser(verb: str) -> Parser:
    return Parser(prog=f"optdep-lint {verb}", description=VERBS[verb], allow_abbrev=False)


def check_parser() -> Parser:
    """`optdep-lint check`."""
    parser = _parser("check")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders; `-` is standard input [.]")
    parser.add_argument("--stdin-filename", metavar="FILE", help="the file that standard input stands for")
    _add_fixing(parser.add_argument_group("repairing"))
    _add_selection(parser.add_argument_group("rules"))
    _add_world(parser.add_argument_group("what is judged"))
    _add_files(parser.add_argument_group("files"))
    _add_report(parser.add_argument_group("report"))
    _add_config(parser.add_argument_group("configuration"))
    _add_running(parser.add_argument_group("running"))
    return parser


def matrix_parser() -> Parser:
    """`optdep-lint matrix`."""
    parser = _parser("matrix")
    parser.add_argument(
        "root", metavar="ROOT", nargs="?", default=".", help="a project, a source folder or a wheel [.]"
    )
    parser.add_argument("--format", "--output-format", dest="output_format", choices=("json", "text"), default="text")
    parser.add_argument("--present-file", metavar="FILE", help="the import roots that are there, one a line; no others")
    _add_world(parser.add_argument_group("what is judged"))
    _add_config(parser.add_argument_group("configuration"))
    _add_running(parser.add_argument_group("running"))
    parser.add_argument("-o", "--output-file", metavar="FILE", help="write there instead of to standard output")
    return parser


def verify_parser() -> Parser:
    """`optdep-lint verify`."""
    parser = _parser("verify")
    parser.add_argument("root", metavar="PATH", nargs="?", default=".", help="a project, or a part of one [.]")
    parser.add_argument(
        "--without", action="append", metavar="ROOT", help="block only this import root, instead of all optional ones"
    )
    parser.add_argument("--python", metavar="EXE", help="the interpreter that imports [the one that runs optdep-lint]")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS", help="for one module [60]")
    parser.add_argument("--format", "--output-format", dest="output_format", choices=("json", "text"), default="text")
    parser.add_argument("-o", "--output-file", metavar="FILE", help="write there instead of to standard output")
    _add_config(parser.add_argument_group("configuration"))
    _add_running(parser.add_argument_group("running"))
    return parser


def server_parser() -> Parser:
    """`optdep-lint server`."""
    parser = _parser("server")
    parser.add_argument("--config", metavar="FILE", help="a TOML file, instead of the nearest one")
    parser.add_argument("--cache-dir", metavar="FOLDER", help="where the cache lies [.optdep_lint_cache]")
    _add_noise(parser)
    return parser


def rule_parser() -> Parser:
    """`optdep-lint rule`."""
    parser = _parser("rule")
    parser.add_argument("rule", metavar="CODE", nargs="?", help="a rule's code or name")
    parser.add_argument("--all", action="store_true", help="every rule")
    parser.add_argument("--output-format", choices=("text", "json"), default="text")
    _add_noise(parser)
    return parser


def config_parser() -> Parser:
    """`optdep-lint config`."""
    parser = _parser("config")
    parser.add_argument("key", metavar="KEY", nargs="?", help="explain only this setting")
    parser.add_argument("--schema", action="store_true", help="print the JSON schema of [tool.optdep-lint]")
    parser.add_argument("--output-format", choices=("text", "json"), default="text")
    _add_noise(parser)
    return parser


def clean_parser() -> Parser:
    """`optdep-lint clean`."""
    parser = _parser("clean")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders of the projects [.]")
    _add_cache(parser)
    _add_noise(parser)
    return parser


def _add_fixing(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--fix", action="store_true", help="repair what can be repaired safely")
    group.add_argument("--fix-only", action="store_true", help="repair, and report nothing that is left")
    group.add_argument("--unsafe-fixes", action="store_true", help="also fixes that may change behaviour")
    group.add_argument("--diff", action="store_true", help="show what --fix would change, write nothing")
    group.add_argument("--show-fixes", action="store_true", help="list what was repaired")
    group.add_argument("--add-noqa", nargs="?", const="", metavar="REASON", help="suppress all findings by comments")


def _add_selection(group: argparse._ArgumentGroup) -> None:
    for option, text in (
        ("--select", "code prefixes to report, or ALL"),
        ("--ignore", "code prefixes not to report"),
        ("--extend-select", "code prefixes to report as well"),
        ("--fixable", "code prefixes that may be repaired"),
        ("--unfixable", "code prefixes never to repair"),
    ):
        group.add_argument(option, action="append", metavar="CODES", help=text)
    group.add_argument(
        "--per-file-ignores", action="append", metavar="GLOB:CODES", help="code prefixes not to report in these files"
    )
    group.add_argument("--min-severity", choices=SEVERITIES, help="leave out what is less severe")


def _add_world(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--without", action="append", metavar="ROOT", help="only the worlds without this import root")
    group.add_argument("--strict", action="store_true", help="report every module that cannot be imported")
    group.add_argument("--python", metavar="EXE", help="read the metadata installed for this interpreter")
    group.add_argument("--target-python", metavar="X.Y", help="the one Python version to judge")
    group.add_argument("--target-platform", choices=PLATFORMS, help="the platform to judge [linux]")


def _add_files(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--exclude", action="append", metavar="GLOBS", help="leave out these files as well")
    group.add_argument("--force-exclude", action="store_true", help="leave out excluded files that are named, too")
    group.add_argument(
        "--respect-gitignore", action=argparse.BooleanOptionalAction, help="leave out what .gitignore names [yes]"
    )
    group.add_argument("--shard", metavar="I/N", help="report only the I-th of N parts of the files")
    group.add_argument("--show-files", action="store_true", help="list the files that would be checked")


def _add_report(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--output-format", choices=format_names(), metavar="FORMAT", help=", ".join(format_names()))
    group.add_argument("-o", "--output-file", metavar="FILE", help="write there instead of to standard output")
    group.add_argument("--statistics", action="store_true", help="count the findings by rule")
    group.add_argument("-e", "--exit-zero", action="store_true", help="exit with 0 whatever is found")
    group.add_argument("--exit-non-zero-on-fix", action="store_true", help="exit with 1 where something was repaired")
    group.add_argument("--color", "--colour", choices=("auto", "always", "never"), default="auto")


def _add_config(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--config", action="append", default=[], metavar="FILE|KEY=VALUE", help="a TOML file or setting")
    group.add_argument("--isolated", action="store_true", help="read no configuration files")
    group.add_argument("--show-settings", action="store_true", help="print the settings that would be used")


def _add_running(group: argparse._ArgumentGroup) -> None:
    group.add_argument("-j", "--jobs", type=_jobs, default=0, metavar="N", help="processes [as many as there are CPUs]")
    _add_cache(group)
    _add_noise(group)


def _add_cache(group: argparse._ActionsContainer) -> None:
    environment = os.environ
    group.add_argument(
        "-n",
        "--no-cache",
        action="store_true",
        default=environment.get("OPTDEP_LINT_NO_CACHE", "").lower() in ("1", "true", "yes"),
        help="read and write no cache [$OPTDEP_LINT_NO_CACHE]",
    )
    group.add_argument(
        "--cache-dir",
        metavar="FOLDER",
        default=environment.get("OPTDEP_LINT_CACHE_DIR") or None,
        help="where the cache lies [$OPTDEP_LINT_CACHE_DIR, .optdep_lint_cache]",
    )


def _add_noise(group: argparse._ActionsContainer) -> None:
    group.add_argument("-v", "--verbose", action="store_true", help="tell more, with tracebacks")
    group.add_argument("-q", "--quiet", action="store_true", help="findings only")
    group.add_argument("-s", "--silent", action="store_true", help="nothing at all; the exit status tells")


def _jobs(text: str) -> int:
    if text == "auto":
        return 0
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"expected a number, got {text!r}")
    return int(text)
