/**
 * Asks the person at the client about calls, by elicitation: one question for each call, one at a time. What is not
 * answered is denied.
 */
import type { Server } from "@modelcontextprotocol/sdk/server";
import type { Answer, PermissionRequest, Preview } from "../../core/permission.ts";
import { Semaphore } from "../../lib/pool.ts";
import { cutSafely } from "../../lib/excerpt.ts";
import { stripControls } from "../../lib/text.ts";

/** Milliseconds that a person has for an answer. */
const ANSWER_TIMEOUT_MS = 15 * 60_000;
/** Characters of what is shown of a call. */
const MAX_SHOWN = 4_000;

/** Asks through a server whose client can ask. */
export class ClientQuestions {
  readonly #server: Server;
  readonly #mask: (text: string) => string;
  readonly #turn = new Semaphore({ limit: 1 });

  /** `mask` keeps secrets from the client. */
  constructor({ server, mask }: { server: Server; mask: (text: string) => string }) {
    this.#server = server;
    this.#mask = mask;
  }

  /** An answer for each request, in their order. */
  async ask(requests: readonly PermissionRequest[], signal: AbortSignal): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (const request of requests) {
      answers.push(await this.#turn.run(() => this.#askOne(request, signal)));
    }
    return answers;
  }

  async #askOne(request: PermissionRequest, signal: AbortSignal): Promise<Answer> {
    const [offer] = request.offers;
    const always = offer && { const: "always", title: `Always in this session: ${offer.text}` };
    const choices = [
      { const: "allow", title: "Allow" },
      ...always ? [always] : [],
      { const: "deny", title: "Deny" },
    ];
    try {
      const { action, content } = await this.#server.elicitInput({
        message: stripControls(this.#mask(describe(request))),
        requestedSchema: {
          type: "object",
          properties: { decision: { type: "string", title: "Decision", oneOf: choices } },
          required: ["decision"],
        },
      }, { signal, timeout: ANSWER_TIMEOUT_MS });
      if (action !== "accept") return { kind: "deny" };
      if (content?.decision === "allow") return { kind: "allow" };
      return content?.decision === "always" && offer
        ? { kind: "always", scope: "session", breadth: offer.breadth }
        : { kind: "deny" };
    } catch {
      // The client has left, or nobody answered.
      return { kind: "deny" };
    }
  }
}

/** What a person has to know of a call. */
function describe({ agent, tool, description, why, unusual, previews }: PermissionRequest): string {
  const who = agent.depth === 0 ? "" : `The agent ${agent.name}: `;
  const shown = previews.map(textOfPreview).filter((text) => text !== "").join("\n\n");
  return [
    `${who}${tool} ${description}`,
    why,
    ...unusual ?? [],
    ...shown === "" ? [] : [cutSafely(shown, MAX_SHOWN)],
  ].join("\n");
}

function textOfPreview(preview: Preview): string {
  switch (preview.kind) {
    case "diff":
      return `${preview.path}:\n${preview.diff}`;
    case "new_file":
      return `${preview.path} (new):\n${preview.content}`;
    case "deleted_file":
      return `${preview.path} is deleted (${preview.lines} lines)`;
    case "other_change":
      return `${preview.path}: ${preview.what}`;
    case "command":
      return `$ ${preview.command}\n(in ${preview.cwd})`;
    case "sent":
      return preview.text;
  }
}
