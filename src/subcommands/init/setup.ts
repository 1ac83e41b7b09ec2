/**
 * What a setup chooses, and what it works with.
 */
import type { KnownEndpoint } from "../../app/endpoints.ts";
import type { Environment } from "../../app/environment.ts";
import type { Options } from "../../app/options.ts";
import type { AllyPaths } from "../../store/paths.ts";
import type { Config } from "../../store/settings_table.ts";
import type { InitRequest } from "./command.ts";
import type { InitQuestions } from "./questions.ts";

/** A server that has listed its models. */
export interface ReachedServer {
  readonly url: string;
  readonly models: readonly string[];
  /** What it was asked with, if it wants a key. */
  readonly apiKey?: string | undefined;
  readonly headers?: KnownEndpoint["headers"];
  /** Typed by the person: it goes to a file of its own. */
  readonly key?: string | undefined;
  /** The environment variable that holds its key. */
  readonly keyEnv?: string | undefined;
  /** What its endpoint is called in the configuration. @default none: it becomes `endpoint` itself */
  readonly name?: string | undefined;
}

/** What was chosen, before anything of it is written. */
export interface SetupChoice extends Omit<ReachedServer, "models"> {
  readonly model: string;
}

/** What a setup works with. */
export interface InitContext {
  readonly request: InitRequest;
  readonly options: Options;
  readonly paths: AllyPaths;
  readonly config: Config;
  readonly env: Environment;
  readonly say: (line: string) => void;
  /** Undefined without a terminal. */
  readonly ask: InitQuestions | undefined;
  readonly signal: AbortSignal;
}
