/**
 * The port through which tools read the web: one page at a time, by `GET`, without cookies, from addresses that were
 * judged.
 */

/** One page of the web as text. */
export interface WebPage {
  /** Where it was in the end, after redirects within the host. */
  readonly url: string;
  /** What it calls itself; absent if it does not. */
  readonly title?: string | undefined;
  /** Its media type, such as "text/html". */
  readonly type: string;
  /** Bytes that came, decompressed. */
  readonly bytes: number;
  /** Markdown where it was HTML, else as it came; nothing in it controls a terminal or is invisible. */
  readonly text: string;
  /** Whether its end was not read, because it is too large. */
  readonly cut: boolean;
}

/** Which state of a page will do. */
export interface WebAge {
  /** Whether it may be as it was read before, so that its parts fit together. @default it is asked for anew */
  readonly kept?: boolean | undefined;
}

/** How a page may be reached. */
export interface WebReach extends WebAge {
  /** Whether a host, as a URL writes it, or an address may be reached though it is not public. */
  readonly mayReach: (host: string) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** What reads the web for a run; the last pages are kept for as long as it lasts. */
export interface WebReader {
  /** Reads a page. @throws {ToolError} user: it cannot be reached or read; security: it leads to a private address */
  read(url: URL, reach: WebReach): Promise<WebPage>;
}

/** The web as one call reaches it. */
export interface Web {
  /** Reads a page. @throws {ToolError} security: its host was not judged with the call; else as `WebReader` */
  read(url: URL, age?: WebAge): Promise<WebPage>;
}
