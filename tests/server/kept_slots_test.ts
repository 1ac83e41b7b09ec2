/**
 * A session that goes on at a server that was started again: what it had read comes back from a file.
 */
import assert from "node:assert/strict";
import { findLlamaServer } from "../support/llama_server.ts";
import { makePlace, runAlly } from "../support/program.ts";
import { featuresOf, rememberFeatures } from "../support/server_features.ts";
import { startScriptedLlama } from "../support/scripted_llama.ts";

const program = await findLlamaServer();

/** Tokens that may be read beyond what is new. */
const SLACK = 100;
const LS = { calls: [{ id: "l", name: "ls", arguments: { file_path: "." } }] };

for (const keeps of [true, false]) {
  for (const slots of [1, 4]) {
    Deno.test(
      `a resumed session ${
        keeps ? "is read back from a file" : "is read again"
      }, with ${slots} slots`,
      { ignore: program === undefined },
      async () => {
        const directory = await Deno.makeTempDir({ prefix: "ally-slots-" });
        const options = {
          replies: [LS, { text: "Listed." }, { text: "Again." }],
          args: ["--parallel", `${slots}`, ...keeps ? ["--slot-save-path", directory] : []],
        };
        await using place = await makePlace();
        const run = async (frontPort: number | undefined, ...words: string[]) => {
          await using llama = await startScriptedLlama(program!, {
            ...options,
            ...frontPort !== undefined && { frontPort },
          });
          const features = featuresOf({ keepsReasoning: false, slots });
          await rememberFeatures(place, { url: llama.url, features });
          const env = { OPENAI_BASE_URL: llama.url };
          const { code, stderr } = await runAlly(place, { args: ["-p", "-A", ...words], env });
          assert.equal(code, 0, stderr);
          return llama;
        };
        const { url } = await run(undefined, "list");
        const again = await run(Number(new URL(url).port), "--continue", "once more");
        const { read, prompt } = again.requests[0]!;
        // deno-lint-ignore no-console -- The figures to look at.
        console.log(
          `${read} of ${prompt} tokens read; ${[...Deno.readDirSync(directory)].length} files`,
        );
        assert.ok(keeps ? read <= SLACK : read === prompt);
        await Deno.remove(directory, { recursive: true });
      },
    );
  }
}
