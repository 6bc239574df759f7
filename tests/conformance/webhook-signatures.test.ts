import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { installOfficialVerifier, officialVerifier, verifiedByHand } from "../support/verify-webhook.ts";

const installed = await installOfficialVerifier();
if (installed.folder === null)
  process.stderr.write(`skipped: standardwebhooks is not installed: ${installed.missing}\n`);

const BODY = '{"kind":"limit_nearly_used"}';
const SECRET = `whsec_${Buffer.from("a secret of the tests").toString("base64")}`;

function headersOf(body: string, secret: string): Record<string, string> {
  const [id, timestamp] = ["msg_1", String(Math.floor(Date.now() / 1_000))];
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

describe.skipIf(installed.folder === null)("the official package and the check by hand that unit tests use", () => {
  const verifiers = [
    ["official", installed.folder === null ? verifiedByHand : officialVerifier(installed)],
    ["by hand", verifiedByHand],
  ] as const;

  test.each(verifiers)("%s: a right signature is accepted", (_, verify) => {
    expect(verify(BODY, headersOf(BODY, SECRET), SECRET)).toEqual({ kind: "limit_nearly_used" });
  });

  test.each(verifiers)("%s: another body, another secret and a missing signature are refused", (_, verify) => {
    const headers = headersOf(BODY, SECRET);
    const other = `whsec_${Buffer.from("another secret").toString("base64")}`;

    expect(() => verify(BODY.replace("nearly", "fully"), headers, SECRET)).toThrow();
    expect(() => verify(BODY, headers, other)).toThrow();
    expect(() => verify(BODY, { ...headers, "webhook-signature": "" }, SECRET)).toThrow();
  });
});
