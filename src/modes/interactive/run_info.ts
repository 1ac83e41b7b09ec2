/**
 * What `/debug` and `/tools` show of the program and this run.
 */
import { join } from "node:path";
import type { App } from "../../app/app.ts";
import { destinationOf } from "../../app/endpoints.ts";
import { describeSandbox } from "../../app/sandbox.ts";
import type { Settings } from "../../app/settings.ts";
import { VERSION } from "../../app/version.ts";
import { displayUrl } from "../../model/endpoint.ts";
import type { RunInfo } from "../../slash/command.ts";
import type { Debugging } from "../debugging.ts";

/** Looks things up when they are asked for. */
export function createRunInfo(app: App, debugging: Debugging): RunInfo {
  const { agent, paths, plugins, settings, workspace, sandbox } = app;
  return {
    builtInTools: new Set(plugins.builtInNames),
    get verbose() {
      return debugging.verbose;
    },
    setDebugging(on) {
      debugging.setEnabled(on);
      return debugging.logPath;
    },
    async facts() {
      const { model } = agent.deps.settings;
      const session = app.sessionId();
      return [
        ["ally", VERSION],
        ["runs on", `Deno ${Deno.version.deno}, ${Deno.build.os} ${Deno.build.arch}`],
        ["model", `${model} at ${addressOf(model, settings)}`],
        ["window", `${agent.deps.budget.size} tokens`],
        ["directory", workspace.cwd],
        ["workspace", workspace.roots.join(", ")],
        ["home", paths.home],
        ["configuration", paths.config],
        ["session", session ? join(paths.sessions, `${session}.jsonl`) : "not saved"],
        ["changes", paths.patches],
        ["commands", describeSandbox(await sandbox.status())],
        ...debugging.logPath ? [["log", debugging.logPath] as const] : [],
      ];
    },
  };
}

function addressOf(model: string, { endpoints }: Settings): string {
  return displayUrl(destinationOf(model, endpoints).endpoint.url);
}
