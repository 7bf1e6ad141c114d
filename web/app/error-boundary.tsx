import { Component, type ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { Notice } from '../parts/notice.tsx';

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
    return props.resetKey === state.key ? null : { error: null, key: props.resetKey };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const text =
      error instanceof Error ? (error.stack ?? error.message) : 'The error is not an Error object.';
    return (
      <div className="page">
        <h1>Something went wrong on this page</h1>
        <Notice kind="danger" detail={text}>
          <div>
            <Button onPress={() => location.reload()}>Reload page</Button>
          </div>
        </Notice>
      </div>
    );
  }
}
