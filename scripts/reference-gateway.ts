/**
 * Asks `claude gateway`, which comes with Claude Code, and our gateway the same things and compares the answers field by field. Prints
 * each difference with its reason; `--write` writes them as `docs/reference/claude-code-protocol.md`. Ends with 1 when a
 * difference has no reason, or a reason explains nothing any more.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { claudeCode } from "../tests/agents/claude-code.ts";
import { fieldsOf } from "../tests/agents/reference-gateway/answer-fields.ts";
import { type BothGateways, openBothGateways } from "../tests/agents/reference-gateway/both-gateways.ts";
import { type Compared, compareFields, unusedReasons } from "../tests/agents/reference-gateway/compare-fields.ts";
import { LAST_PROBES, type Probe, PROBES, USED_UP_PROBES } from "../tests/agents/reference-gateway/probes.ts";
import { REASONS } from "../tests/agents/reference-gateway/reasons.ts";
import { protocolPage } from "../tests/agents/reference-gateway/protocol-page.ts";
import { PACKAGES } from "../tests/conformance/clients/versions.ts";
import { installPackages } from "../tests/support/npm-packages.ts";

const PAGE = join(import.meta.dirname, "../docs/reference/claude-code-protocol.md");
const { values: options } = parseArgs({ options: { write: { type: "boolean" } } });

const { folder, missing } = await installPackages(claudeCode.folder, claudeCode.packages);
if (folder === null) {
  console.log(`✗ Claude Code cannot be installed, so nothing was compared: ${missing}`);
  process.exitCode = 1;
} else {
  await using both = await openBothGateways(claudeCode.program(folder));
  const compared = [...(await compare(both, PROBES))];
  await both.useUpLimits();
  compared.push(...(await compare(both, USED_UP_PROBES)), ...(await compare(both, LAST_PROBES)));
  report(compared);
  if (options.write) writeFileSync(PAGE, protocolPage(compared, PACKAGES.claudeCode["@anthropic-ai/claude-code"]));
}

async function compare({ reference, ours }: BothGateways, probes: readonly Probe[]): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const { name, ask } of probes) {
    const fields = {
      reference: fieldsOf(await ask(reference), reference.base),
      ours: fieldsOf(await ask(ours), ours.base),
    };
    compared.push(compareFields(name, fields, REASONS));
  }
  return compared;
}

function report(compared: readonly Compared[]): void {
  const differences = compared.flatMap((each) => each.differences);
  for (const { probe, field, reference, ours, why } of differences)
    console.log(
      `${why === null ? "✗" : "–"} ${probe}: ${field}: ${reference ?? "(none)"} | ${ours ?? "(none)"}  ${why ?? "no reason is listed"}`,
    );
  const unexplained = differences.filter(({ why }) => why === null);
  const unused = unusedReasons(compared, REASONS);
  for (const { why } of unused) console.log(`✗ explains nothing any more: ${why}`);
  const equal = compared.reduce((sum, each) => sum + each.equal, 0);
  console.log(
    `reference gateway: ${compared.length} answers, ${equal} fields equal, ${differences.length} different, ${unexplained.length} without a reason`,
  );
  process.exitCode = unexplained.length + unused.length === 0 ? 0 : 1;
}
