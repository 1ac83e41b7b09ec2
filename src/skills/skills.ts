/**
 * The skills of a run: which there are, by which name, and what a turn gets when one is used.
 */
import type { LoadedSkill } from "../core/message.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { approvalLimit, type Rules } from "../permission/rules.ts";
import { parseSkill, type Skill, type SkillSource } from "./skill.ts";
import { type BundledFiles, toLoaded } from "./skill_text.ts";

/** What skills are made of. */
export interface SkillsOptions {
  /** The files, those that count before others first, and what could not be read. */
  readonly read: () => Promise<{
    readonly files: readonly SkillSource[];
    readonly problems: readonly string[];
  }>;
  /** The tools there are. */
  readonly definitions: () => readonly ToolDefinition[];
  /** What is in a skill's folder beside its own file. */
  readonly listFiles: (folder: string) => BundledFiles;
  /** Tells the person what a skill may do without a question. */
  readonly notify: (text: string) => void;
}

/** What a turn is run with for the skills that a person names. */
export interface SkillUse {
  readonly skills: readonly LoadedSkill[];
  readonly approvals: readonly Rules[];
}

/** The skills of a run; call `refresh` first. */
export class Skills {
  readonly #options: SkillsOptions;
  #all: readonly Skill[] = [];
  #unread: readonly string[] = [];
  #unusable: readonly string[] = [];

  constructor(options: SkillsOptions) {
    this.#options = options;
  }

  /** By name. */
  get all(): readonly Skill[] {
    return this.#all;
  }

  /** Those that the model may load. */
  get forModel(): readonly Skill[] {
    return this.#all.filter(({ isForModel }) => isForModel);
  }

  /** Skills that are left out, each with why. */
  get problems(): readonly string[] {
    return [...this.#unread, ...this.#unusable];
  }

  /** Those among them whose files could be read. */
  get parseProblems(): readonly string[] {
    return this.#unusable;
  }

  /** Reads them as they are now. */
  async refresh(): Promise<void> {
    const { files, problems } = await this.#options.read();
    const definitions = this.#options.definitions();
    const found = new Map<string, Skill>();
    const left: string[] = [];
    for (const file of files) {
      const { skill, problems } = await parseSkill(file, { definitions });
      const fatal = problems.find(({ isFatal }) => isFatal);
      if (fatal) left.push(`${file.path}:${fatal.line}: ${fatal.text}`);
      if (skill === undefined) continue;
      const other = found.get(skill.name);
      if (other === undefined) found.set(skill.name, skill);
      else left.push(`${skill.path}: ${other.path} has the name ${skill.name} already`);
    }
    this.#all = [...found.values()].sort((a, b) => a.name < b.name ? -1 : 1);
    this.#unread = problems;
    this.#unusable = left;
  }

  /** The skill of that name. */
  find(name: string): Skill | undefined {
    return this.#all.find((one) => one.name === name);
  }

  /** The skills that a person's words name with `@`. */
  namedIn(words: string): readonly Skill[] {
    const names = [...words.matchAll(/(?<=^|[\s([{"'`])@([a-z0-9-]+)(?![\w/:.-]*[\w/])/g)]
      .map(([, name]) => name);
    return this.#all.filter(({ name }) => names.includes(name));
  }

  /** A skill as the model reads it. */
  load(skill: Skill): LoadedSkill {
    return toLoaded(skill, this.#options.listFiles(skill.folder));
  }

  /** What a turn gets for skills that a person has named; the person is told what they may do. */
  use(skills: readonly Skill[]): SkillUse {
    return {
      skills: skills.map((skill) => this.load(skill)),
      approvals: skills.flatMap((skill) => this.approve(skill) ?? []),
    };
  }

  /** The rules of what a skill may do without a question, which the person is told; undefined if it is nothing. */
  approve({ name, source, approval: { labels, allow } }: Skill): Rules | undefined {
    if (labels.length === 0) return undefined;
    const ofProject = source === "project";
    const limit = approvalLimit({ allow, ofProject });
    this.#options.notify(
      `The skill ${name} may ${labels.join(", ")} without asking, in this turn${limit}.`,
    );
    return { allow, deny: {}, allowAll: false, source: "skill", file: name, ofProject };
  }
}
