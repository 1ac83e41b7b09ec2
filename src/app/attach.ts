/**
 * Puts what a person names with `@path` behind their words: a file as the tool `read` would show it, so that it
 * may be changed afterwards, a directory as a list, a pattern as the files it matches. What cannot be read is
 * reported to the person and to the model.
 */
import type { EventBody } from "../core/event.ts";
import type { ImagePart } from "../core/image.ts";
import type { Files, ResolvedPath } from "../core/files.ts";
import { describeImage } from "../lib/file_type.ts";
import { didYouMean, findName, isSlip } from "../lib/names.ts";
import { plural } from "../lib/text.ts";
import type { Servers } from "../mcp/servers.ts";
import type { CallOutcome } from "../tools/call_outcome.ts";
import type { SchedulerDeps } from "../tools/scheduler.ts";
import { findMentions, type Mention } from "./mentions.ts";

/** Files of one pattern that are attached. */
const MAX_FILES = 20;
/** What `read` shows of a file that is no text, and of nothing beside it. */
const BINARY_NOTICE = /^=== [^\n]* ===\n\[Binary file [^\n]*\]$/;
const SENTENCE_END = /[.,;:!?]+$/;
const GLOB_PATTERN = /[*?]|\[.+\]|\{.+,.+\}/;

/** What attaching needs. */
export interface AttachOptions {
  readonly files: Files;
  /** Images that are no files, by the names that stand for them. */
  readonly held: ReadonlyMap<string, ImagePart>;
  /** The user's home directory, for `~`; "" if it is not known. */
  readonly home: string;
  /** Fits a text to what the window has left. */
  readonly fitToWindow: (text: string) => string;
  /** MCP servers, whose resources are named as `@server:uri`; undefined if there are none. */
  readonly servers: Pick<Servers, "isResource" | "readMentionedResources"> | undefined;
  /** Agents and skills, which are named with `@` too. */
  readonly otherNames: () => readonly string[];
  /** Reads what is attached; what its policy asks about, the person is asked about. */
  readonly scheduler: SchedulerDeps;
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** Gets notices of what was attached and what was not. */
  readonly emit: (body: EventBody) => void;
}

/** The result of one mention. */
interface Attachment {
  readonly name: string;
  readonly text: string;
  readonly failed: boolean;
  readonly images?: readonly ImagePart[];
}

/** A text with what it names behind it, and the images among that. @throws what the signal was aborted with */
export async function attachMentions(
  text: string,
  options: AttachOptions,
): Promise<{ readonly text: string; readonly images: readonly ImagePart[] }> {
  const parts: string[] = [];
  const images: ImagePart[] = [];
  for (const mention of findMentions(text)) {
    if (mention.paths.some((path) => options.servers?.isResource(path))) continue;
    const attached = await attachMention(mention, options);
    if (attached === undefined) continue;
    const { name, failed } = attached;
    if (failed) warn(`${name} is not attached: ${firstLine(attached.text)}`, options);
    else inform(`attached ${name} (${describeContent(attached)})`, options);
    images.push(...attached.images ?? []);
    parts.push(
      failed
        ? `[${name} could not be attached: ${attached.text}]`
        : `[Attached: ${name}]\n${options.fitToWindow(attached.text)}`,
    );
  }
  const resources = await options.servers?.readMentionedResources(text, options.signal) ?? [];
  const all = [text, ...parts, ...resources.map(options.fitToWindow)];
  return { text: all.join("\n\n"), images };
}

async function attachMention(
  mention: Mention,
  options: AttachOptions,
): Promise<Attachment | undefined> {
  const [image] = mention.paths.flatMap((name) => options.held.get(name) ?? []);
  if (image !== undefined) {
    const text = `[${describeImage(image)}]`;
    return { name: image.name, text, failed: false, images: [image] };
  }
  const found = await locate(mention, options);
  if (found === undefined) {
    const name = (mention.paths[0] ?? "").replace(SENTENCE_END, "");
    if (GLOB_PATTERN.test(name)) return await attachPattern(name, options);
    if (mention.isCertain) inform(`@${name} names no file, so it is sent as text`, options);
    else informOfName(mention, options);
    return undefined;
  }
  if ("refused" in found) return { name: found.name, text: found.refused, failed: true };
  const { path, kind, name } = found;
  const call = kind === "directory"
    ? ["ls", { file_path: path.absolute }] as const
    : ["read", { file_paths: [path.absolute], ...toReadRange(mention, name) }] as const;
  return toAttachment(path.display, await runTool(call, options));
}

