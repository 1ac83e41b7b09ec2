// deno-lint-ignore-file no-console
/**
 * Installs ally for the person: the bundle and its Deno below a root, and a shim that starts them. Afterwards the
 * clone, and npx's cache, are not needed. Run by `deno task install`.
 */
import { Command } from "commander";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { VERSION } from "../src/app/version.ts";
import { findProgram } from "../src/lib/find_program.ts";
import { messageOf, quoteWord } from "../src/lib/text.ts";
import { bundle } from "./bundle.ts";
import { installBundle, InstallError } from "./install_bundle.ts";
import { findDeno, PINNED_DENO } from "./pinned_deno.ts";

const CLONE = join(dirname(fileURLToPath(import.meta.url)), "..");
const PATH = Deno.env.get("PATH") ?? "";

const { root } = new Command("deno task install")
  .description("Put ally below a directory: the bundle and its Deno, and bin/ally to start it.")
  .option("--root <DIR>", "the directory (default: ~/.local)")
  .parse(Deno.args, { from: "user" })
  .opts<{ root?: string }>();

try {
  await install(findRoot(root));
} catch (error) {
  if (!(error instanceof InstallError)) throw error;
  console.error(messageOf(error));
  Deno.exitCode = 1;
}

async function install(root: string): Promise<void> {
  const deno = await findDeno(PATH);
  if (deno === undefined) {
    throw new InstallError(
      `ally is made for Deno ${PINNED_DENO}, and this is ${Deno.version.deno}. Type: ` +
        `npx -y deno@${PINNED_DENO} task install`,
    );
  }
  const scratch = await Deno.makeTempDir({ prefix: "ally-install-" });
  try {
    console.log("Bundling");
    const folder = join(scratch, "bundle");
    await bundle(folder);
    const { directory, record } = await installBundle({
      root,
      version: VERSION,
      bundle: folder,
      deno,
      documents: ["LICENSE", "README.md"].map((name) => join(CLONE, name)),
      say: console.log,
    });
    console.log(`Installed ally ${VERSION} in ${directory}`);
    await sayHowToStart(record.shim);
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

/** `deno task` starts in the clone; a relative root means the directory in which it was typed. */
function findRoot(given: string | undefined): string {
  if (given !== undefined) return resolve(Deno.env.get("INIT_CWD") ?? ".", given);
  const home = Deno.env.get("HOME") || Deno.env.get("USERPROFILE");
  if (home) return join(home, ".local");
  throw new InstallError("HOME is not set. Name a directory with --root DIR.");
}

async function sayHowToStart(shim: string): Promise<void> {
  const bin = dirname(shim);
  const found = await findProgram("ally", { path: PATH, cwd: CLONE });
  if (found === shim) console.log("Type: ally");
  else if (PATH.split(delimiter).includes(bin)) {
    console.log(`On PATH another ally comes before it: ${found}`);
  } else {
    console.log(`Its directory is not on PATH. Type now, and add to what your shell reads first:`);
    console.log(`  ${pathCommand(bin)}`);
  }
}

function pathCommand(bin: string): string {
  if (Deno.build.os === "windows") return `set PATH=${bin};%PATH%`;
  const isFish = /(^|\/)fish$/.test(Deno.env.get("SHELL") ?? "");
  return isFish ? `fish_add_path ${quoteWord(bin)}` : `export PATH=${quoteWord(bin)}:"$PATH"`;
}
