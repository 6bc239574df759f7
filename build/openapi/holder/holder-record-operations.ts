import { MODEL_LIST } from "../examples.ts";
import { HOLDER_CODES, HOLDER_READING } from "./holder-reading.ts";
import type { OperationFacts } from "../operations.ts";
import { REFUSAL_WORDS } from "../../../src/wire/errors/refusal-words.ts";

const COUNTS = {
  requests: 3,
  credits: "0.000738",
  tokens: "0",
  input_tokens: 36,
  cached_tokens: 0,
  output_tokens: 120,
};
const SUM = {
  ...COUNTS,
  codes: { ok: 2, rate_limit_exceeded: 1 },
  ttft: { p50: 240, p95: 390, p99: 398 },
  output_per_second: 81.3,
};
const AT = "2026-06-30T08:00:00.000Z";

const REQUEST = {
  request_id: "req_01890a5dac96774bbcceb302099a8057",
  at: AT,
  times: 1,
  model: "your-model",
  status: 200,
  code: "ok",
  streamed: true,
  took_ms: 1_840,
  first_byte_ms: 240,
  input_tokens: 12,
  cached_tokens: 0,
  output_tokens: 40,
  charged: { credits: "0.000246", tokens: null },
  agent: null,
  refusal: null,
};

const NEXT = {
  link: {
    description: 'The rest of the table, as `<path>; rel="next"`, if there is any.',
    required: false,
    schema: { type: "string" },
  },
} as const;

const FILTERS = ["requestModel", "requestCode", "requestStatus", "requestOutcome", "rangeFrom", "rangeTo"] as const;
const SERIES = ["rangeFrom", "rangeTo", "seriesStep", "seriesBy"] as const;

/** The same as a file. */
const file = (of: {
  path: string;
  operationId: string;
  summary: string;
  parameters: OperationFacts["parameters"];
  file: string;
}): OperationFacts => ({
  ...HOLDER_READING,
  path: of.path,
  operationId: of.operationId,
  summary: of.summary,
  description: `Returns the same as CSV. The first row has the column names.`,
  parameters: of.parameters,
  answer: {
    about: "The table.",
    schema: null,
    file: of.file,
    headers: of.parameters.includes("fileAfter") ? NEXT : {},
  },
});

