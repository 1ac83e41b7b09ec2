/**
 * Images at the prompt: dropped files and the clipboard.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
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
