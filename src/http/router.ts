import type { IncomingMessage, ServerResponse } from "node:http";
import { suggest } from "../core/text/suggest.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** `below` is what follows a path that ends in `/*`, as it was written; else empty. */
export type RouteHandler = (request: IncomingMessage, response: ServerResponse, below: string) => void;

export type Router = {
  /** A path that ends in `/*` stands for all paths below it. */
  add: (method: string, path: string, handler: RouteHandler) => void;
  handle: Handler;
};

type Refusals = {
  /** `nearest`: the known path that was probably meant, or null. */
  notFound: (request: IncomingMessage, response: ServerResponse, path: string, nearest: string | null) => void;
  methodNotAllowed: (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    allowed: readonly string[],
  ) => void;
};

type Methods = Map<string, RouteHandler>;

const LONGEST_COMPARED = 80;

/** Finds the handler of a path. The paths are few and fixed, so this is a look into a map; queries are ignored. */
export function createRouter({ notFound, methodNotAllowed }: Refusals): Router {
  const paths = new Map<string, Methods>();
  const prefixes = new Map<string, Methods>();

  function find(path: string): { methods: Methods; below: string } | null {
    const methods = paths.get(path);
    if (methods) return { methods, below: "" };
    for (const [prefix, under] of prefixes)
      if (path.length > prefix.length && path.startsWith(prefix))
        return { methods: under, below: path.slice(prefix.length) };
    return null;
  }

  function nearest(path: string): string | null {
    if (!path.startsWith("/") || path.length > LONGEST_COMPARED) return null;
    const known = [...paths.keys()].filter((candidate) => candidate !== "/");
    const asked = path.toLowerCase();
    return (
      known.find((candidate) => candidate === `/v1${asked}`) ??
      below(asked, known) ??
      suggest(asked, known) ??
      above(asked, known)
    );
  }

  return {
    add: (method, path, handler) => {
      const [table, name] = path.endsWith("/*") ? [prefixes, path.slice(0, -1)] : [paths, path];
      const methods = table.get(name) ?? new Map<string, RouteHandler>();
      table.set(name, methods.set(method, handler));
    },
    handle: (request, response) => {
      const url = originForm(request.url ?? "");
      const query = url.indexOf("?");
      const path = query === -1 ? url : url.slice(0, query);
      const found = find(path);
      if (!found) return notFound(request, response, path, nearest(path));
      const method = request.method ?? "";
      // Node sends no body in answer to a HEAD, so whatever answers GET answers it. [RFC 9110 9.3.2]
      const handler = found.methods.get(method === "HEAD" ? "GET" : method);
      if (handler) handler(request, response, found.below);
      else methodNotAllowed(request, response, path, allowed(found.methods));
    },
  };
}

/** A known path below this one, which is then a base URL or the beginning of a path; the list of models is what people try first. */
function below(path: string, known: readonly string[]): string | null {
  const base = path.endsWith("/") ? path : `${path}/`;
  if (base === "/" || known.includes(base.slice(0, -1))) return null;
  const found = known.filter((candidate) => candidate.startsWith(base));
  return found.find((candidate) => candidate.endsWith("/models")) ?? found[0] ?? null;
}

/** The longest known path that this one would be below. */
function above(path: string, known: readonly string[]): string | null {
  const parents = known.filter((candidate) => path.startsWith(`${candidate}/`));
  return parents.reduce<string | null>((best, each) => (each.length > (best?.length ?? 0) ? each : best), null);
}

const allowed = (methods: Methods): string[] =>
  [...methods.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));

const SCHEME = /^https?:\/\/[^/?#]*/i;

/** A target may name the whole address, as clients of proxies write it; the path in it is what counts. [RFC 9112 3.2.2] */
const originForm = (target: string): string => (target.startsWith("/") ? target : target.replace(SCHEME, ""));
