import type { IncomingMessage, ServerResponse } from "node:http";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export type Router = {
  add: (method: string, path: string, handler: Handler) => void;
  handle: Handler;
};

type Refusals = {
  notFound: (request: IncomingMessage, response: ServerResponse, path: string) => void;
  methodNotAllowed: (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    allowed: readonly string[],
  ) => void;
};

/** Finds the handler of a path. The paths are few and fixed, so this is a look into a map; queries are ignored. */
export function createRouter({ notFound, methodNotAllowed }: Refusals): Router {
  const paths = new Map<string, Map<string, Handler>>();
  return {
    add: (method, path, handler) => {
      const methods = paths.get(path) ?? new Map<string, Handler>();
      paths.set(path, methods.set(method, handler));
    },
    handle: (request, response) => {
      const url = originForm(request.url ?? "");
      const query = url.indexOf("?");
      const path = query === -1 ? url : url.slice(0, query);
      const methods = paths.get(path);
      if (!methods) return notFound(request, response, path);
      const handler = methods.get(request.method ?? "");
      if (handler) handler(request, response);
      else methodNotAllowed(request, response, path, [...methods.keys()]);
    },
  };
}

const SCHEME = /^https?:\/\/[^/?#]*/i;

/** A target may name the whole address, as clients of proxies write it; the path in it is what counts. [RFC 9112 3.2.2] */
const originForm = (target: string): string => (target.startsWith("/") ? target : target.replace(SCHEME, ""));
