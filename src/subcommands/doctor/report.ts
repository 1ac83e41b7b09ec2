/**
 * What `ally doctor` found, as rows for people and as one object for programs.
 */
import type { ModelProfile } from "../../core/endpoint.ts";
import { stripControls } from "../../lib/text.ts";
import type { Theme } from "../../ui/theme.ts";
import { wrapProse } from "../../ui/wrap.ts";
import type { Guarantee } from "./guarantees.ts";

/** The result of one check. */
export interface Check {
  /** One word; programs tell checks apart by it. */
  readonly id: string;
  readonly status: "ok" | "warning" | "failed" | "skipped";
  /** What was found. */
  readonly detail: string;
  /** What else was found, in sentences for people. */
  readonly more?: readonly string[];
  /** How to fix it; programs read the field by this name. */
  readonly mend?: string | undefined;
}

/** All checks, and what was learnt of the model. */
interface DoctorReport {
  readonly endpoint: string;
  readonly server: string | undefined;
  readonly model: string | undefined;
  readonly checks: readonly Check[];
  /** What holds commands to each promise. */
  readonly guarantees: readonly Guarantee[];
  readonly profile: ModelProfile | undefined;
}

const NAME_WIDTH = 11;
const STYLES = { ok: "success", warning: "warning", failed: "error", skipped: "dim" } as const;

/** A check as lines: mark, name, what was found, and below it how to fix it. */
export function formatCheck(
  { id, status, detail, more = [], mend }: Check,
  { theme, columns }: { theme: Theme; columns: number },
): string[] {
  const { granted, failed, dot } = theme.glyphs;
  const mark = { ok: granted, warning: "!", failed, skipped: dot }[status];
  const indent = " ".repeat(columns < 60 ? 4 : NAME_WIDTH + 5);
  const room = Math.max(16, columns - indent.length - 1);
  const found = [detail, ...more].flatMap((text) => wrapProse(stripControls(text), room));
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

/** The report as JSON; `ok` is false if any check failed. */
export function reportJson({ checks, ...rest }: DoctorReport): string {
  const ok = checks.every(({ status }) => status !== "failed");
  const found = checks.map(({ more: _more, ...check }) => check);
  return JSON.stringify({ type: "doctor", ok, ...rest, checks: found }, null, 2);
}
