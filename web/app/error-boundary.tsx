import { Component, useEffect, type ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { retryParts } from '../parts/lazy-part.tsx';
import { Notice } from '../parts/notice.tsx';
import { PartUnavailable } from '../state/part-loader.ts';

interface Props {
  readonly children: ReactNode;
  /** A new value clears the error, for example the path of another page. */
  readonly resetKey: string;
}

interface State {
  readonly error: unknown;
  readonly key: string;
}

/** Shows an error in place of a page that throws. The rest of the application keeps working. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, key: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error };
  }

  static getDerivedStateFromProps(props: Props, state: State): State | null {
    if (props.resetKey === state.key) return null;
    if (state.error !== null) retryParts();
    return { error: null, key: props.resetKey };
  }

  readonly #retry = (): void => {
    retryParts();
    this.setState({ error: null });
  };

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return error instanceof PartUnavailable ? (
      <PartProblem error={error} onRetry={this.#retry} />
    ) : (
      <PageProblem error={error} />
    );
  }
}

/** Time between two automatic attempts to load a page from an unreachable server. */
const RETRY_MS = 5_000;

function PartProblem({ error, onRetry }: { error: PartUnavailable; onRetry: () => void }) {
  useEffect(() => {
    if (error.fault !== 'unreachable') return undefined;
    const timer = setTimeout(onRetry, RETRY_MS);
    return () => clearTimeout(timer);
  }, [error, onRetry]);
  return (
    <div className="page">
      <h1>Page not loaded</h1>
      <Notice kind="warning" detail={error.message}>
        <div className="row">
          <Button onPress={onRetry}>Try again</Button>
          <Button onPress={() => location.reload()}>Reload page</Button>
        </div>
      </Notice>
    </div>
  );
}

function PageProblem({ error }: { error: unknown }) {
  const text = error instanceof Error ? (error.stack ?? error.message) : 'The error is not an Error object.';
  return (
    <div className="page">
      <h1>Something went wrong on this page</h1>
      <Notice
        kind="danger"
        detail="The page has an error of the application. Your data on the server is not affected."
      >
        <div className="row">
          <Button onPress={() => location.reload()}>Reload page</Button>
          <CopyButton text={text} label="Copy details for a bug report">
            Copy details
          </CopyButton>
        </div>
      </Notice>
    </div>
  );
}
