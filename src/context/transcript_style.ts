/**
 * How an exported conversation looks: readable from 360 pixels on, light and dark as the reader's system is.
 */

/** The sheet; it loads nothing. */
export const TRANSCRIPT_STYLE = `
:root {
  color-scheme: light dark;
  --text: #1f2328; --faint: #59636e; --back: #ffffff; --soft: #f6f8fa; --line: #d1d9e0;
  --user: #0969da; --good: #1a7f37; --bad: #cf222e;
  --add: #dafbe1; --remove: #ffebe9; --gap: #ddf4ff;
  --keyword: #cf222e; --string: #0a3069; --number: #0550ae; --name: #6639ba; --type: #953800;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6edf3; --faint: #9198a1; --back: #0d1117; --soft: #151b23; --line: #3d444d;
    --user: #4493f8; --good: #3fb950; --bad: #f85149;
    --add: #12361f; --remove: #4b1a1d; --gap: #10233c;
    --keyword: #ff7b72; --string: #a5d6ff; --number: #79c0ff; --name: #d2a8ff; --type: #ffa657;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--back); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: anywhere;
}
main { max-width: 54rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0.5rem 0; }
h2 { font-size: 0.8rem; letter-spacing: 0.04em; color: var(--faint); margin: 0 0 0.35rem; }
header { border-bottom: 1px solid var(--line); margin-bottom: 1rem; padding-bottom: 0.75rem; }
header ul { margin: 0; padding: 0; list-style: none; color: var(--faint); font-size: 0.875rem; }
section { margin: 1.25rem 0; }
section.user { border-left: 3px solid var(--user); padding-left: 0.75rem; }
section.user h2 { color: var(--user); }
.words { white-space: pre-wrap; margin: 0; }
pre, code { font: 0.8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { background: var(--soft); border-radius: 4px; padding: 0.1em 0.3em; }
pre {
  background: var(--soft); border: 1px solid var(--line); border-radius: 6px;
  margin: 0.5rem 0; padding: 0.6rem 0.75rem; overflow-x: auto; overflow-wrap: normal;
}
pre code { background: none; padding: 0; }
table { border-collapse: collapse; display: block; max-width: 100%; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.6rem; overflow-wrap: normal; }
blockquote { border-left: 3px solid var(--line); color: var(--faint); margin: 0; padding-left: 0.75rem; }
a { color: var(--user); }
details { border: 1px solid var(--line); border-radius: 6px; margin: 0.5rem 0; padding: 0 0.75rem; }
details[open] { padding-bottom: 0.25rem; }
summary { cursor: pointer; margin: 0 -0.75rem; padding: 0.35rem 0.75rem; font-size: 0.875rem; }
summary small, footer { color: var(--faint); }
summary b { font-weight: 600; }
.done summary b { color: var(--good); }
.failed summary b { color: var(--bad); }
.diff span { display: inline-block; min-width: 100%; }
.diff .added { background: var(--add); }
.diff .removed { background: var(--remove); }
.diff .gap { background: var(--gap); color: var(--faint); }
figure { margin: 0.5rem 0; }
figure img { display: block; max-width: 100%; max-height: 20rem; border-radius: 6px; }
figcaption { color: var(--faint); font-size: 0.8125rem; }
footer { font-size: 0.8125rem; margin-top: 0.5rem; }
.hljs-comment, .hljs-quote { color: var(--faint); font-style: italic; }
.hljs-keyword, .hljs-literal, .hljs-selector-tag, .hljs-meta, .hljs-built_in { color: var(--keyword); }
.hljs-string, .hljs-regexp, .hljs-symbol, .hljs-addition { color: var(--string); }
.hljs-number, .hljs-bullet, .hljs-attr, .hljs-attribute { color: var(--number); }
.hljs-title, .hljs-section, .hljs-name { color: var(--name); }
.hljs-type, .hljs-variable, .hljs-template-variable, .hljs-params { color: var(--type); }
.hljs-deletion { color: var(--bad); }
.hljs-strong { font-weight: 600; }
.hljs-emphasis { font-style: italic; }
@media print { details { break-inside: avoid; } }
`;
