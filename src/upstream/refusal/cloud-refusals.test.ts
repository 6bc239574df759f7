import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sharedFolder } from "../../../tests/support/recordings.ts";
import type { FaultCode } from "../../core/fault.ts";
import { CONSEQUENCES, providerFault, readRefused, type RefusalKind } from "./provider-error.ts";

type Refusal = { status: number; headers: Record<string, string>; body: object };

const CLOUDS = join(sharedFolder() ?? "", "recordings/clouds");
const recorded = (path: string): unknown => JSON.parse(readFileSync(join(CLOUDS, path), "utf8"));
const read = ({ status, headers, body }: Refusal) =>
  readRefused({ status, headers }, Buffer.from(JSON.stringify(body)));
const kindIn = (refusal: Refusal): RefusalKind => read(refusal).kind;
const codeOf = (refusal: Refusal): FaultCode => providerFault(read(refusal), { provider: "cloud" }).code;
const bedrock = (status: number, type: string, message: string): Refusal => ({
  status,
  headers: { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
  body: { message },
});

describe("refusals of clouds [interface decision 31]", () => {
  test.skipIf(sharedFolder() === null)("each recorded one of Bedrock is told whose fault it is", () => {
    const refusals = recorded("bedrock-converse/made-refusals.json") as Refusal[];
    const kinds = refusals.map((refusal) => {
      const type = /^\w+/.exec(refusal.headers["x-amzn-errortype"] ?? "")?.[0];
      return [refusal.status, type, kindIn(refusal)];
    });

    expect(kinds).toEqual([
      [400, "ValidationException", "too_long"],
      [400, "ValidationException", "account"],
      [400, "ValidationException", "request"],
      [400, "ValidationException", "request"],
      [400, "ServiceQuotaExceededException", "account"],
      [403, "AccessDeniedException", "account"],
      [403, "UnrecognizedClientException", "key"],
      [403, "ExpiredTokenException", "key"],
      [403, "InvalidSignatureException", "key"],
      [404, "ResourceNotFoundException", "account"],
      [408, "ModelTimeoutException", "late"],
      [424, "ModelErrorException", "failed"],
      [429, "ThrottlingException", "busy"],
      [429, "ModelNotReadyException", "busy"],
      [500, "InternalServerException", "failed"],
      [503, "ServiceUnavailableException", "busy"],
    ]);
  });

  test.skipIf(sharedFolder() === null)(
    "Azure's filter of prompts is about the request, and its token about ours",
    () => {
      const { response: filtered } = recorded("azure-chat/made-content-filter-400.exchange.json") as {
        response: Refusal;
      };
      const { response: expired } = recorded("azure-chat/made-entra-401.exchange.json") as { response: Refusal };

      expect([kindIn(filtered), codeOf(filtered)]).toEqual(["request", "invalid_request"]);
      expect([kindIn(expired), codeOf(expired)]).toEqual(["key", "provider_unavailable"]);
    },
  );

  test.each<[Refusal, RefusalKind]>([
    [bedrock(400, "ConflictException", "The model is being changed."), "account"],
    [bedrock(404, "ResourceNotFoundException", "Could not resolve the foundation model."), "account"],
    [bedrock(400, "ValidationException", "The provided model identifier is invalid."), "account"],
    [bedrock(400, "ValidationException", "max_tokens: Input should be positive"), "request"],
  ])("Bedrock's %j is of the kind %s, and another route is asked unless the request is at fault", (refusal, kind) => {
    expect(kindIn(refusal)).toBe(kind);
    expect(CONSEQUENCES[kind].next).toBe(kind === "request" ? "nobody" : "others");
  });
});
