/**
 * The Deno that ally is made for, and how one is found on this machine.
 */
import { delimiter, join } from "node:path";

/** The version that the npm package depends on. */
export const PINNED_DENO = "2.9.6";

/** A Deno that ally runs on. */
export interface FoundDeno {
  /** Absolute path of the executable. */
  readonly path: string;
  readonly version: string;
}

/** The Deno that runs now if its minor version is the pinned one, else the first such on PATH. */
export async function findDeno(path: string): Promise<FoundDeno | undefined> {
  if (isPinnedMinor(Deno.version.deno)) {
    return { path: await Deno.realPath(Deno.execPath()), version: Deno.version.deno };
  }
  for (const directory of path.split(delimiter).filter((one) => one !== "")) {
    const found = await tryDeno(join(directory, denoName()));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The name of Deno's executable. */
export function denoName(os: typeof Deno.build.os = Deno.build.os): string {
  return os === "windows" ? "deno.exe" : "deno";
}

async function tryDeno(program: string): Promise<FoundDeno | undefined> {
  try {
    // What is on PATH may be a script that starts Deno.
    const { stdout } = await new Deno.Command(program, {
      args: ["eval", "console.log(JSON.stringify([Deno.execPath(), Deno.version.deno]))"],
      env: { NO_COLOR: "1" },
      stdin: "null",
      stderr: "null",
    }).output();
    const [path, version]: string[] = JSON.parse(new TextDecoder().decode(stdout));
    return path !== undefined && version !== undefined && isPinnedMinor(version)
      ? { path: await Deno.realPath(path), version }
      : undefined;
  } catch {
    return undefined;
  }
}

function isPinnedMinor(version: string): boolean {
  const minor = (text: string) => text.split(".").slice(0, 2).join(".");
  return minor(version) === minor(PINNED_DENO);
}
