/**
 * What a slash command is, and what it may use. The table lists them; the REPL runs them.
 */
import type { Agent, TurnOverrides } from "../agent/agent.ts";
import type { Focus } from "../agent/focus.ts";
import type { ModeSwitch } from "../permission/mode_switch.ts";
import type { Profiles } from "../agent/profiles.ts";
import type { Statistics } from "../agent/statistics.ts";
import type { TurnSummary } from "../agent/turn_deps.ts";
import type { ImagePart } from "../core/image.ts";
import type { Drawable, ItemLookup } from "../core/numbered_item.ts";
import type { Effort } from "../core/model.ts";
import type { Preview } from "../core/permission.ts";
import type { SpentTokens } from "../core/session_log.ts";
import type { Servers } from "../mcp/servers.ts";
import type { RuleBook } from "../permission/rule_book.ts";
import type { Rules } from "../permission/rules.ts";
import type { Skills } from "../skills/skills.ts";
import type { EffectiveSetting } from "../store/config_sources.ts";
import type { SearchableSummary } from "../store/session_summary.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** One answer on offer. */
interface Choice {
  readonly label: string;
  /** The letter or digit that chooses it at once; "" for none. */
  readonly key: string;
}

/** A list that can be searched, whose entries can be taken or acted on. */
interface EntryList {
  readonly entries: readonly ListEntry[];
  /** The entries that what was typed means, in order. @default those whose label contains it */
  readonly search?: (typed: string) => readonly ListEntry[];
  /** @default there is nothing but taking one */
  readonly actions?: readonly {
    /** As people write it: "F2". */
    readonly key: string;
    readonly name: string;
    /** "renames" */
    readonly does: string;
  }[];
  /** What it is narrowed by at first. */
  readonly filter?: string | undefined;
  /** The value that is chosen at first. */
  readonly current?: string | undefined;
}

/** One entry of such a list. */
interface ListEntry {
  readonly value: string;
  readonly label: string;
  /** What else there is to know of it. */
  readonly detail?: string | undefined;
}

/** What was done with an entry. */
interface PickedEntry {
  readonly value: string;
  /** Absent if it was taken. */
  readonly action?: string;
  /** What the list was narrowed by. */
  readonly typed: string;
}

/** What there is to know about the program and this run. */
export interface RunInfo {
  /** A fact a row: what, and its value. */
  facts(): Promise<readonly (readonly [what: string, value: string])[]>;
  /** Whether events are shown and logged. */
  readonly verbose: boolean;
  /** Shows and logs events from now on, or stops both; returns the path of the log. */
  setDebugging(on: boolean): string | undefined;
  /** Names of the tools that ally brings. */
  readonly builtInTools: ReadonlySet<string>;
}

/** A plugin as `/plugins` shows it. */
export interface ListedPlugin {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly problems: readonly string[];
  /** Whether it may run, in a few words. */
  readonly status: string;
}

/** What is known about a plugin; a label can appear several times. */
export interface PluginAudit {
  readonly name: string;
  readonly facts: readonly { readonly label: string; readonly text: string }[];
}

/** What the command needs of plugins. */
export interface PluginControl {
  names(): Promise<readonly string[]>;
  list(): Promise<readonly ListedPlugin[]>;
  /** Shows what a plugin may do and asks; true if it may run now. @throws {Error} there is none */
  allow(name: string): Promise<boolean>;
  /** The plugin asks again. @throws {Error} there is none, or that cannot be stored */
  forget(name: string): Promise<void>;
  /** Everything known about one plugin, or about each. @throws {Error} there is none */
  audit(name: string | undefined): Promise<readonly PluginAudit[]>;
}

