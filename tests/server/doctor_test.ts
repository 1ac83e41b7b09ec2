/**
 * What `ally doctor` says of the cache of a real llama-server, set well and badly.
 */
import assert from "node:assert/strict";
import {
  findLlamaServer,
  type LlamaServerOptions,
  RANDOM_MODEL,
  startLlamaServer,
} from "../support/llama_server.ts";
import { makePlace, runAlly } from "../support/program.ts";

const program = await findLlamaServer();

const ROWS: readonly {
  readonly name: string;
  readonly options: LlamaServerOptions;
  /** The check that shows it. */
  readonly id: string;
  readonly status: "ok" | "warning";
  readonly says: RegExp;
}[] = [
  {
    name: "as it is",
    options: {},
    id: "cache",
    status: "ok",
    says: /from where they differ: [\d,]+ of [\d,]+ tokens were cached.*--cache-reuse 256/s,
  },
  {
    name: "with --cache-reuse",
    options: { args: ["--cache-reuse", "64"] },
    id: "cache",
    status: "ok",
    says: /not read from its beginning/,
  },
  {
    name: "without a cache",
    options: { args: ["--no-cache-prompt"] },
    id: "cache",
    status: "warning",
    says: /read as a whole: 0 of .*without --no-cache-prompt/s,
  },
  {
    name: "with one slot",
    options: {},
    id: "slots",
    status: "warning",
    says: /one slot.*--parallel 4 --kv-unified/s,
  },
  {
    name: "with a window that is divided",
    options: { slots: 4, args: ["--no-kv-unified", "--ctx-size", "20000"] },
    id: "slots",
    status: "warning",
    says: /4 slots, 5,120 tokens each.*--kv-unified instead of/s,
  },
];

for (const { name, options, id, status, says } of ROWS) {
  Deno.test(
    `ally doctor knows what a llama-server keeps ${name}`,
    { ignore: program === undefined },
    async () => {
      const args = ["--ctx-size", "8192", ...options.args ?? [], "--predict", "32"];
      await using server = await startLlamaServer(program!, { ...options, args });
      await using place = await makePlace({ endpoint: server.url });
      const { stdout } = await runAlly(place, {
        args: ["doctor", "--json", ...id === "cache" ? [] : ["--quick"]],
        env: { ALLY_MODEL: RANDOM_MODEL },
      });
      const { checks } = JSON.parse(stdout) as { checks: Record<string, string>[] };
      const check = checks.find((one) => one["id"] === id);
      assert.equal(check?.["status"], status, stdout);
      assert.match(`${check?.["detail"]} ${check?.["mend"]}`, says);
    },
  );
}
