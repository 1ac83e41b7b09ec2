/**
 * Puts the image of the clipboard into the line that is written: a mention of it, which attaches it when the line is sent.
 */
import type { App } from "../../app/app.ts";
import { messageOf } from "../../lib/text.ts";
import { readClipboardImage } from "../../ui/clipboard_image.ts";
import type { EditResult } from "../../ui/edited_line.ts";

/** The mention of the image, or why there is none. */
export async function pasteImage(
  { env, workspace, prompts }: Pick<App, "env" | "workspace" | "prompts">,
): Promise<EditResult> {
  const image = await readClipboardImage({ env, roots: workspace.roots });
  if (image === "none") return { kind: "unchanged", why: "There is no image in the clipboard." };
  if (image === "no program") {
    const why =
      "Nothing here can take an image from the clipboard: that needs wl-paste (Wayland), " +
      "xclip (X11), pngpaste (macOS) or PowerShell. Save the image, and name the file with @.";
    return { kind: "unchanged", why };
  }
  try {
    return { kind: "text", text: `@${await prompts.holdImage(image)} ` };
  } catch (error) {
    return { kind: "unchanged", why: messageOf(error) };
  }
}
