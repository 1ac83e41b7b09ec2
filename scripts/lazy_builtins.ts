/**
 * Lets a bundle start without modules of Node's that a start does not use. Each costs to be loaded, `node:fs` and
 * `node:process` as much as the rest of Deno's start; imported, they are loaded before anything runs.
 */

/** Modules that ally and its packages import at the top, and use later if at all. */
const LAZY = ["child_process", "crypto", "fs", "fs/promises", "process"] as const;

/** One such import, as the bundler writes it: a whole module by one name, or some of its names. */
const IMPORT = new RegExp(
  String.raw`^import (?:(?:\* as )?(?<whole>[\w$]+)|\{ (?<names>[^}]*) \}) from "node:(?<module>${
    LAZY.join("|")
  })";$`,
  "gm",
);

/** The text of a module with these imports loaded at their first use; the number of its lines stays. */
export async function importLazily(text: string): Promise<string> {
  const modules = new Map<string, Record<string, unknown>>();
  for (const name of LAZY) modules.set(name, await import(`node:${name}`));
  return text.replace(IMPORT, (statement, ...rest) => {
    const { whole, names, module } = rest.at(-1) as Record<string, string | undefined>;
    const loaded = `globalThis.process.getBuiltinModule("node:${module}")`;
    if (whole !== undefined) return standIn(whole, loaded);
    const exports = modules.get(module!)!;
    const list = names!.split(", ").map((one) => one.split(" as ") as [string, string?]);
    // What is called with `new`, or is no function, would have to be there already.
    if (!list.every(([name]) => /^[a-z]/.test(name) && typeof exports[name] === "function")) {
      return statement;
    }
    return list.map(([name, local = name]) =>
      `const ${local} = (...args) => ${loaded}.${name}(...args);`
    ).join(" ");
  });
}

/** An object that has what the module has. */
function standIn(name: string, loaded: string): string {
  return `const ${name} = new Proxy({}, { get: (_, name) => ${loaded}[name] });`;
}
