/**
 * Which of a server's models can hold a conversation, as far as their names tell: servers list those that make
 * vectors, pictures or speech beside them.
 */

/** In names of models that answer no words with words. */
const NO_CHAT =
  /embed|rerank|\bbge\b|\bgte\b|minilm|whisper|transcribe|\btts\b|speech|dall-?e|moderation|diffusion|\bclip\b/i;

/** The names in their order, but those of models that do not chat last. */
export function putChatModelsFirst(names: readonly string[]): string[] {
  const { chat = [], other = [] } = Object.groupBy(
    names,
    (name) => NO_CHAT.test(name) ? "other" : "chat",
  );
  return [...chat, ...other];
}
