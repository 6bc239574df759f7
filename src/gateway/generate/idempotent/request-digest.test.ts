import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { LARGE_BODY_BYTES } from "../../../core/bytes/large-body.ts";
import { requestDigest } from "./request-digest.ts";

test.for([
  [0, 43],
  [1, 43],
  [1_024, 43],
  [1_024, 64],
  [1_024, 65],
  [LARGE_BODY_BYTES, 200],
])("a body of %i bytes with a secret of %i characters has the digest of HMAC-SHA-256", ([bytes, characters]) => {
  const body = Buffer.alloc(bytes ?? 0, "body ");
  const secret = "secret ".repeat(40).slice(0, characters);

  const expected = createHmac("sha256", secret).update(body).digest("hex").slice(0, 32);

  expect(requestDigest(body, secret)).toEqual(expected);
  expect(requestDigest(body, `${secret}x`)).not.toEqual(expected);
});

test("a large body has none", () => {
  expect(requestDigest(Buffer.alloc(LARGE_BODY_BYTES + 1), "secret")).toBeNull();
});
