/**
 * `slot.json` of a project: which session's slot a llama-server has written to a file, and what the slot was then.
 */
import { join } from "node:path";
import { updateLocked } from "../lib/locked_file.ts";
import { isObject } from "../lib/schema.ts";
import { readJsonIfAny } from "./json_file.ts";

/** A slot that was written to a file. */
export interface KeptSlot {
  readonly session: string;
  /** The server's address without secrets. */
  readonly endpoint: string;
  readonly model: string;
  readonly slot: number;
  /** Number of the slot's last task: while it is the same, nothing else has been read into the slot. */
  readonly task?: number;
}

/** What is noted in a project's folder; undefined if there is nothing that can be used. */
export function readKeptSlot(directory: string): KeptSlot | undefined {
  const value = readJsonIfAny(join(directory, "slot.json"));
  return isKeptSlot(value) ? value : undefined;
}

/** Notes it in place of what was noted before. @throws {Error} it cannot be written */
export async function writeKeptSlot(directory: string, kept: KeptSlot): Promise<void> {
  const text = `${JSON.stringify(kept)}\n`;
  await updateLocked(join(directory, "slot.json"), () => Promise.resolve(text));
}

function isKeptSlot(value: unknown): value is KeptSlot {
  return isObject(value) && Number.isInteger(value.slot) &&
    [value.session, value.endpoint, value.model].every((one) => typeof one === "string") &&
    (value.task === undefined || Number.isInteger(value.task));
}
