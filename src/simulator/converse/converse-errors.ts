import type { Refusal } from "../ask/refusal.ts";
import { frameConverse } from "./converse-frames.ts";

/** The names that Amazon has for statuses. */
const NAMES: Record<number, string> = {
  400: "ValidationException",
  401: "UnrecognizedClientException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
};

/** Why it refuses is told in a header, of which the address behind the name is for nobody. */
export const errorHeaders = ({ status, code }: Refusal): Record<string, string> => ({
  "x-amzn-errortype": `${code ?? NAMES[status] ?? "UnknownOperationException"}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
});

export const refuseLikeAmazon = ({ message }: Refusal): string => JSON.stringify({ message });

export const unavailable = (): string =>
  frameConverse(
    "exception",
    JSON.stringify({ __type: "serviceUnavailableException", message: "Bedrock is unable to process your request." }),
  );
