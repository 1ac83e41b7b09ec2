/**
 * How a person's actions are recorded: these functions wrap everything that takes an action. If the run is not recorded,
 * they return it unchanged.
 */
import type { EventSink } from "../core/event.ts";
import type { AskPermission } from "../core/permission.ts";
import type { SlashCommand } from "../slash/command.ts";
import type { SchedulerDeps } from "../tools/scheduler.ts";

/** Decorates what takes a person's actions. */
export interface UserActions {
  wrapSink(sink: EventSink): EventSink;
  wrapAsk(ask: AskPermission): AskPermission;
  /** The scheduler of commands that the user types. */
  wrapUserScheduler(scheduler: SchedulerDeps): SchedulerDeps;
  wrapCommand(command: SlashCommand): SlashCommand;
}

/** For a run that is not recorded. */
export const UNRECORDED: UserActions = {
  wrapSink: (sink) => sink,
  wrapAsk: (ask) => ask,
  wrapUserScheduler: (scheduler) => scheduler,
  wrapCommand: (command) => command,
};
