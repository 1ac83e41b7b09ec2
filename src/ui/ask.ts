/**
 * The permission question for a person at a terminal. What the calls would do is already on the screen; here are the
 * question and what can be done before it is answered: edit the call, view all of it. Whatever goes wrong (an abort,
 * a closed terminal, Escape) is a denial.
 */
import type {
  Answer,
  AskPermission,
  EditableCall,
  EditableText,
  PermissionRequest,
  Preview,
} from "../core/permission.ts";
import { oneLine } from "../lib/text.ts";
import {
  answerLine,
  type AskChoice,
  askOptions,
  DENY,
  fullLines,
  type PermissionQuestion,
  questionLines,
} from "./ask_view.ts";
import { plainCode } from "./highlight.ts";
import { editLine, type EditResult } from "./line_editor.ts";
import { LineInput } from "./line_input.ts";
import { callKey, type NumberedItems, previewItem } from "./numbered_items.ts";
import { isCut, renderPreviews } from "./preview.ts";
import { choose } from "./question.ts";
import { type Suspend, withScreen } from "./suspend.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { noticeLines } from "./turn_view.ts";
import { fit } from "./wrap.ts";

/** What questions are asked with. */
export interface AskOptions {
  readonly terminal: Terminal;
  readonly theme: Theme;
  /** Working directory: commands elsewhere say where. */
  readonly cwd: string;
  readonly suspend: Suspend;
  /** Lets the person edit a call; absent, nothing can be edited. Never rejects. */
  readonly edit?:
    | ((
      editable: EditableText & Pick<EditableCall, "kind">,
      signal: AbortSignal,
    ) => Promise<EditResult>)
    | undefined;
  /** Where what is shown shortened gets its numbers. @default it gets none */
  readonly items?: NumberedItems;
  /** Called for each Ctrl+C in a question, which also denies. */
  readonly onInterrupt?: (() => void) | undefined;
}

const DENIED: Answer = { kind: "deny" };

/** Makes the port; simultaneous questions are asked one after another. */
export function createAsk(options: AskOptions): AskPermission {
  let last: Promise<unknown> = Promise.resolve();
  let asking = 0;
  return (requests, signal) => {
    const alone = asking++ === 0;
    const waiting = () => asking - 1;
    const turn = last.then(() => askInTurn(requests, { ...options, signal, alone, waiting }));
    last = turn.catch(() => {}).finally(() => asking--);
    return turn;
  };
}

interface AskTurnOptions extends AskOptions {
  readonly signal: AbortSignal;
  /** Whether no other question came between the calls and this question. */
  readonly alone: boolean;
  readonly waiting: () => number;
}

async function askInTurn(
  requests: readonly PermissionRequest[],
  options: AskTurnOptions,
): Promise<readonly Answer[]> {
  if (requests.length === 0 || options.signal.aborted) return requests.map(() => DENIED);
  return await withScreen(options.suspend, async () => {
    const answer = await askUntilAnswered(requests, options);
    if (answer !== "each") return requests.map(() => answer);
    return await askOneByOne(requests, options);
  });
}

async function askOneByOne(
  requests: readonly PermissionRequest[],
  options: AskTurnOptions,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const allowed = new Map<Answer, readonly string[]>();
  for (const [index, request] of requests.entries()) {
    const known = answers.find((answer) => isCovered(request, allowed.get(answer)));
    if (known) {
      answers.push(known);
      continue;
    }
    const position = `${index + 1} of ${requests.length}`;
    const one = await askUntilAnswered([request], { ...options, position });
    const answer = one === "each" ? DENIED : one;
    answers.push(answer);
    if (answer.kind === "always" && answer.breadth === "kind") {
      allowed.set(answer, kindOffers(request));
    }
  }
  return answers;
}

/** Whether an answer to an earlier call allows this one too: its whole kind. */
function isCovered(request: PermissionRequest, allowed: readonly string[] = []): boolean {
  return kindOffers(request).some((text) => allowed.includes(text));
}

function kindOffers({ offers, risk }: PermissionRequest): string[] {
  if (risk === "extreme") return [];
  return offers.filter(({ breadth }) => breadth === "kind").map(({ text }) => text);
}

