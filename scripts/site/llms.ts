/** What programs that read documentation look for: `llms.txt`, the list of pages, and `llms-full.txt`, all of them in one file. */
import { addressOf, API_FOLDERS, rawAddressOf } from "./address.ts";
import type { Site } from "./collect-pages.ts";
import type { ContentsGroup } from "./contents.ts";
import { partsOf } from "./markdown.ts";

type Given = { contents: readonly ContentsGroup[]; site: Site; base: string; readme: string };

/** Long lists for people who change the code; each is a link away. */
const LEFT_OUT = new Set(["Decisions", "Project"]);

export function llmsFiles({ contents, site, base, readme }: Given): Record<string, string> {
  const { body } = partsOf(readme);
  const [summary = ""] = body.split("\n\n");
  const head = `# Tollgate\n\n> ${summary}\n`;
  const documents = (group: ContentsGroup): string[] =>
    group.entries.flatMap((entry) => (typeof entry === "string" ? [entry] : entry.entries));
  const line = (path: string): string => {
    const { title, opening } = site.pages.get(addressOf(path)) ?? { title: path, opening: "" };
    return `- [${title}](${base}${addressOf(path)}.md): ${opening}`;
  };
  const sections = contents.map((group) => {
    const lines = documents(group)
      .filter((path) => path.endsWith(".md"))
      .map(line);
    return [`## ${group.label}`, "", ...lines].join("\n");
  });
  const descriptions = Object.keys(API_FOLDERS).map(
    (path) => `- [${path.split("/").at(-1)}](${base}${rawAddressOf(path)})`,
  );
  const whole = contents
    .filter(({ label }) => !LEFT_OUT.has(label))
    .flatMap(documents)
    .flatMap((path) => site.plain.get(`${addressOf(path)}.md`) ?? []);
  return {
    "llms.txt": [
      head,
      `All of it but decisions in one file: [llms-full.txt](${base}llms-full.txt)\n`,
      ...sections,
      ["## OpenAPI", "", ...descriptions].join("\n"),
      "",
    ].join("\n\n"),
    "llms-full.txt": [head, ...whole].join("\n\n---\n\n"),
  };
}
