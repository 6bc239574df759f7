import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issue, shown } from "../support/clouds/aws-stage.ts";
import { type MotoProcess, startMoto } from "../support/clouds/moto-process.ts";
import { installPythonPackages } from "../support/python-environment.ts";

const ROLE = "arn:aws:iam::123456789012:role/models";

/** It takes 291 MB and a minute and a half to install, so the gate leaves it to the long run. */
const { folder, missing } =
  process.env["TEST_LONG"] === "1"
    ? await installPythonPackages("moto", { "moto[server]": "5.2.5" })
    : { folder: null, missing: "only in the long run (TEST_LONG=1)" };
if (missing !== null) console.warn(`keys of AWS are not tried: ${missing}`);

describe.skipIf(folder === null)("keys of AWS, as moto issues them", () => {
  let moto: MotoProcess;

  beforeAll(async () => {
    moto = await startMoto(folder ?? "");
  });
  afterAll(async () => {
    await moto?.stop();
  });

  test("a role is assumed with the keys of a user, whose signature is checked", async () => {
    const { accessKeyId, secretAccessKey } = await moto.createUser("gateway");
    const variables = {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_REGION: "eu-central-1",
      AWS_ENDPOINT_URL_STS: moto.url,
    };
    const wrong = { ...variables, AWS_SECRET_ACCESS_KEY: `${secretAccessKey.slice(1)}x` };

    await moto.checkSignatures(true);
    try {
      const keys = shown(await issue({ variables, nowMs: Date.now }, { arn: ROLE }));

      expect(keys).toMatchObject({ id: expect.stringMatching(/^ASIA\w{16}$/), secret: expect.stringMatching(/.{40}/) });
      expect(keys.token).toMatch(/.{100}/);
      expectHours(keys.expiresAtMs, 1);
      await expect(issue({ variables: wrong, nowMs: Date.now }, { arn: ROLE })).rejects.toThrow(
        "refused (status 403, SignatureDoesNotMatch)",
      );
    } finally {
      await moto.checkSignatures(false);
    }
  });

  test("a role is assumed with the token of a platform", async () => {
    const variables = {
      AWS_WEB_IDENTITY_TOKEN_FILE: "/token",
      AWS_ROLE_ARN: ROLE,
      AWS_REGION: "eu-central-1",
      AWS_ENDPOINT_URL_STS: moto.url,
    };
    const keys = shown(await issue({ variables, files: { "/token": "a.b.c\n" }, nowMs: Date.now }));

    expect(keys).toMatchObject({ id: expect.stringMatching(/^ASIA\w{16}$/), secret: expect.stringMatching(/.{40}/) });
    expectHours(keys.expiresAtMs, 1);
  });

  test("an instance gives the keys of its role", async () => {
    const variables = { AWS_EC2_METADATA_SERVICE_ENDPOINT: moto.url };
    const keys = shown(await issue({ variables, nowMs: Date.now }));

    expect(keys).toMatchObject({ id: "test-key", secret: "test-secret-key", token: "test-session-token" });
    expectHours(keys.expiresAtMs, 24);
  });
});

function expectHours(expiresAtMs: number | null, hours: number): void {
  expect(Math.abs((expiresAtMs ?? 0) - Date.now() - hours * 3_600_000)).toBeLessThan(600_000);
}
