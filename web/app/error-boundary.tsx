import { Component, type ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { Notice } from '../parts/notice.tsx';

interface Props {
  readonly children: ReactNode;
  /** Another page has another chance. */
  readonly resetKey: string;
}

interface State {
  readonly error: unknown;
  readonly key: string;
}

/** A page that throws says so in its place: the rest of the application goes on. */
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
    const text = error instanceof Error ? (error.stack ?? error.message) : 'What was thrown is no error.';
    return (
      <div className="page">
        <h1>This page has failed</h1>
        <Notice kind="danger" detail={text}>
          <div>
            <Button onPress={() => location.reload()}>Load the page anew</Button>
          </div>
        </Notice>
      </div>
    );
  }
}
