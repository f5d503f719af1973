import { Component, type ReactNode } from 'react';

/** One row that can't be drawn must not take the page with it: its lines are still there. */
export class RowGuard extends Component<{ readonly children: ReactNode }, { readonly problem: string | undefined }> {
  override state = { problem: undefined };

  static getDerivedStateFromError(error: unknown): { readonly problem: string } {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    if (this.state.problem === undefined) return this.props.children;
    return (
      <p className="text-s text-bad" data-testid="row-problem">
        This could not be drawn ({this.state.problem}). Its lines are whole.
      </p>
    );
  }
}
