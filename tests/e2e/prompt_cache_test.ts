/**
 * Nothing is read twice: whatever happens in a conversation, what a server computed for a request and its reply is what
 * the next request begins with. A template that strips old thinking does so at the user's next words, ally or not: there
 * the rule holds up to the turn that has ended.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import {
  messagesIn,
  renderMessages,
  renderReply,
  renderRequest,
  type TemplateKind,
} from "../support/chat_template.ts";
import { featuresOf } from "../support/server_features.ts";
import { runAlly, type Stage, stage } from "../support/program.ts";

const call = (name: string, args: Record<string, unknown>, id: string): ScriptedReply => ({
  thinking: `Now ${name}.\n`,
  calls: [{ id, name, arguments: args }],
});
const ls = (id: string) => call("ls", { file_path: "." }, id);
const said = (text: string): ScriptedReply => ({ thinking: `Say ${text}`, text });

interface Scenario {
  readonly name: string;
  /** In the order of the requests. */
  readonly replies: readonly ScriptedReply[];
  readonly run: (at: Stage) => Promise<unknown>;
  /** Call whose result reads otherwise from the user's next words on. */
  readonly cleaned?: string;
}

const print = ({ place }: Stage, ...args: string[]) => runAlly(place, { args: ["-p", ...args] });

const SCENARIOS: readonly Scenario[] = [
  {
    name: "a turn",
    replies: [ls("a"), call("read", { file_paths: ["a.txt"] }, "b"), said("Done.")],
    run: (at) => print(at, "go"),
  },
  {
    name: "--continue, with other notes and another branch, and a file attached",
    replies: [ls("a"), said("One."), ls("b"), said("Two."), said("Three.")],
    async run(at) {
      await Deno.mkdir(join(at.place.dir, ".git"));
      await at.place.write(".git/HEAD", "ref: refs/heads/first\n");
      await print(at, "--trust-project", "one");
      await at.place.write(".git/HEAD", "ref: refs/heads/second\n");
      await at.place.write("ALLY.md", "Be brief.\n");
      await print(at, "--trust-project", "--continue", "two");
      await print(at, "--trust-project", "--continue", "look at @a.txt");
    },
  },
  {
    name: "a sub-agent",
    replies: [
      call("agent", { agents: [{ task_prompt: "look" }] }, "a"),
      ls("b"),
      said("Looked."),
      ls("c"),
      said("Done."),
    ],
    run: (at) => print(at, "go"),
  },
  {
    name: "words typed while a turn runs",
    replies: [
      ls("a"),
      call("bash", { command: "until [ -e go ]; do sleep 0.1; done" }, "b"),
      ls("c"),
      said("Turned."),
    ],
    async run({ place }) {
      await using session = startInTerminal(place, { args: ["--allow-run"] });
      await session.shows(/›$/);
      await session.keys("-l", "begin");
      await session.keys("Enter");
      await session.shows(/Running…/);
      await session.keys("-l", "and the docs");
      await session.keys("Enter");
      await session.shows(/queued: and the docs/);
      await place.write("go", "");
      await session.shows(/Turned\.[^]*›$/);
    },
  },
  {
    name: "an interrupted reply",
    replies: [ls("a"), { thinking: "Hm.", text: "Half of it", hang: true }, said("Whole.")],
    async run({ place }) {
      await using session = startInTerminal(place);
      await session.shows(/›$/);
      await session.keys("-l", "begin");
      await session.keys("Enter");
      await session.shows(/Half of it/);
      await session.keys("C-c");
      await session.shows(/nterrupted[^]*›$/);
      await session.keys("-l", "go on");
      await session.keys("Enter");
      await session.shows(/Whole\.[^]*›$/);
    },
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
    async run(at) {
      await print(at, "one");
      await print(at, "--continue", "two");
    },
    cleaned: "a",
  },
];

for (const { name, replies, run, cleaned } of SCENARIOS) {
  for (const kind of ["strips", "keeps"] as const) {
    Deno.test(`what was computed is what the next request begins with: ${name}; a template that ${kind}`, async () => {
      await using at = await stage(replies, { "a.txt": "a\n" });
      await tellTemplate(at, kind);
      await run(at);
      const requests = at.server.requests.map(({ body }, index) => ({
        body,
        reply: replies[index]!,
      }));
      assert.equal(requests.length, replies.length);
      const agents = Map.groupBy(
        requests,
        ({ body }) => messagesIn(body)[0]!.content.includes("You work as the agent"),
      );
      for (const ofOne of agents.values()) {
        for (const [index, { body: next }] of ofOne.slice(1).entries()) {
          assertGoesOn(ofOne[index]!, { next, kind, cleaned });
        }
      }
    });
  }
}

function assertGoesOn(
  { body, reply }: { body: Record<string, unknown>; reply: ScriptedReply },
  { next, kind, cleaned }: {
    next: Record<string, unknown>;
    kind: TemplateKind;
    cleaned: string | undefined;
  },
): void {
  const words = (one: Record<string, unknown>) =>
    messagesIn(one).findLastIndex(({ role }) => role === "user");
  const isNewTurn = words(next) !== words(body);
  const changed = messagesIn(body).findIndex((one) =>
    "tool_call_id" in one && one.tool_call_id === cleaned
  );
  const computed = isNewTurn && cleaned !== undefined
    ? renderMessages(body, { kind, count: kind === "keeps" ? changed : words(body) + 1 })
    : isNewTurn && kind === "strips"
    ? renderMessages(body, { kind, count: words(body) + 1 })
    : renderRequest(body, kind) + renderReply(reply);
  const now = renderRequest(next, kind);
  assert.equal(now.slice(0, computed.length), computed);
}

/** What llama-server would say of its template. */
async function tellTemplate({ server, place }: Stage, kind: TemplateKind): Promise<void> {
  const profile = {
    checked: new Date().toISOString(),
    features: featuresOf({ keepsReasoning: kind === "keeps" }),
  };
  await Deno.mkdir(place.home, { recursive: true });
  const known = { [`${server.url} scripted`]: profile };
  await Deno.writeTextFile(join(place.home, "models.json"), JSON.stringify(known));
}
