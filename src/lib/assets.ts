/**
 * Files of ally's own that are read or started instead of imported: from source they lie where the table says, in a
 * bundle, compiled or not, in a folder beside its chunks.
 */
import { fileURLToPath } from "node:url";

const SOURCES = {
  "fetch_worker.js": "../model/fetch_worker.ts",
  "image_worker.js": "../media/image_worker.ts",
  "pdf_worker.js": "../media/pdf_worker.ts",
  "photon.wasm": "@cf-wasm/photon/photon.wasm",
  "html_worker.js": "../web/html_worker.ts",
  "plugin_child/main.js": "../plugin_host/child/main.ts",
  "tree-sitter.wasm": "web-tree-sitter/tree-sitter.wasm",
  "tree-sitter-bash.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm",
  "tree-sitter-c.wasm": "tree-sitter-c/tree-sitter-c.wasm",
  "tree-sitter-c-sharp.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-c-sharp.wasm",
  "tree-sitter-cpp.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-cpp.wasm",
  "tree-sitter-css.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-css.wasm",
  "tree-sitter-go.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm",
  "tree-sitter-html.wasm": "tree-sitter-html/tree-sitter-html.wasm",
  "tree-sitter-java.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-java.wasm",
  "tree-sitter-javascript.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-javascript.wasm",
  "tree-sitter-php.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-php.wasm",
  "tree-sitter-python.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm",
  "tree-sitter-ruby.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-ruby.wasm",
  "tree-sitter-rust.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-rust.wasm",
  "tree-sitter-tsx.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-tsx.wasm",
  "tree-sitter-typescript.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-typescript.wasm",
} as const;

/** A file of ally's own: its name in the folder of a bundle. */
export type Asset = keyof typeof SOURCES;

/** All of them. */
export const ASSETS = Object.keys(SOURCES) as readonly Asset[];

/** The folder of the assets, beside the chunks of a bundle. */
export const ASSETS_FOLDER = "assets";

/** Whether this module, and so ally, runs from source. */
const FROM_SOURCE = import.meta.url.endsWith("/src/lib/assets.ts");

/** Where an asset is. */
export function assetUrl(name: Asset): URL {
  return FROM_SOURCE
    ? new URL(import.meta.resolve(SOURCES[name]))
    : new URL(`./${ASSETS_FOLDER}/${name}`, import.meta.url);
}

/** The path of an asset. */
export function assetPath(name: Asset): string {
  return fileURLToPath(assetUrl(name));
}

/** The path that the bundle's own ripgrep has, if it has one; undefined from source. */
export function bundledRipgrep(): string | undefined {
  if (FROM_SOURCE) return undefined;
  const name = Deno.build.os === "windows" ? "rg.exe" : "rg";
  return fileURLToPath(new URL(`./${ASSETS_FOLDER}/${name}`, import.meta.url));
}
