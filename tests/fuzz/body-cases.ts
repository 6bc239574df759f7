import fc, { type Arbitrary } from "fast-check";
import { translates } from "../support/provider-dialect.ts";
import { CREDIT_KEY_PLACE, type FuzzCase, ORDINARY, send, TOKEN_KEY_PLACE } from "./fuzz-case.ts";
import { type JsonNode, nodeOf, writeNode } from "./json-node.ts";
import { byteMutation } from "./mutate-bytes.ts";
import { structuralMutation } from "./mutate-structure.ts";
import { BODY_ROUTES, brokenModel, type FuzzRoute } from "./routes.ts";
import { validBody } from "./valid-body.ts";

const route = fc.constantFrom(...BODY_ROUTES);
const origin = fc.constantFrom<readonly ["", string] | readonly ["/token", string]>(
  ["", CREDIT_KEY_PLACE],
  ["/token", TOKEN_KEY_PLACE],
);

/** A request as any client would frame it. */
export function framed(options: {
  route: FuzzRoute;
  origin: readonly [prefix: string, key: string];
  body: Buffer;
}): Buffer {
  const { route: asked, body } = options;
  const [prefix, key] = options.origin;
  const head = [
    `POST ${prefix}${asked.path} HTTP/1.1`,
    "host: gateway",
    `authorization: Bearer ${key}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

type Made = { route: FuzzRoute; root: JsonNode };

const validBytes: Arbitrary<Made> = route.chain((asked) =>
  fc.tuple(fc.constant(asked), validBody(asked)).map(([to, body]) => ({ route: to, root: nodeOf(body) })),
);

/** Bodies in three degrees of wrongness: none, in structure, in bytes. With none, provider or caller may fail instead. */
export const bodyCases: Arbitrary<FuzzCase> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.tuple(validBytes, origin).map(([{ route: to, root }, from]): FuzzCase => {
      const body = Buffer.from(writeNode(root));
      const echo = to.name === "count_tokens" || translates() ? "possible" : "demanded";
      return {
        lane: "valid body",
        route: to.name,
        steps: [send(framed({ route: to, origin: from, body }))],
        expects: { ...ORDINARY, statuses: [200, ...unsayable()], format: to.format, echo },
        connection: "kept",
      };
    }),
  },
  { weight: 2, arbitrary: fc.tuple(validBytes, origin).map(([made, from]) => providerFails(made, from)) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(validBytes, origin, fc.nat({ max: 8 }), fc.integer({ min: 40, max: 900 }))
      .map(([{ route: to, root }, from, ms, bytes]): FuzzCase => {
        const whole = framed({ route: to, origin: from, body: Buffer.from(writeNode(root)) });
        return {
          lane: "caller leaves",
          route: to.name,
          steps: [send(whole.subarray(0, bytes)), { kind: "wait", ms }, { kind: "leave" }],
          expects: { ...ORDINARY, statuses: to.statuses, format: to.format, silence: "allowed" },
          connection: "fresh",
        };
      }),
  },
  {
    weight: 50,
    arbitrary: fc
      .tuple(validBytes, origin, fc.array(structuralMutation, { minLength: 1, maxLength: 3 }))
      .map(([{ route: to, root }, from, changes]) => {
        const changed = changes.reduce((node, change) => change(node), root);
        return mutated("structure", { route: to, origin: from, body: Buffer.from(writeNode(changed)) });
      }),
  },
  {
    weight: 30,
    arbitrary: fc
      .tuple(validBytes, origin, fc.array(byteMutation, { minLength: 1, maxLength: 3 }))
      .map(([{ route: to, root }, from, changes]) => {
        const body = changes.reduce<Buffer>((bytes, change) => change(bytes), Buffer.from(writeNode(root)));
        return mutated("bytes", { route: to, origin: from, body });
      }),
  },
);

/** A valid body may hold what cannot be said in another format, and is refused before anybody is asked. */
const unsayable = (): number[] => (translates() ? [400] : []);

function providerFails({ route: to, root }: Made, from: readonly [string, string]): FuzzCase {
  const body = Buffer.from(writeNode(root).replaceAll(`"${to.model}"`, `"${brokenModel(to.model)}"`));
  // Tokens are counted here when the provider cannot.
  const statuses = to.name === "count_tokens" ? [200] : [502, ...unsayable()];
  return {
    lane: "provider fails",
    route: to.name,
    steps: [send(framed({ route: to, origin: from, body }))],
    expects: { ...ORDINARY, statuses, format: to.format },
    connection: "kept",
  };
}

function mutated(lane: string, request: Parameters<typeof framed>[0]): FuzzCase {
  const { route: to } = request;
  return {
    lane,
    route: to.name,
    steps: [send(framed(request))],
    expects: { ...ORDINARY, statuses: to.statuses, format: to.format },
    connection: "kept",
  };
}
