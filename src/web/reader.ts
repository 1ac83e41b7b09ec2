/**
 * Reads pages for the calls of a run: follows redirects within a host, reads a bounded part of what comes, makes
 * Markdown of HTML, and keeps what it read, so that whoever goes on at an offset goes on in the same text.
 */
import { cutBefore, safeStart } from "../lib/excerpt.ts";
import { ToolError, WebStatusError } from "../core/errors.ts";
import type { WebPage, WebReach, WebReader } from "../core/web.ts";
import { boundBody } from "../lib/bounded_body.ts";
import { messageOf, stripControls } from "../lib/text.ts";
import type { ProcessEnv } from "../media/run_process.ts";
import { convertHtml } from "./html.ts";
import { type LookUp, requestPage, SYSTEM_LOOK_UP, type WebAnswer } from "./request.ts";

/** Redirects that are followed. Browsers follow 20, of which pages in use need 3. */
const MAX_REDIRECTS = 5;
/** Of a page so much is read, decompressed; what follows is left out. */
const MAX_BYTES = 2 * 1024 * 1024;
const LIMITS = { maxBytes: Infinity, idleMs: 15_000, totalMs: 60_000 };
/** Characters that are told of what a server says with an error. */
const MAX_ERROR_TEXT = 500;
/** Pages that are kept. */
const MAX_KEPT = 20;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HTML = /^(text\/html|application\/xhtml\+xml)$/;
const TEXT = /^text\/|[/+](json|xml|yaml|toml|javascript|ecmascript|x-sh|x-ndjson)$/;

/** Makes a reader; `userAgent` is what servers are told. */
export function createWebReader(
  { userAgent, env, lookUp = SYSTEM_LOOK_UP }: {
    userAgent: string;
    env: ProcessEnv;
    lookUp?: LookUp;
  },
): WebReader {
  const kept = new Map<string, WebPage>();
  const headers = {
    "user-agent": userAgent,
    accept: "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5",
    "accept-encoding": "gzip, deflate, br",
  };
  return {
    async read(url, reach) {
      const { href } = withoutFragment(url);
      const known = reach.kept ? kept.get(href) : undefined;
      if (known) return known;
      const page = await readPage(new URL(href), { ...reach, headers, lookUp, env });
      kept.delete(href);
      kept.set(href, page);
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      return page;
    },
  };
}

type Requesting = WebReach & {
  headers: Readonly<Record<string, string>>;
  lookUp: LookUp;
  env: ProcessEnv;
};

async function readPage(url: URL, options: Requesting): Promise<WebPage> {
  let at = url;
  for (let count = 0;; count++) {
    const answer = await requestPage(at, options);
    const location = REDIRECTS.has(answer.status) ? answer.headers["location"] : undefined;
    if (location === undefined) return await pageOf(answer, { url: at, ...options });
    await answer.body.cancel();
    if (count === MAX_REDIRECTS) {
      throw new ToolError(`${url.href} redirects more than ${MAX_REDIRECTS} times`, {
        kind: "user",
      });
    }
    at = nextOf(at, location);
  }
}

/** Where a redirect leads. @throws {ToolError} to another host, which has to be judged by itself */
function nextOf(from: URL, location: string): URL {
  const next = URL.parse(location, from);
  if (next === null || !/^https?:$/.test(next.protocol)) {
    throw new ToolError(`${from.href} redirects to no page of the web`, { kind: "user" });
  }
  const isUpgrade = from.protocol === "http:" && next.protocol === "https:" &&
    from.port === "" && next.port === "";
  if (next.hostname !== from.hostname || (next.origin !== from.origin && !isUpgrade)) {
    throw new ToolError(`${from.href} redirects to another host: ${next.href}`, {
      kind: "user",
      suggestion: "Fetch that address if you want what is there.",
    });
  }
  return withoutFragment(next);
}

function withoutFragment(url: URL): URL {
  const copy = new URL(url);
  copy.hash = "";
  return copy;
}

