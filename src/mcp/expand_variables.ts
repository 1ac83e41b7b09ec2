/**
 * Replaces `${NAME}` and `${NAME:-default}` in a server's entry when the server is started. A project's file never
 * gets ally's own keys.
 */
import type { HttpConfig, ServerConfig, StdioConfig } from "./server_config.ts";

const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;
/** Variables for ally alone. */
const RESERVED_VARIABLE = /^(OPENAI|ALLY)_/i;

/**
 * The entry with its variables replaced.
 * @throws {Error} a variable is not set and has no default, or a project's file names one of ally's own
 */
export function expandVariables(
  { transport, source }: Pick<ServerConfig, "transport" | "source">,
  env: Readonly<Record<string, string>>,
): StdioConfig | HttpConfig {
  // A client has put in what it means.
  if (source === "client") return transport;
  const text = (value: string) =>
    value.replace(VARIABLE, (_whole, name: string, otherwise: string | undefined) => {
      if (source === "project" && RESERVED_VARIABLE.test(name)) {
        throw new Error(`It names ${name}, which a project's file is not given.`);
      }
      const known = Object.hasOwn(env, name) ? env[name] : undefined;
      const found = known || otherwise;
      if (found !== undefined) return found;
      throw new Error(`It needs the environment variable ${name}, which is not set.`);
    });
  const each = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, text(value)]));
  if (transport.kind === "http") {
    return { ...transport, url: text(transport.url), headers: each(transport.headers) };
  }
  return {
    ...transport,
    command: text(transport.command),
    args: transport.args.map(text),
    env: each(transport.env),
    ...(transport.cwd !== undefined && { cwd: text(transport.cwd) }),
  };
}
