/**
 * `ally mcp serve` as the official inspector sees it, on its command line. Without npx, or without a registry to have
 * the inspector from, there is nothing to try.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { quoteWord } from "../../src/lib/text.ts";
import { allyCommand, makePlace, type Place } from "../support/program.ts";

const INSPECTOR = ["-y", "@modelcontextprotocol/inspector@2.12.0", "--cli"];

async function inspect(args: readonly string[]) {
  const command = new Deno.Command("npx", {
    args: [...INSPECTOR, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** A program that is ally in a place; the inspector passes few variables on. */
async function writeStarter({ dir, env }: Place): Promise<string> {
  const path = join(dir, "..", "ally");
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoteWord(value)}`);
  const line = ["exec env", ...variables, ...allyCommand().map(quoteWord), '"$@"'].join(" ");
  await writeProgram(path, `#!/bin/sh\ncd ${quoteWord(dir)}\n${line}\n`);
  return path;
}

const isThere = await inspect(["--version"]).then(({ code }) => code === 0, () => false);

Deno.test("the inspector lists and calls ally's tools", { ignore: !isThere }, async () => {
  await using place = await makePlace({ files: { "a.txt": "one\n" } });
  const ally = await writeStarter(place);
  const call = (flags: readonly string[], tool: string, ...args: string[]) =>
    inspect([
      ...[ally, "mcp", "serve", ...flags],
      ...["--method", "tools/call", "--tool-name", tool],
      ...args.flatMap((arg) => ["--tool-arg", arg]),
    ]);
  const listed = await inspect([ally, "mcp", "serve", "--method", "tools/list"]);
  assert.equal(listed.code, 0, listed.stderr);
  const { tools } = JSON.parse(listed.stdout) as { tools: { name: string }[] };
  assert.ok(tools.some(({ name }) => name === "ask_ally") && tools.length === 11);

  const shown = await call([], "read", 'file_paths=["a.txt"]');
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(JSON.parse(shown.stdout).content[0].text, /1\tone/);

  const create = ["file_path=b.txt", "content=two"];
  const denied = await call([], "write", ...create);
  assert.match(denied.stdout, /--allow-write/);
  await assert.rejects(place.read("b.txt"));
  const made = await call(["--allow-write"], "write", ...create);
  assert.equal(made.code, 0, made.stderr);
  assert.equal(await place.read("b.txt"), "two");
});
