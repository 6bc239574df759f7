import { holderErrorSchema, holderErrorsSchema } from "../../../src/wire/holder/errors.ts";
import { holderModels } from "../../../src/wire/holder/models.ts";
import {
  holderArithmeticSchema,
  holderAttemptSchema,
  holderDetailSchema,
  holderRequestSchema,
  holderRequestsSchema,
} from "../../../src/wire/holder/requests.ts";
import { holderSeries, holderSum } from "../../../src/wire/holder/series.ts";
import { type Component, component } from "../component.ts";

const REQUEST = {
  request_id: "The id of the request, as in its header `x-request-id`.",
  at: "When it arrived.",
  times: "How many requests the record stands for. Many rejections of one kind within a moment share a record.",
  model: "The model, as you named it if there is none of that name; null: it was not read.",
  status: "The HTTP status. A stream that failed after its first content has 200.",
  code: "`ok`, an error code, or how it ended, such as `client_gone`.",
  streamed: "Whether the response was streamed.",
  took_ms: "From the arrival of the request to the end of its response.",
  first_byte_ms: "Time to the first byte of the response; null: there was none.",
  input_tokens: "Input tokens.",
  cached_tokens: "Of the input tokens, those read from a cache.",
  output_tokens: "Output tokens.",
  charged: "What was charged, in each unit that counts; null: nothing was reserved.",
  agent: "The coding agent by its `User-Agent`; null: none that is known.",
  refusal: "The error message you got; null: there was none.",
};

/** Series, requests, errors and models of a key. They can have more fields than these. */
export const holderRecordComponents = {
  HolderSeries: component({
    schema: holderSeries.in,
    about: "What the key did over time.",
    fields: {
      from: "Beginning of the first step.",
      to: "End of the last step.",
      step: "The length of a step.",
      by: "What `groups` are by; null: there are none.",
      total: "The sum of all steps.",
      points: "The steps, oldest first; those without requests are left out.",
      groups: "The sums of each model or code, most expensive first. `name` is null for all others together.",
    },
  }),
  HolderSum: component({
    schema: holderSum.in,
    about: "A sum of requests.",
    fields: {
      requests: "Requests, with those that were rejected.",
      credits: "Credits charged.",
      tokens: "Tokens charged.",
      input_tokens: "Input tokens.",
      cached_tokens: "Of the input tokens, those read from a cache.",
      output_tokens: "Output tokens.",
      codes: "Requests by how they ended: `ok`, `client_gone` or an error code.",
      ttft: "Time to the first byte of streams in milliseconds; null: there were none.",
      output_per_second: "Tokens per second of completed streams; null: there were none.",
    },
  }),
  HolderRequests: component({
    schema: holderRequestsSchema,
    about: "A page of the key's requests, newest first. A page can be short and have a `next` all the same.",
    fields: { data: "The requests.", next: "Pass it as `after` to get the next page; null: this is the last page." },
  }),
  HolderRequest: component({ schema: holderRequestSchema, about: "A request.", fields: REQUEST }),
  HolderRequestDetail: component({
    schema: holderDetailSchema,
    about: "A request with all that is kept of it. Prompts and responses are not kept.",
    fields: {
      ...REQUEST,
      steps: "When it got to each step, in milliseconds since it arrived; null: it did not.",
      attempts: "Calls to providers, in their order.",
      reasoning_tokens: "Of the output tokens, those of hidden reasoning.",
      reserved: "What was reserved before it started; null: nothing.",
      price_version: "The version of the price it was charged at.",
      client: "The `User-Agent`, up to 120 characters; null: there was none.",
      dropped_fields: "Fields of the request that the provider was not sent.",
      estimated: "The counts are the gateway's: the provider sent none, or impossible ones.",
      arithmetic: "How the charge was calculated, in each unit that counts; null: nothing was reserved.",
      entries: "What the ledger has about the request, oldest first. Amounts below zero were reserved or charged.",
    },
  }),
  HolderAttempt: component({
    schema: holderAttemptSchema,
    about: "A call to a provider.",
    fields: {
      number: "1 for the first.",
      began_ms: "When it began, in milliseconds since the request arrived.",
      ended_ms: "When it failed, or its response began.",
      status: "The provider's status; null: no response.",
      failure: "Why it failed; null: it succeeded.",
    },
  }),
  HolderArithmetic: component({
    schema: holderArithmeticSchema,
    about: "How an amount was calculated. Amounts are exact decimals.",
    fields: {
      lines: "What was counted, times its price per million tokens, or per call of a tool.",
      sum: "The lines added up and rounded once; null: the price is not known.",
      charged: "What the ledger says.",
      gap: "Why `charged` is not `sum`; null: it is. `provider_failed`: failures are free. `voided`: the charge could not be confirmed. `estimated`: counts of the gateway cost at most what was reserved. `absorbed`: the operator pays the rest. `no_price`: the price is gone.",
    },
  }),
  HolderErrors: component({
    schema: holderErrorsSchema,
    about: "Errors of the key's requests by their codes, the most frequent first.",
    fields: {
      from: "Beginning of the first day.",
      to: "End of the last.",
      requests: "All requests of this time.",
      data: "The codes.",
    },
  }),
  HolderError: component({
    schema: holderErrorSchema,
    about: "Errors of one code.",
    fields: {
      code: "The error code.",
      count: "How many requests ended with it.",
      last_at: "When the last of them arrived; null: its record is no longer kept.",
      last_request_id: "The id of the last.",
      last_message: "The message you got with the last.",
      cause: "When the gateway returns this error.",
      fix: "What to do about it.",
    },
  }),
  HolderModels: component({
    schema: holderModels,
    about: "The models this key can use, as `GET /v1/models` lists them, with their speed.",
    fields: {
      object: "Always `list`.",
      data: "The models. `speed` is from streams of all keys within the last hour: output tokens per second, and the median time to the first byte in milliseconds; null: there were none.",
    },
  }),
} satisfies Record<string, Component>;
