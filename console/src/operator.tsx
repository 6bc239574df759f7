import "./design/theme.css";
import { RouterProvider } from "@tanstack/react-router";
import { createOperatorRouter } from "./routes/operator-router.tsx";
import { mount } from "./shell/providers.tsx";
import { createQueryClient } from "./shell/query-client.ts";

const client = createQueryClient(() =>
  location.assign(
    `/console/sign-in?back=${encodeURIComponent(location.pathname.replace("/console", "") + location.search)}`,
  ),
);
mount(client, <RouterProvider router={createOperatorRouter(client)} />);
