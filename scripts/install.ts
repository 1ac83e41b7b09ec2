// deno-lint-ignore-file no-console
/**
 * Puts `ally` on PATH from source, with `deno install`: into the first usual directory that is on PATH and
 * may be written. Run by `deno task install`.
 */
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PERMISSIONS } from "./permissions.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

const onPath = (Deno.env.get("PATH") ?? "").split(delimiter);
const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE") ?? ".";
const fallback = Deno.env.get("DENO_INSTALL_ROOT") ?? join(home, ".deno");
const root = [fallback, join(home, ".local"), "/usr/local"]
  .find((candidate) => onPath.includes(join(candidate, "bin")) && isWritable(candidate)) ??
  fallback;
const shim = join(root, "bin", "ally");

await install();
await adaptShim();
const { stdout } = await new Deno.Command(shim, { args: ["--version"] }).output();
console.log(`Installed ${shim} (${new TextDecoder().decode(stdout).trim()}).`);
if (!onPath.includes(join(root, "bin"))) {
  console.log(`It is not on PATH yet: export PATH="${join(root, "bin")}:$PATH"`);
}

async function install(): Promise<void> {
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      "install",
      "--global",
      "--force",
      "--quiet",
      `--root=${root}`,
      "--name=ally",
      `--config=${join(ROOT, "deno.json")}`,
      ...PERMISSIONS,
      join(ROOT, "main.ts"),
    ],
    stdout: "inherit",
    stderr: "inherit",
  });
  const { success } = await command.output();
  if (!success) Deno.exit(1);
}

/**
 * Deno may not be on PATH itself, as when it came by npx: then the shim names the one that runs now. Nor does
 * Deno start in a directory that was deleted, and what it says then helps nobody.
 */
async function adaptShim(): Promise<void> {
  const gone = "ally: Cannot work here: the current directory is gone.";
  const guard = `[ . -ef "$PWD" ] || { echo '${gone}' >&2; exit 2; }`;
  const text = await Deno.readTextFile(shim);
  const adapted = text.replace(/^exec deno /m, `${guard}\nexec '${Deno.execPath()}' `);
  await Deno.writeTextFile(shim, adapted);
}

function isWritable(directory: string): boolean {
  const probe = join(directory, "bin", `.ally-${crypto.randomUUID()}`);
  try {
    Deno.writeTextFileSync(probe, "");
    Deno.removeSync(probe);
    return true;
  } catch {
    return false;
  }
}
