/**
 * What slash commands work with in a session at the terminal: the parts of the run, and the questions that only a
 * terminal can ask. Made anew for each command.
 */
import type { Composition } from "../../app/app.ts";
import { useModel } from "../../app/model_choice.ts";
import { describeProject } from "../../app/project.ts";
import { describeSandbox } from "../../app/sandbox.ts";
import type { Questions } from "../../app/session_notes.ts";
import { DEFAULT_BANNED } from "../../permission/banned.ts";
import type { CommandContext, SlashCommand } from "../../slash/command.ts";
import { confirm } from "../../ui/confirm.ts";
import type { Suspend } from "../../ui/one_at_a_time.ts";
import { pick } from "../../ui/pick.ts";
import { pickFromList } from "../../ui/pick_list.ts";
import type { Renderer } from "../../ui/render.ts";
import type { Terminal } from "../../ui/terminal.ts";
import type { Theme } from "../../ui/theme.ts";
import { aboutRun } from "./about.ts";
import type { Debugging } from "./debugging.ts";
import { pluginControl } from "./plugin_control.ts";
import { sessionConfig } from "./session_config.ts";

/** What a session at the terminal is made of. */
export interface InteractionParts {
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly renderer: Renderer;
  readonly suspend: Suspend;
  readonly composition: Composition;
  readonly debugging: Debugging;
}

interface ContextOptions {
  /** All that can be typed. */
  readonly commands: readonly SlashCommand[];
  /** Aborted when the session ends: no question is answered then. */
  readonly signal: AbortSignal;
  /** Aborted when the person interrupts what runs. */
  readonly stopped: AbortSignal;
  readonly prefill: (text: string) => void;
  /** A question is about to be asked: what was typed ahead may not be meant for what follows it. */
  readonly onQuestion: () => void;
}

/** The context of one command. */
export function commandContext(parts: InteractionParts, options: ContextOptions): CommandContext {
  const { composition, renderer, debugging } = parts;
  const asking = questions(parts, options);
  return {
    ...partsForCommands(composition, debugging),
    commands: options.commands,
    stopped: options.stopped,
    prefill: options.prefill,
    say: (text) => renderer.say(text),
    show: (previews) => renderer.showPreviews(previews),
    ...composition.traffic?.session?.questions(asking) ?? asking,
  };
}

/** What commands work with wherever they run. */
export function partsForCommands(
  composition: Composition,
  debugging: Debugging,
): Omit<CommandContext, "commands" | "stopped" | "prefill" | "say" | "show" | keyof Questions> {
  return {
    agent: composition.agent,
    workspace: composition.workspace,
    statistics: composition.statistics,
    permissions: {
      ...composition.permissions,
      banned: composition.settings.bannedCommands ?? DEFAULT_BANNED,
      decisionLog: composition.places.decisions,
      state: async () => [
        `Commands: ${describeSandbox(await composition.sandbox.status())}`,
        ...describeProject(composition.project),
      ],
    },
    plan: composition.plan,
    plugins: pluginControl(composition),
    agents: {
      profiles: composition.delegation.profiles,
      directory: composition.places.agents,
    },
    mcp: composition.mcp,
    about: aboutRun(composition, debugging),
    bounds: composition.bounds,
    models: {
      list: () => composition.models.list(),
      use: (name) => useModel(name, composition),
    },
    startSession: composition.startSession,
    sessions: {
      id: composition.sessionId,
      recent: (most) => composition.sessions.recent(most),
      resume: composition.resumeSession,
    },
    config: sessionConfig(composition),
    mask: (text) => composition.secrets.remask(text),
  };
}

function questions(
  { terminal, theme, ...parts }: InteractionParts,
  { signal, onQuestion }: ContextOptions,
): Questions {
  const suspend = () => {
    onQuestion();
    return parts.suspend();
  };
  const place = { terminal, theme, signal, suspend };
  return {
    pick: (question, choices) => pick(question, { choices, ...place }),
    async pickName(question, names, current) {
      const resume = await suspend();
      try {
        const entries = names.map((value) => ({ value, label: value }));
        return await pickFromList(question, { ...place, current, entries });
      } finally {
        resume();
      }
    },
    confirm: (question) => confirm(question, place),
  };
}
