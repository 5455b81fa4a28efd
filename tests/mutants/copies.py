"""A copy of the tree with an environment of its own, so that every process of a test runs the copy and nothing else."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import site
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Copy:
    """`folder/tree` is the copy, `folder/venv` an environment with our packages and the copy's jp_tui."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = folder / "tree"
        self.home = folder / "home"

    def make(self) -> None:
        """What is tracked or about to be, as it is now."""
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self.tree.mkdir(parents=True)
        self.home.mkdir()
        (self.folder / "tmp").mkdir()
        for name in tracked():
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, self.tree / name, follow_symlinks=False)
        venv.create(self.folder / "venv", symlinks=True)
        packages = next((self.folder / "venv" / "lib").glob("python*")) / "site-packages"
        ours = [path for path in site.getsitepackages() if Path(path).is_dir()]
        lines = [str(self.tree), *(f"import site; site.addsitedir({path!r})" for path in ours)]
        (packages / "_mutants.pth").write_text("\n".join(lines) + "\n")
        script = self.folder / "venv" / "bin" / "jp-tui"
        script.write_text(f"#!{self.python}\nimport sys\nfrom jp_tui.main import main\nsys.exit(main())\n")
        script.chmod(0o755)

    @property
    def python(self) -> str:
        return str(self.folder / "venv" / "bin" / "python")

    def environment(self, **more: str) -> dict[str, str]:
        kept = {
            name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TERM", "PIP_NO_INDEX") if name in os.environ
        }
        fixtures = os.environ.get("JP_TUI_FIXTURES") or str(ROOT.parent / "shared" / "fixtures")
        return {
            **kept,
            **({"JP_TUI_FIXTURES": fixtures} if Path(fixtures).is_dir() else {}),
            "HOME": str(self.home),
            "TMPDIR": str(self.folder / "tmp"),
            "PYTHONHASHSEED": "1",
            **more,
        }

    def pytest(self, tests: list[str], limit: float, log: Path, *options: str, **more: str) -> int | None:
        """Run these tests in the copy, with more variables; pytest's status, None when it took over `limit` seconds."""
        arguments = self.folder / "arguments"
        arguments.write_text("\n".join(tests) + "\n")
        command = [self.python, "-m", "pytest", "-p", "no:cacheprovider", "-q"]
        with log.open("wb") as out:
            process = subprocess.Popen(
                [*command, *options, f"@{arguments}"],
                cwd=self.tree,
                env=self.environment(**more),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                return process.wait(limit)
            except subprocess.TimeoutExpired:
                return None
            finally:
                self._end(process)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Nothing of the run stays: its session, and whatever runs this copy's Python."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        mark = str(self.folder).encode()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    ours = mark in (entry / "cmdline").read_bytes()
                except OSError:
                    continue
                if ours:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(entry.name), signal.SIGKILL)
        for left in (self.folder / "tmp").iterdir():
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)


def tracked() -> list[str]:
    """Every file under version control and what is about to be, that is there."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = listed.stdout.decode().split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


if __name__ == "__main__":
    Copy(Path(sys.argv[1])).make()
