/**
 * What may happen in a conversation, as scripts: through all of it, nothing that a server has computed is to be
 * computed again.
 */
import { join } from "node:path";
import type { ReplyFunction, ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "./ally_terminal.ts";
import { byContent } from "./by_content.ts";
import { type Place, runAlly } from "./program.ts";
import type { ScreenTest, TerminalSession } from "./terminal_session.ts";

/** A conversation, and where it is meant to change. */
export interface CacheScenario {
  readonly name: string;
  readonly replies: readonly (ScriptedReply | ReplyFunction)[];
  readonly files?: Readonly<Record<string, string>>;
  readonly run: (place: Place) => Promise<unknown>;
  /** How many requests it makes. @default one for each reply */
  readonly requests?: number;
  /** How many agents are at work, each of which needs a slot of the server. @default 1 */
  readonly agents?: number;
  /** Of requests of the main agent, how many messages are those of the request before. @default all */
  readonly keeps?: Readonly<Record<number, number>>;
}

/** A reply that thinks and then calls a tool. */
export function call(name: string, args: Record<string, unknown>, id: string): ScriptedReply {
  return { thinking: `Now ${name}.\n`, calls: [{ id, name, arguments: args }] };
}

const ls = (id: string) => call("ls", { file_path: "." }, id);
const said = (text: string): ScriptedReply => ({ thinking: `Say ${text}`, text });
const agents = (...tasks: string[]) => ({ agents: tasks.map((task_prompt) => ({ task_prompt })) });

const print = (place: Place, ...args: string[]) => runAlly(place, { args: ["-p", "-A", ...args] });

/** Types words and waits until the screen shows something, and, unless something runs, the prompt again. */
async function say(session: TerminalSession, words: string, then: ScreenTest): Promise<void> {
  await session.keys("-l", words);
  await session.keys("Enter");
  await session.shows(then);
}

async function atPrompt(place: Place, run: (session: TerminalSession) => Promise<void>) {
  await using session = startInTerminal(place, { args: ["-A"] });
  await session.shows(/›$/);
  await run(session);
}

const SUMMARY =
  "The directory was listed, and it holds what is needed. Nothing was changed so far.";

/** All of them. */
export const CACHE_SCENARIOS: readonly CacheScenario[] = [
  {
    name: "a turn",
    files: { "a.txt": "a\n" },
    replies: [
      ls("a"),
      {
        thinking: "\n Both of them? \n\n",
        text: "Both, then.\n",
        calls: [
          { id: "b", name: "read", arguments: '{ "file_paths" :["a.txt"],  "limit": 1e1}' },
          { id: "c", name: "write", arguments: { content: "“ü” \\ \n\t", file_path: "b.txt" } },
        ],
      },
      { thinking: "All done", text: "\n\nDone.  \n" },
      said("Welcome."),
    ],
    async run(place) {
      await print(place, "go");
      await print(place, "--continue", "thanks");
    },
  },
  {
    name: "--continue, with other notes and another branch, and a file attached",
    files: { "a.txt": "a\n" },
    replies: [ls("a"), said("One."), ls("b"), said("Two."), said("Three.")],
    async run(place) {
      await Deno.mkdir(join(place.dir, ".git"));
      await place.write(".git/HEAD", "ref: refs/heads/first\n");
      await print(place, "--trust-project", "one");
      await place.write(".git/HEAD", "ref: refs/heads/second\n");
      await place.write("ALLY.md", "Be brief.\n");
      await print(place, "--trust-project", "--continue", "two");
      await print(place, "--trust-project", "--continue", "look at @a.txt");
    },
  },
  {
    name: "a sub-agent",
    replies: [
      call("agent", agents("look"), "a"),
      ls("b"),
      said("Looked."),
      ls("c"),
      said("Done."),
    ],
    run: (place) => print(place, "go"),
  },
  {
    name: "three sub-agents at once",
    replies: byContent([
      [
        "go",
        call("agent", agents("task one", "task two", "task three"), "a"),
        ls("b"),
        said("Done."),
      ],
      ...["task one", "task two", "task three"].map((task) =>
        [task, ls("c"), ls("d"), said("Looked.")] as const
      ),
    ]),
    requests: 12,
    agents: 4,
    run: (place) => print(place, "go"),
  },
  {
    name: "words typed while a turn runs",
    replies: [
      ls("a"),
      call("bash", { command: "until [ -e go ]; do sleep 0.1; done" }, "b"),
      ls("c"),
      said("Turned."),
    ],
    run: (place) =>
      atPrompt(place, async (session) => {
        await say(session, "begin", /Running…/);
        await say(session, "and the docs", /queued: and the docs/);
        await place.write("go", "");
        await session.shows(/Turned\.[^]*›$/);
      }),
  },
  {
    name: "an interrupted reply",
    replies: [ls("a"), { thinking: "Hm.", text: "Half of it", hang: true }, said("Whole.")],
    run: (place) =>
      atPrompt(place, async (session) => {
        await say(session, "begin", /Half of it/);
        await session.keys("C-c");
        await session.shows(/nterrupted[^]*›$/);
        await say(session, "go on", /Whole\.[^]*›$/);
      }),
  },
  {
    name: "a clean-up, which changes nothing before the user's next words",
    replies: [
      ls("a"),
      call("cleanup_tool_call", { tool_call_ids: ["a"], summary: "Nothing." }, "b"),
      ls("c"),
      said("One."),
      said("Two."),
    ],
    async run(place) {
      await print(place, "one");
      await print(place, "--continue", "two");
    },
    keeps: { 4: 3 },
  },
  {
    name: "/rewind, which leaves what was before",
    replies: [ls("a"), said("One."), ls("b"), said("Two."), said("Three.")],
    run: (place) =>
      atPrompt(place, async (session) => {
        await say(session, "one", /One\.[^]*›$/);
        await say(session, "two", /Two\.[^]*›$/);
        await say(session, "/rewind 1", /❯ No/);
        await session.keys("y");
        await session.shows(/› two$/);
        await say(session, " and three", /Three\.[^]*›$/);
      }),
    keeps: { 4: 5 },
  },
  {
    name: "/compact, which keeps the beginning",
    replies: [ls("a"), said("One."), said("Two."), said(SUMMARY), said("Three."), said("Four.")],
    run: (place) =>
      atPrompt(place, async (session) => {
        await say(session, "one", /One\.[^]*›$/);
        await say(session, "two", /Two\.[^]*›$/);
        await say(session, "/compact", /Compacted[^]*›$/);
        await say(session, "three", /Three\.[^]*›$/);
        await say(session, "four", /Four\.[^]*›$/);
      }),
    keeps: { 3: 4, 4: 1 },
  },
  {
    name: "a call rescued from the text, which goes back as a call",
    replies: [
      ls("a"),
      {
        thinking: "Now ls.",
        text: '[TOOL_CALLS][{"name": "ls", "arguments": {"file_path": "."}}]',
      },
      ls("b"),
      said("Done."),
    ],
    run: (place) => print(place, "go"),
    keeps: { 2: 4 },
  },
];
