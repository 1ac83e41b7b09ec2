/**
 * Figures and means of the fault tests: how often, how much, and a disk small enough to be full.
 */

/** A figure: small for a look on the way, full with ALLY_FAULTS=full, as in CI. */
export function figure({ small, full }: { small: number; full: number }): number {
  return Deno.env.get("ALLY_FAULTS") === "full" ? full : small;
}

/** Whether the machine lets this process mount a file system, as root does. */
export function canMount(): boolean {
  if (Deno.build.os !== "linux") return false;
  const directory = Deno.makeTempDirSync({ prefix: "ally-mount-" });
  try {
    if (!run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", directory)) return false;
    return run("umount", directory);
  } finally {
    Deno.removeSync(directory);
  }
}

/** Whether a program is here and starts. */
export function has(program: string, ...args: string[]): boolean {
  return run(program, ...args);
}

/** A small file system of its own, gone after the test. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Fills it to the last byte, but for so many of them. */
  fill(options?: { spare?: number }): void;
  /** Takes back what `fill` took. */
  free(): void;
}

/** Mounts a file system of so many kilobytes on a directory, which is made. @throws {Error} it cannot be had */
export function smallDisk(path: string, { kilobytes }: { kilobytes: number }): SmallDisk {
  Deno.mkdirSync(path, { recursive: true });
  if (!run("mount", "-t", "tmpfs", "-o", `size=${kilobytes}k,mode=700`, "tmpfs", path)) {
    throw new Error(`Cannot mount a small disk on ${path}`);
  }
  const filler = `${path}/.filler`;
  return {
    path,
    fill({ spare = 0 } = {}) {
      using file = Deno.openSync(filler, { create: true, append: true });
      for (const size of [4096, 512, 1]) {
        try {
          for (;;) file.writeSync(new Uint8Array(size));
        } catch {
          // Full, as far as this size goes.
        }
      }
      if (spare > 0) file.truncateSync(Math.max(0, file.statSync().size - spare));
    },
    free: () => Deno.removeSync(filler),
    [Symbol.dispose]: () => void run("umount", "-l", path),
  };
}

/** Resident memory of a process at its peak, in bytes; Linux only. */
export function peakMemory(pid: number): number {
  const text = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
}

function run(program: string, ...args: string[]): boolean {
  try {
    return new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}
