/**
 * The bundle that tests start, so that what is tested is what is shipped: built by the first test that needs it, and
 * again only after a change of what goes into it.
 */
import { join } from "node:path";
import { dirname, fromFileUrl, walkFiles } from "./source_tree.ts";

const ROOT = join(dirname(fromFileUrl(import.meta.url)), "..", "..");
const BUNDLE = join(ROOT, "dist", "test-bundle");
/** What goes into it, and what makes it. */
const SOURCES = [
  "main.ts",
  "src",
  "plugins",
  "deno.json",
  "deno.lock",
  ...["bundle", "chunk_names", "deferred_modules", "lazy_builtins", "minify", "openai_chat"]
    .map((name) => `scripts/${name}.ts`),
];

let built: string | undefined;

/** The path of its `main.js`; blocks until it is there. @throws {Error} it cannot be built */
export function bundledMain(): string {
  return built ??= buildIfStale();
}

function buildIfStale(): string {
  Deno.mkdirSync(join(ROOT, "dist"), { recursive: true });
  // Tests of other modules run at the same time, and all but one wait here.
  using lock = Deno.openSync(`${BUNDLE}.lock`, { create: true, write: true });
  lock.lockSync(true);
  const main = join(BUNDLE, "main.js");
  if (changedAt(main) < newestSource()) build();
  return main;
}

function build(): void {
  const { success, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", join(ROOT, "scripts", "bundle.ts"), BUNDLE],
    cwd: ROOT,
    stdout: "null",
    stderr: "piped",
  }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

function newestSource(): number {
  return Math.max(...walkFiles(ROOT, SOURCES).map(changedAt));
}

/** Milliseconds since 1970; 0 if nothing is there. */
function changedAt(path: string): number {
  try {
    return Deno.statSync(path).mtime?.getTime() ?? 0;
  } catch {
    return 0;
  }
}
