import { Component, type ReactNode } from "react";
import { Failure } from "./state.tsx";

/** Keeps a part that fails from taking the page with it. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return <Failure error={error} height={160} retry={() => this.setState({ error: null })} />;
  }
}
