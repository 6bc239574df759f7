import { settingsSchema, settingsView } from "../../wire/admin/settings.ts";
import { type AdminRoute, route } from "../route.ts";

export const systemRoutes: readonly AdminRoute[] = [
  route({
    id: "showSettings",
    tag: "system",
    method: "GET",
    path: "/admin/v1/settings",
    summary: "List every setting of this process with its value and where it came from",
    description: "Of a secret it says whether it is set. Settings are read when a process starts.",
    answers: { 200: settingsSchema },
    handle: ({ settings }) => ({ status: 200, body: settingsView(settings()) }),
  }),
];
