/**
 * `/model`: goes on with another model, of whichever endpoint. The interactive session calls it.
 */
import type { Composition } from "./app.ts";

/** Uses a model from the next request on, with its own window; returns its name as it is used here. */
export function useModel(name: string, { agent, models }: Composition): string {
  const model = models.nameOf(name);
  agent.configure({ model });
  agent.deps.budget.exchange(models.use(model));
  models.watch(model);
  return model;
}
