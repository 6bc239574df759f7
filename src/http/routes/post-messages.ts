import { renderFormatB } from "../../wire/errors/format-b.ts";
import type { Door } from "../serve-route.ts";
import type { Router } from "../router.ts";
import type { ServeGeneration } from "../serve-generation.ts";

/** POST /v1/messages. [spec 4.5] */
export function postMessages(router: Router, { door, serve }: { door: Door; serve: ServeGeneration }): void {
  door.route(router, {
    method: "POST",
    path: "/v1/messages",
    name: "messages",
    dialect: "messages",
    render: renderFormatB,
    credential: { scheme: "bearer_or_header", required: true },
    refusals: "full",
    work: (call) => serve(call, "messages"),
  });
}
