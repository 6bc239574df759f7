import { readFile } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import { factsOf } from "../../../tests/support/clouds/asked-facts.ts";
import { writeCloudCases } from "../../../tests/support/clouds/cloud-cases.ts";
import { startCloud } from "../../../tests/support/clouds/loopback-cloud.ts";
import {
  answerToDiscovery,
  googleLibrary,
  microsoftLibrary,
} from "../../../tests/support/clouds/official-libraries.ts";
import { SCOPE } from "../../../tests/support/clouds/strict-entra.ts";
import { issueEntraToken } from "../entra/issue-entra-token.ts";
import { issueGoogleToken } from "../google/issue-google-token.ts";
import type { AmbientSources } from "./ambient.ts";

const cases = writeCloudCases();
afterAll(() => cases.remove());

for (const [library, its, issueOf] of [
  [googleLibrary, cases.google, issueGoogleToken],
  [microsoftLibrary, cases.entra, (sources: AmbientSources) => issueEntraToken(sources, SCOPE)],
] as const) {
  const installed = await library.cached();
  if (installed.missing !== null) process.stderr.write(`skipped: ${library.name}: ${installed.missing}\n`);

  describe.skipIf(installed.missing)(library.name, () => {
    test.each(its)("asks as we do, and gets the same token: $title", async ({ variables, answer }) => {
      await using cloud = await startCloud(answer);
      const given = variables(cloud);
      const issue = issueOf({
        variable: (name) => given[name],
        readFile: (path) => readFile(path, "utf8"),
        ask: cloud.ask,
        nowMs: Date.now,
      });
      const { value } = await issue(new AbortController().signal);
      const ours = cloud.asked.splice(0).map(factsOf);
      const token = await library.ask(installed, cloud, given);
      const theirs = cloud.asked.filter((asked) => answerToDiscovery(asked) === null).map(factsOf);

      expect(value.reveal()).toBe(token);
      expect(ours).toEqual(theirs);
    });
  });
}
