/**
 * The hooks of a submodule, which are not mounted read-only: read before a command of git, compared after it by content,
 * since sizes and times can be forged, and written again if they were changed. What is too long to be kept is compared by
 * what the system says of it.
 */
import { join } from "node:path";
import { tryLstat } from "../lib/fs.ts";
import { contentStamp, entriesOf, type PathKind } from "./inspect.ts";
import { atRealPath } from "./real_directory.ts";

/** Bytes of hooks that are kept, of one and of all in a directory. */
const MAX_HOOK = 1_000_000;
const MAX_HOOKS = 8_000_000;

/** What stands among the hooks. */
export interface Hook {
  readonly name: string;
  readonly kind: PathKind;
  readonly mode: number;
  /** How many names it has: git writes some files by their own, whatever is in them. */
  readonly names: number;
  /** Of a file that is kept. */
  readonly bytes?: Uint8Array;
  /** Where a link leads; of what is not kept, what the system says of it. */
  readonly text: string;
}

/** What stands in a directory of hooks, in the order of names, without git's samples, which nothing runs. */
export function readHooks(directory: string): Hook[] {
  let size = 0;
  return [...entriesOf(directory) ?? []].filter(([name]) => !name.endsWith(".sample"))
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, kind]) => {
      const hook = readHook(join(directory, name), { name, kind, left: MAX_HOOKS - size });
      size += hook.bytes?.length ?? 0;
      return hook;
    });
}

function readHook(
  path: string,
  { name, kind, left }: { name: string; kind: PathKind; left: number },
): Hook {
  const info = tryLstat(path);
  const size = info?.size ?? 0;
  const known = { name, kind, mode: (info?.mode ?? 0) & 0o7777, names: info?.nlink ?? 1 };
  const text = contentStamp(info);
  try {
    if (kind === "link") return { ...known, text: Deno.readLinkSync(path) };
    if (kind === "file" && size <= Math.min(MAX_HOOK, left)) {
      return { ...known, bytes: Deno.readFileSync(path), text: "" };
    }
  } catch {
    // It is known by what it is.
  }
  return { ...known, text };
}

/** A text that is equal if the hooks are. */
export function describeHooks(hooks: readonly Hook[]): string {
  return hooks.map(({ name, kind, mode, names, bytes, text }) => {
    const content = bytes ? new TextDecoder("latin1").decode(bytes) : text;
    return JSON.stringify([name, kind, mode, names, content]);
  }).join("\n");
}

/** Makes a directory with hooks as they were; those that were not kept lie in the one that was set aside. */
export function restoreHooks(directory: string, hooks: readonly Hook[]): void {
  atRealPath(directory, (held) => Deno.mkdirSync(held));
  for (const { name, kind, mode, bytes, text } of hooks) {
    atRealPath(join(directory, name), (held) => {
      if (kind === "link") Deno.symlinkSync(text, held);
      if (!bytes) return;
      using file = Deno.openSync(held, { write: true, createNew: true, mode });
      for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    });
  }
}
