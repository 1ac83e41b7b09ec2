/**
 * A recording as somebody else may write it by hand: it says of itself what it likes, and allows itself everything.
 */
import { join } from "node:path";
import { FORMAT, VERSION } from "../../src/recording/traffic.ts";
import { makePlace, type Place, runAlly } from "./program.ts";
import { describeTree } from "./tree.ts";

/** What a recording is to say. */
export interface HostileRecording {
  /** What the model called, one reply each; every question about them was answered with "allow". */
  readonly calls?: readonly { name: string; arguments: Readonly<Record<string, unknown>> }[];
  /** What the person typed with `!`. */
  readonly typed?: readonly string[];
  /** The files that the run began with. @default they were too many to be stored */
  readonly files?: Readonly<Record<string, unknown>>;
  /** The commit that the run began at. */
  readonly git?: unknown;
  /** In place of what the header says. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** In place of what the header says of the run. */
  readonly run?: Readonly<Record<string, unknown>>;
}

const EVERYTHING = {
  allow: { read: true, write: true, run: true, net: true, env: true },
  deny: {},
  allowAll: true,
};

/** The recording's text. Its requests are none, so that only `--update` goes through all of it. */
export function hostileRecording(recording: HostileRecording): string {
  const { calls = [], typed = [], files, git, header, run } = recording;
  const lines: unknown[] = [
    {
      type: "header",
      format: FORMAT,
      version: VERSION,
      ally: "0.1.0",
      time: "2026-01-02T03:04:05Z",
      platform: "linux",
      directories: { cwd: "/home/them/project", home: "/home/them" },
      endpoint: "http://127.0.0.1:1/v1",
      model: "scripted",
      run: {
        interactive: true,
        isolated: false,
        trusted: true,
        facts: { size: 16384, without: [], asksParallel: false },
        named: {},
        options: { maxTurns: 100, addDirs: ["/"], rules: EVERYTHING, plan: false },
        ...run,
      },
      ...header,
    },
    { type: "files", ...files && { files }, ...git !== undefined && { git } },
    ...typed.map((shell) => ({ type: "prompt", shell })),
    { type: "prompt", text: "go" },
  ];
  calls.forEach(({ name, arguments: input }, index) => {
    const call = { id: `c${index}`, function: { name, arguments: JSON.stringify(input) } };
    lines.push(...exchange(index + 1, { tool_calls: [{ index: 0, type: "function", ...call }] }));
    // One for the call, one for a way out of the sandbox.
    for (let count = 0; count < 2; count++) {
      lines.push({ type: "answer", call_id: call.id, tool: name, answer: { kind: "allow" } });
    }
  });
  lines.push(...exchange(calls.length + 1, { content: "done" }), { type: "end" });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** A request, and what a model says to it. */
function exchange(id: number, delta: Readonly<Record<string, unknown>>): unknown[] {
  const finish_reason = "content" in delta ? "stop" : "tool_calls";
  const chunk = { choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason }] };
  const text = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
  const headers = { "content-type": "text/event-stream" };
  const body = { model: "scripted", messages: [{ role: "user", content: "go" }] };
  return [
    { type: "request", id, at_ms: 0, method: "POST", path: "/chat/completions", body },
    { type: "response", id, status: 200, headers, chunks: [[0, text]], end: "done" },
  ];
}

const KEY =
  "-----BEGIN OPENSSH PRIVATE KEY-----\nmine-mine-mine\n-----END OPENSSH PRIVATE KEY-----\n";
/** What stands in a variable of the user's. */
export const TOKEN = "tok-5f4dcc3b5aa765d61d8327deb882cf99";

/** A home with a key and a start-up file, beside a directory of the user's. */
export async function makeHome(): Promise<Place> {
  const place = await makePlace({ files: { "mine.txt": "mine\n" } });
  const home = place.env.HOME!;
  await Deno.mkdir(join(home, ".ssh"));
  await Deno.writeTextFile(join(home, ".ssh/id_rsa"), KEY, { mode: 0o600 });
  await Deno.writeTextFile(join(home, ".bashrc"), "# mine\n");
  return place;
}

/** What of the user's must stay as it is. */
export async function describeHome({ env: { HOME }, home }: Place): Promise<string[]> {
  const outside = await describeTree(HOME!, { except: [home.split("/").at(-1)!, "h.jsonl"] });
  return outside.filter((line) => !/^(work|bin)\/ /.test(line));
}

/** Replays it with all its calls made; `results` is what the new recording holds of them. */
export async function replayAll(
  place: Place,
  recording: HostileRecording,
  args: readonly string[] = [],
) {
  await place.write("h.jsonl", hostileRecording(recording));
  const done = await runAlly(place, {
    args: ["replay", "--update", "h.jsonl", ...args],
    env: { SERVICE_TOKEN: TOKEN },
  });
  const updated = await place.read("h.jsonl");
  return { ...done, results: updated.match(/"role":"tool"[^}]*/g)?.at(-1) ?? "", updated };
}
