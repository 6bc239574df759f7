import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ServeFile } from "../core/served-file.ts";

const PREFIX = "/console";

/** GET /console and all below it. The page asks who one is; its files are the same for everybody. */
export function serveConsole(app: FastifyInstance, serve: ServeFile): void {
  const answer = ({ url, headers }: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = url.split("?", 1)[0]?.slice(PREFIX.length + 1) ?? "";
    const file = serve({ path, acceptEncoding: headers["accept-encoding"], ifNoneMatch: headers["if-none-match"] });
    return reply
      .code(file.status)
      .headers(file.headers)
      .send(file.status === 304 ? undefined : file.body);
  };
  for (const url of [PREFIX, `${PREFIX}/*`]) app.get(url, { config: { credential: "none" } }, answer);
}
