/**
 * Images at the prompt: dropped files and the clipboard.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { makePng } from "../support/images.ts";
import { type Stage, stage } from "../support/program.ts";

const SHOT = makePng({ width: 40, height: 30 });
const SHOT_URL = `data:image/png;base64,${SHOT.toBase64()}`;

/** The data URLs of a request. */
function urlsIn(at: Stage, request = 0): string[] {
  const text = JSON.stringify(at.server.requests[request]!.body);
  return [...text.matchAll(/"url":"(data:[^"]*)"/g)].map(([, url = ""]) => url);
}

Deno.test("an image named at the prompt is attached, said to be one, and sent", async () => {
  await using at = await stage([{ text: "Seen." }]);
  await Deno.mkdir(join(at.place.dir, "img"));
  await Deno.writeFile(join(at.place.dir, "img", "shot.png"), SHOT);
  await using session = startInTerminal(at.place);
  await session.shows(/›$/);
  await session.keys("-l", "what is in @img/shot.png ?");
  await session.keys("Enter");
  await session.shows(/attached img\/shot\.png \(PNG image, 40x30, 516 B\)[^]*Seen\.[^]*›$/);
  assert.deepEqual(urlsIn(at), [SHOT_URL]);
});

Deno.test("a file dropped on the terminal is attached; Ctrl+_ gives its path back", async () => {
  await using at = await stage([{ text: "Seen." }]);
  const path = join(at.place.dir, "my shot.png");
  await Deno.writeFile(path, SHOT);
  await using session = startInTerminal(at.place, { columns: 200 });
  await session.shows(/›$/);
  await session.keys("-l", "what is ");
  await session.paste(`'${path}'`);
  await session.shows(/› what is @\/\S*\/my\\ shot\.png$/m);
  await session.keys("\x1f");
  await session.shows(/› what is '\/\S*\/my shot\.png'$/m);
  await session.keys("-l", "\x1b_");
  await session.shows(/› what is @\/\S*\/my\\ shot\.png$/m);
  await session.keys("-l", "about?");
  await session.keys("Enter");
  await session.shows(/attached my shot\.png \(PNG image, 40x30[^]*Seen\.[^]*›$/);
  assert.deepEqual(urlsIn(at), [SHOT_URL]);
});

Deno.test("a dropped file from outside of the workspace is asked about", async () => {
  await using at = await stage([{ text: "Seen." }]);
  const path = join(at.place.dir, "..", "outside.png");
  await Deno.writeFile(path, SHOT);
  await using session = startInTerminal(at.place, { columns: 200 });
  await session.shows(/›$/);
  // What is typed behind a paste stays behind it, however quickly it comes.
  await session.paste(path);
  await session.keys("-l", "this?");
  await session.keys("Enter");
  await session.shows(/@\/\S*outside\.png this\?[^]*Allow read\?[^]*❯ Deny/);
  await session.keys("-l", "a");
  await session.shows(/Seen\.[^]*›$/);
  assert.deepEqual(urlsIn(at), [SHOT_URL]);
});

Deno.test("a path of an image stays as it is in a command", async () => {
  await using at = await stage([]);
  await using session = startInTerminal(at.place);
  await session.shows(/›$/);
  await session.keys("-l", "!echo ");
  await session.paste("/no/such/shot.png");
  await session.keys("Enter");
  await session.shows(/^\s*\/no\/such\/shot\.png$/m);
});

/** A session in which these programs, scripts of sh, are all that PATH has. */
async function startWith(
  at: Stage,
  programs: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
) {
  const bin = join(at.place.env.HOME!, "bin");
  await Deno.mkdir(bin, { recursive: true });
  for (const [name, script] of Object.entries(programs)) {
    await writeProgram(join(bin, name), `#!/bin/sh\n${script}\n`);
  }
  await Deno.writeFile(join(bin, "shot.png"), SHOT);
  await Deno.writeTextFile(join(bin, "shot.txt"), SHOT.toBase64());
  const session = startInTerminal(at.place, { env: { PATH: bin, ...env } });
  await session.shows(/›$/);
  return session;
}

const PROGRAMS = [
  ["xclip", 'case "$*" in *image/png*) exec /bin/cat "${0%/*}/shot.png";; esac', "DISPLAY"],
  [
    "wl-paste",
    'case "$*" in *image/jpeg*) exec /bin/cat "${0%/*}/shot.png";; *) exit 1;; esac',
    "WAYLAND_DISPLAY",
  ],
  ["pngpaste", '[ "$1" = - ] && exec /bin/cat "${0%/*}/shot.png"', "HOME_OF_NONE"],
  ["powershell.exe", 'exec /bin/cat "${0%/*}/shot.txt"', "HOME_OF_NONE"],
] as const;

for (const [name, script, variable] of PROGRAMS) {
  Deno.test({
    name: `Ctrl+V puts in the image that ${name} takes from the clipboard`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using at = await stage([{ text: "Seen." }]);
      await using session = await startWith(at, { [name]: script }, { [variable]: ":9" });
      await session.keys("-l", "what is");
      // What is typed behind it stays behind it, however quickly it comes.
      await session.keys("C-v");
      await session.keys("-l", "about?");
      await session.keys("Enter");
      await session.shows(/› what is @clipboard-1\.png about\?/);
      await session.shows(/attached clipboard-1\.png \(PNG image, 40x30[^]*Seen\.[^]*›$/);
      assert.deepEqual(urlsIn(at), [SHOT_URL]);
    },
  });
}

Deno.test({
  name: "an image whose name is deleted again is not sent, and the next one has another name",
  ignore: Deno.build.os === "windows",
  async fn() {
    const [[name, script, variable]] = PROGRAMS;
    await using at = await stage([{ text: "Seen." }]);
    await using session = await startWith(at, { [name]: script }, { [variable]: ":9" });
    await session.keys("C-v");
    await session.shows(/› @clipboard-1\.png$/m);
    await session.keys("C-u");
    await session.keys("-l", "\x1bv");
    await session.shows(/› @clipboard-2\.png$/m);
    await session.keys("C-u");
    await session.keys("-l", "hello");
    await session.keys("Enter");
    await session.shows(/Seen\.[^]*›$/);
    assert.deepEqual(urlsIn(at), []);
  },
});

Deno.test({
  name: "Ctrl+V says why no image is put in, and the line stays",
  ignore: Deno.build.os === "windows",
  async fn() {
    const rows = [
      [{}, /Nothing here can take an image from the clipboard: that needs wl-paste[^]*› hm$/],
      [{ xclip: "exit 1" }, /There is no image in the clipboard\.[^]*› hm$/],
      [{ xclip: "echo words" }, /clipboard-1\.png cannot be used: it is no PNG[^]*› hm$/],
    ] as const;
    for (const [programs, said] of rows) {
      await using at = await stage([]);
      await using session = await startWith(at, programs, { DISPLAY: ":9" });
      await session.keys("-l", "hm");
      await session.keys("C-v");
      await session.shows(said);
    }
  },
});
