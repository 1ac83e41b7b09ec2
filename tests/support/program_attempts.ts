/**
 * Attempts by files that somebody left for a person to use: a receipt, a session, settings. ally is started on them in a
 * world that is watched, and has to end by itself.
 */
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { makeWorld, OUTSIDE_TEXT, type World } from "./attempts.ts";
import { type Finished, type Place, runAlly, stage } from "./program.ts";

/** What is left, and what a person does with it. */
export interface ProgramAttempt {
  readonly name: string;
  /** Leaves it; what changes meanwhile does not count. */
  readonly prepare: (place: Place, world: World) => unknown;
  /** The command lines, one after the other. */
  readonly args: readonly (readonly string[])[];
  /** What the model answers. @default nothing but words */
  readonly replies?: (world: World) => readonly ScriptedReply[];
  /** What else is wrong with what came of it. @default nothing */
  readonly find?: (
    ended: readonly Finished[],
    at: { readonly place: Place; readonly world: World },
  ) => readonly string[] | Promise<readonly string[]>;
}

/** Milliseconds after which a run does not end any more. */
const PATIENCE = 60_000;

/** Runs attempts; every line of the result says which one got what. */
export async function runPrograms(attempts: readonly ProgramAttempt[]): Promise<string[]> {
  const escaped: string[] = [];
  for (const { name, prepare, args, replies, find } of attempts) {
    await using world = await makeWorld();
    await using at = await stage(replies?.(world) ?? []);
    const place: Place = {
      ...at.place,
      dir: world.dir,
      env: { ...at.place.env, HOME: world.home },
      read: (file) => Deno.readTextFile(`${world.dir}/${file}`),
      write: (file, text) => Deno.writeTextFile(`${world.dir}/${file}`, text),
    };
    await prepare(place, world);
    world.changes();
    const ended: Finished[] = [];
    const found: string[] = [];
    for (const line of args) {
      const one = await inTime(runAlly(place, { args: [...line] }));
      if (one === undefined) found.push(`ally ${line.join(" ")} does not end`);
      else ended.push(one);
    }
    if (OUTSIDE_TEXT.test(JSON.stringify(ended))) found.push("it says what is outside");
    const sent = at.server.requests.map(({ body }) => JSON.stringify(body)).join("\n");
    if (OUTSIDE_TEXT.test(sent)) found.push("the model was told what is outside");
    found.push(...world.changes(), ...world.connections());
    found.push(...await find?.(ended, { place, world }) ?? []);
    escaped.push(...found.map((what) => `${name}: ${what}`));
  }
  return escaped;
}

async function inTime<T>(run: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), PATIENCE);
  try {
    return await Promise.race([run, late]);
  } finally {
    clearTimeout(timer);
  }
}
