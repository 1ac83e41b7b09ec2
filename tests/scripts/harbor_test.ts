/**
 * The adapter for Harbor, in a container that is none: its commands run with stand-ins for npm and ally.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeProgram } from "../../scripts/program_file.ts";

const ADAPTERS = fileURLToPath(new URL("../../scripts/evals", import.meta.url));

const ignore = !await hasPython();

async function hasPython(): Promise<boolean> {
  const check = ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"];
  try {
    return (await new Deno.Command("python3", { args: check, stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

/** What the adapter needs of Harbor, and an environment whose paths are below a directory. */
const DRIVER = `
import asyncio, json, os, pathlib, subprocess, sys, types

class BaseAgent:
    def __init__(self, logs_dir, model_name=None, **kwargs):
        assert not kwargs, kwargs
        self.logs_dir, self.model_name = logs_dir, model_name

for name in ("harbor", "harbor.agents", "harbor.agents.base"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["harbor.agents.base"].BaseAgent = BaseAgent
import harbor_ally

root = pathlib.Path(sys.argv[1])
for name in ("HOME", "LOGS"):
    setattr(harbor_ally, name, root / str(getattr(harbor_ally, name)).lstrip("/"))

class Environment:
    async def exec(self, command, cwd=None, env=None, timeout_sec=None):
        path = {"PATH": f"{root}/bin:/usr/bin:/bin"}
        done = subprocess.run(["bash", "-c", command], cwd=root, env={**path, **(env or {})},
                              capture_output=True, text=True)
        return types.SimpleNamespace(stdout=done.stdout, stderr=done.stderr, return_code=done.returncode)

    async def upload_file(self, source_path, target_path):
        pathlib.Path(target_path).write_bytes(pathlib.Path(source_path).read_bytes())

async def main():
    context = types.SimpleNamespace()
    agent = harbor_ally.Ally(root, model_name="local/qwen3", package=sys.argv[2], max_turns="7")
    await agent.setup(Environment())
    await agent.run(sys.argv[3], Environment(), context)
    print(json.dumps({"name": agent.name(), "version": agent.version(), **vars(context)}))

asyncio.run(main())
`;

/** npm puts an ally where it puts programs; that one keeps what it was told, and answers as the test says. */
const NPM = `#!/bin/sh
[ "$1" = install ] || exit 9
mkdir -p "$3/node_modules/.bin"
cp "$(dirname "$0")/ally" "$3/node_modules/.bin/ally"
`;
const ALLY = `#!/bin/sh
root=$(dirname "$0")/../../..
printf '%s\\n' "$@" >"$root/args"
env >"$root/env"
cat "$root/answer"
exit 3
`;

async function runTask(instruction: string, { answer, pack = true }: {
  answer: string;
  pack?: boolean;
}) {
  const root = await Deno.makeTempDir({ prefix: "ally-harbor-" });
  try {
    await Deno.mkdir(join(root, "bin"));
    await writeProgram(join(root, "bin", "npm"), NPM);
    await writeProgram(join(root, "bin", "ally"), ALLY);
    await Deno.writeTextFile(join(root, "answer"), answer);
    await Deno.writeTextFile(join(root, "driver.py"), DRIVER);
    const archive = join(root, "ally-agent-1.2.3.tgz");
    if (pack) await Deno.writeTextFile(archive, "packed");
    const { success, stdout, stderr } = await new Deno.Command("python3", {
      args: ["-B", join(root, "driver.py"), root, archive, instruction],
      env: { PYTHONPATH: ADAPTERS, OPENAI_BASE_URL: "http://host:1/v1", OPENAI_API_KEY: "k" },
    }).output();
    const read = (name: string) => Deno.readTextFile(join(root, name)).catch(() => "");
    return {
      success,
      told: new TextDecoder().decode(stdout),
      errors: new TextDecoder().decode(stderr),
      args: (await read("args")).trimEnd().split("\n"),
      env: await read("env"),
      files: Array.from(Deno.readDirSync(root), ({ name }) => name),
    };
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test({
  name: "the adapter for Harbor installs the package, runs one turn and reports what it came to",
  ignore,
  async fn() {
    const usage = { prompt_tokens: 70, completion_tokens: 8, cached_tokens: 60 };
    const answer = JSON.stringify({
      type: "result",
      text: "Ok.",
      reason: "denied",
      turns: 2,
      usage,
    });
    const instruction = "Say 'hi'; touch hacked; $(touch hacked)\n--plan";
    const { success, told, errors, args, env, files } = await runTask(instruction, { answer });
    assert.ok(success, errors);
    assert.deepEqual(JSON.parse(told), {
      name: "ally",
      version: "1.2.3",
      n_input_tokens: 70,
      n_output_tokens: 8,
      n_cache_tokens: 60,
      cost_usd: null,
      metadata: { exit_code: 3, reason: "denied", turns: 2 },
    });
    assert.equal(args.slice(args.indexOf("--") + 1).join("\n"), instruction);
    assert.ok(args.includes("--max-turns=7") && args.includes("--output-format=json"));
    assert.ok(!files.includes("hacked"));
    assert.match(env, /^ALLY_MODEL=qwen3$/m);
    assert.match(env, /^OPENAI_BASE_URL=http:\/\/host:1\/v1$/m);
  },
});

Deno.test({
  name:
    "the adapter for Harbor reports a turn without a result, and refuses to go on without the package",
  ignore,
  async fn() {
    const broken = await runTask("x", { answer: "" });
    assert.ok(broken.success, broken.errors);
    assert.deepEqual(JSON.parse(broken.told).metadata, { exit_code: 3 });
    const missing = await runTask("x", { answer: "", pack: false });
    assert.ok(!missing.success);
    assert.match(missing.errors, /There is no package .*ally-agent-1\.2\.3\.tgz\. Make it with/);
  },
});
