/**
 * Lets a bundle start without evaluating modules of ally's that a start does not use: JavaScript's `import defer`, which
 * the bundler does not know yet. They are loaded with the rest, and run when one of their functions is called first.
 */
import { basename, join } from "node:path";
import { findChunks } from "./chunk_names.ts";

/** They export functions alone. As entries of the bundle they get chunks of their own. */
export const DEFERRED = ["src/ui/wide_text.ts"] as const;

/** Defers the chunks of these modules in a folder. @throws {Error} there is no chunk for one of them */
export async function deferModules(folder: string): Promise<void> {
  for (const module of DEFERRED) {
    const [chunk] = await findChunks(folder, (source) => source.endsWith(module));
    if (chunk === undefined) throw new Error(`Cannot find the chunk of ${module} in the bundle`);
    for (const { name } of Deno.readDirSync(folder)) {
      if (!name.endsWith(".js")) continue;
      const path = join(folder, name);
      const text = await Deno.readTextFile(path);
      const deferred = deferImport(text, basename(chunk));
      if (deferred !== text) await Deno.writeTextFile(path, deferred);
    }
  }
}

/** The text of a module in which the functions that it imports from a chunk are looked up when they are called. */
export function deferImport(text: string, chunk: string): string {
  return text.replace(/^import \{([^}]*)\} from "\.\/([^"]*)";$/gm, (statement, names, from) => {
    if (from !== chunk) return statement;
    const functions = names.trim().split(/,\s*/).map((name: string) => name.split(" as "));
    const lines = functions.map(([name, local = name]: [string, string?]) =>
      `const ${local} = (...args) => deferred.${name}(...args);`
    );
    // The number of lines stays, by which the map finds them.
    const ends = "\n".repeat(statement.split("\n").length - 1);
    return `import defer * as deferred from "./${chunk}"; ${lines.join(" ")}${ends}`;
  });
}
