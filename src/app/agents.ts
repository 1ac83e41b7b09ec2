/**
 * The agents of a run: finds the profiles of the user and of the trusted project, warns of what is wrong with them,
 * and runs a line by the agent that it is addressed to.
 */
import type { Agent } from "../agent/agent.ts";
import { Delegation } from "../agent/delegate.ts";
import type { Profile } from "../agent/profile_file.ts";
import { Profiles, withAgentNames } from "../agent/profiles.ts";
import type { TurnSummary } from "../agent/turn_deps.ts";
import { readApproval } from "../permission/approved_tools.ts";
import { readAgentFiles } from "../store/agent_files.ts";
import type { Skills } from "../skills/skills.ts";
import type { Registry } from "../tools/registry.ts";
import type { Bootstrap } from "./bootstrap.ts";
import type { Prompts, WordsOptions } from "./prompts.ts";

/** Finds the agents, names them in the tool's definition, and prepares to start them. */
export async function openDelegation(
  { events, project, settings, storage, workspace }: Bootstrap,
  registry: Registry,
): Promise<Delegation> {
  const profiles = new Profiles({
    async read() {
      const { files, problems } = await readAgentFiles(storage.paths.agents);
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
  for (const text of broken) events.warn(`An agent is left out: ${text}`);
  warnings.forEach(events.warn);
  registry.redefine("delegate", (definition) => withAgentNames(definition, profiles.all));
  return new Delegation({
    profiles,
    emitAs: (agent) => events.emitterFor(agent),
    openFiles: () => {
      const files = workspace.fork();
      return (pending, resolved) => files.view(pending, resolved);
    },
    maxParallel: settings.values.max_parallel,
    maxTurns: settings.values.agent_max_turns,
  });
}

/** What a line is run with. */
interface LineOptions extends WordsOptions {
  readonly agent: Agent;
  readonly delegation: Delegation;
  readonly prompts: Prompts;
  readonly skills: Skills | undefined;
}

/**
 * Runs a line as a turn: by the agent whose name it begins with, else by the one the user talks to.
 * @throws {Error} it names an agent and no task
 * @throws what the signal was aborted with, if the turn had not begun
 */
export async function runLine(
  text: string,
  { agent, delegation, prompts, skills, ...given }: LineOptions,
): Promise<TurnSummary> {
  const addressed = await findAddressee(text, delegation);
  if (addressed === undefined) {
    const prompt = await prompts.turn(text, given);
    return await agent.run(prompt, { typed: text, ...skills?.use(skills.namedIn(text)) });
  }
  const { profile, words } = addressed;
  const task = await prompts.task(words, given);
  if (task.trim() === "") {
    throw new Error(`Say what ${profile.name} is to do: @${profile.name} TASK`);
  }
  return await agent.handOff({ profile, prompt: task });
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
