// deno-lint-ignore-file no-console
/**
 * Compiles the bundle to `dist/ally`: one executable that holds every chunk and asset. With `--check` it only proves the
 * packaging: the current runtime stands in for the one that `deno compile` would download, and every file of the
 * bundle is looked for in the executable. Run by `deno task build`.
 */
import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle, LIBRARY } from "./bundle.ts";
import { compileBundle, INCLUDED } from "./compile.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const DENORT = Deno.env.get("DENORT_BIN");

const scratch = await Deno.makeTempDir({ prefix: "ally-build-" });
try {
  await bundle(join(scratch, "bundle"));
  if (Deno.args.includes("--check")) await check();
  else await build();
} finally {
  await Deno.remove(scratch, { recursive: true });
}

async function build(): Promise<void> {
  const output = join(ROOT, "dist", Deno.build.os === "windows" ? "ally.exe" : "ally");
  const { success, text } = await compileBundle({
    bundle: join(scratch, "bundle"),
    output,
    denort: DENORT,
  });
  if (success) {
    console.log(`Compiled ${output}`);
    return;
  }
  console.error(text);
  console.error(
    `Cannot compile ${output}. If the runtime of \`deno compile\` (denort) could not be downloaded, either
- put ally on PATH as a bundle: deno task install
- or name a denort that you have: DENORT_BIN=/path/to/denort deno task build`,
  );
  Deno.exitCode = 1;
}

async function check(): Promise<void> {
  const output = join(scratch, "ally");
  const { success, text } = await compileBundle({
    bundle: join(scratch, "bundle"),
    output,
    denort: DENORT ?? Deno.execPath(),
  });
  if (!success) throw new Error(`Cannot package ally:\n${text}`);
  // Files are embedded as they stand. Strings of one byte a character are searched much faster than bytes.
  const read = (path: string) => Buffer.from(Deno.readFileSync(path)).toString("latin1");
  const packed = read(output);
  const files = [...chunks(), ...INCLUDED];
  const missing = files.filter((path) => !packed.includes(read(join(scratch, "bundle", path))));
  if (missing.length > 0) throw new Error(`Not embedded: ${missing.join(", ")}`);
  console.log(`The package holds all ${files.length} files of the bundle.`);
}

function chunks(): string[] {
  return [...Deno.readDirSync(join(scratch, "bundle"))]
    .filter(({ isFile, name }) => isFile && name !== LIBRARY)
    .map(({ name }) => name);
}