/** What is read of a key's requests. */
export const HOLDER_RECORD_OPERATIONS: readonly OperationFacts[] = [
  file({
    path: "/me/ledger.csv",
    operationId: "exportOwnLedger",
    summary: "Download your ledger",
    parameters: ["fileLimit", "fileAfter"],
    file: "at,settled_at,kind,credits,tokens,running,request_id\r\n",
  }),
  {
    ...HOLDER_READING,
    path: "/me/series",
    operationId: "showOwnSeries",
    summary: "Show your usage over time",
    description:
      "Returns requests, charges, tokens, outcomes and time to first byte in steps of 5 minutes, an hour or a day. A request counts in the step in which it arrived, within seconds after its end. The default is the last 24 hours.",
    parameters: SERIES,
    answer: {
      about: "The series.",
      schema: "HolderSeries",
      example: {
        from: "2026-06-30T08:00:00.000Z",
        to: "2026-06-30T09:00:00.000Z",
        step: "1h",
        by: "model",
        total: SUM,
        points: [{ at: AT, ...SUM }],
        groups: [{ name: "your-model", total: SUM, points: [{ at: AT, ...COUNTS }] }],
      },
      headers: {},
    },
  },
  file({
    path: "/me/series.csv",
    operationId: "exportOwnSeries",
    summary: "Download your usage over time",
    parameters: SERIES,
    file: "at,model,requests,credits,tokens,input_tokens,cached_tokens,output_tokens\r\n",
  }),
  {
    ...HOLDER_READING,
    path: "/me/requests",
    operationId: "listOwnRequests",
    summary: "List your requests",
    description: "Returns the key's requests, newest first, as long as the operator keeps them.",
    parameters: ["pageLimit", "pageAfter", ...FILTERS],
    answer: {
      about: "A page of requests.",
      schema: "HolderRequests",
      example: { data: [REQUEST], next: null },
      headers: {},
    },
  },
  file({
    path: "/me/requests.csv",
    operationId: "exportOwnRequests",
    summary: "Download your requests",
    parameters: ["fileLimit", "fileAfter", ...FILTERS],
    file: "request_id,at,times,model,status,code,streamed,took_ms,first_byte_ms\r\n",
  }),
  {
    ...HOLDER_READING,
    path: "/me/requests/{request}",
    operationId: "showOwnRequest",
    summary: "Show a request",
    description:
      "Returns its steps, its calls to providers, how its charge was calculated, and what the ledger has about it. Providers are not named.",
    parameters: ["requestId"],
    codes: [...HOLDER_CODES, "not_found"],
    answer: {
      about: "The request.",
      schema: "HolderRequestDetail",
      example: {
        ...REQUEST,
        steps: {
          authenticated: 0.4,
          read: 0.6,
          checked: 0.9,
          admitted: 3.1,
          dispatched: 3.3,
          first_byte: 240.2,
          last_byte: 1_836,
          settled: 1_839.5,
          closed: 1_840,
        },
        attempts: [{ number: 1, began_ms: 3.3, ended_ms: 240, status: 200, failure: null }],
        reasoning_tokens: 0,
        reserved: { credits: "0.0021", tokens: null },
        price_version: 1,
        client: "curl/8.5.0",
        dropped_fields: [],
        estimated: false,
        arithmetic: {
          credits: {
            lines: [
              { what: "input", count: "12", unit_price: "0.5", amount: "0.000006" },
              { what: "output", count: "40", unit_price: "6", amount: "0.00024" },
            ],
            sum: "0.000246",
            charged: "0.000246",
            gap: null,
          },
          tokens: null,
        },
        entries: [
          { at: AT, kind: "hold", credits: "-0.0021", tokens: null },
          { at: "2026-06-30T08:00:02.000Z", kind: "release", credits: "0.0021", tokens: null },
          { at: "2026-06-30T08:00:02.000Z", kind: "charge", credits: "-0.000246", tokens: null },
        ],
      },
      headers: {},
    },
  },
  {
    ...HOLDER_READING,
    path: "/me/errors",
    operationId: "listOwnErrors",
    summary: "List your errors",
    description: "Returns the errors of the last days by their codes, with the last request of each and what to do.",
    parameters: ["days"],
    answer: {
      about: "The errors.",
      schema: "HolderErrors",
      example: {
        from: "2026-06-23T00:00:00.000Z",
        to: "2026-07-01T00:00:00.000Z",
        requests: 3,
        data: [
          {
            code: "rate_limit_exceeded",
            count: 1,
            last_at: AT,
            last_request_id: REQUEST.request_id,
            last_message: REFUSAL_WORDS.rate_limit_exceeded.example,
            cause: REFUSAL_WORDS.rate_limit_exceeded.cause,
            fix: REFUSAL_WORDS.rate_limit_exceeded.fix,
          },
        ],
      },
      headers: {},
    },
  },
  file({
    path: "/me/errors.csv",
    operationId: "exportOwnErrors",
    summary: "Download your errors",
    parameters: ["days"],
    file: "code,count,last_at,last_request_id,last_message,cause,fix\r\n",
  }),
  {
    ...HOLDER_READING,
    path: "/me/models",
    operationId: "listOwnModels",
    summary: "List your models",
    description: "Returns the models that the key can use, with their prices and how fast they were in the last hour.",
    parameters: [],
    answer: {
      about: "The list of models.",
      schema: "HolderModels",
      example: {
        ...MODEL_LIST,
        data: MODEL_LIST.data.map((model) => ({ ...model, speed: { output_per_second: 81.3, ttft_p50_ms: 240 } })),
      },
      headers: {},
    },
  },
];
