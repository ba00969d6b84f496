"""The survey of a project whose own package fails in every world."""

from __future__ import annotations

from pathlib import Path

from optdep_lint import engine
from optdep_lint.config import Config
from optdep_lint.discovery import discover


def test_modules_below_a_package_that_always_fails_are_known(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "acme"\nversion = "1"\ndependencies = ["torch"]\n')
    package = tmp_path / "acme"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('never')\n")
    (package / "layer.py").write_text(
        "import torch\n\n\nclass Layer(torch.nn.Module):\n    def forward(self, x):\n        return helper(x)\n"
    )
    report = engine.check(discover([tmp_path], Config()), Config())
    assert report.files == 2
