/**
 * The command line of `ally completions`.
 */
import { Argument, type Command } from "commander";

/** Shells that are completed in. */
const SHELLS = ["bash", "zsh", "fish"] as const;

/** The name of a shell that can be completed in. */
type ShellName = typeof SHELLS[number];

/** What is asked for: a shell's script, or candidates for the last of the words. */
export type CompletionsRequest =
  | { readonly what: "script"; readonly shell: ShellName }
  | { readonly what: "candidates"; readonly words: readonly string[] };

/** Adds `completions bash|zsh|fish`. */
export function addCompletionsCommand(
  program: Command,
  onRequest: (request: CompletionsRequest) => void,
): void {
  program.command("completions")
    .description("print what makes a shell complete ally's commands, options, models and sessions")
    .summary("what bash, zsh or fish need to complete ally")
    .addArgument(new Argument("<SHELL>", "bash, zsh or fish").choices(SHELLS))
    .addHelpText("after", INSTALL_HELP)
    .action((shell: ShellName) => onRequest({ what: "script", shell }));
}

const INSTALL_HELP = `
To have it in every shell from now on:
  bash   echo 'source <(ally completions bash)' >> ~/.bashrc
  zsh    echo 'source <(ally completions zsh)' >> ~/.zshrc      (after compinit)
  fish   ally completions fish > ~/.config/fish/completions/ally.fish`;
