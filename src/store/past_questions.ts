/**
 * The questions of today in one directory, read from the end of the log of decisions: what an answer would have
 * covered is counted by them.
 */
import { ACCESS_KINDS } from "../core/access.ts";
import type { PastQuestion } from "../core/decision.ts";
import type { Access } from "../core/permission.ts";
import type { Power } from "../core/sandbox.ts";
import { readLastLines } from "../lib/fs.ts";
import { parseJson } from "../lib/json_text.ts";
import { isObject } from "../lib/schema.ts";

/** Bytes of the log that are read, from its end. */
const MAX_BYTES = 512 * 1024;
/** The most questions that are counted. */
const MAX_QUESTIONS = 100;

/** Which questions are read. */
interface ReadOptions {
  /** Path of the log. */
  readonly path: string;
  /** Absolute directory in which they were asked. */
  readonly cwd: string;
  /** @default the time now */
  readonly now?: Date;
}

/** The questions that a person was asked today, at most the last hundred; none if the log cannot be read. */
export async function readPastQuestions(
  { path, cwd, now = new Date() }: ReadOptions,
): Promise<readonly PastQuestion[]> {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const lines = await readLastLines(path, { maxBytes: MAX_BYTES }).catch(() => []);
  return lines.filter((line) => line.includes('"asked":'))
    .flatMap((line) => parseQuestion(line, { cwd, since: midnight }))
    .slice(-MAX_QUESTIONS);
}

function parseQuestion(line: string, { cwd, since }: { cwd: string; since: Date }): PastQuestion[] {
  const entry = parseJson(line);
  // A line may be torn, or written by another version.
  if (!isObject(entry) || entry.cwd !== cwd || !(new Date(String(entry.time)) >= since)) return [];
  const { asked, decision } = entry;
  if (!Array.isArray(asked) || !asked.every(isAccess)) return [];
  const isExtreme = entry.class === "extreme";
  return [{
    accesses: isExtreme ? [] : asked,
    allowed: decision === "allow" || decision === "always",
  }];
}

function isAccess(value: unknown): value is Access {
  if (!isObject(value)) return false;
  const { kind, target, powers = [] } = value;
  return ACCESS_KINDS.some((one) => one === kind) && typeof target === "string" &&
    Array.isArray(powers) && powers.every((power): power is Power => typeof power === "string");
}
