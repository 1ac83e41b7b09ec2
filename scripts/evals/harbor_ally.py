"""ally as an agent of Harbor, which evaluates agents on tasks in containers.

    harbor run -d terminal-bench@2.0 -m local/qwen3 \\
      --agent-import-path harbor_ally:Ally --agent-kwarg package=dist/ally-agent-VERSION.tgz

`scripts/evals` must be on PYTHONPATH. The package (`deno task pack`) is put into each container, where npm installs
it. The endpoint is that of OPENAI_BASE_URL, as a container reaches it, and the key that of OPENAI_API_KEY. A container
is the sandbox: inside of it ally may do everything, as a task of such a benchmark asks for.
"""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path, PurePosixPath
from typing import Any

from harbor.agents.base import BaseAgent

# Where things are in a container.
HOME = PurePosixPath("/installed-agent")
LOGS = PurePosixPath("/logs/agent")
PASSED_ON = ("OPENAI_BASE_URL", "OPENAI_API_KEY")


class Ally(BaseAgent):
    """Installs ally in the container of a task, and has it do the task in one turn."""

    def __init__(
        self,
        *args: Any,
        package: str = "",
        max_turns: int = 100,
        max_seconds: int = 3600,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._package = Path(package)
        self._max_turns = int(max_turns)
        self._max_seconds = int(max_seconds)

    @staticmethod
    def name() -> str:
        return "ally"

    def version(self) -> str | None:
        """As the name of the package says: ally-agent-VERSION.tgz."""
        return self._package.name.removeprefix("ally-agent-").removesuffix(".tgz") or None

    async def setup(self, environment: Any) -> None:
        """Installs the package, and Node first where the image has none."""
        if not self._package.is_file():
            raise FileNotFoundError(
                f"There is no package {self._package}. Make it with `deno task pack` and name it "
                "with --agent-kwarg package=FILE."
            )
        target = HOME / self._package.name
        await self._require(environment, f"mkdir -p {HOME} {LOGS}")
        await environment.upload_file(self._package, str(target))
        await self._require(
            environment,
            "command -v npm >/dev/null || "
            "{ apt-get update && apt-get install -y --no-install-recommends nodejs npm; }",
        )
        install = f"npm install --prefix {HOME} --no-fund --no-audit -- {shlex.quote(str(target))}"
        await self._require(environment, install)

    async def run(self, instruction: str, environment: Any, context: Any) -> None:
        """Runs the turn; what it came to is told to Harbor even if it failed."""
        result = LOGS / "result.json"
        command = " ".join(
            [
                str(HOME / "node_modules/.bin/ally"),
                "--print --output-format=json --allow-all --no-sandbox",
                f"--receipt={LOGS / 'receipt.jsonl'}",
                f"--max-turns={self._max_turns} --max-time={self._max_seconds}",
                f"-- {shlex.quote(instruction)} </dev/null >{result} 2>{LOGS / 'stderr.txt'}",
            ]
        )
        done = await environment.exec(command, env=self._environment())
        told = await environment.exec(f"cat {result}")
        self._report(context, done.return_code, told.stdout or "")

    def _environment(self) -> dict[str, str]:
        """The model server as the container sees it; of `PROVIDER/NAME` ally takes the name."""
        passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        model = (self.model_name or "").partition("/")[2] or self.model_name
        return {**passed, **({"ALLY_MODEL": model} if model else {}), "ALLY_HOME": str(LOGS / "ally")}

    @staticmethod
    def _report(context: Any, exit_code: int, text: str) -> None:
        try:
            result = json.loads(text)
        except json.JSONDecodeError:
            result = {}
        usage = result.get("usage", {})
        context.n_input_tokens = usage.get("prompt_tokens")
        context.n_output_tokens = usage.get("completion_tokens")
        context.n_cache_tokens = usage.get("cached_tokens")
        context.cost_usd = usage.get("cost")
        context.metadata = {
            "exit_code": exit_code,
            **{
                key: result[key]
                for key in ("reason", "turns", "tool_calls", "denied", "session_id", "error")
                if key in result
            },
        }

    @staticmethod
    async def _require(environment: Any, command: str) -> None:
        done = await environment.exec(command)
        if done.return_code != 0:
            raise RuntimeError(f"Cannot install ally: {command}\n{done.stdout}\n{done.stderr}")
