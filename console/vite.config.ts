import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { earlyTheme } from "./early-theme.ts";

const ADMIN = process.env["TOLLGATE_ADMIN_URL"] ?? "http://127.0.0.1:4100";
const PUBLIC = process.env["TOLLGATE_PUBLIC_URL"] ?? "http://127.0.0.1:4000";

/** Two pages: index.html for operators, holder.html for key holders. kitchen-sink.html is served in development only. */
export default defineConfig({
  base: "/console/",
  plugins: [react(), tailwindcss(), earlyTheme()],
  build: {
    // Engines that know light-dark() and color-mix(): nothing is polyfilled.
    target: ["chrome125", "firefox128", "safari18"],
    manifest: true,
    // A file inlined as data: would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ["index.html", "holder.html"] },
  },
  // Pure modules of src/ are shared with the command line.
  server: { fs: { allow: [".."] }, proxy: { "/admin": ADMIN, "/me": PUBLIC, "/v1": PUBLIC } },
});
