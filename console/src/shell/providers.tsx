import { CSPProvider } from "@base-ui/react/csp-provider";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ErrorBoundary } from "../parts/error-boundary.tsx";
import { Toasts } from "../parts/toast.tsx";

/** Puts a page on the document. No part of it may add a style element: the Content-Security-Policy allows none. */
export function mount(client: QueryClient, page: ReactNode): void {
  const root = document.querySelector("#root");
  if (root === null) throw new Error("The page has no #root.");
  createRoot(root).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={client}>
          <ErrorBoundary>{page}</ErrorBoundary>
          <Toasts />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}
