/**
 * The questions of a session that a client's person answers: whether calls may run, whether a plugin may, whether a
 * project is trusted.
 */
import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import {
  type Answer,
  type AskPermission,
  BREADTHS,
  type PermissionRequest,
} from "../../core/permission.ts";
import type { AskConsent } from "../../core/plugin_consent.ts";
import type { AskTrust, TrustAnswer } from "../../core/project.ts";
import { type GrantChoice, grantChoices } from "../../ui/grant_choices.ts";
import { escapeControls, escapeLine } from "../../ui/safe_text.ts";
import { fenced, previewContent, questionText, textContent, toolCallIdOf } from "./call_view.ts";
import type { OfferedAnswer, SessionClient } from "./session_client.ts";
import type { SessionUpdates } from "./updates.ts";

const DENIED: Answer = { kind: "deny" };

/** What questions are asked with. */
interface AskOptions {
  readonly client: SessionClient;
  readonly updates: Pick<SessionUpdates, "shownCall">;
  readonly cwd: string;
}

/** An answer as the client offers it, and what it means. */
interface Choice extends OfferedAnswer {
  readonly answer: Answer;
}

/** Makes the port: one question for all calls of a reply; whatever goes wrong is a denial. */
export function createAsk(options: AskOptions): AskPermission {
  return async (requests, signal) => {
    if (requests.length === 0) return [];
    const choices = choicesFor(requests);
    const chosen = await options.client.ask(questionAbout(requests, options), {
      options: choices.map(({ answer: _meant, ...offered }) => offered),
      signal,
    }).catch(() => undefined);
    const answer = choices.find(({ optionId }) => optionId === chosen)?.answer ?? DENIED;
    return requests.map(() => answer);
  };
}

/** The answers: Always once for each scope, as far as it is offered, worded as at the prompt. */
function choicesFor(requests: readonly PermissionRequest[]): Choice[] {
  const all = requests.length > 1 ? " all" : "";
  const grants = new Map<string, GrantChoice>();
  for (const choice of BREADTHS.flatMap((breadth) => grantChoices(requests, breadth))) {
    if (!grants.has(choice.scope)) grants.set(choice.scope, choice);
  }
  return [
    { optionId: "allow", kind: "allow_once", name: `Allow${all}`, answer: { kind: "allow" } },
    ...[...grants.values()].map(({ scope, breadth, label }): Choice => ({
      optionId: `always_${scope}`,
      kind: "allow_always",
      name: label,
      answer: { kind: "always", scope, breadth },
    })),
    { optionId: "deny", kind: "reject_once", name: `Deny${all}`, answer: DENIED },
  ];
}

/** What is asked about: the call, or the first of several with what all of them would do. */
function questionAbout(
  requests: readonly PermissionRequest[],
  { updates, cwd }: AskOptions,
): ToolCallUpdate {
  const calls = requests.map((request) => {
    const id = toolCallIdOf(request.agent, request.callId);
    const shown = updates.shownCall(id);
    const does = shown?.content.length ? shown.content : previewContent(request.previews, { cwd });
    return { id, request, shown, does };
  });
  const [first] = calls;
  const heads = calls.map(({ request }) => escapeLine(`${request.tool} ${request.description}`));
  return {
    toolCallId: first?.id ?? "",
    status: "pending",
    title: calls.length > 1
      ? `Allow these ${calls.length} calls?`
      : first?.shown?.title ?? heads[0],
    content: calls.flatMap(({ request, does }, index) => [
      textContent(
        calls.length > 1
          ? `${index + 1}. ${heads[index]}\n\n${questionText(request)}`
          : questionText(request),
      ),
      ...does,
    ]),
    locations: calls.flatMap(({ shown }) => [...shown?.locations ?? []]),
  };
}

/** Makes the question whether a plugin may run. */
export function createConsentAsk(client: SessionClient): AskConsent {
  return async ({ name, version, description, folder, may, tools, changes }, signal) => {
    const list = (title: string, lines: readonly string[]) =>
      [`${title}:`, ...lines.map((line) => `- ${escapeLine(line)}`)].join("\n");
    const text = [
      `${escapeLine(`${version}: ${description}`)}\n${escapeLine(folder)}`,
      list("Its tools", tools),
      ...changes === undefined ? [] : [list("Changed since it was allowed", changes)],
      list("It", may),
    ].join("\n\n");
    const answers = [
      { kind: "allow_once", name: "Allow in this session" },
      { kind: "allow_always", name: "Always allow it as it is now" },
      { kind: "reject_once", name: "Deny" },
    ] as const;
    const title = `Let the plugin ${escapeLine(name)} run?`;
    const chosen = await client.choose({ title, text }, { answers, signal });
    return chosen === 0 ? "session" : chosen === 1 ? "always" : "deny";
  };
}

const TRUST_ANSWERS: readonly { readonly value: TrustAnswer; readonly name: string }[] = [
  { value: "trust", name: "Trust these files" },
  { value: "not_now", name: "Not now: go on without them" },
  { value: "never", name: "No, and ask again only when they change" },
];

/** Makes the question whether a project's own files may act; who cannot be asked is told how to trust them. */
export function createTrustAsk(
  client: SessionClient,
  { warn }: { warn: (text: string) => void },
): AskTrust {
  return async ({ directory, items }) => {
    const title = "Do you trust this project? These of its files would affect ally.";
    const text = [
      escapeLine(directory),
      ...items.map(({ path, state, effects, diff }) =>
        [
          `**${escapeLine(path)}**${state === "changed" ? " (changed)" : ""}`,
          ...effects.map((effect) => `- ${escapeLine(effect)}`),
          ...diff === undefined ? [] : [fenced(escapeControls(diff), "diff")],
        ].join("\n")
      ),
    ].join("\n\n");
    if (client.isOpen) {
      const kinds = ["allow_always", "reject_once", "reject_always"] as const;
      const answers = TRUST_ANSWERS.map(({ name }, index) => ({ name, kind: kinds[index]! }));
      const chosen = await client.choose({ title, text }, { answers, signal: client.closed });
      return TRUST_ANSWERS[chosen ?? 1]?.value ?? "not_now";
    }
    const chosen = await client.chooseEarly(`${title}\n\n${text}`, TRUST_ANSWERS);
    const answer = TRUST_ANSWERS.find(({ value }) => value === chosen)?.value;
    if (answer === undefined) {
      const paths = items.map(({ path }) => path).join(", ");
      warn(
        `The project's own files are left out, because it is not trusted: ${paths}. ` +
          "Start ally there in a terminal to look at them and trust them.",
      );
    }
    return answer ?? "not_now";
  };
}
