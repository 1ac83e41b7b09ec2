/**
 * Chat templates of the kinds that models bring, in ChatML with calls as Hermes writes them: they differ in what
 * becomes of thinking that came before the last message of the user, and in whether they know tools.
 */

/** What a template does with thinking. */
export type TemplateKind =
  /** Drops that of earlier turns, as Qwen3 and GLM-4.6 do. */
  | "strips"
  /** Keeps all of it, as MiniMax-M2 does. */
  | "keeps"
  /** Knows none. */
  | "none"
  /** Knows no thinking and no tools either. */
  | "toolless";

/** All kinds. */
export const TEMPLATE_KINDS: readonly TemplateKind[] = ["strips", "keeps", "none", "toolless"];

/** The template of a kind, in Jinja. */
export function chatTemplate(kind: TemplateKind): string {
  switch (kind) {
    case "strips":
      return templateWithTools(thinkingWhere("loop.index0 > last.user"));
    case "keeps":
      return templateWithTools(thinkingWhere("true"));
    case "none":
      return templateWithTools("");
    case "toolless":
      return `{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`;
  }
}

function templateWithTools(thinking: string): string {
  return `{%- set last = namespace(user=-1) %}
{%- for message in messages %}
{%- if message.role == 'user' %}{%- set last.user = loop.index0 %}{%- endif %}
{%- endfor %}
{%- set system = messages[0].content if messages[0].role == 'system' else '' %}
{%- if tools %}
{{- '<|im_start|>system\\n' + system + '\\n\\n# Tools\\n\\nYou may call these functions:\\n<tools>' }}
{%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{%- endfor %}
{{- '\\n</tools>\\n\\nWrite each call so:\\n<tool_call>\\n{"name": NAME, "arguments": OBJECT}\\n</tool_call><|im_end|>\\n' }}
{%- elif system %}
{{- '<|im_start|>system\\n' + system + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- elif message.role == 'assistant' %}
{{- '<|im_start|>assistant\\n' }}
${thinking}
{%- if message.content %}{{- message.content }}{%- endif %}
{%- for call in message.tool_calls or [] %}
{%- if message.content or not loop.first %}{{- '\\n' }}{%- endif %}
{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) + '}\\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- elif message.role == 'tool' %}
{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`;
}

function thinkingWhere(condition: string): string {
  return `{%- if message.reasoning_content and (${condition}) %}
{{- '<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n' }}
{%- endif %}`;
}
