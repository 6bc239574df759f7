import { renderFormatA } from "../../wire/errors/format-a.ts";
import type { Door } from "../serve-route.ts";
import type { Router } from "../router.ts";
import type { ServeGeneration } from "../serve-generation.ts";

/** POST /v1/chat/completions. [spec 4.3] */
export function postChatCompletions(router: Router, { door, serve }: { door: Door; serve: ServeGeneration }): void {
  door.route(router, {
    method: "POST",
    path: "/v1/chat/completions",
    name: "chat_completions",
    dialect: "chat",
    render: renderFormatA,
    credential: { scheme: "bearer", required: true },
    refusals: "full",
    work: (call) => serve(call, "chat"),
  });
}
