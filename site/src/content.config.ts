import { docsSchema } from "@astrojs/starlight/schema";
import { glob } from "astro/loaders";
import { defineCollection } from "astro:content";

/** Written by scripts/site.ts from docs/; the path of a file is its address. */
export const collections = {
  docs: defineCollection({
    loader: glob({ base: "./.generated/pages", pattern: "**/*.md", generateId: ({ entry }) => entry.replace(/(^|\/)?index\.md$|\.md$/, "") || "index" }),
    schema: docsSchema(),
  }),
};
