/** A page for people where an answer for programs was due: proxies and wrong addresses give one. */

/** Whether a body is a page for people. */
export function isHtml(body: string): boolean {
  return /^\s*<(!doctype html|html)/i.test(body);
}

/** What a page says, by its title; undefined if it is none. */
export function pageWords(body: string): string | undefined {
  if (!isHtml(body)) return undefined;
  const title = /<title[^>]*>([^<]{1,200})<\/title>/i.exec(body)?.[1]?.trim() ?? "";
  return title === "" ? "an HTML page" : `an HTML page, "${title}"`;
}
