/**
 * One turn of the whole program in this process, with a test in place of the person at the terminal.
 */
import { compose } from "../../src/app/compose.ts";
import { parseArguments } from "../../src/cli/args.ts";
import type { Event } from "../../src/core/event.ts";
import type { Answer, PermissionRequest } from "../../src/core/permission.ts";
import { createMemoryIo } from "./memory_io.ts";
import type { Place } from "./program.ts";

/** What a turn with answers came to. */
export interface Answered {
  readonly reason: string;
  readonly questions: readonly PermissionRequest[];
  readonly events: readonly Event[];
}

/** Runs one prompt in a place, answering every question the same. */
export async function answerAll(
  place: Place,
  { answer, args = [] }: { answer: Answer; args?: readonly string[] },
): Promise<Answered> {
  const invocation = await parseArguments([...args, "go on"], { cwd: place.dir });
  if (invocation.kind !== "run") throw new Error("these are not the arguments of a run");
  const questions: PermissionRequest[] = [];
  const events: Event[] = [];
  const app = await compose(invocation.options, {
    sink: (event) => events.push(event),
    ask(requests) {
      questions.push(...requests);
      return Promise.resolve(requests.map(() => answer));
    },
    interactive: true,
    io: createMemoryIo({ env: place.env, cwd: place.dir }),
  });
  try {
    const { reason } = await app.agent.run(invocation.options.prompt);
    return { reason, questions, events };
  } finally {
    await app.stopTasks();
    app.close();
  }
}
