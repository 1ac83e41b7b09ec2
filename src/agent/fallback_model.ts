/**
 * Another model that takes over where the server of the first one is overloaded or fails for good: for the rest of the
 * turn, in its requests and compactions. The next turn begins with the first one again.
 */
import { EndpointError } from "../core/errors.ts";
import { withoutReasoning } from "../core/message.ts";
import type { Model } from "../core/model.ts";
import type { TurnDeps } from "./turn_deps.ts";

/** Runs a turn, with parts whose model is replaced by `fallback` once it has to be. */
export async function runWithFallback<T>(
  { deps, fallback }: { deps: TurnDeps; fallback: string },
  run: (deps: TurnDeps) => Promise<T>,
): Promise<T> {
  const { budget, conversation, scheduler, windowOf } = deps;
  const { size } = budget;
  const first = deps.settings;
  let settings = first;
  const takeOver = async ({ status }: EndpointError) => {
    settings = { ...first, model: fallback };
    const why = status === undefined ? "" : ` (${status})`;
    scheduler.emit({
      type: "notice",
      level: "warning",
      text: `${fallback} takes over for the rest of this turn: ` +
        `the server of ${first.model} keeps failing${why}`,
      fallback_model: fallback,
    });
    // Its own window is not worth failing for.
    budget.changeWindow(await windowOf?.(fallback).catch(() => undefined) ?? size);
    // What another model thought is nothing to this one.
    if (await conversation.dropReasoning()) budget.recount(conversation.messages);
  };
  const model: Model = {
    async reply(request, options) {
      try {
        return await deps.model.reply(request, options);
      } catch (error) {
        const isOverloaded = error instanceof EndpointError && error.kind === "overloaded";
        if (!isOverloaded || settings !== first) throw error;
        await takeOver(error);
        options.onDelta({ kind: "restart" });
        const messages = withoutReasoning(request.messages);
        return await deps.model.reply({ ...request, model: fallback, messages }, options);
      }
    },
  };
  try {
    return await run({
      ...deps,
      model,
      get settings() {
        return settings;
      },
    });
  } finally {
    if (settings !== first) budget.changeWindow(size);
  }
}
