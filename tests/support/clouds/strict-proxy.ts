import { once } from "node:events";
import { createServer, request as openRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** What it refuses a call with; null: it lets it pass. */
export type Gatekeeper = (headers: Record<string, unknown>, path: string) => Refused | null;
export type Refused = { status: number; headers?: Record<string, string>; body: object };

export type StrictProxy = {
  url: string;
  /** Paths of all calls, refused ones included. */
  asked: string[];
  leadTo: (url: string) => void;
  close: () => void;
};

/** Stands before a simulated cloud, and looks at credentials as the real one would. */
export async function startStrictProxy(keep: Gatekeeper): Promise<StrictProxy> {
  let target = "";
  const asked: string[] = [];
  const server: Server = createServer((incoming, response) => {
    const { method, url = "/", headers } = incoming;
    asked.push(url);
    const refused = keep(headers, url);
    if (refused !== null) {
      incoming.resume();
      response.writeHead(refused.status, { "content-type": "application/json", ...refused.headers });
      response.end(JSON.stringify(refused.body));
      return;
    }
    void buffer(incoming).then((body) => {
      const onward = openRequest(`${target}${url}`, { method, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
        answer.on("error", () => response.destroy());
      });
      // Who leaves the one leaves the other.
      response.on("close", () => onward.destroy());
      onward.on("error", () => response.destroy());
      onward.end(body);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    leadTo: (url) => (target = url),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A server of a cloud that hands out credentials. */
export async function startIssuer(issue: () => object): Promise<{ url: string; close: () => void }> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(200, { "content-type": "application/json", "metadata-flavor": "Google" });
    response.end(JSON.stringify(issue()));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
