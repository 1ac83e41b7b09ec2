/**
 * An hour's ordinary work as a person would have it who chooses Always wherever it is offered: how often ally
 * asks. The real pipeline, the real sandbox where there is one, real git, real files.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { compose } from "../../src/app/compose.ts";
import { parseArguments } from "../../src/cli/args.ts";
import type { PermissionRequest } from "../../src/core/permission.ts";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { createMemoryIo } from "../support/memory_io.ts";
import { stage } from "../support/program.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const FILES = {
  "a.ts": "export const a = 1;\n",
  "b.ts": "export const b = 1;\n",
  "a_test.ts": "import { a } from './a.ts';\nDeno.test('a', () => { if (!a) throw 1; });\n",
  "deno.json": '{ "tasks": { "check": "echo fine" } }\n',
  "package.json": '{ "scripts": { "test": "echo ok", "build": "echo built" } }\n',
  "Makefile": "all:\n\t@echo all\n",
  "README.md": "# work\n",
};

/** One round of work on a file: look, change, test, look at the change, keep it. */
function round(file: string, from: number, message: string): string[] {
  return [
    "git status --short",
    "ls -la",
    `grep -n export ${file}`,
    `edit ${file} = ${from};`,
    "deno test --no-check",
    "deno lint",
    "git diff",
    "npm test",
    "git add -A",
    `git commit -m '${message}'`,
    "git log --oneline -5",
  ];
}

/** What is done now and then, the same words each time. */
const NOW_AND_THEN = [
  "deno fmt",
  "make all",
  "npm run build",
  "cargo test",
  "pytest -q",
  "mkdir -p docs",
  "deno task check",
  "git show --stat HEAD",
  "rg -n TODO . || true",
];

const SESSION: readonly string[] = [
  "pwd && git branch --show-current",
  "cat README.md deno.json | head -40",
  ...round("a.ts", 1, "Raise a"),
  ...NOW_AND_THEN,
  // The first third ends about here.
  ...round("a.ts", 2, "Raise a again"),
  ...NOW_AND_THEN,
  ...round("a.ts", 3, "Raise a a third time"),
  "find . -name '*.ts' -not -path './.git/*' | xargs wc -l",
  "git diff HEAD~1 | head -20",
  "mv b.ts c.ts",
  ...NOW_AND_THEN,
  "git status",
];

function reply(step: string): ScriptedReply {
  const [, file, from] = /^edit (\S+) (= \d+;)$/.exec(step) ?? [];
  if (file === undefined || from === undefined) {
    return { calls: [{ name: "bash", arguments: { command: step } }] };
  }
  const next = from.replace(/\d+/, (digits) => String(Number(digits) + 1));
  const input = { file_path: file, old_string: from, new_string: next };
  return {
    calls: [
      { name: "read", arguments: { file_paths: [file] } },
      { name: "edit", arguments: input },
    ],
  };
}

async function git(dir: string, ...args: string[]): Promise<void> {
  const command = new Deno.Command("git", { args, cwd: dir });
  assert.ok((await command.output()).success, args.join(" "));
}

Deno.test({
  name: "an hour's ordinary work asks less than once in ten commands after its first third",
  ignore: !hasBubblewrap(),
  async fn() {
    await using t = await stage([...SESSION.map(reply), { text: "done" }], FILES);
    const { dir, env } = t.place;
    await git(dir, "init", "-q", "-b", "main");
    await git(dir, "config", "user.name", "a");
    await git(dir, "config", "user.email", "a@b.c");
    await git(dir, "add", "-A");
    await git(dir, "commit", "-q", "-m", "Begin");
    const flags = ["--context-size", "200000", "--max-turns", "200", "go"];
    const invocation = await parseArguments(flags, { cwd: dir });
    assert.ok(invocation.kind === "run");
    const asked: { step: number; request: PermissionRequest }[] = [];
    let step = -1;
    const app = await compose(invocation.options, {
      sink: (event) => event.type === "request_start" && step++,
      ask(requests) {
        asked.push(...requests.map((request) => ({ step, request })));
        return Promise.resolve(
          requests.map(({ offers }) =>
            offers.length === 0 ? { kind: "allow" } : { kind: "always", scope: "project" }
          ),
        );
      },
      interactive: true,
      io: createMemoryIo({ env, cwd: dir }),
    });
    try {
      assert.equal((await app.agent.run("go")).reason, "done");
    } finally {
      app.close();
    }
    const third = Math.ceil(SESSION.length / 3);
    const late = asked.filter((one) => one.step >= third);
    const told = asked.map(({ step, request }) => `${step}: ${request.description}`).join("\n");
    assert.ok(late.length * 10 < SESSION.length - third, told);
    // What only looks never asks, and every rule names the very words that were shown.
    const looking = /^(pwd|ls|cat|grep|rg|git (status|diff|log|show|branch))\b/;
    assert.deepEqual(asked.filter(({ step }) => looking.test(SESSION[step] ?? "")), []);
    const stored = JSON.parse(await Deno.readTextFile(join(t.place.home, "permissions.json")));
    const texts: string[] = stored.rules.map(({ text }: { text: string }) => text);
    const shown = new Set(asked.map(({ request }) => request.offers[0]?.text));
    assert.deepEqual(texts.filter((text) => !shown.has(text)), []);
    assert.equal(await t.place.read("a.ts"), "export const a = 4;\n");
  },
});
