import type { Compared } from "./compare-fields.ts";

/** The differences as a page of the reference. */
export function protocolPage(compared: readonly Compared[], version: string): string {
  const equal = compared.reduce((sum, each) => sum + each.equal, 0);
  const differences = compared.flatMap((each) => each.differences);
  const reasons = [...new Set(differences.map(({ why }) => why ?? ""))];
  const sections = reasons.map((why) => {
    const rows = new Map<string, string[]>();
    for (const { probe, field, reference, ours } of differences.filter((each) => (each.why ?? "") === why)) {
      const row = `\`${field}\` | ${cell(reference)} | ${cell(ours)} |`;
      rows.set(row, [...(rows.get(row) ?? []), probe]);
    }
    const lines = [...rows].map(([row, probes]) => `| ${namesOf(probes, compared.length)} | ${row}`);
    return [`${why}.`, "", "| Request | Field | `claude gateway` | Tollgate |", "|---|---|---|---|", ...lines].join(
      "\n",
    );
  });
  return `# Claude Code's gateway protocol

For operators and contributors who ask how far the gateway's answers to signed-in clients are those of \`claude gateway\`, the gateway that comes with Claude Code ${version}.

<!-- Written by scripts/reference-gateway.ts (\`npm run agents:reference -- --write\`). Edit the code it is written from. -->

Both were started before one identity provider and one provider of models, with the same people, settings and limits, and got the same requests. ${compared.length} answers were compared
field by field: status, headers and body. ${equal} fields are equal and ${differences.length} are different. Values that are new each time, such as tokens, are equal if they have the same form. Of lists the first entry was compared.

Not compared: codes that expire after 10 minutes, streams, limits of groups, and anything over TLS.

## Answers

| Request | Equal fields | Different fields |
|---|---|---|
${compared.map(({ probe, equal: same, differences: other }) => `| ${probe} | ${same} | ${other.length} |`).join("\n")}

## Differences

${sections.join("\n\n")}
`;
}

const MOST_CHARACTERS = 120;
const MOST_NAMES = 6;

const namesOf = (probes: readonly string[], all: number): string => {
  if (probes.length === all) return "every request";
  return probes.length > MOST_NAMES ? `${probes.length} requests` : probes.join("; ");
};

const cell = (value: string | null): string => {
  if (value === null) return "–";
  const short = value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS)}…` : value;
  return `\`${short.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").replaceAll("`", "'")}\``;
};
