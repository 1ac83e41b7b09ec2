/**
 * The permission question for a person at a terminal. What the calls would do is already on the screen; here are the
 * question and what can be done before it is answered: edit the call, view all of it. Whatever goes wrong (an abort,
 * a closed terminal, Escape) is a denial.
 */
import type { Answer, AskPermission, PermissionRequest, Preview } from "../core/permission.ts";
import {
  answerLine,
  type AskChoice,
  askOptions,
  DENY,
  fullLines,
  type PermissionQuestion,
  questionLines,
} from "./ask_view.ts";
import { editCall, type EditText } from "./edit_call.ts";
import { plainCode } from "./highlight.ts";
import { editLine } from "./line_editor.ts";
import { LineInput } from "./line_input.ts";
import { callKey, type NumberedItems, previewItem } from "./numbered_items.ts";
import { isCut, renderPreviews } from "./preview.ts";
import { choose } from "./question.ts";
import { type Suspend, withScreen } from "./suspend.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { fit } from "./wrap.ts";

/** What questions are asked with. */
export interface AskOptions {
  readonly terminal: Terminal;
  readonly theme: Theme;
  /** Working directory: commands elsewhere say where. */
  readonly cwd: string;
  readonly suspend: Suspend;
  /** Lets the person edit a text of a call; absent, nothing can be edited. */
  readonly edit?: EditText | undefined;
  /** Shows lines as a page; reading of keys is paused. Never rejects. @default they are written */
  readonly page?: ((lines: readonly string[]) => Promise<void>) | undefined;
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
  const { terminal, theme, signal, onInterrupt } = options;
  const words = new LineInput();
  let question = makeQuestion(requests, options);
  for (;;) {
    const choice = await choose<AskChoice>({
      lines: (columns) => questionLines(question, columns),
      options: askOptions(question),
      fallback: DENY,
      renderAnswer: (value) => answerLine(value, { question, columns: terminal.columns - 3 }),
    }, { terminal, theme, signal, onInterrupt });
    const answer = await takeChoice(choice, { question, words, options });
    if (answer !== undefined) return answer;
    question = nextQuestion(question, { choice, words: words.buffer.whole, options });
  }
}

/** The question as it is asked first. */
function makeQuestion(
  requests: readonly PermissionRequest[],
  options: AskTurnOptions & { position?: string },
): PermissionQuestion {
  const { terminal, theme, cwd, edit, position, alone, waiting } = options;
  const shown = position === undefined && showForAgents(requests, options);
  const previews = requests.flatMap((request) => request.previews);
  const shownAbove = (alone || shown) && position === undefined && requests.length === 1 &&
    previews.length > 0;
  const columns = Math.max(1, terminal.columns - 1);
  const layout = { theme, cwd, columns, screenRows: terminal.rows };
  return {
    theme,
    cwd,
    position,
    waiting,
    requests: edit ? requests : requests.map((one) => ({ ...one, editable: undefined })),
    shownAbove,
    // Commands are part of the question.
    isHidden: requests.some((request) => isCut(request.previews, layout)) ||
      (!shownAbove && previews.some(({ kind }) => kind !== "command")),
  };
}

/** The question as it is asked again after something else than an answer. */
function nextQuestion(
  question: PermissionQuestion,
  { choice, words, options }: { choice: AskChoice; words: string; options: AskTurnOptions },
): PermissionQuestion {
  if (choice.kind === "instead") return { ...question, words };
  if (choice.kind !== "view") return { ...question, words: undefined, shownAbove: false };
  if (options.page) return question;
  return { ...question, isHidden: false, shownAbove: question.requests.length === 1 };
}

/** The answer that a choice is; undefined if the question is to be asked again. */
async function takeChoice(
  choice: AskChoice,
  { question, words, options }: {
    question: PermissionQuestion;
    words: LineInput;
    options: AskTurnOptions;
  },
): Promise<Answer | "each" | undefined> {
  const { signal, edit } = options;
  switch (choice.kind) {
    case "each":
      return "each";
    case "view":
      return await showInFull(question, options);
    case "instead":
      return await askForWords(words, options);
    case "edit": {
      const editable = question.requests[0]?.editable;
      const edited = edit && editable && await editCall(editable, { ...options, edit });
      return edited ?? (signal.aborted ? DENIED : undefined);
    }
    case "always":
      return choice;
    case "allow":
      return { kind: "allow" };
    default:
      return DENIED;
  }
}

/** What to do instead, in the person's words; undefined after Escape, which keeps them. */
async function askForWords(
  line: LineInput,
  { terminal, theme, signal }: AskTurnOptions,
): Promise<Answer | undefined> {
  const entered = await editLine(terminal, {
    theme,
    signal,
    line,
    canGoBack: true,
    below: (columns) => [theme.paint("dim", fit("Esc goes back to the answers", columns))],
  });
  if (entered.kind === "back") return undefined;
  const text = entered.kind === "line" ? entered.text.trim() : "";
  return text === "" ? DENIED : { kind: "instead", text };
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

/** Shows every line of what the calls would do, in a pager if there is one and they are many. */
async function showInFull(
  question: PermissionQuestion,
  { terminal, page }: AskTurnOptions,
): Promise<undefined> {
  try {
    const lines = fullLines(question, Math.max(1, terminal.columns - 1));
    if (page) await page(lines);
    else terminal.write(lines.map((line) => `${line}\n`).join(""));
  } finally {
    terminal.resume();
  }
}
