import fc from "fast-check";
import { expect, test } from "vitest";
import { requestBody } from "../../../tests/translation/request-bodies.ts";
import { requestOf } from "../../../tests/translation/request-of.ts";
import type { ClientDialect } from "../../core/request/dialect.ts";
import { inspectMembers } from "../../wire/members/inspect-members.ts";
import { MEMBERS } from "../../wire/members/member-tables.ts";
import { lossesOf } from "../fidelity/losses.ts";
import { pickTranslator } from "../pick-translator.ts";
import { chatClient } from "../chat/sides.ts";
import { createCrossing } from "./create-crossing.ts";
import { responsesProvider } from "../responses/sides.ts";

const TOLD = { upstreamModel: "theirs", maxOutputTokens: 5 };
const DIALECTS: readonly ClientDialect[] = ["chat", "responses", "messages"];
const PAIRS = DIALECTS.flatMap((client) =>
  DIALECTS.filter((provider) => provider !== client).map((provider) => [client, provider] as const),
);

test("what a translation makes is refused as if it had been sent openly [BOD-37]", () => {
  const forged = { ...responsesProvider, request: () => ({ model: "x", input: [{ id: "msg_1" }] }) };
  const translate = () => createCrossing(chatClient, forged).request(requestOf("chat"), TOLD);

  expect(translate).toThrow(expect.objectContaining({ code: "invalid_request", param: "input.0.id" }));
});

test.each(PAIRS)("a %s request for a provider of %s holds nothing that the table does not know", (client, provider) => {
  fc.assert(
    fc.property(requestBody(client), ({ body }) => {
      fc.pre(lossesOf(client, provider, body).refused === null);
      const translator = pickTranslator(client, { dialect: provider, conformant: true });
      const sent = JSON.parse(translator.request(requestOf(client, body), TOLD).toString()) as Record<string, unknown>;

      const { fault, unknown } = inspectMembers(MEMBERS[provider], sent, { mediaUrls: "https", refused: "fault" });
      expect({ fault, unknown }).toEqual({ fault: null, unknown: [] });
    }),
    { numRuns: 100 },
  );
});
