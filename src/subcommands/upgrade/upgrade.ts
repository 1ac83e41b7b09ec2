/**
 * `ally upgrade`: says how the ally that runs is upgraded. It changes nothing itself and asks nobody: what put it
 * on the machine also knows how to replace it.
 */
import { join } from "node:path";
import { denoCommand } from "../../app/deno_command.ts";
import { EXIT } from "../../app/exit_codes.ts";
import {
  describeInstallation,
  findInstallation,
  type Installation,
  NPM_PACKAGE,
  npmCommand,
} from "../../app/installation.ts";
import type { Io } from "../../app/io.ts";
import { openStandardStreams } from "../../app/standard_streams.ts";
import { VERSION } from "../../app/version.ts";
import { quoteWord } from "../../lib/text.ts";
import { homeDirectory } from "../../store/paths.ts";
import type { UpgradeRequest } from "./command.ts";

/** How an ally is upgraded. */
interface Steps {
  /** What to do before; undefined if there is nothing. */
  readonly first?: string;
  readonly commands: readonly string[];
}

/** Prints it and returns the exit code. */
export async function runUpgrade(
  { request }: { readonly request: UpgradeRequest },
  io: Io,
): Promise<number> {
  const { out } = openStandardStreams(io);
  const installation = findInstallation();
  const place = describeInstallation(installation);
  const { first, commands } = await findSteps(installation, io);
  if (request.json) {
    const { kind } = installation;
    const report = { type: "upgrade", version: VERSION, kind, place, first, commands };
    out(JSON.stringify(report, null, 2));
    return EXIT.done;
  }
  out(`ally ${VERSION}, ${place}.`);
  const parts = [...(first ? [first] : []), ...(commands.length > 0 ? ["type"] : [])];
  out(`To upgrade it, ${parts.join(" and ")}${commands.length > 0 ? ":" : "."}`);
  for (const command of commands) out(`  ${command}`);
  return EXIT.done;
}

async function findSteps(installation: Installation, io: Io): Promise<Steps> {
  const path = io.env.get("PATH") ?? "";
  switch (installation.kind) {
    case "source": {
      const { directory } = installation;
      return { commands: [`git -C ${quoteWord(directory)} pull`] };
    }
    case "install": {
      const { root } = installation.record;
      const isDefault = root === join(homeDirectory(io.env), ".local");
      const task = `${await denoCommand({ path, cwd: io.cwd() })} task install`;
      return {
        first: "get the source of the new version, go to its folder",
        commands: [isDefault ? task : `${task} --root ${quoteWord(root)}`],
      };
    }
    case "npm": {
      const command = npmCommand("install", installation.directory);
      return { first: getNewFile(installation), commands: [`${command} ./FILE`] };
    }
    case "npx":
      return { first: getNewFile(installation), commands: ["npx ./FILE"] };
    case "compiled":
      return {
        first: `put the new version's executable in the place of ${installation.program}`,
        commands: [],
      };
  }
}

function getNewFile({ repository }: Extract<Installation, { kind: "npm" | "npx" }>): string {
  const file = `the new version's ${NPM_PACKAGE}-VERSION.tgz`;
  const source = repository === undefined ? "" : ` from ${repository}/releases`;
  return `get ${file}${source}`;
}
