import { examinationSchema, examinationView, statusSchema, statusView } from "../../wire/admin/status.ts";
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
  route({
    id: "showStatus",
    tag: "system",
    method: "GET",
    path: "/admin/v1/status",
    summary: "Show the version, the database, its migrations, and the processes with their leases",
    answers: { 200: statusSchema },
    handle: async ({ readStatus }) => ({ status: 200, body: statusView(await readStatus()) }),
  }),
  route({
    id: "examine",
    tag: "system",
    method: "GET",
    path: "/admin/v1/doctor",
    summary: "Run the checks of `tollgate doctor` in this process",
    description:
      "Leaves out providers and the proxy in front, which `tollgate doctor` calls. Changes nothing, and takes 20 s at most.",
    answers: { 200: examinationSchema },
    handle: async ({ examine }) => ({ status: 200, body: examinationView(await examine()) }),
  }),
];
