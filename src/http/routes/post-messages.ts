import { renderFormatB } from "../../wire/errors/format-b.ts";
import { readMessagesRequest } from "../../wire/messages/messages-request.ts";
import type { Door } from "../door.ts";
import type { Router } from "../router.ts";
import type { ServeGeneration } from "../serve-generation.ts";
import { readFor } from "./read-for.ts";

type Parts = { door: Door; serve: ServeGeneration; betas: readonly string[] };

/** POST /v1/messages. [spec 4.5] */
export function postMessages(router: Router, { door, serve, betas }: Parts): void {
  door.route(router, {
    method: "POST",
    path: "/v1/messages",
    name: "messages",
    dialect: "messages",
    render: renderFormatB,
    credential: { scheme: "bearer_or_header", required: true },
    refusals: "full",
    work: (call) =>
      serve(
        call,
        readFor(call, (body, headers) => readMessagesRequest(body, headers, betas)),
      ),
  });
}
