"""The Python blocks of README.md and docs/python.md run, and print what their comments say; so do examples."""

import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def expected_lines(code):
    """What the comments after print, and those alone on their line below it, promise."""
    promised, after_print = [], False
    for line in code.splitlines():
        alone = re.match(r"\s*# (.*)$", line)
        behind = re.match(r"\s*print\(.*\)\s+# (.*)$", line)
        if behind:
            promised.append(behind[1])
        elif alone and after_print:
            promised.append(alone[1])
        after_print = line.strip().startswith("print(") or bool(alone and after_print)
    return promised


@pytest.mark.parametrize("name", ["README.md", "docs/python.md"])
def test_blocks_run_and_print_what_they_say(name, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / name).read_text()
    blocks = re.findall(r"\n```python\n(.*?)\n```\n(?:\n```text\n(.*?)```\n)?", text, re.DOTALL)
    assert blocks
    scope = {"__name__": "__main__"}
    for code, output in blocks:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(code, name, "exec"), scope)
        if output:
            assert printed.getvalue() == output
        elif name != "README.md":
            promised = [" ".join(line.split()) for line in expected_lines(code)]
            assert [" ".join(line.split()) for line in printed.getvalue().splitlines()] == promised
    if name == "docs/python.md":
        assert "<svg" in (tmp_path / "python_frontier.svg").read_text()


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "examples").glob("*.py")))
def test_examples_run(name):
    done = subprocess.run([sys.executable, ROOT / "examples" / name], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (ROOT / "examples" / name).with_suffix(".cpp").exists()  # its twin
    assert len((ROOT / "examples" / name).read_text().splitlines()) < 60
