import { expect, test } from "vitest";
import { watchSigner } from "./watch-signer.ts";

const CALL = { method: "POST", host: "h", path: "/", headers: {}, body: Buffer.alloc(0) } as const;
const toldOf = async (made: Record<string, string>, times = 1): Promise<string[]> => {
  const told: string[] = [];
  const signer = watchSigner({ sign: () => made, renew: () => Promise.resolve(false) }, (secret) => told.push(secret));
  for (let time = 0; time < times; time++) expect(await signer.sign(CALL)).toBe(made);
  return told;
};

test("the token of a call is told, and no more than once", async () => {
  expect(await toldOf({ authorization: "Bearer eyJ0.eyJh.c2ln" }, 3)).toEqual(["eyJ0.eyJh.c2ln"]);
});

test("of a signature of AWS its key, itself and its session are told, and not the words around them", async () => {
  const authorization =
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261120/eu-central-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d67";
  const others = { "x-amz-date": "20261120T000000Z", "x-amz-content-sha256": "e3b0", "x-amz-security-token": "IQoJ" };

  expect(await toldOf({ authorization, ...others })).toEqual(["AKIDEXAMPLE", "5d67", "IQoJ"]);
});

test("a header that nobody has heard of is a secret", async () => {
  expect(await toldOf({ "x-of-tomorrow": "a secret" })).toEqual(["a secret"]);
});
