/**
 * Whether the model's last words are JSON that fits a schema; where they are not, it is asked again, first held to the
 * schema by the server's grammar, then by a tool.
 */
import { AnswerSchemaError } from "../core/errors.ts";
import type { AnswerFormat } from "../core/model.ts";
import { parseJson } from "../lib/json_text.ts";
import { coerce, type JsonObject, type Violation, violations } from "../lib/schema.ts";

/** How the model is held to the schema when it is asked again. */
const AGAIN = ["grammar", "tool"] as const;
/** Faults that are told. */
const MAX_FAULTS = 5;

/** A block of code that may hold the answer. */
const BLOCK = /```(?:json)?[ \t]*\n([^]*?)\n[ \t]*```/g;

/** The answer of one turn. */
export class AnswerCheck {
  readonly #schema: JsonObject;
  readonly #schemaFor: (value: unknown) => JsonObject;
  #asked = 0;
  #found: { readonly value: unknown } | undefined;

  /** `schemaFor` gives what a value is validated with. */
  constructor(schema: JsonObject, schemaFor: (value: unknown) => JsonObject = () => schema) {
    this.#schema = schema;
    this.#schemaFor = schemaFor;
  }

  /** The answer that fits. */
  get found(): { readonly value: unknown } | undefined {
    return this.#found;
  }

  /** How the next answer is to be written; undefined before the first one. */
  get format(): AnswerFormat | undefined {
    const by = AGAIN[this.#asked - 1];
    return by && { schema: this.#schema, by };
  }

  /**
   * What the model is told of an answer that does not fit; undefined if it does.
   * @throws {AnswerSchemaError} it has been asked often enough
   */
  check(text: string): string | undefined {
    const candidates = [text, ...[...text.matchAll(BLOCK)].map(([, block = ""]) => block).reverse()]
      .map(parseJson).filter((value) => value !== undefined)
      .map((value) => coerce(this.#schema, value));
    const value = candidates.find((one) => this.#violations(one).length === 0);
    if (value !== undefined) {
      this.#found = { value };
      return undefined;
    }
    const [nearest] = candidates;
    const fault = nearest === undefined ? "it is not JSON" : this.#faultsOf(nearest);
    if (this.#asked === AGAIN.length) {
      throw new AnswerSchemaError(
        `No answer fits the schema; of the last one: ${fault}. A larger model, or a simpler schema, may help.`,
      );
    }
    this.#asked++;
    return `Your answer does not fit the JSON Schema: ${fault}. Answer again with one JSON value that fits it, ` +
      "and nothing else.";
  }

  #faultsOf(value: unknown): string {
    return this.#violations(value).slice(0, MAX_FAULTS)
      .map(({ path, message }) => path === "" ? message : `${path}: ${message}`).join(" ");
  }

  #violations(value: unknown): Violation[] {
    return violations(this.#schemaFor(value), value);
  }
}
