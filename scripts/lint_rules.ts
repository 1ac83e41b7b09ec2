/**
 * The rules of how we write that a machine can check, as a plugin of `deno lint`. Each says what is wrong and what to
 * write instead; `.github/CONTRIBUTING.md` says why.
 */

/** Lines a function may have, its head and braces included. */
const MAX_FUNCTION_LINES = 60;
/** Parameters: two, and an options object. */
const MAX_PARAMETERS = 3;
/** Words that say nothing of what a class or file holds. */
const EMPTY_NAMES = /(Manager|Service|Handler|Helper|Util|Utils)$/;
/** Files that run something when they are started. */
const ENTRY_POINTS =
  /(^|\/)(main\.ts|scripts\/[^/]+\.ts|plugin_host\/child\/main\.ts|model\/fetch_worker\.ts|(media|web)\/\w+_worker\.ts)$/;

type FunctionNode =
  | Deno.lint.FunctionDeclaration
  | Deno.lint.FunctionExpression
  | Deno.lint.ArrowFunctionExpression;

const plugin: Deno.lint.Plugin = {
  name: "ally",
  rules: {
    "function-length": {
      create(context) {
        const check = (node: FunctionNode) => {
          const [start, end] = node.range;
          const lines = context.sourceCode.text.slice(start, end).split("\n").length;
          if (isOurs(context.filename) && lines > MAX_FUNCTION_LINES) {
            context.report({
              node,
              message: `A function of ${lines} lines; ${MAX_FUNCTION_LINES} are the limit.`,
              hint: "Give a part of it a name of its own.",
            });
          }
        };
        return {
          FunctionDeclaration: check,
          FunctionExpression: check,
          ArrowFunctionExpression: check,
        };
      },
    },
    "parameters": {
      create(context) {
        const check = (node: FunctionNode) => {
          if (!isOurs(context.filename) || node.params.length <= MAX_PARAMETERS) return;
          context.report({
            node,
            message:
              `${node.params.length} positional parameters; ${MAX_PARAMETERS} are the limit.`,
            hint: "Take what follows in an options object.",
          });
        };
        return { FunctionDeclaration: check };
      },
    },
    "class-names": {
      create(context) {
        return {
          ClassDeclaration(node) {
            if (!isOurs(context.filename) || !EMPTY_NAMES.test(node.id?.name ?? "")) return;
            context.report({
              node,
              message: `The name ${node.id?.name} does not say what the class holds.`,
              hint: "Name the thing: TrustStore, Conversation, Budget.",
            });
          },
        };
      },
    },
    "documented-exports": {
      create(context) {
        return {
          ExportNamedDeclaration(node) {
            if (!isOurs(context.filename) || node.declaration === null) return;
            if (isDocumented(context.sourceCode.text, node.range[0])) return;
            context.report({
              node,
              message: "An export without a sentence that says what it is.",
              hint:
                "Write a JSDoc comment of one sentence, with units, errors and source where they matter.",
            });
          },
        };
      },
    },
    "module-state": {
      create(context) {
        return {
          Program(node) {
            if (!isOurs(context.filename) || ENTRY_POINTS.test(context.filename)) return;
            for (const statement of node.body) {
              if (statement.type === "VariableDeclaration" && statement.kind !== "const") {
                context.report({
                  node: statement,
                  message: "State of a module is shared by all who import it.",
                  hint: "Hold it in an object that is passed as an argument.",
                });
              }
              if (statement.type === "ExpressionStatement") {
                context.report({
                  node: statement,
                  message: "Something happens when this module is imported.",
                  hint: "Put it into a function, and call it where it is due.",
                });
              }
            }
          },
        };
      },
    },
    "callers-in-comments": {
      create(context) {
        return {
          Program() {
            if (!isOurs(context.filename)) return;
            for (const comment of context.sourceCode.getAllComments()) {
              const found = /\b(called|used|asked) by (the composition root|`|[a-z_/]+\.ts)/i.exec(
                comment.value,
              );
              if (found === null) continue;
              context.report({
                range: comment.range,
                message: `A comment that names a caller ("${
                  found[0]
                }") is wrong after the next change.`,
                hint: "Say what the file holds, and why.",
              });
            }
          },
        };
      },
    },
  },
};

export default plugin;

/** Tests have rules of their own. */
function isOurs(filename: string): boolean {
  return !/(^|\/)tests\//.test(filename);
}

/** Whether a comment for documentation ends where the declaration begins. */
function isDocumented(text: string, start: number): boolean {
  return /\*\/\s*(\/\/[^\n]*\n\s*)*$/.test(text.slice(0, start));
}