async function askUntilAnswered(
  requests: readonly PermissionRequest[],
  options: AskTurnOptions & { position?: string },
): Promise<Answer | "each"> {
  const { terminal, theme, signal, edit, position, alone } = options;
  const editable = edit && requests[0]?.editable;
  const shown = position === undefined && showForAgents(requests, options);
  let question: PermissionQuestion = {
    theme,
    cwd: options.cwd,
    position,
    waiting: options.waiting,
    requests: edit ? requests : requests.map((one) => ({ ...one, editable: undefined })),
    shownAbove: (alone || shown) && position === undefined && requests.length === 1 &&
      requests.some(({ previews }) => previews.length > 0),
    isCut: requests.some(({ previews }) =>
      isCut(previews, {
        theme,
        cwd: options.cwd,
        columns: Math.max(1, terminal.columns - 1),
        screenRows: terminal.rows,
      })
    ),
  };
  // Words of somebody who went back to the question are there when they come again.
  const instead = new LineInput();
  for (;;) {
    const choice = await choose<AskChoice>({
      lines: (columns) => questionLines(question, columns),
      options: askOptions(question),
      fallback: DENY,
      renderAnswer: (value) => answerLine(value, { question, columns: terminal.columns - 3 }),
    }, { terminal, theme, signal, onInterrupt: options.onInterrupt });
    if (choice.kind === "view") {
      showInFull(question, terminal);
      question = { ...question, isCut: false, shownAbove: requests.length === 1 };
    } else if (choice.kind === "instead") {
      const answer = await askInstead(instead, options);
      if (answer !== undefined) return answer;
    } else if (choice.kind !== "edit") {
      return answerOf(choice);
    } else {
      const edited = await editCall(editable, options);
      if (edited !== undefined) return edited;
      question = { ...question, shownAbove: false };
    }
  }
}

/**
 * Shows what an agent's call would do right above the question, since other agents may have drawn in between. False
 * if there is nothing to show or it is on the screen already.
 */
function showForAgents(
  requests: readonly PermissionRequest[],
  { terminal, theme, cwd, items }: AskTurnOptions,
): boolean {
  const asking = requests.filter(({ agent }) => agent.depth > 0);
  const previews = asking.flatMap((request) => request.previews);
  if (previews.length === 0) return false;
  const number = items && ((preview: Preview) => {
    const request = asking.find((one) => one.previews.includes(preview));
    const callId = request && callKey({ agent: request.agent, call_id: request.callId });
    return items.add(previewItem(preview, callId));
  });
  const columns = Math.max(1, terminal.columns - 1);
  const options = { theme, columns, cwd, screenRows: terminal.rows, highlight: plainCode };
  const lines = renderPreviews(previews, { ...options, number });
  terminal.write(["", ...lines].map((line) => `${line}\n`).join(""));
  return true;
}

function answerOf(
  choice: Exclude<AskChoice, { kind: "edit" | "view" | "instead" }>,
): Answer | "each" {
  switch (choice.kind) {
    case "each":
      return "each";
    case "always":
      return choice;
    case "allow":
      return { kind: "allow" };
    default:
      return DENIED;
  }
}

/** What is to be done instead; undefined if the person went back to the question. */
async function askInstead(
  line: LineInput,
  { terminal, theme, signal }: AskTurnOptions,
): Promise<Answer | undefined> {
  const entered = await editLine(terminal, { theme, signal, line, canGoBack: true });
  if (entered.kind === "back") return undefined;
  const text = entered.kind === "line" ? entered.text.trim() : "";
  return text === "" ? DENIED : { kind: "instead", text };
}

/** The edited call as an answer; undefined, after saying why, if nothing changed. */
async function editCall(
  call: EditableCall | undefined,
  options: AskTurnOptions,
): Promise<Answer | undefined> {
  const { terminal, theme, signal, edit } = options;
  try {
    if (edit === undefined || call === undefined) return DENIED;
    const edited = await editTexts([call, ...call.others ?? []], { ...options, kind: call.kind });
    if (signal.aborted) return DENIED;
    if ("texts" in edited) {
      const [text = "", ...others] = edited.texts;
      return { kind: "edit", text, ...others.length > 0 && { others } };
    }
    const columns = Math.max(1, terminal.columns - 1);
    const lines = noticeLines({ level: "warning", text: edited.why }, { theme, columns });
    terminal.write(lines.map((line) => `${line}\n`).join(""));
    return undefined;
  } finally {
    terminal.resume();
  }
}

/** Has texts edited one after another; after one that cannot be, the rest stays as it is. */
async function editTexts(
  texts: readonly EditableText[],
  { kind, edit, signal, terminal, theme }: AskTurnOptions & Pick<EditableCall, "kind">,
): Promise<{ texts: readonly string[] } | { why: string }> {
  const edited = texts.map(({ text }) => text);
  let why = "Nothing was edited.";
  let isChanged = false;
  for (const [index, one] of texts.entries()) {
    if (texts.length > 1) {
      const line = `Editing ${oneLine(one.name ?? kind)} (${index + 1} of ${texts.length})`;
      terminal.write(`${theme.paint("dim", fit(line, terminal.columns - 1))}\n`);
    }
    const result = await edit?.({ ...one, kind }, signal);
    if (signal.aborted || result === undefined) break;
    if (result.kind === "unchanged") {
      why = result.why;
      if (result.stops) break;
    } else {
      edited[index] = result.text;
      isChanged ||= result.text !== one.text;
    }
  }
  return isChanged ? { texts: edited } : { why };
}

function showInFull(question: PermissionQuestion, terminal: Terminal): void {
  const lines = fullLines(question, Math.max(1, terminal.columns - 1));
  terminal.write(lines.map((line) => `${line}\n`).join(""));
}
