/**
 * The grammar of permission, Deno's own: `read= write= run= net= env=`, each allowed or denied as a whole
 * kind or for a list of targets. Flags, grants of a session and what a prompt offers all speak it.
 */
import { basename } from "node:path";
import type { Access, AccessKind } from "../core/permission.ts";

/** `true` means the whole kind: for read and write, the workspace. */
export type Targets = true | readonly string[];

export interface Rules {
  readonly allow: Readonly<Partial<Record<AccessKind, Targets>>>;
  readonly deny: Readonly<Partial<Record<AccessKind, Targets>>>;
  /** `-A`: every kind and class, but nothing outside the workspace that is not named. */
  readonly allowAll: boolean;
}

/** How a rule decides, with the rule's own text for the person asking why. */
export interface Match {
  readonly rule: string;
  /** True if the target is named itself, not only its kind. */
  readonly named: boolean;
}

/** The deny rule that covers an access, if any. Deny is matched widely: in doubt it denies. */
export function denied(rules: Rules, access: Access): Match | undefined {
  const targets = rules.deny[access.kind];
  if (targets === undefined) return undefined;
  if (targets === true) return { rule: `--deny-${access.kind}`, named: false };
  const covers = access.kind === "run" ? mentionsProgram : coversTarget;
  const target = targets.find((one) => covers(one, access));
  return target === undefined
    ? undefined
    : { rule: `--deny-${access.kind}=${target}`, named: true };
}

/** The allow rule that covers an access, if any. Allow is matched narrowly: in doubt it does not. */
export function allowed(rules: Rules, access: Access): Match | undefined {
  const targets = rules.allow[access.kind];
  if (Array.isArray(targets)) {
    const covers = access.kind === "run" ? startsWithWords : coversTarget;
    const target = targets.find((one) => covers(one, access));
    if (target !== undefined) return { rule: `--allow-${access.kind}=${target}`, named: true };
  }
  if (targets === true && access.inside !== false) {
    return { rule: `--allow-${access.kind}`, named: false };
  }
  if (rules.allowAll && access.inside !== false) return { rule: "--allow-all", named: false };
  return undefined;
}

/** A path or anything below it; for other kinds, the same text. */
function coversTarget(target: string, access: Access): boolean {
  if (access.target === target) return true;
  if (access.kind !== "read" && access.kind !== "write") return false;
  return access.target.startsWith(target.endsWith("/") ? target : `${target}/`);
}

/**
 * The words of a command, or undefined if it holds anything a shell gives a meaning: quotes, expansions,
 * globs, redirections, lists, assignments. Only such plain commands are ever matched by an allow rule.
 */
export function plainWords(command: string): string[] | undefined {
  const text = command.trim();
  if (!/^[A-Za-z0-9_.,:@%+/= -]+$/.test(text)) return undefined;
  const words = text.split(/ +/);
  const program = words[0];
  return program === undefined || program === "" || program.includes("=") ? undefined : words;
}

/** `git` covers `git status`; `git status` covers `git status -s`. */
function startsWithWords(target: string, access: Access): boolean {
  const words = plainWords(access.target);
  const wanted = plainWords(target);
  if (!words || !wanted) return false;
  return wanted.every((word, index) => words[index] === word);
}

/** Whether a program's name occurs as a word anywhere in a command. */
function mentionsProgram(target: string, access: Access): boolean {
  const wanted = target.split(" ")[0];
  return access.target.replace(/["'\\]/g, "").split(/[^A-Za-z0-9_.+/-]+/)
    .some((word) => word === wanted || basename(word) === wanted);
}
