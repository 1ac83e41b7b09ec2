/**
 * `models.json`: what is known of each model on each server, so that it need not be found out again. What
 * cannot be read counts as unknown, and what cannot be written is found out again: no run fails because of it.
 */
import type { ModelProfile, ServerFeatures } from "../core/endpoint.ts";
import { updateLocked } from "../lib/locked_file.ts";
import { isObject } from "../lib/schema.ts";
import { readJsonIfAny } from "./json_file.ts";

/** Models that are remembered; beyond that those checked longest ago are forgotten. */
const MAX_MODELS = 500;

/** Which model: the server's address without secrets, and its name there. */
export interface ModelKey {
  readonly endpoint: string;
  readonly model: string;
}

/** The profiles of one file. */
export class ModelProfiles {
  readonly #path: string;
  #known: Record<string, unknown> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** What is known of a model, if anything. */
  find(key: ModelKey): ModelProfile | undefined {
    const found = (this.#known ??= readAll(this.#path))[keyOf(key)];
    return isProfile(found) ? found : undefined;
  }

  /** Keeps what was found out; fields not named stay. Other processes' findings on other models stay too. */
  async update(key: ModelKey, found: Partial<ModelProfile>): Promise<void> {
    await updateLocked(this.#path, (path) => {
      const known = readAll(path);
      const before = known[keyOf(key)];
      const checked = new Date().toISOString();
      known[keyOf(key)] = { ...(isProfile(before) && before), ...found, checked };
      this.#known = keepNewest(known);
      return Promise.resolve(`${JSON.stringify(this.#known, null, 2)}\n`);
    });
  }
}

function readAll(path: string): Record<string, unknown> {
  const value = readJsonIfAny(path);
  return isObject(value) ? value : {};
}

function keyOf({ endpoint, model }: ModelKey): string {
  return `${endpoint} ${model}`;
}

/** Whether a value has the fields that are used, of the types that they must have. */
function isProfile(value: unknown): value is ModelProfile {
  if (!isObject(value) || typeof value.checked !== "string") return false;
  const { window, without, features } = value;
  const isWindow = window === undefined ||
    (isObject(window) && Number.isInteger(window.size) && Number(window.size) >= 1024);
  return isWindow && (without === undefined || Array.isArray(without)) &&
    (features === undefined || isServerFeatures(features));
}

/** Whether a value from a file is what a server has shown. */
export function isServerFeatures(value: unknown): value is ServerFeatures {
  if (!isObject(value) || typeof value.kind !== "string") return false;
  const areNames = (list: unknown) =>
    Array.isArray(list) && list.every((one) => typeof one === "string");
  return (value.slots === undefined || Number.isInteger(value.slots)) &&
    typeof value.lists_slots === "boolean" &&
    areNames(value.template_caps) && areNames(value.template_arguments);
}

function keepNewest(known: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(known).filter(([, value]) => isProfile(value));
  const time = (value: unknown) => isProfile(value) ? value.checked : "";
  return Object.fromEntries(
    entries.sort(([, a], [, b]) => time(b).localeCompare(time(a))).slice(0, MAX_MODELS),
  );
}
