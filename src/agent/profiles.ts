/**
 * The agents that can be given tasks: the general one, the user's own, and those of a trusted project, of which
 * the nearer replaces one of the same name. A broken file is reported and left out.
 */
import type { ToolDefinition } from "../core/tool.ts";
import { findName } from "../lib/names.ts";
import { messageOf } from "../lib/text.ts";
import type { Approvals, Profile, ProfileFile } from "./profile_file.ts";

/** Always there. */
const GENERAL: Profile = {
  name: "general",
  description: "any task: searches, reads, changes and runs as you do",
  instructions: "",
  source: "built in",
};

/** Bytes that the agents may add to what the model reads of the tool. */
const MAX_TOLD = 700;

/** The files there are: the user's before the project's. */
interface ProfileFiles {
  readonly files: readonly ProfileFile[];
  /** Those that could not even be read, each with why. */
  readonly problems: readonly string[];
}

/** What looking at the files came to. */
interface ProfileProblems {
  /** One line each, with path and line. */
  readonly broken: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads what a file says may be done without a question. */
type ApproveFor = (
  value: unknown,
  options: { definitions: readonly ToolDefinition[] },
) => Approvals;

/** The profiles of a run. */
export class Profiles {
  readonly #read: () => Promise<ProfileFiles>;
  readonly #tools: () => readonly ToolDefinition[];
  readonly #approve: ApproveFor;
  #profiles: ReadonlyMap<string, Profile> = new Map([[GENERAL.name, GENERAL]]);
  #overridden: readonly Profile[] = [];
  #problems: ProfileProblems = { broken: [], warnings: [] };

  /** `read` never rejects; `tools` are all tools of the run. */
  constructor(options: {
    read: () => Promise<ProfileFiles>;
    tools: () => readonly ToolDefinition[];
    /** @default nothing is approved */
    approve?: ApproveFor;
  }) {
    this.#read = options.read;
    this.#tools = options.tools;
    this.#approve = options.approve ?? (() => ({ allow: {}, labels: [], problems: [] }));
  }

  /** The general one first, then by name. */
  get all(): readonly Profile[] {
    const rank = ({ name }: Profile) => name === GENERAL.name ? 0 : 1;
    return [...this.#profiles.values()].sort((a, b) =>
      rank(a) - rank(b) || (a.name < b.name ? -1 : 1)
    );
  }

  /** Profiles for which a nearer one of the same name stands in. */
  get overridden(): readonly Profile[] {
    return this.#overridden;
  }

  get problems(): ProfileProblems {
    return this.#problems;
  }

  /** The profile with a name, however it is spelt. */
  find(name: string): Profile | undefined {
    const known = findName(name, this.#profiles.keys());
    return known === undefined ? undefined : this.#profiles.get(known);
  }

  /** Reads the files anew; what cannot be used is among the problems. */
  async refresh(): Promise<void> {
    const profiles = new Map([[GENERAL.name, GENERAL]]);
    const overridden: Profile[] = [];
    const { files, problems: unread } = await this.#read();
    const broken = [...unread];
    const warnings: string[] = [];
    const definitions = this.#tools().filter(isForSubAgents);
    const tools = definitions.map(({ name }) => name);
    const approve = (value: unknown) => this.#approve(value, { definitions });
    for (const file of files) {
      try {
        // Most runs have no file.
        const { parseProfile } = await import("./profile_file.ts");
        const { profile, warnings: odd } = await parseProfile(file, { tools, approve });
        const known = profiles.get(profile.name);
        if (known?.source === profile.source) {
          throw new Error(`${file.path}:1: ${known.path} has the name '${profile.name}' already`);
        }
        if (known !== undefined) overridden.push(known);
        profiles.set(profile.name, profile);
        warnings.push(...odd);
      } catch (error) {
        broken.push(messageOf(error));
      }
    }
    this.#profiles = profiles;
    this.#overridden = overridden;
    this.#problems = { broken, warnings };
  }
}

/** Whether agents that work for another one may have a tool: not if it gives tasks to agents itself. */
export function isForSubAgents({ effects }: ToolDefinition): boolean {
  return !effects.includes("delegate");
}

/** A definition whose description names the agents there are; where they are many, without what they do. */
export function withAgentNames(
  definition: ToolDefinition,
  profiles: readonly Profile[],
): ToolDefinition {
  if (profiles.length < 2) return definition;
  const described = profiles.map(({ name, description }) => `${name} (${description})`).join("; ");
  const told = bytesOf(described) <= MAX_TOLD ? described : namesWithin(profiles, MAX_TOLD);
  return { ...definition, description: `${definition.description} Agents: ${told}` };
}

function namesWithin(profiles: readonly Profile[], most: number): string {
  const names: string[] = [];
  for (const { name } of profiles) {
    if (bytesOf([...names, name].join(", ")) > most) return `${names.join(", ")}, ...`;
    names.push(name);
  }
  return names.join(", ");
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