async function pageOf(
  answer: WebAnswer,
  { url, signal, env }: { url: URL; signal: AbortSignal; env: ProcessEnv },
): Promise<WebPage> {
  const [type = "", ...parameters] = (answer.headers["content-type"] || "text/plain").split(";")
    .map((part) => part.trim().toLowerCase());
  const isText = HTML.test(type) || TEXT.test(type);
  const { status } = answer;
  const isError = status >= 400;
  if (!isText) {
    await answer.body.cancel();
    if (isError) throw statusError(url, status, "");
    throw new ToolError(`${url.href} is no text but ${type}`, {
      kind: "user",
      suggestion: "Download it with a command if you need the file.",
    });
  }
  const { bytes, cut } = await readBeginning(answer.body, url);
  signal.throwIfAborted();
  const text = decode(bytes, { parameters, isHtml: HTML.test(type) });
  if (isError) throw statusError(url, status, HTML.test(type) ? "" : text);
  const page = HTML.test(type)
    ? await convertHtml(text, { url: url.href, signal, env })
    : { title: undefined, text };
  const words = stripControls(page.text);
  return {
    url: url.href,
    title: page.title,
    type,
    bytes: bytes.length,
    text: cut ? words.slice(0, cutBefore(words, words.length)) : words,
    cut,
  };
}

function statusError({ href }: URL, status: number, text: string): WebStatusError {
  const words = safeStart(stripControls(text).trim(), MAX_ERROR_TEXT);
  const said = words === "" ? "" : `: ${words}`;
  return new WebStatusError(`${href} answered with status ${status}${said}`, status);
}

/** The first bytes of a body. @throws {ToolError} it breaks off or comes too slowly */
async function readBeginning(
  body: WebAnswer["body"],
  url: URL,
): Promise<{ bytes: Uint8Array; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let room = MAX_BYTES;
  try {
    for await (const chunk of boundBody(body, LIMITS)) {
      chunks.push(chunk.subarray(0, room));
      room -= chunk.length;
      if (room < 0) break;
    }
  } catch (error) {
    const why = messageOf(error);
    throw new ToolError(`${url.href} was not read whole: ${why}`, { kind: "user", cause: error });
  }
  return { bytes: Buffer.concat(chunks), cut: room < 0 };
}

/**
 * Text in the encoding of its byte order mark, or that the server or the beginning of the page names, as browsers take
 * them: what hides in another encoding would be read by the model alone.
 */
function decode(
  bytes: Uint8Array,
  { parameters, isHtml }: { parameters: readonly string[]; isHtml: boolean },
): string {
  const named = markIn(bytes) ??
    parameters.map((one) => /^charset="?([^"]+)/.exec(one)?.[1]).find(Boolean) ??
    (isHtml ? charsetIn(bytes) : undefined) ?? spreadIn(bytes);
  try {
    return new TextDecoder(named).decode(bytes);
  } catch {
    // An encoding that nobody knows.
    return new TextDecoder().decode(bytes);
  }
}

/** What a byte order mark says. */
function markIn([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xef && b === 0xbb && c === 0xbf ? "utf-8" : undefined;
}

/** What a page says of its encoding within its first bytes, as browsers look for it. */
function charsetIn(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  const named = /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(head)?.[1];
  // Letters that say so are not in it.
  return named !== undefined && /^utf-?16/i.test(named) ? "utf-8" : named;
}

/** UTF-16 that nobody named: of Latin letters every other byte is NUL. */
function spreadIn(bytes: Uint8Array): string | undefined {
  const nulls = [0, 0];
  const head = bytes.subarray(0, 1024);
  for (const [at, byte] of head.entries()) if (byte === 0) nulls[at % 2]!++;
  const [even = 0, odd = 0] = nulls;
  if (Math.max(even, odd) < head.length / 4) return undefined;
  return even > odd ? "utf-16be" : "utf-16le";
}
