/**
 * The types of ally as a library, for the npm package: declarations of `src/ally.ts` and of what these name, a file
 * for each module, laid out as the source is. Deno's bundler writes none where a program imports text.
 */
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const SOURCE = join(fileURLToPath(import.meta.url), "..", "..", "src");
/** The module that programs import. */
const ENTRY = join(SOURCE, "ally.ts");

/** The package whose types ally's name: those of a tool's arguments follow from its schema. */
export const SCHEMA_TYPES = "json-schema-to-ts";

/** A file of declarations. */
export interface DeclarationFile {
  /** Relative to the entry's folder: `ally.d.ts`, `core/tool.d.ts`. */
  readonly path: string;
  readonly text: string;
}

/** The declarations that a program needs. Takes some seconds: the compiler reads all of ally. */
export function declareTypes(): DeclarationFile[] {
  const written = new Map<string, string>();
  const program = ts.createProgram([ENTRY], {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    declaration: true,
    emitDeclarationOnly: true,
    // `deno check` checks; here there are no types of Deno.
    noCheck: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    types: [],
    // Deno's cache is no `node_modules`, and a name that is not found becomes `any`.
    paths: { [SCHEMA_TYPES]: [packageFolder(SCHEMA_TYPES)] },
    rootDir: SOURCE,
  });
  program.emit(undefined, (path, text) => written.set(path, text));
  return collect(written);
}

/** Of the declarations by path, those that the entry leads to. */
function collect(written: ReadonlyMap<string, string>): DeclarationFile[] {
  const files = new Map<string, string>();
  const waiting = [declarationOf(ENTRY)];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue;
    const text = written.get(path);
    if (text === undefined) throw new Error(`There are no declarations of ${path}.`);
    files.set(path, text);
    const imports = ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName);
    for (const name of imports.filter((name) => name !== SCHEMA_TYPES)) {
      if (!name.startsWith(".")) throw new Error(`${path} names ${name}, which the package lacks.`);
      waiting.push(declarationOf(join(path, "..", name)));
    }
  }
  return [...files].map(([path, text]) => ({ path: relative(SOURCE, path), text }));
}

/** The folder of a package in Deno's cache: that of its version, within its own. */
export function packageFolder(name: string): string {
  const path = fileURLToPath(import.meta.resolve(name));
  return path.slice(0, path.lastIndexOf(`${sep}lib${sep}`));
}

function declarationOf(path: string): string {
  return path.replace(/\.ts$/, ".d.ts");
}
