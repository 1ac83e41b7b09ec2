/** One thing that a linter found, in the one shape that all linters are brought to. */
export interface Finding {
  /** As the linter names it; as shown to the model once it is placed. */
  readonly file: string;
  /** From 1; 0 for the whole file. */
  readonly line: number;
  /** From 1; 0 if the linter does not say. */
  readonly column: number;
  /** Empty if the linter names none. */
  readonly rule: string;
  readonly message: string;
  readonly severity: "error" | "warning" | "info";
}

/** Brings what linters call severe, in words, letters or numbers, to three grades. */
export function severityOf(word: unknown): Finding["severity"] {
  if (typeof word === "number") return word >= 2 ? "error" : "warning";
  const text = typeof word === "string" ? word.toLowerCase() : "";
  if (/^(e|f|err|error|fatal|failure|high|critical|major|blocker)$/.test(text)) return "error";
  if (/^(i|info|information|note|notice|style|hint|convention|refactor|minor)$/.test(text)) {
    return "info";
  }
  return "warning";
}
