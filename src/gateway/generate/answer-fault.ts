import { UpstreamError } from "../../upstream/upstream.ts";
import { AnswerLimitError } from "../../core/request/answer-limit.ts";
import { Fault } from "../../core/fault.ts";

/** Cut because we could not go on, and not for anything the caller did: it costs nothing, so the hold goes back whole. */
export const isOurs = ({ code }: Fault): boolean => code === "service_unavailable";

/** Charged as delivered; what was told by its status costs nothing. */
export const cancelledByOperator = (): Fault =>
  new Fault("request_cancelled", "The operator cancelled this request. Ask the operator before you send it again.");

export const isCancelled = ({ code }: Fault): boolean => code === "request_cancelled";

/** Whether somebody who asks can bring it about, such as by ending their own session: it is as if they had left. */
export const isOfCaller = (cut: Fault): boolean => !isOurs(cut) && !isCancelled(cut);

export const providerBrokeOff = (): Fault =>
  new Fault("upstream_error", "The provider ended the response before it was complete. It is safe to retry.");

/** A bound of ours ended the answer. The code is the one for an answer that could not be had; the words say whose doing it was. */
export const pastLimit = (limit: AnswerLimitError): Fault =>
  new Fault("upstream_error", `${limit.message} Request a shorter response, or split the request.`, { cause: limit });

/** Whether an error is a provider's doing, and not a bound of ours. */
export const isProviderFailure = (error: unknown): boolean =>
  error instanceof Fault && error.code === "upstream_error" && !(error.cause instanceof AnswerLimitError);

export const answerTookTooLong = (): Fault =>
  new Fault(
    "upstream_timeout",
    "The response took longer than a request may last. Request a shorter response, or split the request.",
  );

/** Whether a provider that gave no answer in time may have been at work on it. */
export const wasSent = (error: unknown): boolean =>
  error instanceof Fault &&
  error.cause instanceof UpstreamError &&
  error.cause.reason === "timed_out" &&
  error.cause.sent;
