import type { IncomingMessage } from "node:http";
import type { Handler } from "../router.ts";

/**
 * HTTP/1.1 demands one Host, and two are a way to be seen differently by a proxy in front. Which host it names is all one to us.
 */
export const requireHost =
  (handle: Handler, refuse: Handler): Handler =>
  (request, response) => {
    if (hasOneHost(request)) handle(request, response);
    else refuse(request, response);
  };

export function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    // Lengths first: this runs for every header of every request.
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0");
}
