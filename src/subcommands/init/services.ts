/**
 * Model servers that are services, so that a person who has a key for one need not look for its address.
 */

/** One of them. */
interface CloudService {
  /** As it calls itself. */
  readonly title: string;
  /** Of its endpoint in the configuration. */
  readonly name: string;
  /** Base URL of what it offers in OpenAI's protocol. */
  readonly url: string;
  /** Variable in which its own programs look for the key. */
  readonly keyEnv: string;
  /** Where a key is made. */
  readonly keyPage: string;
}

/** In the order in which they are offered. */
export const CLOUD_SERVICES: readonly CloudService[] = [
  {
    title: "OpenAI",
    name: "openai",
    url: "https://api.openai.com/v1",
    keyEnv: "OPENAI_API_KEY",
    keyPage: "https://platform.openai.com/api-keys",
  },
  {
    title: "OpenRouter",
    name: "openrouter",
    url: "https://openrouter.ai/api/v1",
    keyEnv: "OPENROUTER_API_KEY",
    keyPage: "https://openrouter.ai/settings/keys",
  },
  {
    title: "Google Gemini",
    name: "gemini",
    url: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyEnv: "GEMINI_API_KEY",
    keyPage: "https://aistudio.google.com/apikey",
  },
  {
    title: "Groq",
    name: "groq",
    url: "https://api.groq.com/openai/v1",
    keyEnv: "GROQ_API_KEY",
    keyPage: "https://console.groq.com/keys",
  },
  {
    title: "Mistral",
    name: "mistral",
    url: "https://api.mistral.ai/v1",
    keyEnv: "MISTRAL_API_KEY",
    keyPage: "https://console.mistral.ai/api-keys",
  },
  {
    title: "DeepSeek",
    name: "deepseek",
    url: "https://api.deepseek.com/v1",
    keyEnv: "DEEPSEEK_API_KEY",
    keyPage: "https://platform.deepseek.com/api_keys",
  },
];
