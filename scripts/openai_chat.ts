/**
 * Leaves out of a bundle what ally does not use of `openai`. The library's client makes an object for every part of the
 * API, so that all of it, some 400 kB, would be compiled before the first request goes out: twice as long as ally takes
 * to begin without it. Asking a model needs the client and its chat completions.
 */
import { basename, dirname, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin, stop } from "esbuild";
import { findChunks } from "./chunk_names.ts";

const LIBRARY = dirname(fileURLToPath(import.meta.resolve("openai")));
/** What stands in the path of each of its modules. */
const MARK = `/openai/${basename(LIBRARY)}/`;

/** What is exported by the chunk that `import("openai")` loads, as far as ally asks for it. */
const USED = ["OpenAI", "APIConnectionError", "APIConnectionTimeoutError"] as const;

/** The parts of the API, and what helps to read its streams and to run tools, which ally does itself. */
const UNUSED = /^(?:resources\/(?!index\.mjs|chat\/)|lib\/ChatCompletion)/;

/**
 * What reads environment variables. The library's own asks for Node's process where there is one, which Deno makes when
 * it is asked for first: that takes as long as a twentieth of an answer. What may not be read is not asked for, or Deno
 * might ask the person.
 */
const ENVIRONMENT = "internal/utils/env.mjs";
const READ_ENVIRONMENT = `export const readEnv = (name) => {
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  return state === "granted" ? Deno.env.get(name)?.trim() || undefined : undefined;
};
`;

/** Writes the library's chunk anew. @throws {Error} there is none, or it is no longer as it was */
export async function keepOnlyChat(folder: string): Promise<void> {
  const outfile = await findChunk(folder);
  const names = USED.join(", ");
  try {
    await build({
      stdin: { contents: `export { ${names} } from "./index.mjs";`, resolveDir: LIBRARY },
      plugins: [replaceParts],
      bundle: true,
      format: "esm",
      target: "esnext",
      external: ["node:*"],
      sourcemap: "external",
      outfile,
    });
  } finally {
    await stop();
  }
}

/** In place of each part that is left out stand classes of the same names. */
const replaceParts: Plugin = {
  name: "replace parts",
  setup({ onLoad }) {
    onLoad({ filter: /\.mjs$/, namespace: "file" }, async ({ path }) => {
      const name = relative(LIBRARY, path).replaceAll(sep, "/");
      if (name !== ENVIRONMENT && !UNUSED.test(name)) return undefined;
      const exported = Object.keys(await import(pathToFileURL(path).href));
      if (name === ENVIRONMENT) {
        if (exported.join() !== "readEnv") throw new Error(`${name} is no longer as it was`);
        return { contents: READ_ENVIRONMENT };
      }
      return { contents: exported.map((one) => `export class ${one} {}`).join("\n") };
    });
  },
};

/** The chunk that is made of the library. */
async function findChunk(folder: string): Promise<string> {
  const [chunk, ...others] = await findChunks(folder, (source) => source.includes(MARK));
  if (chunk !== undefined && others.length === 0) return chunk;
  throw new Error("Cannot find the one chunk of openai in the bundle: only import() loads it");
}
