import { UpstreamError } from "../upstream.ts";

/** A name of the operator's as one segment of a path, which it may be nothing more than. */
export function pathSegment(name: string): string {
  const segment = encodeURIComponent(name.toWellFormed());
  // A server may take these for the segment before or for none, however they are written.
  if (/^\.{0,2}$/.test(segment))
    throw new UpstreamError("misconfigured", new Error(`a model cannot be named ${JSON.stringify(name)} here`));
  return segment;
}
