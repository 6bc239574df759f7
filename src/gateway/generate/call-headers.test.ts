import { expect, test } from "vitest";
import { route } from "../../../tests/support/dispatch-stage.ts";
import { callHeaders } from "./call-headers.ts";

const CONTEXT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const forwardedHeaders = { "anthropic-version": "2023-06-01" };
const headersOf = (
  traceparent: "send" | null | undefined,
  context: string | null,
  dialect: "messages" | "chat" = "messages",
) =>
  callHeaders({ request: { dialect: "messages", forwardedHeaders }, onCall: () => context })(
    route("http://east.example", { dialect, ...(traceparent !== undefined && { traceparent }) }),
  );

test.each([undefined, null])("a provider is sent no traceparent unless its row says so (%s)", (traceparent) => {
  expect(headersOf(traceparent, CONTEXT)).toEqual(forwardedHeaders);
});

test("a provider whose row says so is sent the trace context of the call, in every format", () => {
  expect(headersOf("send", CONTEXT)).toEqual({ ...forwardedHeaders, traceparent: CONTEXT });
  expect(headersOf("send", CONTEXT, "chat")).toEqual({ traceparent: CONTEXT });
});

test("no traceparent is sent where nobody collects traces", () => {
  expect(headersOf("send", null)).toEqual(forwardedHeaders);
});
