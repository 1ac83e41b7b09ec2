// deno-lint-ignore-file no-console
/**
 * How many tokens a real llama-server reads for ally beyond what is new, with each kind of chat template. Run by
 * `deno task bench:cache`; with `--beside CHECKOUT` the figures of another ally stand beside those of this one.
 */
import { Command, Option } from "commander";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ScriptedReply } from "../src/modes/demo/scripted_server.ts";
import { readFeatures } from "../src/model/server_features.ts";
import type { startInTerminal } from "../tests/support/ally_terminal.ts";
import { byContent, messagesOf, type Script } from "../tests/support/by_content.ts";
import { TEMPLATE_KINDS, type TemplateKind } from "../tests/support/chat_templates.ts";
import { makePlace, type Place, type runAlly } from "../tests/support/program.ts";
import {
  type CachedRequest,
  type ScriptedLlama,
  startScriptedLlama,
} from "../tests/support/scripted_llama.ts";
import { knowModel } from "../tests/support/server_features.ts";
import { until } from "../tests/support/wait.ts";
import { Limits } from "./limits.ts";
import { getLlamaServer } from "./llama_server.ts";

/** Tokens that any request may read beyond what is new. */
const MOST_READ_AGAIN = 100;
/** Milliseconds of a person who reads an answer before the next message. */
const READING_MS = 1000;
const SLOTS = 4;
/** How often 20 seconds are waited for. */
const PATIENCE = 15;

const TEMPLATES: Readonly<Record<TemplateKind, string>> = {
  strips: "drops old thinking",
  keeps: "keeps thinking",
  none: "no thinking",
  toolless: "no tools",
};

/** A version of ally, in this process. */
interface Ally {
  readonly startInTerminal: typeof startInTerminal;
  readonly runAlly: typeof runAlly;
}

interface Stage {
  readonly ally: Ally;
  readonly place: Place;
  readonly llama: ScriptedLlama;
}

/** A conversation whose requests are counted. */
interface Talk {
  readonly name: string;
  readonly scripts: readonly Script[];
  readonly run: (stage: Stage) => Promise<void>;
}

const thinking = "What is there to do next? Let me see what the last step has shown. ".repeat(8);
const call = (name: string, args: Record<string, unknown>): ScriptedReply => (
  { thinking, calls: [{ name, arguments: args }] }
);
const said = (text: string): ScriptedReply => ({ thinking, text });
const ls = call("ls", { file_path: "." });
const TASKS = ["task one", "task two", "task three"];

const TALKS: readonly Talk[] = [
  {
    name: "eight writes of 15 kB",
    scripts: [
      [
        "begin",
        ...eight((index) =>
          call("write", {
            file_path: `f${index}.txt`,
            content: `${" ".repeat(32)}return result;\n`.repeat(320),
          })
        ),
        said("Done."),
      ],
      ["go on", said("Good.")],
    ],
    run: (stage) => talkAtTerminal(stage),
  },
  {
    name: "ten shell calls",
    scripts: [
      ["begin", ...[...eight(echo), echo(8), echo(9)], said("Done.")],
      ["go on", said("Good.")],
    ],
    run: (stage) => talkAtTerminal(stage),
  },
  {
    name: "three sub-agents",
    scripts: [
      [
        "begin",
        ls,
        call("agent", { agents: TASKS.map((task_prompt) => ({ task_prompt })) }),
        ls,
        said("Done."),
      ],
      ...TASKS.map((task): Script => [task, ls, ls, said("Looked.")]),
      ["go on", said("Good.")],
    ],
    run: (stage) => talkAtTerminal(stage),
  },
  {
    name: "a resumed session",
    scripts: [["begin", ls, echo(1), said("Done.")], ["go on", ls, said("Good.")]],
    async run(stage) {
      const { place } = stage;
      await Deno.mkdir(join(place.dir, ".git"));
      await place.write(".git/HEAD", "ref: refs/heads/first\n");
      await talkAtTerminal(stage, { messages: [BEGIN] });
      await place.write(".git/HEAD", "ref: refs/heads/second\n");
      await talkAtTerminal(stage, { args: ["--continue"], messages: [GO_ON] });
    },
  },
];

function eight(make: (index: number) => ScriptedReply): ScriptedReply[] {
  return Array.from({ length: 8 }, (_, index) => make(index));
}

function echo(index: number): ScriptedReply {
  return call("bash", { command: `seq ${index}00 ${index}99` });
}

/** What a person says, and what the screen shows when it was answered. */
type Said = readonly [words: string, answered: RegExp];

const BEGIN: Said = ["begin", /Done\.[^]*›$/];
const GO_ON: Said = ["go on", /Good\.[^]*›$/];

/** A session of a person who reads before each message. */
async function talkAtTerminal(
  { ally, place, llama }: Stage,
  { args = [], messages = [BEGIN, GO_ON] }: {
    args?: readonly string[];
    messages?: readonly Said[];
  } = {},
): Promise<void> {
  await using session = ally.startInTerminal(place, { args: ["-A", ...args] });
  await session.shows(/›$/);
  for (const [words, answered] of messages) {
    await readAnswer(llama);
    await session.keys("-l", words);
    await session.keys("Enter");
    await patiently(() => session.shows(answered));
  }
}

