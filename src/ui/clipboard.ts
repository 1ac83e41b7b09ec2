/**
 * Puts text into the clipboard: by the program that the desktop has for it, and by the terminal, which reaches the
 * desktop through ssh too. A program comes from a directory that no repository can fill.
 */
import { Buffer } from "node:buffer";
import { findOwnProgram } from "../lib/find_program.ts";
import { setClipboard } from "./sequences.ts";
import type { Terminal } from "./terminal.ts";

/** Where programs for the clipboard are. */
export interface ClipboardPlace {
  readonly env: { get(name: string): string | undefined };
  /** The workspace: no program comes from there. */
  readonly roots: readonly string[];
}

/** Where the clipboard is. */
interface ClipboardOptions extends ClipboardPlace {
  readonly terminal: Terminal;
}

/** A program that takes the text from its standard input. */
interface ClipboardProgram {
  readonly name: string;
  readonly args: readonly string[];
  /** Variables one of which must be set for it to reach anything. @default none */
  readonly needs?: readonly string[];
  /** Windows reads its own encoding. @default "utf-8" */
  readonly encoding?: "utf-16le";
}

/** The first that is there is used. */
const PROGRAMS: readonly ClipboardProgram[] = [
  { name: "pbcopy", args: [] },
  { name: "wl-copy", args: [], needs: ["WAYLAND_DISPLAY"] },
  { name: "xclip", args: ["-selection", "clipboard"], needs: ["DISPLAY"] },
  { name: "xsel", args: ["--clipboard", "--input"], needs: ["DISPLAY"] },
  { name: "clip.exe", args: [], encoding: "utf-16le" },
  { name: "tmux", args: ["load-buffer", "-w", "-"], needs: ["TMUX"] },
];
/** What such programs need of the environment. */
const VARIABLES = [
  "DISPLAY",
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TMUX",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "XDG_RUNTIME_DIR",
];
/** Where Windows keeps its programs for the Linux within it. */
const WINDOWS_PROGRAMS = [
  "/mnt/c/Windows/System32",
  "/mnt/c/Windows/System32/WindowsPowerShell/v1.0",
];
/** Milliseconds after which a program that does not end is ended. */
const TIMEOUT_MS = 3000;
/** Bytes that terminals take at most: with them the sequence has 100,000. */
const MAX_BYTES = 74_994;

/** Copies a text; says which program took it, and whether the terminal was given it. */
export async function copyText(
  text: string,
  options: ClipboardOptions,
): Promise<{ program?: string; terminal: boolean }> {
  const program = await copyByProgram(text, options);
  const { terminal } = options;
  const bytes = new TextEncoder().encode(text);
  const isSent = terminal.canRedraw && bytes.length <= MAX_BYTES;
  if (isSent) terminal.control(setClipboard(bytes.toBase64()));
  return { ...program !== undefined && { program }, terminal: isSent };
}

/** The name of the program that took the text. */
async function copyByProgram(
  text: string,
  { env, roots }: ClipboardOptions,
): Promise<string | undefined> {
  for (const { name, args, needs, encoding } of PROGRAMS) {
    if (needs !== undefined && !needs.some((variable) => env.get(variable))) continue;
    const program = findClipboardProgram(name, { env, roots });
    if (program === undefined) continue;
    const input = encoding === undefined ? new TextEncoder().encode(text) : encodeUtf16(text);
    if (await pipeInto([program, ...args], { input, env })) return name;
  }
  return undefined;
}

/** The path of a program for the clipboard; undefined if it is not there. */
export function findClipboardProgram(
  name: string,
  { env, roots }: ClipboardPlace,
): string | undefined {
  try {
    if (name.endsWith(".exe") && Deno.build.os === "linux") {
      // Their directories are open to all as the Linux within Windows sees them, and to administrators in truth.
      const windows = WINDOWS_PROGRAMS.map((directory) => `${directory}/${name}`).find(exists);
      if (windows !== undefined) return windows;
    }
    return findOwnProgram(name, { path: env.get("PATH") ?? "", roots });
  } catch {
    // Deno may not look there.
    return undefined;
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Whether a program took the input. Its child, which some leave behind to serve the text, stays. */
async function pipeInto(
  [program, ...args]: readonly [string, ...string[]],
  { input, env }: { input: Uint8Array<ArrayBuffer>; env: ClipboardOptions["env"] },
): Promise<boolean> {
  try {
    const child = new Deno.Command(program, {
      args,
      clearEnv: true,
      env: clipboardEnvironment(env),
      stdin: "piped",
      stdout: "null",
      stderr: "null",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(input).then(() => writer.close()).catch(() => {});
    return (await child.status).success;
  } catch {
    return false;
  }
}

/** The variables that a program for the clipboard gets. */
export function clipboardEnvironment(env: ClipboardPlace["env"]): Record<string, string> {
  const given = VARIABLES.flatMap((name) => {
    const value = env.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

/** UTF-16 with the mark by which Windows knows it. */
function encodeUtf16(text: string): Uint8Array<ArrayBuffer> {
  return Buffer.from(`\ufeff${text}`, "utf16le");
}
