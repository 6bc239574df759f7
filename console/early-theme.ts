import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/**
 * Puts the reader's choice of theme on the page before its first paint. The script is a file of its own that blocks for a
 * moment and is then cached for ever: the Content-Security-Policy allows no inline script, and a module would come too late.
 */
export function earlyTheme(): Plugin {
  const source = readFileSync(join(import.meta.dirname, "src/shell/early-theme.js"), "utf8");
  const fileName = `assets/early-theme-${createHash("sha256").update(source).digest("base64url").slice(0, 8)}.js`;
  let base = "/";
  return {
    name: "early-theme",
    configResolved: (config) => void ({ base } = config),
    configureServer: (server) => {
      server.middlewares.use(`${base}${fileName}`, (_request, response) => {
        response.setHeader("content-type", "text/javascript");
        response.end(source);
      });
    },
    generateBundle() {
      this.emitFile({ type: "asset", fileName, source });
    },
    transformIndexHtml: () => [{ tag: "script", attrs: { src: `${base}${fileName}` }, injectTo: "head-prepend" }],
  };
}
