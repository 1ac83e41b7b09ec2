/**
 * An exported conversation in a browser: that it is no wider than a narrow screen, whatever words it holds. Without
 * Chromium there is nothing to try.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { has } from "../support/faults.ts";
import { runAlly, stage } from "../support/program.ts";

const WIDTH = 360;
const LONG = "a_very_long_word_without_any_blank_in_it_which_does_not_break_by_itself_at_all";

/** A page that shows a document as wide as a telephone, unfolded, and says how wide it wants to be. */
function measuringPage(html: string): string {
  const unfolded = html.replaceAll("<details", "<details open");
  const source = unfolded.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<!doctype html><meta charset="utf-8"><title>wait</title>
<iframe width="${WIDTH}" height="600" style="border:0" srcdoc="${source}"></iframe>
<script>
onload = () => {
  const { contentDocument: inner } = document.querySelector("iframe");
  const { scrollWidth } = inner.documentElement;
  const { color, backgroundColor } = getComputedStyle(inner.body);
  document.title = [scrollWidth, color, backgroundColor].join("|");
};
</script>`;
}

Deno.test({
  name: "an exported conversation fits a screen of 360 pixels, with everything unfolded",
  ignore: !has("chromium", "--version"),
  async fn() {
    await using at = await stage([
      {
        thinking: `I look first. ${LONG}`,
        calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }],
      },
      {
        calls: [{
          name: "edit",
          arguments: { file_path: "a.txt", old_string: "one", new_string: LONG },
        }],
      },
      { calls: [{ name: "bash", arguments: { command: `echo ${LONG}; exit 3` } }] },
      {
        text: `# ${LONG}\n\n| a | b | c |\n| - | - | - |\n| ${LONG} | ${LONG} | x |\n\n    ${LONG}`,
      },
    ], { "a.txt": "one\n" });
    const { place } = at;
    await runAlly(place, { args: ["-p", "-A", `change a.txt ${LONG}`] });
    const done = await runAlly(place, { args: ["sessions", "export", "last", "talk.html"] });
    assert.equal(done.code, 0, done.stderr);
    await place.write("page.html", measuringPage(await place.read("talk.html")));
    const { stdout } = await new Deno.Command("chromium", {
      args: [
        ...["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"],
        ...[`--user-data-dir=${join(place.home, "chromium")}`, "--dump-dom"],
        `file://${join(place.dir, "page.html")}`,
      ],
      stderr: "null",
    }).output();
    const title = /<title>(.*?)<\/title>/.exec(new TextDecoder().decode(stdout))?.[1];
    const [width, color, background] = title?.split("|") ?? [];
    assert.ok(Number(width) <= WIDTH, `it wants ${title}`);
    assert.notEqual(color, background);
  },
});
