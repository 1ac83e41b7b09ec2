/**
 * Takes the image that is in the clipboard, by the program that the desktop has for it.
 */
import { boundBody } from "../lib/bounded_body.ts";
import { clipboardEnvironment, type ClipboardPlace, findClipboardProgram } from "./clipboard.ts";

/** A program that writes the image to its standard output. */
interface ImageProgram {
  readonly name: string;
  /** Each is tried until one brings an image. */
  readonly args: readonly (readonly string[])[];
  /** Variables one of which must be set for it to reach anything. @default none */
  readonly needs?: readonly string[];
  /** Set if it writes base64. */
  readonly isBase64?: true;
}

const TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"];
const POWERSHELL =
  "Add-Type -AssemblyName System.Windows.Forms,System.Drawing; $i=[Windows.Forms.Clipboard]::GetImage(); " +
  "if ($i) { $m=New-Object IO.MemoryStream; $i.Save($m,[Drawing.Imaging.ImageFormat]::Png); " +
  "[Convert]::ToBase64String($m.ToArray()) }";

/** Each that is there is tried. */
const PROGRAMS: readonly ImageProgram[] = [
  { name: "pngpaste", args: [["-"]] },
  {
    name: "wl-paste",
    args: TYPES.map((type) => ["--no-newline", "--type", type]),
    needs: ["WAYLAND_DISPLAY"],
  },
  {
    name: "xclip",
    args: TYPES.map((type) => ["-selection", "clipboard", "-t", type, "-o"]),
    needs: ["DISPLAY"],
  },
  {
    name: "powershell.exe",
    args: [["-NoProfile", "-NonInteractive", "-Sta", "-Command", POWERSHELL]],
    isBase64: true,
  },
];
/** Milliseconds after which a program that does not end is ended: PowerShell takes seconds to begin. */
const TIMEOUT_MS = 10_000;
/** Bytes of the largest output that is read. */
const MAX_BYTES = 40_000_000;

/** The bytes of the image; "none" if the clipboard has none, "no program" if nothing here can take it. */
export async function readClipboardImage(
  place: ClipboardPlace,
): Promise<Uint8Array<ArrayBuffer> | "none" | "no program"> {
  let found: "none" | "no program" = "no program";
  for (const { name, args: tries, needs, isBase64 } of PROGRAMS) {
    if (needs !== undefined && !needs.some((variable) => place.env.get(variable))) continue;
    const program = findClipboardProgram(name, place);
    if (program === undefined) continue;
    found = "none";
    for (const args of tries) {
      const output = await outputOf([program, ...args], place);
      const bytes = isBase64 ? decode(output) : output;
      if (bytes.length > 0) return bytes;
    }
  }
  return found;
}

/** What a program writes; nothing if it fails, takes too long or writes too much. */
async function outputOf(
  [program, ...args]: readonly [string, ...string[]],
  { env }: ClipboardPlace,
): Promise<Uint8Array<ArrayBuffer>> {
  const stopping = new AbortController();
  try {
    const child = new Deno.Command(program, {
      args,
      clearEnv: true,
      env: clipboardEnvironment(env),
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      signal: stopping.signal,
    }).spawn();
    const limits = { maxBytes: MAX_BYTES, idleMs: TIMEOUT_MS, totalMs: TIMEOUT_MS };
    const bytes = await new Response(boundBody(child.stdout, limits)).bytes();
    return (await child.status).success ? bytes : new Uint8Array();
  } catch {
    return new Uint8Array();
  } finally {
    stopping.abort();
  }
}

function decode(output: Uint8Array): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(new TextDecoder().decode(output));
  } catch {
    return new Uint8Array();
  }
}
