/**
 * HTML as Markdown, made in a process without any permission: a page made to keep a parser busy is given up, and one
 * that found a mistake in a parser would have got nowhere.
 */
import { ToolError } from "../core/errors.ts";
import { messageOf } from "../lib/text.ts";
import { runJob } from "../media/run_job.ts";
import { type ProcessEnv, runProcessJob } from "../media/run_process.ts";

/** What a page says. */
export interface ConvertedPage {
  readonly title: string | undefined;
  /** Markdown. */
  readonly text: string;
}

/** A page to convert. */
export interface HtmlToConvert {
  readonly html: string;
  /** What its links are relative to. */
  readonly url: string;
}

/** What one page may take; one of 2 MiB takes 2 seconds and 300 MB. */
const LIMITS = { timeMs: 20_000, memory: 1_000_000_000 };

/** Converts a page. @throws {ToolError} it cannot be converted, or takes more than it may */
export async function convertHtml(
  html: string,
  { url, signal, env }: { url: string; signal: AbortSignal; env: ProcessEnv },
): Promise<ConvertedPage> {
  const options = { job: { html, url } satisfies HtmlToConvert, limits: LIMITS, signal, env };
  try {
    // A run that may start no process gives up the surer way to end what takes too long.
    return await mayRun()
      ? await runProcessJob<HtmlToConvert, ConvertedPage>("html_worker.js", options)
      : await runJob<HtmlToConvert, ConvertedPage>("html_worker.js", options);
  } catch (error) {
    signal.throwIfAborted();
    throw new ToolError(`${url} cannot be made into text: ${messageOf(error)}`, {
      kind: "user",
      cause: error,
    });
  }
}

async function mayRun(): Promise<boolean> {
  return (await Deno.permissions.query({ name: "run" })).state === "granted";
}
