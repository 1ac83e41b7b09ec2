/**
 * How `ally plugin list` and `ally plugin audit` show plugins, as text or JSON.
 */
import { describeConsent, pluginFacts, type PluginState } from "../../app/plugin_state.ts";
import { jsonLine } from "../../lib/text.ts";
import { escapeLine } from "../../ui/safe_text.ts";

/** `ally plugin list` as text or JSON. */
export function formatList(states: readonly PluginState[], json: boolean): string {
  if (json) {
    return jsonLine({
      plugins: states.map(({ name, version, description, folder, usable, problems, ...rest }) => ({
        name,
        version,
        description,
        folder,
        usable,
        problems,
        tools: rest.tools.map((tool) => tool.name),
        consent: rest.consent,
        used: rest.used,
      })),
    });
  }
  if (states.length === 0) {
    return "No plugin is installed. Create one with: ally plugin new NAME";
  }
  return states.map((state) =>
    [
      formatHead(state),
      ...(state.tools.length > 0
        ? [`  tools  ${state.tools.map((one) => one.name).join(", ")}`]
        : []),
      `  ${state.usable ? describeConsent(state) : "cannot be used:"}`,
      ...state.problems.map((problem) => `    ${escapeLine(problem)}`),
    ].join("\n")
  ).join("\n\n");
}

/** `ally plugin audit` as text or JSON. */
export function formatAudit(states: readonly PluginState[], json: boolean): string {
  if (json) return jsonLine({ plugins: states });
  if (states.length === 0) return "No plugin is installed.";
  return states.map((state) => {
    const facts = pluginFacts(state).map(({ label, text }, index, all) => {
      const shown = all[index - 1]?.label === label ? "" : label;
      return `  ${shown.padEnd(8)}  ${text}`;
    });
    return [formatHead(state), ...facts].join("\n");
  }).join("\n\n");
}

function formatHead({ name, version = "", description = "" }: PluginState): string {
  return [name, version, description].map(escapeLine).join("  ").trimEnd();
}
