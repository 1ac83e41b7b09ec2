/**
 * Makes one executable of a bundle with `deno compile`, for this machine or for another.
 */
import { ASSETS, ASSETS_FOLDER } from "../src/lib/assets.ts";
import { COMPILE_FLAGS } from "./permissions.ts";

/** What is embedded beside the modules; no ripgrep, which cannot be started from inside of an executable. */
export const INCLUDED: readonly string[] = ASSETS.map((name) => `${ASSETS_FOLDER}/${name}`);

/** What is compiled. */
export interface CompileOptions {
  /** The bundle's folder. */
  readonly bundle: string;
  /** Path of the executable. */
  readonly output: string;
  /** As `rustc` names systems. @default this machine's */
  readonly target?: string;
  /** The runtime that is put before the bundle. @default Deno downloads it */
  readonly denort?: string | undefined;
}

/** Compiles; the text is what Deno said. */
export async function compileBundle(
  { bundle, output, target, denort }: CompileOptions,
): Promise<{ readonly success: boolean; readonly text: string }> {
  const { DENORT_BIN: _, ...env } = Deno.env.toObject();
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "compile",
      "--no-check",
      ...COMPILE_FLAGS,
      ...[...INCLUDED, ...sourceMaps(bundle)].map((path) => `--include=${path}`),
      ...(target === undefined ? [] : [`--target=${target}`]),
      `--output=${output}`,
      "main.js",
    ],
    cwd: bundle,
    clearEnv: true,
    env: { ...env, ...(denort !== undefined && { DENORT_BIN: denort }), NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  return { success, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** The maps of the chunks, by which `--debug` names lines of the sources: they are no modules, so nothing imports them. */
function sourceMaps(bundle: string): string[] {
  return [...Deno.readDirSync(bundle)].map(({ name }) => name)
    .filter((name) => name.endsWith(".map"));
}
