/**
 * What `/debug` and `/tools` tell of the program and this run.
 */
import { join } from "node:path";
import { MANIFEST } from "../../../plugins/manifest.ts";
import type { Composition } from "../../app/app.ts";
import { destinationOf } from "../../app/endpoints.ts";
import { describeSandbox } from "../../app/sandbox.ts";
import type { Settings } from "../../app/settings.ts";
import { VERSION } from "../../app/version.ts";
import { displayUrl } from "../../model/endpoint.ts";
import type { About } from "../../slash/about.ts";
import type { Debugging } from "./debugging.ts";

/** Looks things up when they are asked for. */
export function aboutRun(composition: Composition, debugging: Debugging): About {
  const { agent, places, settings, workspace, sandbox } = composition;
  return {
    builtIn: new Set(MANIFEST.map(({ definition }) => definition.name)),
    get verbose() {
      return debugging.verbose;
    },
    debug(on) {
      debugging.turn(on);
      return debugging.logPath;
    },
    async facts() {
      const { model } = agent.deps.settings;
      const session = composition.sessionId();
      return [
        ["ally", VERSION],
        ["runs on", `Deno ${Deno.version.deno}, ${Deno.build.os} ${Deno.build.arch}`],
        ["model", `${model} at ${addressOf(model, settings)}`],
        ["window", `${agent.deps.budget.size} tokens`],
        ["directory", workspace.cwd],
        ["workspace", workspace.roots.join(", ")],
        ["home", places.home],
        ["configuration", places.config],
        ["session", session ? join(places.sessions, `${session}.jsonl`) : "not saved"],
        ["changes", places.patches],
        ["commands", describeSandbox(await sandbox.status())],
        ...debugging.logPath ? [["log", debugging.logPath] as const] : [],
      ];
    },
  };
}

function addressOf(model: string, { endpoints }: Settings): string {
  return displayUrl(destinationOf(model, endpoints).endpoint.endpoint);
}
