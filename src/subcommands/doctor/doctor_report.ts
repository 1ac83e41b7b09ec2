/**
 * What `ally doctor` found, as rows for people and as one object for programs.
 */
import type { ModelProfile } from "../../core/endpoint.ts";
import { stripControls } from "../../lib/text.ts";
import type { Theme } from "../../ui/theme.ts";
import { wrapProse } from "../../ui/wrap.ts";

/** One thing looked at. */
export interface Check {
  /** One word; programs tell checks apart by it. */
  readonly id: string;
  readonly status: "ok" | "warning" | "failed" | "skipped";
  /** What was found. */
  readonly detail: string;
  /** What to do about it. */
  readonly mend?: string | undefined;
}

/** The whole of it. */
export interface DoctorReport {
  readonly endpoint: string;
  readonly server: string | undefined;
  readonly model: string | undefined;
  readonly checks: readonly Check[];
  readonly profile: ModelProfile | undefined;
}

const NAME_WIDTH = 11;
const STYLES = { ok: "success", warning: "warning", failed: "error", skipped: "dim" } as const;

/** A check as lines: mark, name, what was found, and the mend below it. */
export function formatCheck(
  { id, status, detail, mend }: Check,
  { theme, columns }: { theme: Theme; columns: number },
): string[] {
  const { granted, failed, dot } = theme.glyphs;
  const mark = { ok: granted, warning: "!", failed, skipped: dot }[status];
  const indent = " ".repeat(columns < 60 ? 4 : NAME_WIDTH + 5);
  const room = Math.max(16, columns - indent.length - 1);
  const found = wrapProse(stripControls(detail), room);
  const below = mend === undefined ? [] : wrapProse(stripControls(mend), room);
  const head = `${theme.paint(STYLES[status], mark)} ${id.padEnd(NAME_WIDTH)}`;
  const [first = "", ...rest] = found;
  const body = columns < 60 ? found : rest;
  return [
    columns < 60 ? `  ${head}`.trimEnd() : `  ${head} ${first}`.trimEnd(),
    ...body.map((line) => `${indent}${line}`),
    ...below.map((line) => `${indent}${theme.paint("accent", line)}`),
  ];
}

/** The object for programs; what `ok` sums up is whether nothing failed. */
export function reportJson({ checks, ...rest }: DoctorReport): string {
  const ok = checks.every(({ status }) => status !== "failed");
  return JSON.stringify({ type: "doctor", ok, ...rest, checks }, null, 2);
}
