/**
 * A model for llama.cpp that says nonsense: two layers of random weights, always the same ones, of attention or
 * recurrent. What matters is real: a byte-level BPE vocabulary, a window, a chat template, a cache of what was read.
 */
import cl100k from "js-tiktoken/ranks/cl100k_base";
import { encodeGguf, type GgufTensor, type GgufValue } from "./gguf.ts";
import { randomNumbers } from "./random.ts";

/** Tokens of the vocabulary besides the special ones. */
const VOCABULARY = 4096;
/** In the vocabulary's order after the others; those of the second list are text, not control. */
const CONTROL_TOKENS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
const TEXT_TOKENS = ["<think>", "</think>", "<tool_call>", "</tool_call>"];
const TOKEN_TYPE = { normal: 1, control: 3, userDefined: 4 } as const;

const LAYERS = 2;
const WIDTH = 64;
const SEED = 20_817;
const EPSILON = { float: 1e-5 };

/** What stands between the embeddings and the output. */
interface Architecture {
  /** Of its own; the name of the architecture comes before each key. */
  readonly metadata: Readonly<Record<string, GgufValue>>;
  /** The tensors of one layer. */
  readonly layer: (random: RandomTensors) => GgufTensor[];
}

const HEADS = 2;
const FEED_FORWARD = 128;

/** Attention: a cache that can be cut back to any token. */
const LLAMA: Architecture = {
  metadata: {
    "feed_forward_length": FEED_FORWARD,
    "attention.head_count": HEADS,
    "attention.layer_norm_rms_epsilon": EPSILON,
  },
  layer: ({ matrix, constant }) => [
    constant("attn_norm.weight", [WIDTH], 1),
    ...["q", "k", "v", "output"].map((part) => matrix(`attn_${part}.weight`, [WIDTH, WIDTH])),
    constant("ffn_norm.weight", [WIDTH], 1),
    matrix("ffn_gate.weight", [WIDTH, FEED_FORWARD]),
    matrix("ffn_up.weight", [WIDTH, FEED_FORWARD]),
    matrix("ffn_down.weight", [FEED_FORWARD, WIDTH]),
  ],
};

const INNER = 2 * WIDTH;
const CONVOLUTION = 4;
const STATE = 16;
const TIME_STEP = 4;

/** A recurrent one: its state stands for all that was read, and knows no way back. */
const MAMBA: Architecture = {
  metadata: {
    "feed_forward_length": 0,
    "attention.head_count": 0,
    "attention.layer_norm_rms_epsilon": EPSILON,
    "ssm.conv_kernel": CONVOLUTION,
    "ssm.inner_size": INNER,
    "ssm.state_size": STATE,
    "ssm.time_step_rank": TIME_STEP,
  },
  layer: ({ matrix, constant }) => [
    constant("attn_norm.weight", [WIDTH], 1),
    matrix("ssm_in.weight", [WIDTH, 2 * INNER]),
    matrix("ssm_conv1d.weight", [CONVOLUTION, INNER]),
    constant("ssm_conv1d.bias", [INNER], 0),
    matrix("ssm_x.weight", [INNER, TIME_STEP + 2 * STATE]),
    matrix("ssm_dt.weight", [TIME_STEP, INNER]),
    constant("ssm_dt.bias", [INNER], 0),
    // A state that decays: anything above zero would grow without end.
    constant("ssm_a", [STATE, INNER], -1),
    constant("ssm_d", [INNER], 1),
    matrix("ssm_out.weight", [INNER, WIDTH]),
  ],
};

const ARCHITECTURES = { llama: LLAMA, mamba: MAMBA };

/** How the model computes. */
export type ArchitectureName = keyof typeof ARCHITECTURES;

/** Writes the model to a file. */
export async function writeRandomModel(
  path: string,
  options: {
    /** Jinja. */
    chatTemplate: string;
    /** @default "llama" */
    architecture?: ArchitectureName | undefined;
    /** Tokens it was "trained" for. @default 65536 */
    window?: number;
  },
): Promise<void> {
  const { chatTemplate, architecture: name = "llama", window = 65_536 } = options;
  const architecture = ARCHITECTURES[name];
  const { tokens, merges } = readVocabulary();
  const all = [...tokens, ...CONTROL_TOKENS, ...TEXT_TOKENS];
  const types = [
    ...tokens.map(() => TOKEN_TYPE.normal),
    ...CONTROL_TOKENS.map(() => TOKEN_TYPE.control),
    ...TEXT_TOKENS.map(() => TOKEN_TYPE.userDefined),
  ];
  const metadata = {
    "general.architecture": name,
    "general.name": "random",
    [`${name}.block_count`]: LAYERS,
    [`${name}.context_length`]: window,
    [`${name}.embedding_length`]: WIDTH,
    ...Object.fromEntries(
      Object.entries(architecture.metadata).map(([key, value]) => [`${name}.${key}`, value]),
    ),
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
  const model = encodeGguf(metadata, randomTensors(architecture, all.length));
  await Deno.writeFile(path, model.stream());
}

/** Makes tensors of one name's beginning. */
interface RandomTensors {
  matrix(name: string, dimensions: readonly [inner: number, outer: number]): GgufTensor;
  constant(name: string, dimensions: readonly number[], value: number): GgufTensor;
}

/** No output tensor: the embeddings serve both ways. */
function randomTensors({ layer }: Architecture, vocabulary: number): GgufTensor[] {
  const next = randomNumbers(SEED);
  const below = (prefix: string): RandomTensors => ({
    matrix(name, dimensions) {
      const [inner, outer] = dimensions;
      const scale = 2 / Math.sqrt(inner);
      return {
        name: prefix + name,
        dimensions,
        values: Float32Array.from({ length: inner * outer }, () => (next() - 0.5) * scale),
      };
    },
    constant(name, dimensions, value) {
      const size = dimensions.reduce((product, one) => product * one, 1);
      return { name: prefix + name, dimensions, values: new Float32Array(size).fill(value) };
    },
  });
  const { matrix, constant } = below("");
  return [
    matrix("token_embd.weight", [WIDTH, vocabulary]),
    ...Array.from({ length: LAYERS }, (_, index) => layer(below(`blk.${index}.`))).flat(),
    constant("output_norm.weight", [WIDTH], 1),
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
