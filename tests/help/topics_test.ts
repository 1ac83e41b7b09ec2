import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MANIFEST } from "../../plugins/manifest.ts";
import { EXIT } from "../../src/app/exit_codes.ts";
import { parseArguments } from "../../src/cli/args.ts";
import { HELP_TOPICS } from "../../src/help/topics.ts";
import { COMMANDS } from "../../src/slash/table.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const PAGES = join(ROOT, "src", "help");

Deno.test("every page is a topic, and begins with its heading", async () => {
  const files = [...Deno.readDirSync(PAGES)].map(({ name }) => name)
    .filter((name) => name.endsWith(".md"));
  assert.deepEqual(files.sort(), HELP_TOPICS.map(({ name }) => `${name}.md`).sort());
  for (const topic of HELP_TOPICS) assert.match(await topic.load(), /^# \S/, topic.name);
});

Deno.test("README lists the topics", () => {
  const readme = Deno.readTextFileSync(join(ROOT, "README.md"));
  const [, section = ""] = readme.split("\n## Read on\n");
  const rows = [...section.matchAll(/^\| `([a-z]+)` +\| (.*?) +\|$/gm)].map((
    [, name, summary],
  ) => ({
    name,
    summary,
  }));
  assert.deepEqual(rows, HELP_TOPICS.map(({ name, summary }) => ({ name, summary })));
});

Deno.test("the pages name every option, subcommand, slash command, tool and exit code", async () => {
  const pages = (await Promise.all(HELP_TOPICS.map((topic) => topic.load()))).join("\n");
  const invocation = await parseArguments(["help"], { cwd: ROOT });
  assert.equal(invocation.kind, "help");
  const { program } = invocation as Extract<typeof invocation, { kind: "help" }>;
  const names = [
    ...program.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? ""),
    ...program.createHelp().visibleCommands(program).flatMap((command) =>
      command.commands.length === 0
        ? [`ally ${command.name()}`]
        : command.commands.map((inner) => `ally ${command.name()} ${inner.name()}`)
    ),
    ...COMMANDS.map(({ name }) => `/${name}`),
    ...MANIFEST.map(({ definition }) => `\`${definition.name}\``),
    ...Object.values(EXIT).map((code) => `| ${code} `),
  ];
  assert.deepEqual(names.filter((name) => !pages.includes(name)), []);
});

Deno.test("what a page tells to read is there", async () => {
  const topics = new Set(HELP_TOPICS.map(({ name }) => name));
  for (const topic of HELP_TOPICS) {
    const told = [...(await topic.load()).matchAll(/`ally help ([a-z]+)`/g)].map(([, name]) =>
      name!
    );
    assert.deepEqual(told.filter((name) => !topics.has(name)), [], topic.name);
  }
});

Deno.test("what a page shows to type fits a terminal of 80 columns", async () => {
  for (const topic of HELP_TOPICS) {
    const blocks = [...(await topic.load()).matchAll(/^```\w*\n([^]*?)^```$/gm)];
    const lines = blocks.flatMap(([, code = ""]) => code.split("\n"));
    assert.deepEqual(lines.filter((line) => line.length > 76), [], topic.name);
  }
});

Deno.test("CONTRIBUTING names every task", async () => {
  const { default: { tasks } } = await import("../../deno.json", { with: { type: "json" } });
  const text = await Deno.readTextFile(new URL("../../.github/CONTRIBUTING.md", import.meta.url));
  assert.deepEqual(Object.keys(tasks).filter((task) => !text.includes(`\`${task}\``)), []);
});
