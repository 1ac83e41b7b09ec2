/**
 * The agents of a run: finds the profiles of the user and of the trusted project, tells what is wrong with them,
 * makes the delegation, and says which agent a line is addressed to. Called by the composition root and by
 * whoever takes lines.
 */
import type { Agent } from "../agent/agent.ts";
import { Delegation, type DelegationOptions } from "../agent/delegate.ts";
import type { PlanMode } from "../agent/plan_mode.ts";
import type { Profile } from "../agent/profile_file.ts";
import { namingAgents, Profiles } from "../agent/profiles.ts";
import type { TurnSummary } from "../agent/turn.ts";
import type { Fact } from "../core/event.ts";
import type { ProjectFile } from "../core/project.ts";
import { readAgentFiles } from "../store/agent_files.ts";
import type { Registry } from "../tools/registry.ts";

/** What the agents are found with. */
interface AgentSources extends Omit<DelegationOptions, "profiles"> {
  /** The user's folder. */
  readonly directory: string;
  /** The files of the project, as far as they are trusted. */
  readonly project: readonly ProjectFile[];
  readonly registry: Registry;
  readonly emit: (fact: Fact) => void;
}

/** Finds the agents, tells the model of them in the tool's definition, and is ready to start them. */
export async function openAgents({ registry, ...sources }: AgentSources): Promise<Delegation> {
  const { directory, project, emit } = sources;
  const profiles = new Profiles({
    async read() {
      const { files, broken } = await readAgentFiles(directory);
      return {
        files: [
          ...files.map((file) => ({ ...file, source: "user" as const })),
          ...project.map(({ path, text }) => ({ path, text, source: "project" as const })),
        ],
        broken,
      };
    },
    tools: () => registry.known,
  });
  await profiles.refresh();
  const { broken, warnings } = profiles.problems;
  for (const text of broken) {
    emit({ type: "notice", level: "warning", text: `An agent is left out: ${text}` });
  }
  for (const text of warnings) emit({ type: "notice", level: "warning", text });
  registry.redefine("delegate", (definition) => namingAgents(definition, profiles.all));
  return new Delegation({ ...sources, profiles });
}

/** A line that begins with an agent's name. */
export interface Addressed {
  readonly profile: Profile;
  readonly prompt: string;
}

/** Runs a line as a turn: by the agent whose name it begins with, else by the one the user talks to. */
export async function runLine(
  text: string,
  { agent, delegation, plan }: { agent: Agent; delegation: Delegation; plan: PlanMode },
): Promise<TurnSummary> {
  const addressed = await addressee(text, delegation);
  return addressed === undefined
    ? await agent.run(plan.annotate(text))
    : await agent.handOver(addressed, delegation);
}

/** Who a line is for, if it begins with `@name` and there is an agent of that name. */
async function addressee(
  text: string,
  { profiles }: Delegation,
): Promise<Addressed | undefined> {
  const match = /^\s*@([A-Za-z][\w-]*)(?:[:,]?\s+([^]*))?$/.exec(text);
  const name = match?.[1];
  if (name === undefined) return undefined;
  await profiles.refresh();
  const profile = profiles.find(name);
  if (profile === undefined) return undefined;
  const prompt = (match?.[2] ?? "").trim();
  if (prompt !== "") return { profile, prompt };
  throw new Error(`Say what ${profile.name} is to do: @${profile.name} TASK`);
}
