/**
 * The least that streams one answer: what the benchmark holds ally against.
 */
import OpenAI from "openai";

const client = new OpenAI({ baseURL: Deno.env.get("OPENAI_BASE_URL"), apiKey: "none" });
const stream = await client.chat.completions.create({
  model: "scripted",
  stream: true,
  messages: [{ role: "user", content: "go" }],
});
const encoder = new TextEncoder();
for await (const chunk of stream) {
  Deno.stdout.writeSync(encoder.encode(chunk.choices[0]?.delta.content ?? ""));
}
