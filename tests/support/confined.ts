/**
 * The sandbox itself, without an ally round it: a home and a workspace in a temporary directory, and scripts that run
 * in a profile.
 */
import { dirname, join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { createSandbox } from "../../src/app/sandbox.ts";
import type { Need, SandboxPolicy, SandboxProofs } from "../../src/core/sandbox.ts";
import { standAlone } from "../../src/lib/process.ts";
import type { EndedCommand, Sandbox } from "../../src/sandbox/sandbox.ts";

/** The profiles that people know by name. */
export const SHAPES = {
  closed: { write: false, needs: [] },
  workspace: { write: true, needs: [] },
  network: { write: true, needs: ["network"] },
} as const satisfies Readonly<Record<string, { write: boolean; needs: readonly Need[] }>>;

/** What the sandboxes of all tests have proven: one that has another `bwrap` or `perl` proves itself. */
export const PROOFS: SandboxProofs = new Map();

/** How a script ended. */
export interface Ran {
  readonly code: number;
  readonly output: string;
  /** As the sandbox says it. */
  readonly setAside: readonly string[];
}

/** A machine to confine scripts on. */
export interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly home: string;
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** Makes a file below the home or absolute, with its directories. */
  write(path: string, text?: string, mode?: number): Promise<string>;
  /** Runs a script for bash. */
  run(
    policy: Omit<SandboxPolicy, "sandboxRequired">,
    script: string,
    options?: { cwd?: string },
  ): Promise<Ran>;
}

/** Makes one; the workspace is `project` in the home. */
export async function stageSandbox(
  { env = () => ({}), roots = ["project"] }: {
    /** Beside PATH and HOME. */
    env?: (home: string) => Readonly<Record<string, string>>;
    /** Below the home. */
    roots?: readonly string[];
  } = {},
): Promise<Stage> {
  const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-confined-" }));
  const [home, allyHome] = [join(base, "home"), join(base, "home", ".ally")];
  const absolute = roots.map((one) => join(home, one));
  for (const path of [...absolute, allyHome]) await Deno.mkdir(path, { recursive: true });
  const all = { PATH: Deno.env.get("PATH") ?? "", HOME: home, ...env(home) };
  const sandbox = createSandbox({
    mode: "auto",
    roots: () => absolute,
    paths: {
      home: allyHome,
      outputs: join(allyHome, "outputs"),
      sandbox: join(allyHome, "sb"),
      unreviewed: join(allyHome, "unreviewed"),
    },
    env: all,
    proofs: PROOFS,
  });
  const root = absolute[0]!;
  return {
    sandbox,
    home,
    root,
    env: all,
    async write(path, text = "", mode = 0o644) {
      const file = join(path.startsWith("/") ? "" : home, path);
      await Deno.mkdir(dirname(file), { recursive: true });
      if (mode === 0o755) await writeProgram(file, text);
      else await Deno.writeTextFile(file, text, { mode });
      return file;
    },
    async run(policy, script, { cwd = root } = {}) {
      const argv = ["/bin/bash", "--noprofile", "--norc", "-c", script] as const;
      const confined = await sandbox.confine(argv, {
        policy: { ...policy, sandboxRequired: true },
        cwd,
      });
      let ended: EndedCommand | undefined;
      const [program, ...args] = standAlone(confined!);
      try {
        const { code, stdout, stderr } = await new Deno.Command(program, {
          args,
          clearEnv: true,
          env: all,
          stdin: "null",
        }).output();
        const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
        ended = await confined!.finish();
        return { code, output: text(stdout) + text(stderr), setAside: ended.setAside };
      } finally {
        if (ended === undefined) await confined!.finish();
      }
    },
    async [Symbol.asyncDispose]() {
      sandbox.close();
      await Deno.remove(base, { recursive: true });
    },
  };
}
