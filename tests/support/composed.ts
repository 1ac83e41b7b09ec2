/**
 * The whole program but for its command line and its screen, composed in this process over a scripted server:
 * for tables of many runs. `program.ts` runs it as a user does.
 */
import type { TurnSummary } from "../../src/agent/turn_deps.ts";
import type { App } from "../../src/app/app.ts";
import { compose } from "../../src/app/compose.ts";
import { parseArguments } from "../../src/cli/args.ts";
import type { Event } from "../../src/core/event.ts";
import type { ReplyFunction, ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { type ScriptedServer, startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { createMemoryIo } from "./memory_io.ts";
import { makePlace, type Place } from "./program.ts";

export interface Composed extends AsyncDisposable {
  readonly composition: App;
  readonly server: ScriptedServer;
  readonly place: Place;
  readonly events: Event[];
}

/** Starts a server with a script, and ally on it with the flags given. */
export async function composed(options: {
  readonly replies: readonly (ScriptedReply | ReplyFunction)[];
  readonly files?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly config?: Readonly<Record<string, unknown>>;
}): Promise<Composed> {
  const server = await startScriptedServer({ replies: options.replies, models: ["scripted"] });
  const place = await makePlace({ endpoint: server.url, files: options.files ?? {} });
  if (options.config) {
    await Deno.mkdir(place.home, { recursive: true });
    await Deno.writeTextFile(`${place.home}/config.json`, JSON.stringify(options.config));
  }
  const invocation = await parseArguments(["-p", ...options.flags ?? [], "go"], { cwd: place.dir });
  if (invocation.kind !== "run") throw new Error("Cannot compose: the flags ask for no run");
  const events: Event[] = [];
  const app = await compose(invocation.options, {
    sink: (event) => events.push(event),
    ask: (requests) => Promise.resolve(requests.map(() => ({ kind: "deny" }))),
    interactive: false,
    io: createMemoryIo({ env: place.env, cwd: place.dir }),
  });
  return {
    composition: app,
    server,
    place,
    events,
    async [Symbol.asyncDispose]() {
      await app.stopTasks();
      app.close();
      await server.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Runs one turn. */
export async function runComposed(composed: Composed, prompt = "go"): Promise<TurnSummary> {
  return await composed.composition.agent.run(prompt);
}
