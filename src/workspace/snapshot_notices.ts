/**
 * Notices of what cannot be undone, each subject once in a session.
 */

/** Holds them until a command makes them matter. */
export class Notices {
  readonly #notice: (text: string) => void;
  readonly #reported = new Set<string>();
  #pending: string[] = [];

  constructor(notice: (text: string) => void) {
    this.#notice = notice;
  }

  add(subject: string, text: string): void {
    if (this.#reported.has(subject)) return;
    this.#reported.add(subject);
    this.#pending.push(text);
  }

  flush(): void {
    for (const text of this.#pending.splice(0)) this.#notice(text);
  }
}
