import { RouterProvider } from "@tanstack/react-router";
import "./design/theme.css";
import { createHolderRouter } from "./routes/holder-router.tsx";
import { meQuery } from "./shell/holder-session.ts";
import { mount } from "./shell/providers.tsx";
import { createQueryClient } from "./shell/query-client.ts";

// A session that ended while a page was open: who is signed in is asked once more, and the answer leads to the sign-in.
const client = createQueryClient(
  () =>
    void client.refetchQueries({ queryKey: meQuery.queryKey, predicate: ({ state }) => state.status === "success" }),
);
mount(client, <RouterProvider router={createHolderRouter()} />);
