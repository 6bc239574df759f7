import { expect, test } from "vitest";
import { readEmbeddingsRequest } from "../../wire/embeddings/embeddings-request.ts";
import { hideCaller } from "../../wire/hide-caller.ts";
import { parseBody } from "../../wire/json/parse-body.ts";
import { writeEmbeddings } from "./write-embeddings.ts";

const written = (body: object, unknown: "drop" | "forward"): unknown => {
  const parsed = parseBody(Buffer.from(JSON.stringify(body)), 16);
  const { request } = readEmbeddingsRequest(parsed);
  const hidden = hideCaller(request, parsed, { keyId: "key", payer: request.payer });
  return JSON.parse(writeEmbeddings(hidden, { upstreamModel: "embed-1", members: { unknown, open: [] } }).toString());
};

test("a provider that is told nothing unknown is told no name of the caller's instead", () => {
  const body = { model: "m", input: "a", safety_identifier: "ann", prompt_cache_key: "k", client_metadata: {} };

  expect(written(body, "drop")).toEqual({ model: "embed-1", input: "a" });
  expect(Object.keys(written(body, "forward") as object)).toEqual([
    "model",
    "input",
    "safety_identifier",
    "prompt_cache_key",
  ]);
  expect(JSON.stringify(written({ ...body, user: "ann" }, "forward"))).not.toContain("ann");
});
