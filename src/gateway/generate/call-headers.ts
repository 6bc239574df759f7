import type { CallFormat } from "../../core/request/dialect.ts";
import type { Route } from "../../core/catalogue/route.ts";
import type { Generation } from "./generation.ts";

/** What a provider is told in headers. The trace context is that of the call, never a client's own. */
export const callHeaders =
  ({
    request,
    onCall,
  }: Pick<Generation, "onCall"> & {
    request: Pick<Generation["request"], "forwardedHeaders"> & { dialect: CallFormat };
  }) =>
  (route: Route): Readonly<Record<string, string>> => {
    const forwarded = route.dialect === request.dialect ? request.forwardedHeaders : {};
    if (route.traceparent !== "send") return forwarded;
    const traceparent = onCall(route);
    return traceparent === null ? forwarded : { ...forwarded, traceparent };
  };
