/**
 * The mode of a session, as its person said: ally asks, all edits of this turn or of this session are allowed, or
 * nothing but reading. It stands below all rules, is never stored, and only a person's key, answer or command changes
 * it.
 */
import type { Access, GrantScope, Risk, SessionMode } from "../core/permission.ts";
import type { Grant } from "../core/rule.ts";
import { isAllEdits } from "./grants.ts";
import type { Rules } from "./rules.ts";

/** Says and changes the mode; shared by the policies of a session. */
export class ModeSwitch {
  /** True if plan mode cannot be left: the process has given up what that would need. */
  readonly locked: boolean;
  readonly #allowsAll: boolean;
  #mode: SessionMode;
  #editsOfTurn = false;
  #rulesOfTurn: readonly Rules[] = [];

  /** `allowsAll`: flags allow everything, so that there are no edits to allow. */
  constructor({ locked = false, allowsAll = false } = {}) {
    this.locked = locked;
    this.#allowsAll = allowsAll;
    this.#mode = locked ? "plan" : "ask";
  }

  get mode(): SessionMode {
    return this.#mode;
  }

  /** Whether nothing but reading is allowed. */
  get isPlan(): boolean {
    return this.#mode === "plan";
  }

  /** What the prompt says of it; undefined if ally asks, as always. */
  get label(): string | undefined {
    if (this.isPlan) return "plan";
    if (this.#allowsAll) return "all allowed";
    return this.#mode === "edits" ? "edits allowed" : undefined;
  }

  /** Takes a mode from the next request on. @throws {Error} plan mode cannot be left in this run */
  set(mode: SessionMode): void {
    if (this.locked && mode !== "plan") {
      throw new Error(
        "Cannot leave plan mode: ally was started with --plan and has given up writing and running " +
          "for good. Start it again without --plan; --continue goes on with this conversation.",
      );
    }
    this.#mode = mode;
    this.#editsOfTurn = false;
  }

  /** Takes the next mode: ask, edits allowed, plan, and ask again. @throws as `set` */
  cycle(): void {
    if (this.isPlan) this.set("ask");
    else this.set(this.#mode === "ask" && !this.#allowsAll ? "edits" : "plan");
  }

  /** What was allowed for the turn ends with it. */
  endTurn(): void {
    this.#editsOfTurn = false;
    this.#rulesOfTurn = [];
  }

  /** What skills have approved beforehand for this turn. */
  get rulesOfTurn(): readonly Rules[] {
    return this.#rulesOfTurn;
  }

  /** Adds to what is approved beforehand, until the turn ends. */
  approveForTurn(rules: Rules): void {
    this.#rulesOfTurn = [...this.#rulesOfTurn, rules];
  }

  /** Takes an answer for all edits of this turn or of this session; false if it is another one. */
  takeAnswer(grant: Grant, scope: GrantScope): boolean {
    if (!isAllEdits(grant)) return false;
    if (scope === "turn") this.#editsOfTurn = true;
    else if (scope === "session") this.set("edits");
    else return false;
    return true;
  }

  /** What allows an access: an edit of the workspace alone, and of no protected place. */
  findAllowance({ kind, inside, tool }: Access, risk: Risk): string | undefined {
    const isEdit = kind === "write" && inside === true && tool === undefined;
    if (!isEdit || risk !== "sensitive") return undefined;
    if (this.#editsOfTurn) return "the answer for all edits of this turn";
    return this.#mode === "edits" ? 'the mode "edits allowed"' : undefined;
  }
}
