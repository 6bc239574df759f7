/** Runs before every file of tests, and writes down at its end what the file took. */
import { afterAll, afterEach, expect } from "vitest";
import { beginFile, countAssertions, countSleeps, endFile } from "./time-spent.ts";

if (process.env["TEST_TIMES"] !== undefined) {
  countSleeps();
  beginFile();
  afterEach(() => countAssertions(expect.getState().assertionCalls));
  // oxlint-disable-next-line no-empty-pattern -- the file is in the second argument, and Vitest reads the pattern of the first.
  afterAll(({}, suite) => endFile(suite.file.projectName ?? "", suite.file.filepath));
}
