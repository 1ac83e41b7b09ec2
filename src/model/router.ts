/**
 * One port to the models of all endpoints: a request goes to the endpoint that its model's name names, with
 * the key of that endpoint and no other. A client is made when its endpoint is first used.
 */
import type { Effort, Model } from "../core/model.ts";
import { createModel, type ModelOptions } from "./client.ts";

/** Where the requests for a model go. */
interface Destination {
  readonly options: ModelOptions;
  /** The model's name there. */
  readonly model: string;
  /** Whether it has to be asked for several calls in one reply. */
  readonly parallel: boolean;
  /** How much it is to think where the request does not say. */
  readonly effort: Effort | undefined;
}

/** Makes the port; `destinationOf` must give the same options for the same endpoint. */
export function routeModels(destinationOf: (model: string) => Destination): Model {
  const clients = new Map<string, Model>();
  return {
    reply(request, options) {
      const { options: endpoint, model, parallel, effort } = destinationOf(request.model);
      const key = JSON.stringify([endpoint.url, endpoint.apiKey, endpoint.headers]);
      const client = clients.get(key) ?? createModel(endpoint);
      clients.set(key, client);
      return client.reply(
        { ...request, effort: request.effort ?? effort, model, parallel },
        options,
      );
    },
  };
}
