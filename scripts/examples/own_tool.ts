// deno-lint-ignore-file no-console
/**
 * A tool of one's own: the model looks tickets up in this program. Run by
 * `deno run --allow-all scripts/examples/own_tool.ts`.
 */
import { Ally, type AllyOptions, defineTool, type Input, type ToolDefinition } from "ally-agent";

const TICKETS = new Map([
  [7, "The total is wrong when a line is empty."],
  [8, "Dates are shown in the wrong order."],
]);

const definition = {
  name: "find_ticket",
  description: "Find a ticket of the tracker by its number.",
  parameters: {
    type: "object",
    properties: { number: { type: "integer" } },
    required: ["number"],
    additionalProperties: false,
  },
  // What a call does beyond this program; nothing here, so that it never asks.
  effects: [],
  example: { number: 7 },
} as const satisfies ToolDefinition;

const findTicket = defineTool<Input<typeof definition>, { text: string }>(definition, {
  describe: ({ number }) => `#${number}`,
  run({ number }) {
    const text = TICKETS.get(number);
    return Promise.resolve(
      text === undefined
        ? { ok: false, error: { kind: "user", message: `There is no ticket ${number}` } }
        : { ok: true, data: { text } },
    );
  },
});

/** Has the model explain a ticket. */
export async function explainTicket(number: number, options: AllyOptions): Promise<string> {
  const ally = new Ally(options);
  const { text } = await ally.run(`Explain ticket ${number}.`, { tools: [findTicket] });
  return text;
}

if (import.meta.main) console.log(await explainTicket(Number(Deno.args[0] ?? 7), {}));
