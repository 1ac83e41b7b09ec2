/**
 * A model for llama.cpp that says nonsense: two layers of random weights, always the same ones. What matters is real:
 * a byte-level BPE vocabulary, a window, a chat template, a cache of what was read.
 */
import cl100k from "js-tiktoken/ranks/cl100k_base";
import { encodeGguf, type GgufTensor } from "./gguf.ts";
import { randomNumbers } from "./random.ts";

/** Tokens of the vocabulary besides the special ones. */
const VOCABULARY = 4096;
/** In the vocabulary's order after the others; those of the second list are text, not control. */
const CONTROL_TOKENS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
const TEXT_TOKENS = ["<think>", "</think>", "<tool_call>", "</tool_call>"];
const TOKEN_TYPE = { normal: 1, control: 3, userDefined: 4 } as const;

const LAYERS = 2;
const WIDTH = 64;
const HEADS = 2;
const FEED_FORWARD = 128;
const SEED = 20_817;

/** Writes the model to a file. */
export async function writeRandomModel(
  path: string,
  options: {
    /** Jinja. */
    chatTemplate: string;
    /** Tokens it was "trained" for. @default 65536 */
    window?: number;
  },
): Promise<void> {
  const { chatTemplate, window = 65_536 } = options;
  const { tokens, merges } = readVocabulary();
  const all = [...tokens, ...CONTROL_TOKENS, ...TEXT_TOKENS];
  const types = [
    ...tokens.map(() => TOKEN_TYPE.normal),
    ...CONTROL_TOKENS.map(() => TOKEN_TYPE.control),
    ...TEXT_TOKENS.map(() => TOKEN_TYPE.userDefined),
  ];
  const metadata = {
    "general.architecture": "llama",
    "general.name": "random",
    "llama.block_count": LAYERS,
    "llama.context_length": window,
    "llama.embedding_length": WIDTH,
    "llama.feed_forward_length": FEED_FORWARD,
    "llama.attention.head_count": HEADS,
    "llama.attention.layer_norm_rms_epsilon": { float: 1e-5 },
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "gpt-2",
    "tokenizer.ggml.tokens": all,
    "tokenizer.ggml.token_type": Int32Array.from(types),
    "tokenizer.ggml.merges": merges,
    "tokenizer.ggml.bos_token_id": all.indexOf("<|endoftext|>"),
    "tokenizer.ggml.eos_token_id": all.indexOf("<|im_end|>"),
    "tokenizer.ggml.add_bos_token": false,
    "tokenizer.chat_template": chatTemplate,
  };
  const model = encodeGguf(metadata, randomTensors(all.length));
  await Deno.writeFile(path, model.stream());
}

/** No output tensor: the embeddings serve both ways. */
function randomTensors(vocabulary: number): GgufTensor[] {
  const next = randomNumbers(SEED);
  const matrix = (name: string, dimensions: readonly [number, number]): GgufTensor => {
    const [inner, outer] = dimensions;
    const scale = 2 / Math.sqrt(inner);
    return {
      name,
      dimensions,
      values: Float32Array.from({ length: inner * outer }, () => (next() - 0.5) * scale),
    };
  };
  const norm = (name: string): GgufTensor => (
    { name, dimensions: [WIDTH], values: new Float32Array(WIDTH).fill(1) }
  );
  const layers = Array.from({ length: LAYERS }, (_, layer) => {
    const block = `blk.${layer}`;
    return [
      norm(`${block}.attn_norm.weight`),
      ...["q", "k", "v", "output"].map((part) =>
        matrix(`${block}.attn_${part}.weight`, [WIDTH, WIDTH])
      ),
      norm(`${block}.ffn_norm.weight`),
      matrix(`${block}.ffn_gate.weight`, [WIDTH, FEED_FORWARD]),
      matrix(`${block}.ffn_up.weight`, [WIDTH, FEED_FORWARD]),
      matrix(`${block}.ffn_down.weight`, [FEED_FORWARD, WIDTH]),
    ];
  });
  return [
    matrix("token_embd.weight", [WIDTH, vocabulary]),
    ...layers.flat(),
    norm("output_norm.weight"),
  ];
}

/** The most frequent tokens of an encoder that is there anyway, and the merges that make them. */
function readVocabulary(): { tokens: string[]; merges: string[] } {
  const [, , ...words] = cl100k.bpe_ranks.split("\n")[0]!.split(" ");
  const encoded = words.slice(0, VOCABULARY).map((word) => atob(word));
  const shown = displayBytes();
  const display = (bytes: string) =>
    Array.from(bytes, (byte) => shown[byte.charCodeAt(0)]!).join("");
  const ranks = new Map(encoded.map((bytes, rank) => [bytes, rank]));
  const merges = encoded.flatMap((bytes, rank) => {
    const pair = splitByMerging(bytes, { ranks, below: rank });
    return pair.length === 2 ? [pair.map(display).join(" ")] : [];
  });
  return { tokens: encoded.map(display), merges };
}

/** The parts of which a token is made: all merges of lower rank applied to its bytes, the lowest first. */
function splitByMerging(
  bytes: string,
  { ranks, below }: { ranks: ReadonlyMap<string, number>; below: number },
): string[] {
  const parts = [...bytes];
  for (;;) {
    let best = below;
    let at = -1;
    for (let index = 0; index + 1 < parts.length; index++) {
      const rank = ranks.get(parts[index]! + parts[index + 1]!) ?? below;
      if (rank < best) [best, at] = [rank, index];
    }
    if (at < 0) return parts;
    parts.splice(at, 2, parts[at]! + parts[at + 1]!);
  }
}

/** How byte-level BPE writes each byte: printable ones as they are, the others as letters from U+0100 on. */
function displayBytes(): string[] {
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = byte > 0x20 && byte < 0x7f || byte > 0xa0 && byte !== 0xad;
    return String.fromCharCode(printable ? byte : 256 + others++);
  });
}