async function readAnswer({ server }: ScriptedLlama): Promise<void> {
  await new Promise((done) => setTimeout(done, READING_MS));
  await patiently(() => until("the server to be idle", async () => !await server.isBusy()));
}

/** Waits longer than tests do: what is read without a cache takes its time. */
async function patiently(wait: () => Promise<unknown>): Promise<void> {
  for (let left = PATIENCE; left > 1; left--) {
    if (await wait().then(() => true, () => false)) return;
  }
  await wait();
}

/** Tokens of some requests. */
interface Cost {
  readonly requests: number;
  readonly read: number;
  readonly added: number;
  /** The most that one of them has read beyond what is new. */
  readonly again: number;
}

/** What one talk cost, by what its requests are for. */
type Costs = ReadonlyMap<string, Cost>;

async function measure(talk: Talk, { ally, template }: { ally: Ally; template: TemplateKind }) {
  const replies = byContent(talk.scripts);
  await using llama = await startScriptedLlama(program, { template, slots: SLOTS, replies });
  await using place = await makePlace({ endpoint: llama.url });
  // As after `ally init`: the server is known.
  const features = readFeatures(await llama.server.ask("/props"));
  await knowModel(place, { url: llama.url, features });
  await talk.run({ ally, place, llama });
  return await sumCosts(llama);
}

async function sumCosts(llama: ScriptedLlama): Promise<Costs> {
  const costs = new Map<string, Cost>();
  for (const [index, request] of llama.requests.entries()) {
    const added = index === 0 ? await countWords(llama, request) : request.added;
    const purpose = purposeOf(request, index);
    const known = costs.get(purpose) ?? { requests: 0, read: 0, added: 0, again: 0 };
    costs.set(purpose, {
      requests: known.requests + 1,
      read: known.read + request.read,
      added: known.added + added,
      again: Math.max(known.again, request.read - added),
    });
  }
  return costs;
}

/** Of a session's first request, what the person typed: the rest can be read before. */
async function countWords(llama: ScriptedLlama, { body, prompt }: CachedRequest): Promise<number> {
  return prompt - await llama.countTokens(await llama.renderFirst(body, 1));
}

function purposeOf(request: CachedRequest, index: number): string {
  const { role, content } = messagesOf(request).at(-1)!;
  if (index === 0) return "the first message";
  if (role === "tool" || content.startsWith("<tool_response")) return "the calls";
  return request.agent === "main" ? "the next message" : "their tasks";
}

async function load(checkout: string): Promise<Ally> {
  const support = (name: string) =>
    import(pathToFileURL(join(resolve(checkout), "tests/support", name)).href);
  const { startInTerminal } = await support("ally_terminal.ts");
  const { runAlly } = await support("program.ts");
  return { startInTerminal, runAlly };
}

/** "1,234 / 1,200 / 34": read, new, and at most read again by one request. */
function cell(cost: Cost | undefined): string {
  return cost === undefined
    ? ""
    : [cost.read, cost.added, cost.again].map((count) => count.toLocaleString("en")).join(" / ");
}

const { beside, template: only } = new Command("deno task bench:cache")
  .description("Count what a real llama-server reads again of ally's requests.")
  .option("--beside <CHECKOUT>", "another checkout of ally, to compare with")
  .addOption(new Option("--template <KIND>", "this kind alone").choices(Object.keys(TEMPLATES)))
  .parse(Deno.args, { from: "user" })
  .opts<{ beside?: string; template?: TemplateKind }>();
const program = await getLlamaServer();
const here = await load(join(import.meta.dirname!, ".."));
const other = beside === undefined ? undefined : await load(beside);
const found: { readonly name: string; readonly again: number }[] = [];
const printRow = (...cells: readonly string[]) => console.log(`| ${cells.join(" | ")} |`);
const versions = other ? ["beside", "this"] : ["this"];
printRow("tokens read / new / again", "template", ...versions);
printRow("---", "---", ...versions.map(() => "---"));
for (const template of only ? [only] : TEMPLATE_KINDS) {
  for (const talk of TALKS) {
    const before = other && await measure(talk, { ally: other, template });
    for (const [purpose, cost] of await measure(talk, { ally: here, template })) {
      const name = `${talk.name}: ${purpose}`;
      const cells = other ? [cell(before?.get(purpose)), cell(cost)] : [cell(cost)];
      printRow(name, TEMPLATES[template], ...cells);
      // What an agent begins with is all new, and what it shares with others is only a gift.
      if (purpose !== "their tasks") {
        found.push({ name: `${template}, ${name}`, again: cost.again });
      }
    }
  }
}
const limits = new Limits();
for (const { name, again } of found) {
  limits.check(`${name}, read again`, again, { most: MOST_READ_AGAIN, unit: "tokens" });
}
limits.exit();
