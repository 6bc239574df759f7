const KINDS = { added: "Added", changed: "Changed", fixed: "Fixed", removed: "Removed", security: "Security" } as const;
type Kind = keyof typeof KINDS;

export type Fragment = { name: string; text: string };

/** The section of a version: what the changelog has under "Unreleased", and every fragment, by kind. */
export function cutChangelog(options: {
  changelog: string;
  fragments: readonly Fragment[];
  version: string;
  date: string;
}): {
  changelog: string;
  section: string;
} {
  const { changelog, fragments, version, date } = options;
  const found = sectionOf(changelog, version);
  if (found !== null) {
    if (fragments.length > 0)
      throw new Error(
        `CHANGELOG.md has version ${version} already, and changes/ has ${fragments.length} fragments more`,
      );
    return { changelog, section: found };
  }
  const unreleased = sectionOf(changelog, "Unreleased");
  if (unreleased === null) throw new Error("CHANGELOG.md has no section “Unreleased”");
  const entries = new Map<Kind, string[]>(kinds().map((kind) => [kind, listed(unreleased, KINDS[kind])]));
  for (const { name, text } of fragments) {
    const [, kind = "", body = ""] = /^kind: (\w+)\n\n([^]+?)\n*$/.exec(text) ?? [];
    const list = entries.get(kind as Kind);
    if (list === undefined)
      throw new Error(`changes/${name} must begin with “kind: ${kinds().join(" | ")}” and an empty line`);
    list.push(`- ${body.replaceAll(/\s*\n\s*/g, " ")}`);
  }
  const groups = kinds().flatMap((kind) => {
    const list = entries.get(kind) ?? [];
    return list.length === 0 ? [] : [`### ${KINDS[kind]}\n\n${list.join("\n")}\n`];
  });
  if (groups.length === 0) throw new Error("nothing has changed: changes/ has no fragment and “Unreleased” is empty");
  const section = `## ${version} (${date})\n\n${groups.join("\n")}`;
  return { changelog: changelog.replace(unreleased, () => `## Unreleased\n\n${section}`), section };
}

const kinds = (): Kind[] => Object.keys(KINDS) as Kind[];

/** From its heading to the next of its level. */
function sectionOf(changelog: string, title: string): string | null {
  const escaped = title.replaceAll(".", "\\.");
  return new RegExp(`^## ${escaped}(?: \\([^)]*\\))?\\n[^]*?(?=^## |(?![^]))`, "m").exec(changelog)?.[0] ?? null;
}

function listed(section: string, title: string): string[] {
  const [, body = ""] = new RegExp(`^### ${title}\\n\\n([^]*?)(?=^### |(?![^]))`, "m").exec(section) ?? [];
  return body
    .split(/^(?=- )/m)
    .map((entry) => entry.trimEnd())
    .filter((entry) => entry !== "");
}
