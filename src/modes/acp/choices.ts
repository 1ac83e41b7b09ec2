/**
 * What a client's person can choose for a session: how far ally goes unasked, the model, how much it thinks.
 */
import {
  RequestError,
  type SessionConfigOption,
  type SessionModeState,
} from "@agentclientprotocol/sdk";
import type { App } from "../../app/app.ts";
import { EFFORTS } from "../../core/model.ts";
import type { SessionMode } from "../../core/permission.ts";
import { boundMessage } from "../../lib/excerpt.ts";

/** A mode as clients show it. */
interface ShownMode {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly mode: SessionMode;
}

const MODES: readonly ShownMode[] = [
  {
    id: "ask",
    name: "Ask",
    description: "ask before files are changed and before commands run that could do harm",
    mode: "ask",
  },
  {
    id: "auto",
    name: "Auto",
    description: "change files of the workspace unasked, and ask about the rest",
    mode: "edits",
  },
  {
    id: "plan",
    name: "Plan",
    description: "only read, and answer with a plan",
    mode: "plan",
  },
];

/** Leaves it to the settings how much the model thinks. */
const DEFAULT_EFFORT = "default";

type ChoicesApp = Pick<App, "mode" | "current" | "models">;

/** The modes, and the one in force. */
export function modesOf({ mode }: ChoicesApp): SessionModeState {
  const offered = mode.locked ? MODES.filter((one) => one.mode === "plan") : MODES;
  return {
    currentModeId: MODES.find((one) => one.mode === mode.mode)?.id ?? "ask",
    availableModes: offered.map(({ id, name, description }) => ({ id, name, description })),
  };
}

/** Takes a mode. @throws {RequestError} there is none of that name, or plan mode cannot be left */
export function chooseMode({ mode }: ChoicesApp, id: string): void {
  const chosen = MODES.find((one) => one.id === id);
  if (chosen === undefined) {
    const ids = MODES.map((one) => one.id).join(", ");
    throw refuseParams(`there is no mode '${id}'. There are: ${ids}`);
  }
  mode.set(chosen.mode);
}

/** All that can be chosen; `models` are the names that the servers list, as far as they have answered. */
export function configOptionsOf(app: ChoicesApp, models: readonly string[]): SessionConfigOption[] {
  const { model, effort } = app.current.settings;
  const { currentModeId, availableModes } = modesOf(app);
  const names = models.includes(model) ? models : [model, ...models];
  return [
    {
      id: "mode",
      name: "Mode",
      category: "mode",
      type: "select",
      currentValue: currentModeId,
      options: availableModes.map(({ id, name, description }) => ({
        value: id,
        name,
        ...description && { description },
      })),
    },
    {
      id: "model",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: model,
      options: names.map((name) => ({ value: name, name })),
    },
    {
      id: "effort",
      name: "Effort",
      description: "how much the model thinks before it answers",
      category: "thought_level",
      type: "select",
      currentValue: effort ?? DEFAULT_EFFORT,
      options: [DEFAULT_EFFORT, ...EFFORTS].map((value) => ({ value, name: value })),
    },
  ];
}

/** Takes a value. @throws {RequestError} there is no such option, or it has no such value */
export function chooseValue(
  app: ChoicesApp,
  { option, value, models }: { option: string; value: string; models: readonly string[] },
): void {
  const known = configOptionsOf(app, models).find(({ id }) => id === option);
  if (known === undefined) throw refuseParams(`there is no option '${option}'`);
  if (option === "mode") return chooseMode(app, value);
  const values = known.type === "select"
    ? known.options.flatMap((one) => "value" in one ? [one.value] : [])
    : [];
  if (!values.includes(value)) {
    throw refuseParams(
      `the option '${option}' has no value '${value}'. It has: ${values.join(", ")}`,
    );
  }
  if (option === "model") app.models.switchTo(value);
  else app.current.configure({ effort: EFFORTS.find((one) => one === value) });
}

function refuseParams(why: string): RequestError {
  return RequestError.invalidParams(undefined, boundMessage(why));
}
