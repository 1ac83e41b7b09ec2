/**
 * The process behind `html.ts`: takes what a person would not see out of a page, finds what it is about, and writes
 * that as Markdown.
 */
/// <reference lib="dom" />
import { gfm } from "@joplin/turndown-plugin-gfm";
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import Turndown from "turndown";
import { serveJob } from "../media/serve_job.ts";
import type { ConvertedPage, HtmlToConvert } from "./html.ts";
import { flatten, markPreformatted, removeHidden, resolveLinks } from "./visible.ts";

/** A part of a page that is shorter is not what the page is about: then all of it is taken. */
const MIN_CHARACTERS = 200;

function convert({ html, url }: HtmlToConvert): ConvertedPage {
  const { document } = parseHTML(withBody(html));
  flatten(document);
  const title = document.querySelector("title")?.textContent?.trim();
  removeHidden(document);
  resolveLinks(document, url);
  markPreformatted(document);
  const whole = document.body.innerHTML;
  const article = new Readability(document, { keepClasses: true }).parse();
  const isWhole = (article?.textContent?.trim().length ?? 0) < MIN_CHARACTERS;
  const markdown = new Turndown({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
  });
  markdown.use(gfm);
  return { title, text: markdown.turndown(isWhole ? whole : article?.content ?? "") };
}

/** The same page with the elements around its content, which may be left out and which the parser does not add. */
function withBody(html: string): string {
  if (/<html[\s>]/i.test(html) && /<body[\s>]/i.test(html)) return html;
  const content = html.replace(/<!doctype[^>]*>|<\/?(?:html|head|body)(?:\s[^>]*)?>/gi, "");
  return `<!doctype html><html><head></head><body>${content}</body></html>`;
}

// This module is the entry of a process of its own, or of a worker: others import its types only.
await serveJob((job: HtmlToConvert) => new Promise<ConvertedPage>((done) => done(convert(job))));
