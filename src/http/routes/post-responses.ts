import { renderFormatA } from "../../wire/errors/format-a.ts";
import type { Door } from "../serve-route.ts";
import type { Router } from "../router.ts";
import type { ServeGeneration } from "../serve-generation.ts";

/** POST /v1/responses. [spec 4.4] */
export function postResponses(router: Router, { door, serve }: { door: Door; serve: ServeGeneration }): void {
  door.route(router, {
    method: "POST",
    path: "/v1/responses",
    name: "responses",
    dialect: "responses",
    render: renderFormatA,
    credential: { scheme: "bearer", required: true },
    refusals: "full",
    work: (call) => serve(call, "responses"),
  });
}
