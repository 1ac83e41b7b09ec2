import assert from "node:assert/strict";
import { parseArguments } from "../../src/cli/args.ts";

async function options(...args: string[]) {
  const invocation = await parseArguments(args, { cwd: "/w" });
  assert.equal(invocation.kind, "run");
  return (invocation as Extract<typeof invocation, { kind: "run" }>).options;
}

Deno.test("the words of the command line are the prompt", async () => {
  assert.equal((await options("fix", "the test")).prompt, "fix the test");
  assert.equal((await options("-p", "fix")).print, true);
});

Deno.test("after -- every word is the prompt's, unless a command takes them", async () => {
  assert.equal((await options("-p", "--", "config", "--help")).prompt, "config --help");
  assert.equal((await options("-p", "--", "help")).prompt, "help");
  const added = await parseArguments(["mcp", "add", "x", "--", "npx", "-y"], { cwd: "/w" });
  assert.equal(added.kind, "mcp");
});

Deno.test("a bare --allow-write means the workspace and never swallows the prompt", async () => {
  const parsed = await options("-p", "--allow-write", "fix it");
  assert.deepEqual(parsed.rules.allow, { write: true });
  assert.equal(parsed.prompt, "fix it");
});

Deno.test("net and env have the same grammar, and their names are no paths", async () => {
  const parsed = await options(
    "-p",
    "--allow-net=a.org,b:80",
    "--allow-env",
    "--deny-env=AWS_*",
    "go",
  );
  assert.deepEqual(parsed.rules.allow, { net: ["a.org", "b:80"], env: true });
  assert.deepEqual(parsed.rules.deny, { env: ["AWS_*"] });
  assert.equal(parsed.prompt, "go");
});

Deno.test("lists of a kind add up, and paths are made absolute", async () => {
  const { rules } = await options(
    "--allow-write=src,lib",
    "--allow-write=/x",
    "--deny-run=rm,curl",
  );
  assert.deepEqual(rules.allow, { write: ["/w/src", "/w/lib", "/x"] });
  assert.deepEqual(rules.deny, { run: ["rm", "curl"] });
});

Deno.test("-C changes what relative paths mean", async () => {
  const parsed = await options("-C", "sub", "--add-dir", "../lib", "--allow-read=a");
  assert.equal(parsed.cwd, "/w/sub");
  assert.deepEqual(parsed.addDirs, ["/w/lib"]);
  assert.deepEqual(parsed.rules.allow, { read: ["/w/sub/a"] });
});

Deno.test("-A and --yolo are the same", async () => {
  assert.equal((await options("-A")).rules.allowAll, true);
  assert.equal((await options("--yolo")).rules.allowAll, true);
});

Deno.test("-r takes an id, but not the prompt", async () => {
  assert.equal((await options("-r", "20260101T")).resume, "20260101T");
  assert.deepEqual(
    [(await options("-r", "fix it")).resume, (await options("-r", "fix it")).prompt],
    [true, "fix it"],
  );
});

Deno.test("the process of a plugin is a command that no help shows", async () => {
  const grants = JSON.stringify({ read: ["/p"], write: [], net: true, run: [], env: [] });
  const process = await parseArguments(["plugin-process", grants], { cwd: "/w" });
  assert.deepEqual(process, { kind: "plugin_process", grants });
  const help = await parseArguments(["--help"], { cwd: "/w" });
  assert.ok(help.kind === "print" && !/plugin-process/.test(help.text));
});

Deno.test("--help and --version are printed, not run", async () => {
  const help = await parseArguments(["--help"], { cwd: "/w" });
  assert.ok(help.kind === "print" && /Exit codes/.test(help.text));
  const version = await parseArguments(["-V"], { cwd: "/w" });
  assert.ok(version.kind === "print" && /^\d+\.\d+\.\d+\n$/.test(version.text));
});

for (
  const [args, message] of [
    [["completions", "tcsh"], /'tcsh' is not a possible SHELL\. Allowed choices are bash, zsh/],
    [["--max-turns", "many"], /'--max-turns <N>' argument 'many' is invalid/],
    [["--temperature", "3"], /from 0 to 2/],
    [["--output-format", "xml"], /Allowed choices are text, json, stream-json/],
    [["--deny-net=https://example.com"], /must name hosts, such as example\.com/],
    [["--model", ""], /It must not be empty/],
    [["--nothing"], /unknown option '--nothing'/],
  ] as const
) {
  Deno.test(`${args.join(" ")} is refused with the reason`, async () => {
    await assert.rejects(parseArguments(args, { cwd: "/w" }), message);
  });
}
