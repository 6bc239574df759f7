import "./design/theme.css";
import { KitchenSink } from "./pages/kitchen-sink/kitchen-sink.tsx";
import { mount } from "./shell/providers.tsx";
import { createQueryClient } from "./shell/query-client.ts";

mount(
  createQueryClient(() => {}),
  <KitchenSink />,
);