/** A word behind an `@` may be any; one that leads the text, or is near to a name, was meant to name something. */
function informOfName({ paths, leads }: Mention, options: AttachOptions): void {
  const name = paths.at(-1) ?? "";
  const known = options.otherNames();
  if (!/^[a-z][\w-]*$/i.test(name) || findName(name, known) !== undefined) return;
  const near = known.filter((one) => isSlip(name, one)).map((one) => `@${one}`);
  if (!leads && near.length === 0) return;
  const what = `@${name} names no agent, skill or file, so it is sent as text`;
  inform(near.length === 0 ? what : `${what}. ${didYouMean(near)}`, options);
}

/** The lines that were asked for, unless the name as a whole is a file's. */
function toReadRange({ lines, paths }: Mention, name: string): Record<string, number> {
  if (lines === undefined || name === paths[0]) return {};
  return { offset: lines.first, limit: lines.last - lines.first + 1 };
}

type LocatedMention =
  | { readonly path: ResolvedPath; readonly kind: string; readonly name: string }
  | { readonly name: string; readonly refused: string };

/** The first of the meanings that is there. */
async function locate(
  { paths }: Mention,
  { files, home }: AttachOptions,
): Promise<LocatedMention | undefined> {
  for (const name of paths) {
    try {
      const path = await files.resolve(home === "" ? name : name.replace(/^~(?=\/)/, home));
      const info = await files.info(path);
      if (info !== undefined) return { path, kind: info.kind, name };
    } catch (error) {
      if (error instanceof Error && "kind" in error && error.kind === "security") {
        return { name, refused: error.message };
      }
    }
  }
  return undefined;
}

async function attachPattern(
  pattern: string,
  options: AttachOptions,
): Promise<Attachment | undefined> {
  const listed = await runTool(["glob", { pattern, limit: MAX_FILES }], options);
  const found = listed?.record.files;
  const names = Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
  if (names.length === 0) {
    inform(`@${pattern} matches no file, so it is sent as text`, options);
    return undefined;
  }
  const whole = await runTool(["read", { file_paths: names }], options);
  // What is too much together is named, for the model to choose from.
  if (whole?.result.ok) return toAttachment(pattern, whole);
  const list = names.join("\n");
  return { name: pattern, text: `Too much to show whole. It matches:\n${list}`, failed: false };
}

function toAttachment(name: string, outcome: CallOutcome | undefined): Attachment {
  if (outcome === undefined) return { name, text: "it was interrupted", failed: true };
  const { result, text } = outcome;
  if (result.ok) {
    return { name, text, failed: false, ...result.images && { images: result.images } };
  }
  const { message, suggestion } = result.error;
  return { name, text: [message, suggestion].filter(Boolean).join(" "), failed: true };
}

async function runTool(
  [name, input]: readonly [name: string, input: Readonly<Record<string, unknown>>],
  { scheduler, signal }: AttachOptions,
): Promise<CallOutcome | undefined> {
  const call = { id: "attached", name, arguments: JSON.stringify(input) };
  const deps = { ...scheduler, emit: () => {} };
  const { runCalls } = await import("../tools/scheduler.ts");
  const { results } = await runCalls([call], { deps, signal });
  signal.throwIfAborted();
  return results[0];
}

function inform(text: string, { emit }: AttachOptions): void {
  emit({ type: "notice", level: "info", text });
}

function warn(text: string, { emit }: AttachOptions): void {
  emit({ type: "notice", level: "warning", text });
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}

/** The images, else how many lines there are. */
function describeContent({ text, images = [] }: Attachment): string {
  if (BINARY_NOTICE.test(text)) return "binary: the model gets its name alone";
  return images.length === 0
    ? plural(countLines(text), "line")
    : images.map(describeImage).join("; ");
}

/** Lines of the content itself: what `read` puts around it does not count. */
function countLines(text: string): number {
  const lines = text.split("\n");
  const numbered = lines.filter((line) => /^ *\d+\t/.test(line));
  return (numbered.length > 0 ? numbered : lines).length;
}
