/**
 * Finds what the pages deny of the product although it is there: "none", "no console" or "does not do: single sign-on" where a command,
 * a route or a page of the console has that name. If a sentence means something else, say so in its page:
 * `<!-- denies logs: prompts are not in them -->`.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { productFeatures } from "./denials/product-features.ts";
import { untrueDenials } from "./denials/untrue-denials.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGES = ["README.md", "CHANGELOG.md", "docs/**/*.md", "site/src/pages/*"];

const features = productFeatures(ROOT);
const untrue = globSync(PAGES, { cwd: ROOT }).flatMap((page) =>
  untrueDenials(readFileSync(join(ROOT, page), "utf8"), features).map((denial) => ({ page, ...denial })),
);
for (const { page, line, denied, proof, text } of untrue)
  console.error(`denials: ${page}:${line} denies “${denied}”, but there is ${proof}: ${text}`);
if (untrue.length > 0) process.exitCode = 1;
