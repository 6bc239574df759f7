import "./design/theme.css";
import { MyKey } from "./pages/my-key/my-key.tsx";
import { mount } from "./shell/providers.tsx";
import { createQueryClient } from "./shell/query-client.ts";

mount(
  // Whoever is signed out is asked for the key in place; a reload would ask again without end.
  createQueryClient(() => {}),
  <MyKey />,
);
