/**
 * `/model`: goes on with another model, of whichever endpoint. The interactive session calls it.
 */
import type { App } from "./app.ts";

/** Uses a model from the next request on, with its own window; returns its name as it is used here. */
export function useModel(name: string, { current, models }: App): string {
  const model = models.qualifiedName(name);
  current.configure({ model });
  current.budget.changeWindow(models.use(model));
  models.refreshWindow(model);
  return model;
}
