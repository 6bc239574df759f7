import { afterAll, describe, expect, test } from "vitest";
import { writeCloudCases } from "../support/clouds/cloud-cases.ts";
import { startCloud } from "../support/clouds/loopback-cloud.ts";
import { googleLibrary, microsoftLibrary } from "../support/clouds/official-libraries.ts";
import { ENTRA_TOKEN } from "../support/clouds/strict-entra.ts";
import { FEDERATED_TOKEN, GOOGLE_TOKEN } from "../support/clouds/strict-google.ts";

/** The unit tests compare each request of ours with the one of these libraries, where this suite has installed them. */
const cases = writeCloudCases();
afterAll(() => cases.remove());

for (const [library, its] of [
  [googleLibrary, cases.google],
  [microsoftLibrary, cases.entra],
] as const) {
  const installed = await library.install();
  if (installed.missing !== null)
    process.stderr.write(`skipped: ${library.name} cannot be installed: ${installed.missing}\n`);

  describe.skipIf(installed.missing)(library.name, () => {
    test.each(its)("gets a token from the servers of our tests: $title", async ({ variables, answer }) => {
      await using cloud = await startCloud(answer);
      const token = await library.ask(installed, cloud, variables(cloud));

      expect([GOOGLE_TOKEN, FEDERATED_TOKEN, ENTRA_TOKEN]).toContain(token);
      expect(cloud.asked).not.toEqual([]);
    });
  });
}
