/**
 * The least that reads a command line and streams one answer: what the benchmark holds ally against.
 */
import { Command } from "commander";
import OpenAI from "openai";

const program = new Command("bare").argument("<PROMPT>").option("-p, --print").parse(Deno.args, {
  from: "user",
});
const client = new OpenAI({ baseURL: Deno.env.get("OPENAI_BASE_URL"), apiKey: "none" });
const stream = await client.chat.completions.create({
  model: "scripted",
  stream: true,
  messages: [{ role: "user", content: program.args.join(" ") }],
});
const encoder = new TextEncoder();
for await (const chunk of stream) {
  Deno.stdout.writeSync(encoder.encode(chunk.choices[0]?.delta.content ?? ""));
}