/** What a command works with. */
export interface CommandContext {
  readonly agent: Agent;
  readonly workspace: Workspace;
  readonly mode: ModeSwitch;
  /** The agents that take tasks, and the folder of the user's own. */
  readonly agents: { readonly profiles: Profiles; readonly directory: string };
  /** Which directories the session works on. */
  readonly focus: Focus;
  /** Of this run, all its sessions together. */
  readonly statistics: Statistics;
  /** What is allowed and denied in this run. */
  readonly permissions: {
    readonly rules: Rules;
    readonly configured: readonly Rules[];
    readonly book: RuleBook;
    /** Programs that never run. */
    readonly banned: readonly string[];
    /** Path of the log of decisions. */
    readonly decisionLog: string;
    /** The state of the sandbox and of the project's own files, a line each. */
    state(): Promise<readonly string[]>;
  };
  /** Tools that others wrote. */
  readonly plugins: PluginControl;
  /** The skills; undefined if there are none. */
  readonly skills?: Skills | undefined;
  /** The MCP servers; undefined if none is named. */
  readonly mcp?: Servers | undefined;
  /** The commands of theirs that run at certain moments, one line each. @default none */
  readonly hooks?: readonly string[] | undefined;
  /** Aborted when the person interrupts the command; one that may take long listens to it. */
  readonly signal: AbortSignal;
  /** The models of all endpoints. */
  readonly models: {
    /** Their names, and one line for each endpoint that did not answer. @throws {EndpointError} none did */
    list(): Promise<{ readonly names: readonly string[]; readonly problems: readonly string[] }>;
    /** Goes on with another one, from the next request on; returns its name. */
    use(name: string): string;
    /** How much the current one is to think, in a few words. */
    effort(): string;
    /** Has models think so much from the next request on; undefined leaves it to the settings. */
    useEffort(effort: Effort | undefined): void;
  };
  /** What a model's cache has saved, in money; undefined without a price for it. */
  savedByCache(spent: SpentTokens): number | undefined;
  /** Has the models that think now answer. @throws {Error} none thinks, or the session is recorded */
  answerNow(): void;
  /** Lets the user choose from a list that may be long; undefined if they choose nothing or cannot be asked. */
  pickName?(
    question: string,
    options: readonly string[],
    current?: string,
  ): Promise<string | undefined>;
  /** The same of a list that is searched and acted on; undefined if nothing is chosen. */
  pickEntry?(question: string, list: EntryList): Promise<PickedEntry | undefined>;
  /** Lets the user choose a theme by its looks; undefined if they choose none. */
  pickTheme?(): Promise<string | undefined>;
  /** Opens a text in the user's editor; the new text, or why there is none. */
  edit?(
    text: string,
  ): Promise<
    { readonly kind: "text"; readonly text: string } | {
      readonly kind: "unchanged";
      readonly why: string;
    }
  >;
  /** Asks for a line; undefined if the user leaves, or cannot be asked. */
  askLine?(question: string, initial: string): Promise<string | undefined>;
  /** Begins a new session with an empty conversation. */
  startSession(): void;
  /** The saved sessions of this directory. */
  readonly sessions: {
    /** An image of this session as a data URL; undefined if its bytes are gone. */
    readonly imageUrlOf: (image: ImagePart) => Promise<string | undefined>;
    /** Of the current one; undefined if it is not saved. */
    id(): string | undefined;
    recent(most: number): Promise<readonly SearchableSummary[]>;
    /** Goes on with another one. @throws {UsageError} it is not there, or in use */
    resume(id: string): Promise<void>;
    /** Goes on with a copy of one, back to its first messages if `keeps` says so. @throws {UsageError} it is not there */
    fork(id: string, keeps: number | undefined): Promise<void>;
    /** Gives another one than the current one a name. @throws {UsageError} it is not there, or in use */
    rename(id: string, title: string): Promise<void>;
    /** Deletes another one than the current one for good. @throws {UsageError} it is not there, or in use */
    remove(id: string): Promise<void>;
  };
  readonly config: {
    list(): Promise<readonly EffectiveSetting[]>;
    /** Changes the user's own file; returns what to say. @throws {UsageError} key or value cannot be used */
    set(key: string, value: string): Promise<string>;
    unset(key: string): Promise<string>;
  };
  /** A text with placeholders for the secrets in it. */
  mask(text: string): string;
  /** Runs a turn on a prompt, with the notices for the model added. @throws {Error} a turn is running */
  runTurn(prompt: string, overrides?: TurnOverrides): Promise<TurnSummary>;
  /** Tells the model something with the next prompt. */
  tellModel(text: string): void;
  /** Puts a text into the line that is typed next. */
  prefill(text: string): void;
  /** Lets the user choose; the index of the choice, or undefined for none. */
  pick(question: string, choices: readonly Choice[]): Promise<number | undefined>;
  /** Shows a text, Markdown allowed, to the user. */
  say(text: string): void;
  /** Shows the end of the conversation again, as it was when it was said. */
  showLastTurns(): void;
  /** The same of a page that may be longer than the screen; resolves when it has been read. */
  showPage(markdown: string): Promise<void>;
  /** What was shown with a number beside it. */
  readonly items: ItemLookup;
  /** Shows contents whole below a line of facts, in the pager if they are longer than the screen or if `paged`. */
  showWhole(
    contents: readonly Drawable[],
    options: { readonly facts: readonly string[]; readonly paged?: boolean },
  ): Promise<void>;
  /** Puts a text into the clipboard; says by which program, and whether the terminal was given it. */
  copy(text: string): Promise<{ readonly program?: string; readonly terminal: boolean }>;
  /** Runs command lines as the person, as if they had typed them behind `!`. */
  readonly shell: {
    run(command: string): Promise<void>;
    /** Whether a program is installed. */
    has(program: string): Promise<boolean>;
  };
  /** Shows what is about to happen to files. */
  show(previews: readonly Preview[]): void;
  /** Asks the user a question with Yes and No; without an answer it is No. */
  confirm(question: string): Promise<boolean>;
  /** The program and this run. */
  readonly runInfo: RunInfo;
  /** All commands, for `/help`. */
  readonly commands: readonly SlashCommand[];
}

/** A slash command: what help says of it, and what it does. */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Arguments as help shows them. */
  readonly usage?: string;
  /** One line. */
  readonly summary: string;
  /** Lines that show how it is used, for `/help NAME`. */
  readonly examples?: readonly string[];
  /** True if it only shows something, so that it need not wait for the end of a turn. */
  readonly duringTurn?: true;
  /** Set if it is about the terminal, or leaves the session for another one: an editor has its own way for that. */
  readonly terminalOnly?: true;
  /** Whether it shows a page with this argument: the pager gets the keys from then on. @default never */
  opensPage?(argument: string): boolean;
  /**
   * What it changes that later requests depend on. "session": the conversation, how it goes on, and the project's
   * files, nothing else. "machine": also what is outside, such as settings, rules, servers and other sessions.
   * @default nothing, unless by turns of its own
   */
  readonly changes?: "session" | "machine";
  /** The argument as a recording has it, where what is typed means something on this screen alone. @default as typed */
  recorded?(argument: string, context: CommandContext): string;
  /** Candidates for the argument. */
  complete?(context: CommandContext): Promise<readonly string[]>;
  /** Runs it; `exit` ends the session. @throws {Error} what the user should read */
  run(argument: string, context: CommandContext): Promise<"continue" | "exit">;
}
