/**
 * The agents of a run: finds the profiles of the user and of the trusted project, tells what is wrong with them,
 * makes the delegation, and says which agent a line is addressed to. Called by the composition root and by
 * whoever takes lines.
 */
import type { Agent } from "../agent/agent.ts";
import { Delegation, type DelegationOptions } from "../agent/delegate.ts";
import type { Profile } from "../agent/profile_file.ts";
import { Profiles, withAgentNames } from "../agent/profiles.ts";
import type { TurnSummary } from "../agent/turn_deps.ts";
import type { EventBody } from "../core/event.ts";
import { readApproval } from "../permission/approved_tools.ts";
import { readAgentFiles } from "../store/agent_files.ts";
import type { AllyPaths } from "../store/paths.ts";
import type { Registry } from "../tools/registry.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { ProjectTrust } from "./project.ts";
import type { Settings } from "./settings.ts";

/** What the agents are found and run with. */
interface DelegationSources extends Pick<DelegationOptions, "parent" | "emitAs"> {
  readonly paths: Pick<AllyPaths, "agents">;
  /** The project's files, as far as they are trusted. */
  readonly project: Pick<ProjectTrust, "files">;
  readonly registry: Registry;
  readonly workspace: Pick<Workspace, "fork">;
  readonly settings: Pick<Settings, "maxParallel" | "agentMaxTurns">;
  readonly emit: (fact: EventBody) => void;
}

/** Finds the agents, tells the model of them in the tool's definition, and is ready to start them. */
export async function openDelegation(sources: DelegationSources): Promise<Delegation> {
  const { paths, project, registry, workspace, settings, emit } = sources;
  const profiles = new Profiles({
    async read() {
      const { files, problems } = await readAgentFiles(paths.agents);
      return {
        files: [
          ...files.map((file) => ({ ...file, source: "user" as const })),
          ...project.files.agents.map(({ path, text }) => ({
            path,
            text,
            source: "project" as const,
          })),
        ],
        problems,
      };
    },
    tools: () => registry.all,
    approve: readApproval,
  });
  await profiles.refresh();
  const { broken, warnings } = profiles.problems;
  for (const text of broken) {
    emit({ type: "notice", level: "warning", text: `An agent is left out: ${text}` });
  }
  for (const text of warnings) emit({ type: "notice", level: "warning", text });
  registry.redefine("delegate", (definition) => withAgentNames(definition, profiles.all));
  return new Delegation({
    profiles,
    parent: sources.parent,
    emitAs: sources.emitAs,
    openFiles: () => {
      const files = workspace.fork();
      return (pending) => files.view(pending);
    },
    maxParallel: settings.maxParallel,
    maxTurns: settings.agentMaxTurns,
  });
}

/** What a line is run with. */
export interface LineOptions {
  readonly agent: Agent;
  readonly delegation: Delegation;
  /** The words as the agent gets them that the user talks to. */
  readonly toPrompt: (words: string) => Promise<string>;
  /** The words as another agent gets them. */
  readonly toTask: (words: string) => Promise<string>;
}

/**
 * Runs a line as a turn: by the agent whose name it begins with, else by the one the user talks to.
 * @throws {Error} it names an agent and no task
 */
export async function runLine(
  text: string,
  { agent, delegation, toPrompt, toTask }: LineOptions,
): Promise<TurnSummary> {
  const addressed = await findAddressee(text, delegation);
  if (addressed === undefined) return await agent.run(await toPrompt(text), { typed: text });
  const { profile, words } = addressed;
  const whole = await toTask(words);
  if (whole.trim() === "") {
    throw new Error(`Say what ${profile.name} is to do: @${profile.name} TASK`);
  }
  return await agent.handOff({ profile, prompt: whole }, delegation);
}

/** Who a line is for, if it begins with `@name` and there is an agent of that name. */
async function findAddressee(
  text: string,
  { profiles }: Delegation,
): Promise<{ profile: Profile; words: string } | undefined> {
  const [, name, words = ""] = /^\s*@([A-Za-z][\w-]*)(?:[:,]?\s+([^]*))?$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  await profiles.refresh();
  const profile = profiles.find(name);
  return profile && { profile, words: words.trim() };
}
