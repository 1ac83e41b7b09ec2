/**
 * That there are only two ways out: what is text loses its control sequences on both, and what may hold them
 * is written by few files alone.
 */
import assert from "node:assert/strict";
import { jsonLine } from "../../src/lib/text.ts";
import { escapeControls, onlyStyles } from "../../src/ui/safe_text.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { EVIL, found } from "../support/evil.ts";
import { dirname, fromFileUrl, join, relative, walkFiles } from "../support/source_tree.ts";

const ROOT = join(dirname(fromFileUrl(import.meta.url)), "..", "..");

function users(pattern: RegExp): string[] {
  return walkFiles(ROOT, ["src", "plugins", "main.ts"])
    .filter((path) => path.endsWith(".ts") && pattern.test(Deno.readTextFileSync(path)))
    .map((path) => relative(ROOT, path));
}

Deno.test("control sequences are written by few files, and standard streams by few", () => {
  assert.deepEqual(users(/\.control\(/), [
    "src/ui/clipboard.ts",
    "src/ui/flow_region.ts",
    "src/ui/live_region.ts",
    "src/ui/terminal.ts",
    "src/ui/terminal_signals.ts",
  ]);
  assert.deepEqual(users(/\bterminal\.ask\(/i), ["src/ui/background.ts"]);
  assert.deepEqual(users(/Deno\.(?:stdout|stderr)/), [
    "src/app/system_io.ts",
    // A process of its own, which answers there.
    "src/media/serve_job.ts",
  ]);
  assert.deepEqual(users(/\b(?:stdout|stderr|stream)\.writeSync\(/), [
    "src/app/standard_streams.ts",
    // The process of a plugin, which has streams of its own.
    "src/plugin_host/child/main.ts",
    "src/subcommands/plugin/standalone_process.ts",
    "src/ui/terminal.ts",
  ]);
});

Deno.test("onlyStyles() keeps all that a theme draws and nothing else", () => {
  for (const depth of ["basic", "256", "truecolor"] as const) {
    const theme = createTheme({ depth });
    const drawn = [
      theme.paint("bold", "a"),
      theme.paint("dim", theme.paint("strike", "b")),
      theme.paint("error", theme.paint("underline", "c")),
      theme.paintChange("added", "d"),
      theme.paintChange("removed", "e\tf\n"),
    ].join("");
    assert.equal(onlyStyles(drawn), drawn);
  }
  assert.deepEqual(found(onlyStyles(EVIL)), []);
});

Deno.test("escapeControls() hides nothing and leaves emoji and other scripts alone", () => {
  const text = "👩‍👩‍👧 naïve 日本語 שלום\tend\n";
  assert.equal(escapeControls(text), text);
  assert.deepEqual(found(escapeControls(EVIL)), []);
  assert.match(escapeControls("a\u200bb\u202ec\rd"), /^a\\u200bb\\u202ec\\x0dd$/);
  assert.equal(escapeControls("é", { ascii: true }), "\\xe9");
});

Deno.test("jsonLine() is read back as it was, and controls no terminal", () => {
  assert.equal(JSON.parse(jsonLine(EVIL)), EVIL);
  assert.deepEqual(found(jsonLine({ [EVIL]: EVIL })), []);
});
