/**
 * What another user of the machine may have put in ally's way, and what a crash may have left: an ordinary session
 * afterwards changes nothing outside, and reaches nobody.
 */
import { dirname, join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { type Situation, useHome, type World } from "../support/attempts.ts";
import type { Place } from "../support/program.ts";

/** Programs that ally or its commands start. */
const PROGRAMS = [
  "git",
  "bash",
  "sh",
  "bwrap",
  "rg",
  "ls",
  "env",
  "prlimit",
  "perl",
  "deno",
  "cat",
  "setsid",
];

/** A program that tells whoever listens, and leaves something outside. */
function trap({ home, values }: World): string {
  return `#!/bin/bash\necho x > ${home}/planted-$$.txt\nexec 3<>/dev/tcp/127.0.0.1/${values.PORT}\n`;
}

/** Puts traps in a directory that everybody may write. */
export async function plantPrograms(
  directory: string,
  world: World,
  names: readonly string[],
): Promise<void> {
  await Deno.mkdir(directory, { recursive: true });
  for (const name of names) {
    await writeProgram(join(directory, name), trap(world));
  }
  await Deno.chmod(directory, 0o777);
}

const pathWith =
  (directory: (world: World) => string): NonNullable<Situation["env"]> => (world) => ({
    PATH: `${directory(world)}:${Deno.env.get("PATH")}`,
  });

const PLANTED: readonly Situation[] = [...PROGRAMS.map((name) => [name]), PROGRAMS].flatMap(
  (names) => [
    {
      threat: "user" as const,
      name: `${names.join(" ")} in a directory of PATH that everybody writes`,
      prepare: (_: Place, world: World) =>
        plantPrograms(join(world.home, "everybody"), world, names),
      env: pathWith(({ home }) => join(home, "everybody")),
    },
    {
      threat: "repository" as const,
      name: `${names.join(" ")} in a virtual environment of the project`,
      prepare: (_: Place, world: World) =>
        plantPrograms(join(world.dir, ".venv", "bin"), world, names),
      env: pathWith(({ dir }) => join(dir, ".venv", "bin")),
    },
  ],
);

/** Files of ally's home that another user could have made first. */
const OWN_FILES = [
  "config.json.lock",
  "permissions.json",
  "permissions.json.lock",
  "permissions.json.tmp",
  "history",
  "history.lock",
  "trust.json",
  "trust.json.lock",
  "mcp.json.lock",
  "models.json",
  "decisions.jsonl",
];

const LINKED: readonly Situation[] = OWN_FILES.flatMap((file) =>
  ["planted.txt", "other/project.txt"].map((target) => ({
    threat: "user" as const,
    name: `${file} of ally's is a link to ${target}`,
    async prepare({ home }: Place, world: World) {
      await Deno.mkdir(home, { recursive: true });
      await Deno.symlink(join(world.home, target), join(home, file));
    },
  }))
);

/** Settings of git by which it runs what they name. */
const GIT_SETTINGS = [
  "core.fsmonitor",
  "core.sshCommand",
  "core.pager",
  "core.editor",
  "core.hooksPath",
  "diff.external",
  "alias.status",
  "alias.log",
  "pager.log",
  "pager.status",
  "gpg.program",
  "include.path",
  "log.showSignature",
  "filter.x.clean",
  "filter.x.process",
  "credential.helper",
  "uploadpack.packObjectsHook",
];

const SETTINGS: readonly Situation[] = GIT_SETTINGS.flatMap((setting) =>
  [undefined, 12345].map((owner) => ({
    threat: "repository" as const,
    name: `${setting} in .git/config${owner === undefined ? "" : " of somebody else"}`,
    async prepare(_: Place, world: World) {
      await plantPrograms(join(world.home, "traps"), world, ["trap"]);
      const [section, ...rest] = setting.split(".");
      const key = rest.pop();
      const head = rest.length > 0 ? `${section} "${rest.join(".")}"` : section;
      const config = join(world.dir, ".git", "config");
      const text = `[${head}]\n\t${key} = ${join(world.home, "traps", "trap")}\n`;
      await Deno.writeTextFile(config, text, { append: true });
      await Deno.writeTextFile(join(world.dir, ".gitattributes"), "* filter=x diff=x\n");
      // Only root can give a file away.
      if (owner !== undefined) await Deno.chown(config, owner, owner).catch(() => {});
    },
  }))
);

type Damage = (file: string, world: World) => Promise<unknown>;

/** What may be in place of each file that a session has left. */
const DAMAGES: Readonly<Record<string, Damage>> = {
  "is cut in half": async (file) => {
    const { size } = await Deno.stat(file);
    await Deno.truncate(file, Math.floor(size / 2));
  },
  "is empty": (file) => Deno.truncate(file),
  "is full of NULs": async (file) => {
    const { size } = await Deno.stat(file);
    await Deno.writeFile(file, new Uint8Array(size));
  },
  "has half a line more": (file) => Deno.writeTextFile(file, '{"type":"mess', { append: true }),
  "is random": (file) => Deno.writeFile(file, crypto.getRandomValues(new Uint8Array(5000))),
  "is gone": (file) => Deno.remove(file),
  "is a directory": async (file) => {
    await Deno.remove(file);
    await Deno.mkdir(join(file, "x"), { recursive: true });
  },
  "is a link to nothing outside": async (file, world) => {
    await Deno.remove(file);
    await Deno.symlink(join(world.home, "planted.txt"), file);
  },
  "is a link to a file outside": async (file, world) => {
    await Deno.remove(file);
    await Deno.symlink(join(world.home, "other", "project.txt"), file);
  },
  "has the lock of a dead process": (file) => Deno.writeTextFile(`${file}.lock`, "999999999\n"),
  "has a lock that is a link outside": (file, world) =>
    Deno.symlink(join(world.home, "other", "project.txt"), `${file}.lock`),
  "has a half-written copy beside it": (file) =>
    Deno.writeTextFile(`${file}.${crypto.randomUUID()}.tmp`, "{"),
};

async function filesBelow(directory: string): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory, isFile } of Deno.readDir(directory)) {
    const path = join(directory, name);
    if (isDirectory) files.push(...await filesBelow(path));
    else if (isFile) files.push(path);
  }
  return files;
}

