import { readFileSync } from "node:fs";
import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";

/** Written by scripts/site.ts: the folder the site is served from, and the sidebar after docs/README.md. */
const { base, sidebar } = JSON.parse(readFileSync(new URL(".generated/site.json", import.meta.url), "utf8"));

export default defineConfig({
  base,
  publicDir: ".generated/public",
  trailingSlash: "always",
  telemetry: false,
  integrations: [
    starlight({
      title: "Tollgate",
      description: "A model gateway with a hard spending cap, on one PostgreSQL.",
      favicon: "/favicon.svg",
      sidebar,
      credits: false,
      lastUpdated: false,
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
      customCss: ["./src/styles/site.css"],
      expressiveCode: {
        themes: ["github-light", "github-dark-default"],
        styleOverrides: { borderRadius: "0.5rem", codeFontSize: "0.84rem", frames: { shadowColor: "transparent" } },
        defaultProps: { frame: "none" },
      },
    }),
  ],
});