const DAMAGED: readonly Situation[] = Object.entries(DAMAGES).map(([what, damage]) => ({
  threat: "crash" as const,
  name: `each file of ally's ${what}`,
  async prepare(place: Place, world: World) {
    await useHome(place, world);
    for (const file of await filesBelow(place.home)) await damage(file, world);
  },
}));

/** What a killed session leaves beside the files of others: directories by its process id. */
const LEFT: readonly Situation[] = ["link", "directory with a link", "file"].map((kind) => ({
  threat: "crash" as const,
  name: `a ${kind} stands where a dead session had its directory`,
  async prepare(place: Place, world: World) {
    await useHome(place, world);
    const outside = join(world.home, "other");
    const directories = new Set((await filesBelow(place.home)).map(dirname));
    for (const { name } of [...Deno.readDirSync(join(place.home, "projects"))]) {
      const project = join(place.home, "projects", name);
      for (const below of ["", "sandbox", "commands", "tmp"]) directories.add(join(project, below));
    }
    for (const directory of directories) {
      const path = join(directory, "999999999-dead0000");
      await Deno.mkdir(directory, { recursive: true });
      if (kind === "link") await Deno.symlink(outside, path);
      else if (kind === "file") await Deno.writeTextFile(path, "x");
      else {
        await Deno.mkdir(path);
        await Deno.symlink(outside, join(path, "tmp"));
        await Deno.symlink(outside, join(path, "trial"));
      }
    }
  },
}));

/** Every situation. */
export const SITUATIONS: readonly Situation[] = [
  ...PLANTED,
  ...LINKED,
  ...SETTINGS,
  ...DAMAGED,
  ...LEFT,
];
